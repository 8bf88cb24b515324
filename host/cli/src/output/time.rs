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

/// When somebody was last there, as Juju tells it.
#[derive(Clone, Debug)]
pub struct LastSeen {
    /// None where the whole time is wanted.
    now: Option<Timestamp>,
}

impl LastSeen {
    /// `exact`: the whole time, in UTC and ISO form, else how long ago it was.
    pub fn new(exact: bool) -> Self {
        Self {
            now: (!exact).then(Timestamp::now),
        }
    }

    #[cfg(test)]
    pub fn at(now: Timestamp) -> Self {
        Self { now: Some(now) }
    }

    /// A stored time, in microseconds since the epoch. It is good to a minute, so nothing finer is told.
    pub fn told(&self, micros: Option<i64>) -> String {
        let Some(micros) = micros else {
            return "never connected".to_owned();
        };
        let Some(now) = self.now else {
            return Times::new(true).micros(micros);
        };
        let minutes = now.as_microsecond().saturating_sub(micros) / 60_000_000;
        let ago = |number: i64, unit: &str| match number {
            1 => format!("1 {unit} ago"),
            number => format!("{number} {unit}s ago"),
        };
        match minutes {
            ..1 => "just now".to_owned(),
            1..60 => ago(minutes, "minute"),
            60..1440 => ago(minutes / 60, "hour"),
            _ => Timestamp::from_microsecond(micros)
                .map(|time| {
                    time.to_zoned(TimeZone::UTC)
                        .strftime("%Y-%m-%d")
                        .to_string()
                })
                .unwrap_or_default(),
        }
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
    fn the_last_connection_is_told_as_juju_tells_it() {
        let then = 1_795_257_480_123_456;
        let after = |seconds: i64| {
            let now = Timestamp::from_microsecond(then + seconds * 1_000_000).unwrap();
            LastSeen::at(now).told(Some(then))
        };
        assert_eq!(after(-5), "just now", "clocks differ");
        assert_eq!(after(59), "just now");
        assert_eq!(after(60), "1 minute ago");
        assert_eq!(after(3599), "59 minutes ago");
        assert_eq!(after(3600), "1 hour ago");
        assert_eq!(after(86_399), "23 hours ago");
        assert_eq!(after(86_400), "2026-11-21");
        assert_eq!(LastSeen::new(false).told(None), "never connected");
        assert_eq!(LastSeen::new(true).told(Some(then)), "2026-11-21 10:38:00Z");
    }

    #[test]
    fn log_times_grow_with_what_is_asked_for() {
        let utc = Times::new(true);
        let micros = 1_795_257_480_123_456;
        assert_eq!(utc.log(micros, false, false), "10:38:00");
        assert_eq!(utc.log(micros, true, true), "2026-11-21 10:38:00.123");
    }
}
