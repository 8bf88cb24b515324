//! `relation-ids`, `relation-list`, `relation-get`, `relation-set`: who is in a relation with the
//! unit, and what both ends say.

use serde::{Deserialize, Serialize};

use crate::effects::{Effect, changes};
use crate::leadership::LeadershipAnswers;
use crate::settings::{self, Settings};
use crate::{CallError, UnitAnswers};

mod found;
#[cfg(test)]
mod tests;
mod txn;

pub use found::{find, ids};
pub(crate) use txn::Relations;

/// What an agent answers for `relation`. Who may say what depends on who the unit is and whether it
/// leads.
pub trait RelationAnswers: UnitAnswers + LeadershipAnswers {
    /// Whether the charm has this endpoint.
    fn knows_endpoint(&self, _name: &str) -> bool {
        false
    }

    /// Relations of the unit that the hook may speak of, in order of their numbers.
    fn relations(&self) -> Vec<RelationInfo> {
        Vec::new()
    }

    /// Settings in one of [`RelationAnswers::relations`] as they are now. Asked again for the same
    /// member, the answer of the first time is given.
    fn relation_settings(&mut self, _relation: u64, _of: &Member) -> Result<Settings, CallError> {
        Err(CallError::unanswered())
    }
}

/// A relation as far as the unit's hooks were told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationInfo {
    pub id: u64,
    /// The endpoint of the unit's own charm.
    pub endpoint: String,
    /// The application at the other end; the unit's own in a peer relation.
    pub remote_application: String,
    /// Units at the other end that have joined and not departed, in order of their names.
    pub members: Vec<String>,
}

impl RelationInfo {
    /// As a charm names it: `website:3`.
    pub fn name(&self) -> String {
        format!("{}:{}", self.endpoint, self.id)
    }
}

/// Whose settings in a relation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Member {
    Unit(String),
    /// What the leader of the application set for all its units.
    Application(String),
}

/// One of the unit's own bags in a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnBag {
    Unit,
    Application,
}

changes! {
    /// What a commit changes of the unit's settings, by the relation's number.
    Changes: u64 => RelationSettings
}

/// Changes of a unit's settings in one relation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct RelationSettings {
    #[serde(skip_serializing_if = "settings::Changes::is_empty")]
    pub unit: settings::Changes,
    /// Of the unit's application; only the leader may change them.
    #[serde(skip_serializing_if = "settings::Changes::is_empty")]
    pub application: settings::Changes,
}

impl RelationSettings {
    pub fn is_empty(&self) -> bool {
        self.unit.is_empty() && self.application.is_empty()
    }
}

impl Effect for Changes {
    fn changes_nothing(&self) -> bool {
        self.values().all(RelationSettings::is_empty)
    }

    fn needs_leadership(&self) -> bool {
        self.values()
            .any(|settings| !settings.application.is_empty())
    }

    fn words(&self) -> Vec<String> {
        let of_one = |(id, changes): (&u64, &RelationSettings)| {
            let mut words = settings::words(&format!("relation {id} setting"), &changes.unit);
            let shared = format!("relation {id} application setting");
            words.extend(settings::words(&shared, &changes.application));
            words
        };
        self.iter().flat_map(of_one).collect()
    }
}
