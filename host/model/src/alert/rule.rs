//! What a rule looks at, and where its threshold is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::SECOND;
use crate::duration;
use crate::nearest::suggestion;

/// How far back the runs of hooks go of which the 99th percentile is taken.
pub const P99_WINDOW: i64 = 15 * 60 * SECOND;
/// Fewer runs say nothing of a percentile.
pub const P99_RUNS: usize = 10;

/// What a rule looks at.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// A unit has been in error for longer than the threshold.
    UnitError,
    /// A removal has passed its deadline by more than the threshold.
    RemovalOverdue,
    /// The 99th percentile of the time that hooks of a model take is above the threshold.
    HookP99,
    /// The controller's disk is fuller than the threshold.
    DiskFull,
}

impl Condition {
    pub const ALL: &'static [Condition] = &[
        Condition::UnitError,
        Condition::RemovalOverdue,
        Condition::HookP99,
        Condition::DiskFull,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Condition::UnitError => "unit-error",
            Condition::RemovalOverdue => "removal-overdue",
            Condition::HookP99 => "hook-p99",
            Condition::DiskFull => "disk-full",
        }
    }

    /// Whether it is about something in a model, rather than about the controller.
    pub const fn is_of_model(self) -> bool {
        !matches!(self, Condition::DiskFull)
    }

    /// How its threshold is written, as in an error message.
    const fn example(self) -> &'static str {
        match self {
            Condition::UnitError => "a duration such as 5m",
            Condition::RemovalOverdue => "a duration such as 0 or 10m",
            Condition::HookP99 => "a duration such as 30s",
            Condition::DiskFull => "a percentage such as 90%",
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Why a rule makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RuleError(pub String);

impl FromStr for Condition {
    type Err = RuleError;
    fn from_str(text: &str) -> Result<Self, RuleError> {
        let words = Condition::ALL.iter().map(|one| one.as_str());
        let mut all = Condition::ALL.iter().copied();
        let found = all.find(|one| one.as_str() == text);
        found.ok_or_else(|| {
            let shown: String = text.chars().take(80).collect();
            let all: Vec<&str> = words.clone().collect();
            RuleError(format!(
                "\"{shown}\" is not a condition; the conditions are {}{}",
                all.join(", "),
                suggestion(text, words)
            ))
        })
    }
}

/// A condition with its threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    pub condition: Condition,
    /// Microseconds, or percent of the disk.
    pub threshold: i64,
}

impl Rule {
    /// # Errors
    /// A threshold that the condition does not have.
    pub fn new(condition: Condition, threshold: &str) -> Result<Self, RuleError> {
        let threshold = match condition {
            Condition::DiskFull => percent(threshold),
            Condition::HookP99 => microseconds(threshold).filter(|time| *time > 0),
            Condition::UnitError | Condition::RemovalOverdue => microseconds(threshold),
        }
        .ok_or_else(|| {
            let shown: String = threshold.chars().take(80).collect();
            RuleError(format!(
                "\"{shown}\" is not a threshold for {condition}; write {}",
                condition.example()
            ))
        })?;
        Ok(Self {
            condition,
            threshold,
        })
    }

    /// The threshold as people write it.
    pub fn threshold_text(&self) -> String {
        match self.condition {
            Condition::DiskFull => format!("{}%", self.threshold),
            _ => in_words(self.threshold),
        }
    }

    /// What the rule watches for, as a sentence of a message says it.
    pub fn in_words(&self) -> String {
        let threshold = self.threshold_text();
        match self.condition {
            Condition::UnitError => format!("unit in error for longer than {threshold}"),
            Condition::RemovalOverdue if self.threshold == 0 => {
                "removal past its deadline".to_owned()
            }
            Condition::RemovalOverdue => {
                format!("removal past its deadline by more than {threshold}")
            }
            Condition::HookP99 => format!("99th percentile of hook time above {threshold}"),
            Condition::DiskFull => format!("disk fuller than {threshold}"),
        }
    }
}

/// 1 to 99; at 100 nothing can be written down any more.
fn percent(text: &str) -> Option<i64> {
    let number = text.trim();
    let number = number.strip_suffix('%').unwrap_or(number).trim();
    let percent: i64 = number.parse().ok()?;
    (1..=99).contains(&percent).then_some(percent)
}

/// At most a year.
fn microseconds(text: &str) -> Option<i64> {
    let time = duration::parse(text)?;
    let time = i64::try_from(time.as_micros()).ok()?;
    (time <= 366 * 24 * 3600 * SECOND).then_some(time)
}

/// `1h30m`, `250ms`: the units that a duration needs, largest first.
pub(super) fn in_words(microseconds: i64) -> String {
    const UNITS: [(&str, i64); 6] = [
        ("d", 24 * 3600 * SECOND),
        ("h", 3600 * SECOND),
        ("m", 60 * SECOND),
        ("s", SECOND),
        ("ms", 1_000),
        ("us", 1),
    ];
    let mut rest = microseconds.max(0);
    let mut text = String::new();
    for (unit, length) in UNITS {
        let count = rest / length;
        rest %= length;
        if count > 0 {
            text.push_str(&format!("{count}{unit}"));
        }
    }
    match text.is_empty() {
        true => "0s".to_owned(),
        false => text,
    }
}
