//! Times as Juju prints them: `21 Nov 2026 10:38:00Z` in the local zone, or, with `--utc`, in ISO
//! form.

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

/// How times are shown.
#[derive(Clone, Debug)]
pub struct Times {
    iso: bool,
    zone: TimeZone,
}

impl Times {
    /// `utc`: in UTC and ISO form, else in the machine's zone and Juju's form.
    pub fn new(utc: bool) -> Self {
        Self {
            iso: utc,
            zone: if utc {
                TimeZone::UTC
            } else {
                TimeZone::system()
            },
        }
    }

    #[cfg(test)]
    pub fn in_zone(zone: TimeZone) -> Self {
        Self { iso: false, zone }
    }

    /// Date and time.
    pub fn full(&self, time: Timestamp) -> String {
        let zoned = time.to_zoned(self.zone.clone());
        if self.iso {
            return zoned.strftime("%Y-%m-%d %H:%M:%SZ").to_string();
        }
        format!(
            "{}{}",
            zoned.strftime("%d %b %Y %H:%M:%S"),
            offset(zoned.offset())
        )
    }

    /// Time of day.
    pub fn short(&self, time: Timestamp) -> String {
        let zoned = time.to_zoned(self.zone.clone());
        format!("{}{}", zoned.strftime("%H:%M:%S"), offset(zoned.offset()))
    }

    /// A stored time, in microseconds since the epoch; empty where there is none.
    pub fn micros(&self, micros: i64) -> String {
        match Timestamp::from_microsecond(micros) {
            Ok(time) if micros != 0 => self.full(time),
            _ => String::new(),
        }
    }

    /// A time of the wire, in RFC 3339; as it is where it cannot be read.
    pub fn wire(&self, text: &str) -> String {
        text.parse::<Timestamp>()
            .map_or_else(|_| text.to_owned(), |time| self.full(time))
    }

    /// The time of day of a time of the wire.
    pub fn wire_short(&self, text: &str) -> String {
        text.parse::<Timestamp>()
            .map_or_else(|_| text.to_owned(), |time| self.short(time))
    }

    /// The time of a log line: `10:38:00`, with date or milliseconds where asked for.
    pub fn log(&self, micros: i64, date: bool, milliseconds: bool) -> String {
        let time = Timestamp::from_microsecond(micros)
            .unwrap_or_default()
            .to_zoned(self.zone.clone());
        let format = match (date, milliseconds) {
            (false, false) => "%H:%M:%S",
            (true, false) => "%Y-%m-%d %H:%M:%S",
            (false, true) => "%H:%M:%S%.3f",
            (true, true) => "%Y-%m-%d %H:%M:%S%.3f",
        };
        time.strftime(format).to_string()
    }
}

/// `Z`, or `+01:00`.
fn offset(offset: Offset) -> String {
    let seconds = offset.seconds();
    if seconds == 0 {
        return "Z".to_owned();
    }
    let minutes = seconds.abs() / 60;
    let sign = if seconds < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_look_as_juju_prints_them() {
        let wire = "2026-11-21T10:38:00.123Z";
        let utc = Times::new(true);
        assert_eq!(utc.wire(wire), "2026-11-21 10:38:00Z");
        assert_eq!(utc.wire_short(wire), "10:38:00Z");
        let zurich = Times::in_zone(TimeZone::fixed(Offset::constant(1)));
        assert_eq!(zurich.wire(wire), "21 Nov 2026 11:38:00+01:00");
        assert_eq!(zurich.wire_short(wire), "11:38:00+01:00");
        assert_eq!(
            Times::in_zone(TimeZone::UTC).wire(wire),
            "21 Nov 2026 10:38:00Z"
        );
        assert_eq!(utc.wire("soon"), "soon");
        assert_eq!(utc.micros(0), "");
    }

    #[test]
    fn log_times_grow_with_what_is_asked_for() {
        let utc = Times::new(true);
        let micros = 1_795_257_480_123_456;
        assert_eq!(utc.log(micros, false, false), "10:38:00");
        assert_eq!(utc.log(micros, true, true), "2026-11-21 10:38:00.123");
    }
}
