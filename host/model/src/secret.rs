//! Secrets as the controller keeps them: when their hooks are due, who owns and who reads them, and the
//! names of back ends.
//!
//! Times are microseconds UTC. What a charm may ask for is `contract`'s; content is sealed before it comes
//! to the store, and no rule here ever sees it.

use std::collections::BTreeMap;

pub use periapt_contract::secret::{
    ChangedGrants, ChangedSecret, Changes, Content, Described, Grant, NewSecret, OwnedSecret,
    Owner as CharmOwner, ReadSecret, Reader, RemovedSecret, RotatePolicy, SCHEME, SecretId,
};
use serde::{Deserialize, Serialize};

use crate::hook::{Info, Kind, SecretEvent};

#[cfg(test)]
mod tests;

/// How long after a `secret-rotate` that brought no new value, and after a `secret-expired` that left the
/// revision in place, the hook is due again, microseconds (Juju's five minutes).
pub const DUE_AGAIN: i64 = 5 * 60 * 1_000_000;

/// The back end that every controller has: the database.
pub const INTERNAL_BACKEND: &str = "internal";

/// To whom a secret belongs.
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
pub enum OwnerKind {
    /// A person made it; applications read it.
    Model,
    Application,
    Unit,
}

impl OwnerKind {
    pub const ALL: &'static [OwnerKind] =
        &[OwnerKind::Model, OwnerKind::Application, OwnerKind::Unit];

    pub fn as_str(self) -> &'static str {
        match self {
            OwnerKind::Model => "model",
            OwnerKind::Application => "application",
            OwnerKind::Unit => "unit",
        }
    }
}

impl From<CharmOwner> for OwnerKind {
    fn from(owner: CharmOwner) -> Self {
        match owner {
            CharmOwner::Application => OwnerKind::Application,
            CharmOwner::Unit => OwnerKind::Unit,
        }
    }
}

/// Hooks of secrets that are due for a unit, in the order of ids and revisions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct DueSecrets {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expired: Vec<DueSecret>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rotate: Vec<DueSecret>,
    /// Secrets of others, and of the application, that the unit reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<DueSecret>,
    /// Revisions that nobody is on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<DueSecret>,
    /// When the next of `expired` and `rotate` comes due; nobody tells of it then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}

/// One hook that is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DueSecret {
    #[serde(flatten)]
    pub event: SecretEvent,
    /// Whether it is for the leader alone: the secret is the application's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaders: bool,
}

impl DueSecrets {
    /// Whether nothing is due, now or later.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The hook to run first: expired, rotate, changed, remove, as in Juju.
    pub fn next(&self, leader: bool) -> Option<Info> {
        let lists = [
            (Kind::SecretExpired, &self.expired),
            (Kind::SecretRotate, &self.rotate),
            (Kind::SecretChanged, &self.changed),
            (Kind::SecretRemove, &self.remove),
        ];
        lists.into_iter().find_map(|(kind, due)| {
            let found = due.iter().find(|one| leader || !one.leaders);
            found.map(|one| Info::secret(kind, one.event.clone()))
        })
    }
}

/// When a secret is to be rotated next, from `now` on; none for never.
pub fn next_rotate(policy: RotatePolicy, now: i64) -> Option<i64> {
    let every = i64::try_from(policy.every()?.as_micros()).unwrap_or(i64::MAX);
    Some(now.saturating_add(every))
}

/// When a secret is to be rotated next, once `secret-rotate` has run: after one interval if it was given a new
/// value, else soon again.
pub fn rotated(policy: RotatePolicy, new_value: bool, now: i64) -> Option<i64> {
    let next = next_rotate(policy, now)?;
    Some(match new_value {
        true => next,
        false => next.min(now.saturating_add(DUE_AGAIN)),
    })
}

/// What is to become of the time at which a secret is rotated next, once its policy is `after`: one that
/// is asked for anew is counted from now on, and one that comes more often may come sooner.
pub fn rescheduled(before: Option<i64>, after: RotatePolicy, now: i64) -> Option<i64> {
    let next = next_rotate(after, now)?;
    Some(before.map_or(next, |before| before.min(next)))
}

/// Revisions that nobody is on and that are not the newest: what its owner may remove.
pub fn obsolete(revisions: &[u32], readers: &BTreeMap<String, u32>) -> Vec<u32> {
    let newest = revisions.iter().max();
    let unread =
        |revision: &&u32| Some(*revision) != newest && !readers.values().any(|on| on == *revision);
    revisions.iter().filter(unread).copied().collect()
}
