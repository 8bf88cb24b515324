//! What brought something about: the name of a cause, as it is carried from the transaction of a change to the
//! hook that follows from it, and the words in which a chain of causes is told.
//!
//! A cause names the one thing right before it and never more, so it is short, and a chain is read by going from
//! one to the next. Numbers are those of the audit log and of runs of hooks, which come from one sequence: of two
//! of them the greater is the later. A cause of a newer program, which is not understood here, is unknown: a
//! cause explains and decides nothing.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize, Serializer};

use crate::UnitName;
use crate::task::{Asked, TaskId};

#[cfg(test)]
mod tests;

/// What brought a change or a hook about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(from = "String")]
pub enum Cause {
    /// Nobody wrote it down.
    #[default]
    Unknown,
    /// A request, by the number of its record in the audit log.
    Deed(i64),
    /// A run of a hook or a task, by its number.
    Run(i64),
    /// A task that somebody asked for.
    Task(TaskId),
    /// A call by which a worker or an agent changed the model: `Facade.Method`.
    Call(String),
    Timer(Timer),
    /// The unit became the leader, or is it no more.
    Leadership,
    /// The unit's machine rebooted.
    Reboot,
    /// No unit reads the revision of the secret any more.
    Unread,
    /// The hook that the unit ran right before. The controller, which numbers runs, puts that run in its place.
    Before,
    /// A unit left a relation. The controller, which knows how, puts that in its place.
    Left {
        relation: u64,
        unit: UnitName,
    },
    /// A relation was removed under a unit that had not left it.
    Removed(u64),
}

/// A timer by which a hook is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timer {
    UpdateStatus,
    /// A failed hook is tried again.
    Retry,
    SecretRotate,
    SecretExpire,
}

impl Timer {
    const ALL: [Timer; 4] = [
        Timer::UpdateStatus,
        Timer::Retry,
        Timer::SecretRotate,
        Timer::SecretExpire,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Timer::UpdateStatus => "update-status",
            Timer::Retry => "retry",
            Timer::SecretRotate => "secret-rotate",
            Timer::SecretExpire => "secret-expire",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Timer::UpdateStatus => "the update-status timer was due",
            Timer::Retry => "it had failed, and the timer for trying it again was due",
            Timer::SecretRotate => "the rotation policy of the secret was due",
            Timer::SecretExpire => "the revision of the secret had expired",
        }
    }
}

impl Cause {
    pub fn is_unknown(&self) -> bool {
        *self == Cause::Unknown
    }

    /// The later of some causes. One that has no number says nothing of when it was, and gives way.
    pub fn newest<'a>(causes: impl IntoIterator<Item = &'a Cause>) -> Cause {
        let place = |cause: &&Cause| match cause {
            Cause::Deed(id) | Cause::Run(id) => (Some(*id), true),
            other => (None, !other.is_unknown()),
        };
        let newest = causes.into_iter().max_by_key(place);
        newest.cloned().unwrap_or_default()
    }

    /// What is told of a cause that leads no further; none of one whose record is to be read.
    pub fn end(&self) -> Option<String> {
        Some(match self {
            Cause::Deed(_) | Cause::Run(_) | Cause::Task(_) => return None,
            Cause::Unknown => "what caused it was not recorded".to_owned(),
            Cause::Call(call) => format!("the controller's workers changed it, by {call}"),
            Cause::Timer(timer) => timer.words().to_owned(),
            Cause::Leadership => "the leadership of its application changed".to_owned(),
            Cause::Reboot => "its machine had rebooted".to_owned(),
            Cause::Unread => "no unit reads that revision of the secret any more".to_owned(),
            Cause::Before => "a hook before it, whose run is no longer kept".to_owned(),
            Cause::Left { relation, unit } => format!("{unit} left relation {relation}"),
            Cause::Removed(relation) => format!("relation {relation} was removed"),
        })
    }

    fn read(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        Some(match kind {
            "audit" => Cause::Deed(rest.parse().ok()?),
            "run" => Cause::Run(rest.parse().ok()?),
            "task" => Cause::Task(rest.parse().ok()?),
            "call" => Cause::Call(rest.to_owned()),
            "timer" => {
                let mut timers = Timer::ALL.into_iter();
                Cause::Timer(timers.find(|timer| timer.as_str() == rest)?)
            }
            "leadership" => Cause::Leadership,
            "reboot" => Cause::Reboot,
            "unread" => Cause::Unread,
            "before" => Cause::Before,
            "left" => {
                let (relation, unit) = rest.split_once(':')?;
                Cause::Left {
                    relation: relation.parse().ok()?,
                    unit: unit.parse().ok()?,
                }
            }
            "removed" => Cause::Removed(rest.parse().ok()?),
            _ => return None,
        })
    }
}

