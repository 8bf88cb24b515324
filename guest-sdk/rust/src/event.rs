//! The hook being run.

use std::fmt;
use std::str::FromStr;

/// A hook, under its Juju name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Hook {
    Install,
    LeaderElected,
    ConfigChanged,
    Start,
    UpdateStatus,
    UpgradeCharm,
    Stop,
    Remove,
}

impl Hook {
    /// Every hook.
    pub const ALL: &'static [Hook] = &[
        Hook::Install,
        Hook::LeaderElected,
        Hook::ConfigChanged,
        Hook::Start,
        Hook::UpdateStatus,
        Hook::UpgradeCharm,
        Hook::Stop,
        Hook::Remove,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Hook::Install => "install",
            Hook::LeaderElected => "leader-elected",
            Hook::ConfigChanged => "config-changed",
            Hook::Start => "start",
            Hook::UpdateStatus => "update-status",
            Hook::UpgradeCharm => "upgrade-charm",
            Hook::Stop => "stop",
            Hook::Remove => "remove",
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

/// A hook with what belongs to this run of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub hook: Hook,
    /// What only some hooks have (`relation-id`, `remote-unit`, ...).
    pub attributes: Vec<(String, String)>,
}

impl Event {
    pub fn new(hook: Hook) -> Self {
        Self {
            hook,
            attributes: Vec::new(),
        }
    }

    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}
