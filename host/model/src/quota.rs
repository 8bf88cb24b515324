//! Quotas of units: what a unit used against what its model allows it, and the meter status that
//! follows.
//!
//! A quota is an amount in a minute. What is held against it is the larger of two calendar minutes: the one
//! that is under way and the one before. So a unit that uses too much is told as soon as it has, one
//! that uses less is back within two minutes, and nobody escapes by spreading a burst over
//! two minutes of which each is half full for long. A status says which quota it is about and never
//! how much was used, so that it changes only when its meaning does: each change is a hook.
//!
//! A person may give a unit a status as well; the worse of both is what it is told. It stops nothing: a quota is a signal to the charm and to people, and what to do is theirs to decide.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::bounds::TEXT_BYTES;
use crate::config::{Value, Values};
use crate::nearest::suggestion;

#[cfg(test)]
mod tests;

/// The hook that a change of a unit's meter status runs.
pub const METER_STATUS_CHANGED: &str = "meter-status-changed";

/// The options of a model that are quotas; zero is none.
pub const REQUESTS: &str = "unit-requests-quota";
pub const CPU: &str = "unit-cpu-quota";

/// From this part of a quota on, in hundredths, a unit is warned.
const WARNING: u64 = 80;

/// How long an agent goes without its controller before its units are warned, and before they are to
/// do as if they were over their quotas (Juju's periods).
const AMBER_AFTER: Duration = Duration::from_secs(5 * 60);
const RED_AFTER: Duration = Duration::from_secs(15 * 60);

/// The worst is the largest.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Code {
    #[default]
    Green,
    Amber,
    Red,
}

impl Code {
    /// As charms are told it.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::Green => "GREEN",
            Code::Amber => "AMBER",
            Code::Red => "RED",
        }
    }

    /// As a status shows it.
    pub fn color(self) -> &'static str {
        match self {
            Code::Green => "green",
            Code::Amber => "amber",
            Code::Red => "red",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Code {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut all = [Code::Green, Code::Amber, Code::Red].into_iter();
        all.find(|code| code.as_str() == text)
            .ok_or_else(|| format!("\"{text}\" is not a meter status"))
    }
}

/// The meter status of a unit. Green without a word is that of a unit nobody has anything to say about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Meter {
    pub code: Code,
    /// One sentence; empty for green.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub info: String,
}

impl Meter {
    /// What a person says of a unit; a colour is written in any case.
    pub fn said(colour: &str, info: &str) -> Result<Self, String> {
        let colour: String = colour.chars().take(80).collect();
        let code = colour.to_uppercase().parse::<Code>().map_err(|_| {
            let known = [Code::Green, Code::Amber, Code::Red].map(Code::as_str);
            let meant = suggestion(&colour, known);
            format!("\"{colour}\" is not one of GREEN, AMBER and RED{meant}")
        })?;
        let info = match code {
            Code::Green => String::new(),
            Code::Amber | Code::Red => TEXT_BYTES.cut(info).into_owned(),
        };
        Ok(Self { code, info })
    }

    /// Of two that hold of a unit the one that it is told: the worse, and the first where both are as bad.
    #[must_use]
    pub fn worse(self, other: Meter) -> Meter {
        match other.code > self.code {
            true => other,
            false => self,
        }
    }
}

/// What each unit of a model may use in a minute; zero is as much as it likes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quotas {
    pub requests: u64,
    pub cpu: Duration,
}

impl Quotas {
    /// As the options of a model say.
    pub fn of(options: &Values) -> Self {
        let number = |name: &str| match options.get(name) {
            Some(Value::Integer(number)) => u64::try_from(*number).unwrap_or_default(),
            _ => 0,
        };
        Self {
            requests: number(REQUESTS),
            cpu: Duration::from_millis(number(CPU)),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.requests == 0 && self.cpu.is_zero()
    }

    /// What a unit is told that used this much in the minute under way and in the one before.
    pub fn meter(&self, minutes: [Used; 2]) -> Meter {
        let [now, before] = minutes;
        let requests = held(now.requests.max(before.requests), self.requests);
        let cpu = held(millionths(now.cpu.max(before.cpu)), millionths(self.cpu));
        let code = requests.max(cpu);
        let limits = [
            (requests, REQUESTS, format!("{} requests", self.requests)),
            (cpu, CPU, format!("{} ms of CPU", self.cpu.as_millis())),
        ];
        let about = limits.iter().filter(|(of, ..)| *of == code);
        let parts: Vec<String> = about
            .map(|(_, option, limit)| match code {
                Code::Red => format!("more than {limit} in a minute ({option})"),
                _ => format!("{WARNING} % or more of {limit} in a minute ({option})"),
            })
            .collect();
        Meter {
            code,
            info: match code {
                Code::Green => String::new(),
                Code::Amber | Code::Red => parts.join("; "),
            },
        }
    }
}

/// What a unit used in one minute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// That its services answered.
    pub requests: u64,
    /// That its web workloads and its hooks took.
    pub cpu: Duration,
}

fn millionths(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// What follows from one amount.
fn held(used: u64, quota: u64) -> Code {
    let hundredths = |amount: u64, part: u64| u128::from(amount) * u128::from(part);
    match quota {
        0 => Code::Green,
        _ if used > quota => Code::Red,
        _ if hundredths(used, 100) >= hundredths(quota, WARNING) => Code::Amber,
        _ => Code::Green,
    }
}

/// What units are told whose agent has been without its controller for this long; none while that is
/// no news.
pub fn isolated(since: Duration) -> Option<Meter> {
    let told = |code, after: Duration| {
        let minutes = after.as_secs() / 60;
        Some(Meter {
            code,
            info: format!("the controller has not been reached for {minutes} minutes"),
        })
    };
    match since {
        _ if since >= RED_AFTER => told(Code::Red, RED_AFTER),
        _ if since >= AMBER_AFTER => told(Code::Amber, AMBER_AFTER),
        _ => None,
    }
}

/// When, after this long, [`isolated`] says something else next; none when it never will.
pub fn isolated_next(since: Duration) -> Option<Duration> {
    let mut steps = [AMBER_AFTER, RED_AFTER].into_iter();
    steps.find(|step| since < *step)
}
