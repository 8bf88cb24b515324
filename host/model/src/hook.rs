//! Hooks: their names, the event a charm receives, the effects it asks for, and the limits it
//! runs under.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::bounds::{RUN_EFFECT_CHARACTERS, RUN_EFFECTS};
use crate::ports::PortRange;
use crate::relation::{HookKind, RelationHook};
use crate::status::Workload;
use crate::{ApplicationName, UnitName};

/// A hook that a unit can run. Names as Juju spells them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Install,
    LeaderElected,
    LeaderSettingsChanged,
    ConfigChanged,
    Start,
    UpdateStatus,
    UpgradeCharm,
    Stop,
    Remove,
    /// The hooks of relations; the name of one that runs begins with its endpoint.
    RelationCreated,
    RelationJoined,
    RelationChanged,
    RelationDeparted,
    RelationBroken,
}

impl Kind {
    pub const ALL: &'static [Kind] = &[
        Kind::Install,
        Kind::LeaderElected,
        Kind::LeaderSettingsChanged,
        Kind::ConfigChanged,
        Kind::Start,
        Kind::UpdateStatus,
        Kind::UpgradeCharm,
        Kind::Stop,
        Kind::Remove,
        Kind::RelationCreated,
        Kind::RelationJoined,
        Kind::RelationChanged,
        Kind::RelationDeparted,
        Kind::RelationBroken,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Install => "install",
            Kind::LeaderElected => "leader-elected",
            Kind::LeaderSettingsChanged => "leader-settings-changed",
            Kind::ConfigChanged => "config-changed",
            Kind::Start => "start",
            Kind::UpdateStatus => "update-status",
            Kind::UpgradeCharm => "upgrade-charm",
            Kind::Stop => "stop",
            Kind::Remove => "remove",
            Kind::RelationCreated => "relation-created",
            Kind::RelationJoined => "relation-joined",
            Kind::RelationChanged => "relation-changed",
            Kind::RelationDeparted => "relation-departed",
            Kind::RelationBroken => "relation-broken",
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for Kind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Kind::ALL
            .iter()
            .copied()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| format!("\"{text}\" is not a hook"))
    }
}

/// A hook with what belongs to this one run of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    pub kind: Kind,
    /// What the hook of a relation is about; none for every other hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<RelationEvent>,
}

/// The relation, and who in it, a hook is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RelationEvent {
    /// The endpoint of the unit's own charm.
    pub endpoint: String,
    /// The application at the other end; the unit's own in a peer relation.
    pub remote_application: ApplicationName,
    pub hook: RelationHook,
    /// Who leaves: the remote unit, or the unit itself. Only in departed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub departing: Option<UnitName>,
}

impl From<Kind> for Info {
    fn from(kind: Kind) -> Self {
        Self::new(kind)
    }
}

impl Info {
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            relation: None,
        }
    }

    /// A hook of a relation.
    pub fn relation(event: RelationEvent) -> Self {
        let kind = match event.hook.kind {
            HookKind::Created => Kind::RelationCreated,
            HookKind::Joined => Kind::RelationJoined,
            HookKind::Changed => Kind::RelationChanged,
            HookKind::Departed => Kind::RelationDeparted,
            HookKind::Broken => Kind::RelationBroken,
        };
        Self {
            kind,
            relation: Some(event),
        }
    }

    /// The name a charm knows the hook by: `install`, `website-relation-joined`.
    pub fn name(&self) -> String {
        match &self.relation {
            Some(event) => format!("{}-{}", event.endpoint, self.kind),
            None => self.kind.to_string(),
        }
    }
}

/// What a hook asked for and what becomes true only when it is committed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effects {
    /// Charm state: a value sets the key, none deletes it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub state: BTreeMap<String, Option<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_ports: Vec<PortRange>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub close_ports: Vec<PortRange>,
    /// Settings of relations, by the relation's number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub relations: BTreeMap<u64, RelationSettings>,
    /// What the leader tells the other units of its application.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub leader: Settings,
}

/// Changes of a bag of settings: a value sets the key, none deletes it.
pub type Settings = BTreeMap<String, Option<String>>;

/// Changes of a unit's settings in one relation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct RelationSettings {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unit: Settings,
    /// Of the unit's application; only the leader may change them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub application: Settings,
}

impl RelationSettings {
    pub fn is_empty(&self) -> bool {
        self.unit.is_empty() && self.application.is_empty()
    }
}

