//! The hook being run.

use std::fmt;
use std::str::FromStr;

use crate::action::{ACTIONS, COMMANDS};
use crate::relation::{RelationEvent, RelationHook};
use crate::storage::{StorageEvent, StorageHook};

#[cfg(test)]
mod tests;

/// A hook of the unit itself, under its Juju name. Hooks of relations and of storage have names of their
/// own: see [`RelationHook`] and [`StorageHook`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Hook {
    /// The first hook of a unit.
    Install,
    /// This unit became the leader of its application.
    LeaderElected,
    /// The leader of the application told its units something new.
    LeaderSettingsChanged,
    /// The configuration differs from what this hook last saw.
    ConfigChanged,
    /// Once, after the first [`Hook::ConfigChanged`].
    Start,
    /// From time to time.
    UpdateStatus,
    /// The charm was refreshed to another revision.
    UpgradeCharm,
    /// The unit is going away.
    Stop,
    /// The last hook of a unit.
    Remove,
    /// From time to time, beside other hooks, in a charm that declares metrics: the place for
    /// [`Context::add_metric`](crate::Context::add_metric). It may read files and write log lines, and
    /// everything else is denied.
    CollectMetrics,
    /// The unit's use of its model's quotas has another color, or its agent has been without a
    /// controller for long, beside other hooks: see [`MeterStatus`](crate::MeterStatus). It may read
    /// files and write log lines, and everything else is denied.
    MeterStatusChanged,
    /// A secret that this unit reads has a newer revision.
    SecretChanged,
    /// A revision of a secret that this unit or, on the leader, its application owns has expired.
    SecretExpired,
    /// A secret that this unit or, on the leader, its application owns is to be given a new value.
    SecretRotate,
    /// Nobody is on a revision any more of a secret that this unit or, on the leader, its application
    /// owns.
    SecretRemove,
}

impl Hook {
    /// Every hook of a unit.
    pub const ALL: &'static [Hook] = &[
        Hook::Install,
        Hook::LeaderElected,
        Hook::LeaderSettingsChanged,
        Hook::ConfigChanged,
        Hook::Start,
        Hook::UpdateStatus,
        Hook::UpgradeCharm,
        Hook::Stop,
        Hook::Remove,
        Hook::CollectMetrics,
        Hook::MeterStatusChanged,
        Hook::SecretChanged,
        Hook::SecretExpired,
        Hook::SecretRotate,
        Hook::SecretRemove,
    ];

    /// Whether it runs beside other hooks and commits nothing.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) const fn is_restricted(self) -> bool {
        matches!(self, Hook::CollectMetrics | Hook::MeterStatusChanged)
    }

    /// The hook's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Hook::Install => "install",
            Hook::LeaderElected => "leader-elected",
            Hook::LeaderSettingsChanged => "leader-settings-changed",
            Hook::ConfigChanged => "config-changed",
            Hook::Start => "start",
            Hook::UpdateStatus => "update-status",
            Hook::UpgradeCharm => "upgrade-charm",
            Hook::Stop => "stop",
            Hook::Remove => "remove",
            Hook::CollectMetrics => "collect-metrics",
            Hook::MeterStatusChanged => "meter-status-changed",
            Hook::SecretChanged => "secret-changed",
            Hook::SecretExpired => "secret-expired",
            Hook::SecretRotate => "secret-rotate",
            Hook::SecretRemove => "secret-remove",
        }
    }
}

impl fmt::Display for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Hook {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Hook::ALL
            .iter()
            .copied()
            .find(|hook| hook.as_str() == text)
            .ok_or_else(|| format!("this charm's SDK does not know the hook \"{text}\""))
    }
}

/// What an [`Event`] is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The unit itself.
    Unit(Hook),
    /// One of its relations.
    Relation(RelationEvent),
    /// One of its storages.
    Storage(StorageEvent),
    /// An action that an operator asked for, by its name.
    Action(String),
    /// A command that an operator asked for, by its name.
    Command(String),
}

/// A hook with what belongs to this run of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What the hook is about.
    pub occasion: Occasion,
    /// Everything that came with the hook, as the contract names it (`relation-id`,
    /// `remote-unit`, ...).
    pub attributes: Vec<(String, String)>,
}

impl Event {
    /// A hook of the unit itself, without attributes.
    pub fn new(hook: Hook) -> Self {
        Self {
            occasion: Occasion::Unit(hook),
            attributes: Vec::new(),
        }
    }

    /// Reads what the host says. The error names what it says and this SDK does not know.
    pub fn read(name: &str, attributes: Vec<(String, String)>) -> Result<Self, String> {
        // What is asked for may be called like a hook, so it comes first.
        let occasion = if let Some(action) = name.strip_prefix(ACTIONS) {
            Occasion::Action(action.to_owned())
        } else if let Some(command) = name.strip_prefix(COMMANDS) {
            Occasion::Command(command.to_owned())
        } else if let Some((endpoint, hook)) = RelationHook::split(name) {
            Occasion::Relation(RelationEvent::read(endpoint, hook, &attributes)?)
        } else if let Some((storage, hook)) = StorageHook::split(name) {
            Occasion::Storage(StorageEvent::read(storage, hook, &attributes)?)
        } else {
            Occasion::Unit(name.parse()?)
        };
        Ok(Self {
            occasion,
            attributes,
        })
    }

    /// The hook's name: `config-changed`, `website-relation-joined`, `data-storage-attached`, and
    /// `actions/NAME` or `commands/NAME` for what is none.
    pub fn name(&self) -> String {
        match &self.occasion {
            Occasion::Unit(hook) => hook.as_str().to_owned(),
            Occasion::Relation(event) => event.hook.name_at(&event.endpoint),
            Occasion::Storage(event) => event.hook.name_of(&event.name),
            Occasion::Action(name) => format!("{ACTIONS}{name}"),
            Occasion::Command(name) => format!("{COMMANDS}{name}"),
        }
    }

    /// The hook, where it is one of the unit itself.
    pub fn hook(&self) -> Option<Hook> {
        match self.occasion {
            Occasion::Unit(hook) => Some(hook),
            _ => None,
        }
    }

    /// What happened to which relation, in a hook of a relation.
    pub fn relation(&self) -> Option<&RelationEvent> {
        match &self.occasion {
            Occasion::Relation(event) => Some(event),
            _ => None,
        }
    }

    /// What happened to which storage, in a hook of a storage.
    pub fn storage(&self) -> Option<&StorageEvent> {
        match &self.occasion {
            Occasion::Storage(event) => Some(event),
            _ => None,
        }
    }

    /// An attribute by the name the contract gives it.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        attribute(&self.attributes, name)
    }
}

impl From<Hook> for Event {
    fn from(hook: Hook) -> Self {
        Event::new(hook)
    }
}

impl From<RelationEvent> for Event {
    fn from(event: RelationEvent) -> Self {
        Self {
            attributes: event.attributes(),
            occasion: Occasion::Relation(event),
        }
    }
}

impl From<StorageEvent> for Event {
    fn from(event: StorageEvent) -> Self {
        Self {
            attributes: event.attributes(),
            occasion: Occasion::Storage(event),
        }
    }
}

pub(crate) fn attribute<'a>(attributes: &'a [(String, String)], name: &str) -> Option<&'a str> {
    attributes
        .iter()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.as_str())
        .filter(|value| !value.is_empty())
}