/// `audit:807`, `run:812`, `timer:update-status`; empty for one that is not known.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Unknown => Ok(()),
            Cause::Deed(id) => write!(f, "audit:{id}"),
            Cause::Run(id) => write!(f, "run:{id}"),
            Cause::Task(id) => write!(f, "task:{id}"),
            Cause::Call(call) => write!(f, "call:{call}"),
            Cause::Timer(timer) => write!(f, "timer:{}", timer.as_str()),
            Cause::Leadership => f.write_str("leadership"),
            Cause::Reboot => f.write_str("reboot"),
            Cause::Unread => f.write_str("unread"),
            Cause::Before => f.write_str("before"),
            Cause::Left { relation, unit } => write!(f, "left:{relation}:{unit}"),
            Cause::Removed(relation) => write!(f, "removed:{relation}"),
        }
    }
}

impl FromStr for Cause {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Cause::read(text).unwrap_or_default())
    }
}

impl From<String> for Cause {
    fn from(text: String) -> Self {
        Cause::read(&text).unwrap_or_default()
    }
}

/// As text, without making one first: a cause goes along with every hook.
impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A run of a hook or a task, as a chain tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    pub unit: UnitName,
    /// `config-changed`, `actions/backup`.
    pub hook: String,
    /// `relation 3, back/0`; empty where there is nothing beside the name.
    pub about: String,
}

impl Ran {
    /// `site/0 ran website-relation-changed (relation 3, front/1)`
    pub fn words(&self) -> String {
        let Ran { unit, about, .. } = self;
        match about.as_str() {
            "" => format!("{unit} ran {}", self.name()),
            about => format!("{unit} ran {} ({about})", self.name()),
        }
    }

    /// How this run brought `after` about:
    /// `front/1 changed its settings in relation 3, in its hook config-changed`.
    pub fn brought_about(&self, after: &Ran) -> String {
        let unit = &self.unit;
        if *unit == after.unit {
            return format!("{unit} ran {} before it", self.name());
        }
        let (relation, whose) = after
            .about
            .split_once(", ")
            .unwrap_or((after.about.as_str(), ""));
        let did = if after.hook.ends_with("-relation-changed") {
            match whose.contains('/') {
                true => format!("changed its settings in {relation}"),
                false => format!("changed the settings of its application in {relation}"),
            }
        } else if after.hook.ends_with("-relation-joined") {
            format!("entered {relation} or changed its settings there")
        } else if after.hook.ends_with("-relation-departed") {
            format!("left {relation}")
        } else if after.hook == "leader-settings-changed" {
            "changed what the leader tells the other units".to_owned()
        } else if after.hook == "secret-changed" {
            format!("gave {} a new value", after.about)
        } else {
            "changed what this follows from".to_owned()
        };
        format!("{unit} {did}, in its {}", self.kind())
    }

    fn name(&self) -> &str {
        match Asked::of(&self.hook) {
            Some(Asked::Action(name) | Asked::Command(name)) => name,
            None => &self.hook,
        }
    }

    fn kind(&self) -> String {
        match Asked::of(&self.hook) {
            Some(Asked::Action(name)) => format!("action {name}"),
            Some(Asked::Command(name)) => format!("command {name}"),
            None => format!("hook {}", self.hook),
        }
    }
}