impl Effects {
    pub fn is_empty(&self) -> bool {
        self.state.is_empty()
            && self.open_ports.is_empty()
            && self.close_ports.is_empty()
            && self.relations.values().all(RelationSettings::is_empty)
            && self.leader.is_empty()
    }

    /// Whether something in it is the leader's alone to change.
    pub fn needs_leadership(&self) -> bool {
        let application = |settings: &RelationSettings| !settings.application.is_empty();
        !self.leader.is_empty() || self.relations.values().any(application)
    }

    /// What it changes, for a person: names, never values, which may be secret.
    pub fn in_words(&self) -> Vec<String> {
        let opened = self
            .open_ports
            .iter()
            .map(|range| format!("opened {range}"));
        let closed = self
            .close_ports
            .iter()
            .map(|range| format!("closed {range}"));
        let changes = |what: String, settings: &Settings| {
            let words = settings.iter().map(|(key, value)| match value {
                Some(_) => format!("{what} {key}"),
                None => format!("{what} {key} deleted"),
            });
            words.collect::<Vec<_>>()
        };
        let relations = self.relations.iter().flat_map(|(id, settings)| {
            let unit = changes(format!("relation {id} setting"), &settings.unit);
            let application = changes(
                format!("relation {id} application setting"),
                &settings.application,
            );
            unit.into_iter().chain(application)
        });
        closed
            .chain(opened)
            .chain(changes("state".to_owned(), &self.state))
            .chain(relations)
            .chain(changes("leader setting".to_owned(), &self.leader))
            .collect()
    }
}

/// Effects in words as a run remembers them: so many, none too long. Done again it changes nothing.
pub fn remembered(effects: &[String]) -> Vec<String> {
    let longest = RUN_EFFECT_CHARACTERS.length();
    let shortened = |effect: &String| match effect.chars().nth(longest) {
        Some(_) => effect
            .chars()
            .take(longest - CUT.len())
            .chain(CUT.chars())
            .collect(),
        None => effect.clone(),
    };
    let most = RUN_EFFECTS.length();
    let mut kept: Vec<String> = effects.iter().take(most).map(shortened).collect();
    match effects.get(most..) {
        Some([last]) => kept.push(shortened(last)),
        Some(more) if !more.is_empty() => kept.push(format!("and {} more", more.len())),
        _ => {}
    }
    kept
}

/// After a text that was cut.
const CUT: &str = "...";

/// What a hook changes at once: it stays also when the hook fails later. Its words name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtOnce {
    UnitStatus(Workload),
    ApplicationStatus(Workload),
    WorkloadVersion(String),
}

impl AtOnce {
    /// Whether both change the same thing, so that only the later one is worth telling.
    pub fn replaces(&self, earlier: &AtOnce) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(earlier)
    }
}

impl std::fmt::Display for AtOnce {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AtOnce::UnitStatus(status) => write!(f, "status to {status}"),
            AtOnce::ApplicationStatus(status) => write!(f, "application status to {status}"),
            AtOnce::WorkloadVersion(version) => write!(f, "workload version to {version}"),
        }
    }
}

/// Bounds of one hook run. Every one of them ends the hook with a failure that names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Limits {
    /// Linear memory of the component, bytes.
    pub memory_bytes: u64,
    /// Elements in all tables.
    pub table_elements: u64,
    /// Bytes written to stdout, stderr and the log together.
    pub output_bytes: u64,
    /// Calls into the host.
    pub host_calls: u64,
    /// Wall clock, milliseconds.
    pub wall_clock_ms: u64,
    /// Bytes in the unit's state directory.
    pub state_directory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 64 << 20,
            table_elements: 20_000,
            output_bytes: 1 << 20,
            host_calls: 100_000,
            wall_clock_ms: 60_000,
            state_directory_bytes: 256 << 20,
        }
    }
}

impl Limits {
    pub fn wall_clock(&self) -> Duration {
        Duration::from_millis(self.wall_clock_ms)
    }
}

/// Bytes of `text` within a JSON document, without its quotes: what it takes in a message.
pub fn json_bytes(text: &str) -> usize {
    let extra = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 1,
        0..=0x1f => 5,
        _ => 0,
    };
    text.len() + text.bytes().map(extra).sum::<usize>()
}

/// Bytes that a key and its value take in a JSON object.
pub fn member_bytes(key: &str, value: Option<&str>) -> usize {
    // Quotes, colon and comma; `null` is as long as the quotes of a value and two letters.
    json_bytes(key) + value.map_or(2, json_bytes) + 6
}
