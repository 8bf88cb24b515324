//! All that one charm declares, and how it differs from what another revision of it does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Capability;
use crate::ports::PortRange;

/// A capability with the charm's reason for it.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema,
)]
pub struct Declared {
    /// Its text, such as `shared/logs:read-write`.
    #[schema(value_type = String)]
    pub capability: Capability,
    /// The charm's reason in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What a charm declares, in order, each capability once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Declared>", into = "Vec<Declared>")]
pub struct Declaration(BTreeMap<Capability, Option<String>>);

/// How a newer declaration differs from an older one. A reason in other words is no difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// What the older one does not cover.
    pub added: Vec<Declared>,
    /// What the newer one does not cover.
    pub removed: Vec<Declared>,
}

impl Declaration {
    /// Adds a capability. Where it is declared twice, the first reason stays.
    pub(super) fn insert(&mut self, capability: Capability, why: Option<String>) {
        let known = self.0.entry(capability).or_default();
        if known.is_none() {
            *known = why;
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn capabilities(&self) -> impl Iterator<Item = &Capability> {
        self.0.keys()
    }

    pub fn iter(&self) -> impl Iterator<Item = Declared> {
        self.0.iter().map(|(capability, why)| Declared {
            capability: capability.clone(),
            why: why.clone(),
        })
    }

    /// Ports that the charm may open, its containers' among them.
    pub fn ports(&self) -> impl Iterator<Item = PortRange> {
        self.0.keys().filter_map(|one| match one {
            Capability::Port(range) => Some(*range),
            _ => None,
        })
    }

    /// Whether one of these covers `capability`.
    #[must_use]
    pub fn covers(&self, capability: &Capability) -> bool {
        self.0.keys().any(|own| own.covers(capability))
    }

    /// What `newer` adds to this one and leaves out of it.
    #[must_use]
    pub fn change_to(&self, newer: &Declaration) -> Change {
        let beyond = |these: &Declaration, those: &Declaration| -> Vec<Declared> {
            let missing = these.iter().filter(|one| !those.covers(&one.capability));
            missing.collect()
        };
        Change {
            added: beyond(newer, self),
            removed: beyond(self, newer),
        }
    }

    /// A sentence for each, with its reason.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        self.iter().map(|one| one.words()).collect()
    }
}

impl From<Vec<Declared>> for Declaration {
    fn from(all: Vec<Declared>) -> Self {
        let mut found = Self::default();
        for one in all {
            found.insert(one.capability, one.why);
        }
        found
    }
}

impl From<Declaration> for Vec<Declared> {
    fn from(declaration: Declaration) -> Self {
        let all = declaration.0.into_iter();
        all.map(|(capability, why)| Declared { capability, why })
            .collect()
    }
}
