//! Times in the API: RFC 3339 text in UTC, and microseconds since 1970 in memory and in the database.
//!
//! It owns the one way in which a time is written and read, with the `serde` modules that members of
//! wire types name in `with`. It never looks at a clock. Text loses nothing: microseconds in, the same
//! microseconds out.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serializer};

#[cfg(test)]
mod tests;

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400;

/// `0001-01-01T00:00:00Z` and the last microsecond of the year 9999: what four digits of a year can say.
const FIRST: i64 = -62_135_596_800 * SECOND;
const LAST: i64 = 253_402_300_800 * SECOND - 1;

/// Microseconds since 1970 as text, `2026-11-22T08:00:00.25Z`. A time outside the years 1 to 9999 is
/// written as the nearest one inside.
pub fn text(microseconds: i64) -> String {
    let microseconds = microseconds.clamp(FIRST, LAST);
    let seconds = microseconds.div_euclid(SECOND);
    let fraction = microseconds.rem_euclid(SECOND);
    let (year, month, day) = civil(seconds.div_euclid(DAY));
    let of_day = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let fraction = match fraction {
        0 => String::new(),
        some => format!(".{some:06}").trim_end_matches('0').to_owned(),
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// Seconds since 1970 as text.
pub fn text_of_seconds(seconds: i64) -> String {
    text(seconds.saturating_mul(SECOND))
}

/// Microseconds since 1970 of text such as `2026-11-22T08:00:00.25Z` or `2026-11-22T09:00:00+01:00`;
/// digits beyond microseconds are dropped. Nothing when it is no RFC 3339 time.
pub fn parse(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.len() < 20 || !text.is_ascii() {
        return None;
    }
    let (date, rest) = text.split_at(10);
    let (separator, rest) = rest.split_at(1);
    if !matches!(separator, "T" | "t" | " ") {
        return None;
    }
    let (clock, rest) = rest.split_at(8);
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(clock, ':', [2, 2, 2])?;
    if year == 0 || !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
        return None;
    }
    // A leap second is the second before it.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit())?;
            let (digits, zone) = rest.split_at(end);
            if digits.is_empty() {
                return None;
            }
            let micros = digits.get(..6).unwrap_or(digits);
            (format!("{micros:0<6}").parse::<i64>().ok()?, zone)
        }
        None => (0, rest),
    };
    let of_day = hour * 3600 + minute * 60 + second.min(59);
    let seconds = days(year, month, day) * DAY + of_day - offset(zone)?;
    Some(seconds * SECOND + fraction)
}

/// Seconds by which a zone is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let (sign, clock) = match zone.split_at_checked(1)? {
        ("+", clock) => (1, clock),
        ("-", clock) => (-1, clock),
        _ => return None,
    };
    let [hours, minutes] = numbers(clock, ':', [2, 2])?;
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// Numbers of so many digits each, and nothing else between them than the separator.
fn numbers<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[i64; N]> {
    let mut found = [0; N];
    let mut parts = text.split(separator);
    for (number, digits) in found.iter_mut().zip(digits) {
        let part = parts.next()?;
        if part.len() != digits || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(found)
}

fn days_of(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days in 400 years, after which the calendar repeats itself.
const ERA: i64 = 146_097;
/// Days from the first of March of the year 0 to the first of January 1970.
const TO_EPOCH: i64 = 719_468;

/// Days since 1970 of a date. Years are counted from March, so that the leap day is the last of its year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    era * ERA + of_era - TO_EPOCH
}

/// The date of a day since 1970: year, month, day.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + TO_EPOCH;
    let (era, of_era) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = (from_march + 2) % 12 + 1;
    let year = year + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// A time as it arrives. Agents of an earlier version, and what they left in files, say microseconds.
struct Arrived;

impl Visitor<'_> for Arrived {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time in RFC 3339, such as 2026-11-22T08:00:00Z")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<i64, E> {
        parse(text).ok_or_else(|| {
            let shown: String = text.chars().take(64).collect();
            E::custom(format!(
                "{shown:?} is not a time in RFC 3339, such as 2026-11-22T08:00:00Z"
            ))
        })
    }

    fn visit_i64<E: Error>(self, microseconds: i64) -> Result<i64, E> {
        Ok(microseconds)
    }

    fn visit_u64<E: Error>(self, microseconds: u64) -> Result<i64, E> {
        i64::try_from(microseconds).map_err(E::custom)
    }
}

/// For `Option` and `Vec`, whose items have no `with`.
struct Read(i64);

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Arrived).map(Read)
    }
}

/// A time in microseconds.
pub mod micros {
    use super::*;

    pub fn serialize<S: Serializer>(time: &i64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&text(*time))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        deserializer.deserialize_any(Arrived)
    }

    /// One that may be missing.
    pub mod option {
        use super::super::*;

        pub fn serialize<S: Serializer>(
            time: &Option<i64>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            match time {
                Some(time) => serializer.serialize_some(&text(*time)),
                None => serializer.serialize_none(),
            }
        }

        pub fn deserialize<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<i64>, D::Error> {
            let read = Option::<Read>::deserialize(deserializer)?;
            Ok(read.map(|Read(time)| time))
        }
    }

    /// Many of them.
    pub mod list {
        use super::super::*;

        pub fn serialize<S: Serializer>(times: &[i64], serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(times.iter().map(|time| text(*time)))
        }

        pub fn deserialize<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Vec<i64>, D::Error> {
            let read = Vec::<Read>::deserialize(deserializer)?;
            Ok(read.into_iter().map(|Read(time)| time).collect())
        }
    }
}

/// A time in whole seconds.
pub mod seconds {
    use super::*;

    pub fn serialize<S: Serializer>(time: &i64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&text_of_seconds(*time))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        struct Seconds;
        impl Visitor<'_> for Seconds {
            type Value = i64;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Arrived.expecting(f)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<i64, E> {
                Ok(Arrived.visit_str::<E>(text)?.div_euclid(SECOND))
            }

            fn visit_i64<E: Error>(self, seconds: i64) -> Result<i64, E> {
                Ok(seconds)
            }

            fn visit_u64<E: Error>(self, seconds: u64) -> Result<i64, E> {
                i64::try_from(seconds).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Seconds)
    }
}
