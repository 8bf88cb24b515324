//! Hooks: their names, the event a charm receives, what becomes of the effects it asks for (which
//! are `contract`'s), and the limits it runs under.

use std::time::Duration;

pub use periapt_contract::Effects;
pub use periapt_contract::relation::RelationSettings;
use serde::{Deserialize, Serialize};

use crate::bounds::{RUN_EFFECT_CHARACTERS, RUN_EFFECTS};
use crate::relation::{HookKind, RelationHook};
use crate::secret::SecretId;
use crate::status::Workload;
use crate::storage::{Kind as StorageKind, StorageId};
use crate::{ApplicationName, UnitName};

pub mod commit;
pub mod effect;

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
    /// A secret that the unit reads has a newer revision.
    SecretChanged,
    /// A revision of a secret that the unit, or its application, owns has expired.
    SecretExpired,
    /// A secret that the unit, or its application, owns is to be given a new value.
    SecretRotate,
    /// Nobody is on a revision any more of a secret that the unit, or its application, owns.
    SecretRemove,
    /// The hooks of storage; the name of one that runs begins with the storage's.
    StorageAttached,
    StorageDetaching,
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
        Kind::SecretChanged,
        Kind::SecretExpired,
        Kind::SecretRotate,
        Kind::SecretRemove,
        Kind::StorageAttached,
        Kind::StorageDetaching,
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
            Kind::SecretChanged => "secret-changed",
            Kind::SecretExpired => "secret-expired",
            Kind::SecretRotate => "secret-rotate",
            Kind::SecretRemove => "secret-remove",
            Kind::StorageAttached => "storage-attached",
            Kind::StorageDetaching => "storage-detaching",
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
    /// What the hook of a secret is about; none for every other hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<SecretEvent>,
    /// What the hook of a storage is about; none for every other hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<StorageEvent>,
}

/// The storage a hook is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct StorageEvent {
    pub id: StorageId,
    pub kind: StorageKind,
    /// Where the charm finds it.
    pub location: String,
}

/// The secret, and which of its revisions, a hook is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SecretEvent {
    pub id: SecretId,
    /// By which this unit, as its owner or as its reader, finds it; empty if it gave it none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The newest one of `secret-changed`, the expired, the one nobody is on, or the one to be replaced.
    /// Charms are told of it in `secret-expired` and `secret-remove`, as in Juju.
    pub revision: u32,
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
            secret: None,
            storage: None,
        }
    }

    /// A hook of a secret.
    pub fn secret(kind: Kind, event: SecretEvent) -> Self {
        Self {
            secret: Some(event),
            ..Self::new(kind)
        }
    }

    /// A hook of a storage.
    pub fn storage(kind: Kind, event: StorageEvent) -> Self {
        Self {
            storage: Some(event),
            ..Self::new(kind)
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
            relation: Some(event),
            ..Self::new(kind)
        }
    }

    /// The name a charm knows the hook by: `install`, `website-relation-joined`,
    /// `data-storage-attached`.
    pub fn name(&self) -> String {
        match (&self.relation, &self.storage) {
            (Some(event), _) => format!("{}-{}", event.endpoint, self.kind),
            (_, Some(event)) => format!("{}-{}", event.id.name(), self.kind),
            (None, None) => self.kind.to_string(),
        }
    }

    /// What this one run is about, beside the name: `relation 3, back/0`, `secret 9m4e2mr0ui3e8a215n4g`,
    /// `storage data/0`. Empty where there is nothing beside it.
    pub fn about(&self) -> String {
        if let Some(event) = &self.relation {
            let relation = event.hook.relation;
            return match &event.hook.unit {
                Some(unit) => format!("relation {relation}, {unit}"),
                None => format!("relation {relation}, {}", event.remote_application),
            };
        }
        match (&self.secret, &self.storage) {
            (Some(event), _) => format!("secret {}", event.id),
            (_, Some(event)) => format!("storage {}", event.id),
            (None, None) => String::new(),
        }
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
