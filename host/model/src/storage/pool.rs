//! Pools: from what storage is made.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::refused;
use crate::hook::commit::Refused;
use crate::nearest::suggestion;
use crate::refusal::{Refusal, Subject};

/// From which storage comes where nobody says otherwise.
pub const DEFAULT_POOL: &str = "rootfs";

/// How a directory is made; names are Juju's.
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
pub enum PoolKind {
    /// A directory of the machine's own filesystem: its size is a wish.
    Rootfs,
    /// Memory, up to the size; gone with its unit.
    Tmpfs,
    /// A file of the size with a filesystem in it.
    Loop,
}

impl PoolKind {
    pub const ALL: &'static [PoolKind] = &[PoolKind::Rootfs, PoolKind::Tmpfs, PoolKind::Loop];

    pub fn as_str(self) -> &'static str {
        match self {
            PoolKind::Rootfs => "rootfs",
            PoolKind::Tmpfs => "tmpfs",
            PoolKind::Loop => "loop",
        }
    }

    /// Whether what is in it outlives the unit that it is attached to.
    pub fn is_persistent(self) -> bool {
        match self {
            PoolKind::Rootfs | PoolKind::Loop => true,
            PoolKind::Tmpfs => false,
        }
    }

    /// Whether no more fits into one than its size.
    pub fn has_limit(self) -> bool {
        match self {
            PoolKind::Tmpfs | PoolKind::Loop => true,
            PoolKind::Rootfs => false,
        }
    }

    /// What a pool of it may be given, each with the values it takes.
    pub fn attributes(self) -> &'static [(&'static str, &'static [&'static str])] {
        match self {
            PoolKind::Rootfs | PoolKind::Tmpfs => &[],
            PoolKind::Loop => &[("filesystem-type", &["ext4", "xfs"])],
        }
    }
}

impl fmt::Display for PoolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for PoolKind {
    type Err = Refused;

    fn from_str(text: &str) -> Result<Self, Refused> {
        let found = PoolKind::ALL.iter().find(|kind| kind.as_str() == text);
        found.copied().ok_or_else(|| {
            let known = PoolKind::ALL.iter().map(|kind| kind.as_str());
            refused(
                Refusal::StoragePoolInvalid,
                format!(
                    "there is no storage provider \"{text}\"{}",
                    suggestion(text, known)
                ),
            )
        })
    }
}

/// A pool that a model has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Pool {
    pub provider: PoolKind,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
}

impl Pool {
    /// The pool that every model has of a kind.
    pub fn of(provider: PoolKind) -> Self {
        Self {
            provider,
            attributes: BTreeMap::new(),
        }
    }

    /// Whether there may be such a pool of this name.
    ///
    /// # Errors
    /// The name cannot be one or is that of a pool that every model has, or an attribute is not known or has a
    /// value that it does not take.
    pub fn check(&self, name: &str) -> Result<(), Refused> {
        let bad = |why: String| Err(refused(Refusal::StoragePoolInvalid, why));
        if !is_pool_name(name) {
            return bad(format!(
                "\"{name}\" cannot be the name of a storage pool: start with a letter, go on with letters, digits and dashes, 64 at most"
            ));
        }
        if PoolKind::ALL.iter().any(|kind| kind.as_str() == name) {
            return bad(format!("every model has the storage pool {name} as it is"));
        }
        let known = self.provider.attributes();
        for (key, value) in &self.attributes {
            let found = known.iter().find(|(attribute, _)| attribute == key);
            match found {
                None => {
                    let names = known.iter().map(|(attribute, _)| *attribute);
                    return bad(format!(
                        "{} pools have no attribute \"{key}\"{}",
                        self.provider,
                        suggestion(key, names)
                    ));
                }
                Some((_, values)) if !values.contains(&value.as_str()) => {
                    return bad(format!("{key} is one of {}", values.join(", ")));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// Whether a pool may be called so; it is neither a count nor a size.
pub(super) fn is_pool_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// All pools of a model, those that every model has among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pools(BTreeMap<String, Pool>);

impl Pools {
    /// With those that were made.
    pub fn with(made: impl IntoIterator<Item = (String, Pool)>) -> Self {
        let every = PoolKind::ALL.iter().copied();
        let every = every.map(|kind| (kind.to_string(), Pool::of(kind)));
        Self(made.into_iter().chain(every).collect())
    }

    /// # Errors
    /// There is none of this name; the nearest is named.
    pub fn find(&self, name: &str) -> Result<&Pool, Refused> {
        self.0.get(name).ok_or_else(|| {
            refused(
                Refusal::NotFound(Subject::StoragePool),
                format!(
                    "there is no storage pool \"{name}\"{}",
                    suggestion(name, self.0.keys().map(String::as_str))
                ),
            )
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = (&String, &Pool)> {
        self.0.iter()
    }
}
