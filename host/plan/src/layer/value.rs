//! Values of a layer that are written as text.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};

/// When a start counts as good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Ready {
    /// The service says so itself, as `sd_notify` does.
    Notify,
    /// This check has succeeded.
    Check(String),
    /// It has run for so long.
    After(Duration),
}

impl FromStr for Ready {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("\"{text}\" is not one of: notify, check:NAME, after:DURATION");
        match text.split_once(':') {
            None if text == "notify" => Ok(Ready::Notify),
            Some(("check", name)) if !name.is_empty() => Ok(Ready::Check(name.to_owned())),
            Some(("after", time)) => crate::duration::parse(time)
                .map(Ready::After)
                .ok_or_else(bad),
            _ => Err(bad()),
        }
    }
}

impl fmt::Display for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ready::Notify => f.write_str("notify"),
            Ready::Check(name) => write!(f, "check:{name}"),
            Ready::After(time) => write!(f, "after:{}", written(*time)),
        }
    }
}

/// What a service wants when nothing but its files changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Reload {
    Restart,
    /// It looks at them itself.
    Nothing,
    Signal(Signal),
}

impl FromStr for Reload {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "restart" => Ok(Reload::Restart),
            "none" => Ok(Reload::Nothing),
            signal => signal.parse().map(Reload::Signal).map_err(|_| {
                format!("\"{text}\" is not one of: restart, none, a signal as SIGHUP")
            }),
        }
    }
}

impl fmt::Display for Reload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reload::Restart => f.write_str("restart"),
            Reload::Nothing => f.write_str("none"),
            Reload::Signal(signal) => signal.fmt(f),
        }
    }
}

/// A signal by its name on Linux, `SIGHUP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "String")]
pub struct Signal(&'static str);

/// Those a service may be sent. The ones a kernel sends for a fault are not among them.
const SIGNALS: &[&str] = &[
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGABRT",
    "SIGKILL",
    "SIGUSR1",
    "SIGUSR2",
    "SIGALRM",
    "SIGTERM",
    "SIGCONT",
    "SIGSTOP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGVTALRM",
    "SIGPROF",
    "SIGWINCH",
    "SIGIO",
    "SIGPWR",
];

impl Signal {
    pub const TERM: Signal = Signal("SIGTERM");

    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl FromStr for Signal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = SIGNALS.iter().find(|name| **name == text);
        known.map(|name| Signal(name)).ok_or_else(|| {
            let nearest = crate::nearest::suggestion(text, SIGNALS.iter().copied());
            format!("\"{text}\" is not a signal{nearest}")
        })
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

macro_rules! as_text {
    ($($type:ty),*) => {$(
        impl TryFrom<String> for $type {
            type Error = String;
            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(value: $type) -> String {
                value.to_string()
            }
        }
    )*};
}
as_text!(Ready, Reload, Signal);

// Derived it would borrow for ever, as its text does.
impl<'de> Deserialize<'de> for Signal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// In the longest unit of which it is a whole number, up to seconds.
pub(super) fn written(time: Duration) -> String {
    let nanoseconds = time.as_nanos();
    let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)];
    let whole = units
        .iter()
        .find(|(_, length)| nanoseconds.is_multiple_of(*length));
    let (unit, length) = whole.copied().unwrap_or(("ns", 1));
    format!("{}{unit}", nanoseconds / length)
}

/// Durations that may be left out.
pub(super) mod duration {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(in super::super) fn serialize<S: Serializer>(
        time: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => serializer.serialize_str(&super::written(*time)),
            None => serializer.serialize_none(),
        }
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let Some(text) = Option::<String>::deserialize(deserializer)? else {
            return Ok(None);
        };
        match crate::duration::parse(&text) {
            Some(time) => Ok(Some(time)),
            None => Err(de::Error::custom(format_args!(
                "\"{text}\" is not a duration: write 10s, 500ms, 1m30s"
            ))),
        }
    }
}

/// A map that may stand there without anything in it, as `services:`.
pub(super) fn map<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, V>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// The same for a list.
pub(super) fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
