//! Durations as Juju's configuration and Go write them: `5m`, `1h30m`, `1.5m`, `250ms`.

use std::time::Duration;

/// Units with their length in nanoseconds. Days are ours; Go has none.
const UNITS: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// One or more decimal numbers, each with its unit; `0` needs none. Nothing else is a duration,
/// least of all a bare number: it would be seconds to some and nanoseconds to Go.
pub fn parse(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    let mut total = Duration::ZERO;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(digits);
        let letters = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let (_, length) = UNITS.iter().find(|(name, _)| *name == unit)?;
        total = total.checked_add(times(number, *length)?)?;
        if after.is_empty() {
            return Some(total);
        }
        rest = after;
    }
}

/// `number` lengths of so many nanoseconds, exactly; what is less than one is cut off.
fn times(number: &str, length: u64) -> Option<Duration> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole: u128 = match whole {
        "" => 0,
        digits => digits.parse().ok()?,
    };
    let mut nanoseconds = whole.checked_mul(u128::from(length))?;
    let mut place = u128::from(length);
    for digit in fraction.chars() {
        place /= 10;
        nanoseconds = nanoseconds.checked_add(place * u128::from(digit.to_digit(10)?))?;
    }
    let seconds = u64::try_from(nanoseconds / 1_000_000_000).ok()?;
    let rest = u32::try_from(nanoseconds % 1_000_000_000).ok()?;
    Some(Duration::new(seconds, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_go_reads_them() {
        for (text, milliseconds) in [
            ("5m", 300_000),
            ("1h30m", 5_400_000),
            ("1.5m", 90_000),
            ("1.5s", 1_500),
            (".5s", 500),
            ("1.s", 1_000),
            ("250ms", 250),
            ("2500us", 2),
            ("0", 0),
            ("0s", 0),
            (" 90s ", 90_000),
            ("7d", 604_800_000),
        ] {
            let parsed = parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(parsed.as_millis(), milliseconds, "{text}");
        }
        for bad in [
            "",
            " ",
            "5",
            "m",
            ".",
            ".s",
            "5 m",
            "1m5",
            "5x",
            "1..s",
            "1.2.3s",
            "-5m",
            "5m ago",
            "999999999999999999999999999999999999999999h",
            "99999999999999999999h",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
