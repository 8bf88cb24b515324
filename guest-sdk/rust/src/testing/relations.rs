//! The relations of a unit under test: who is in them, and what everybody said.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Bag, Changes, ErrorCode, HostError};

use super::host::TestHost;

/// One relation.
#[derive(Clone, Debug, Default)]
pub(super) struct TestRelation {
    pub endpoint: String,
    /// At the other end; the own one in a peer relation.
    pub application: String,
    pub units: BTreeSet<String>,
    /// By member: units of both ends, applications of both ends.
    pub bags: BTreeMap<String, BTreeMap<String, String>>,
}

impl TestRelation {
    /// What the host writes into the bag of a unit that enters.
    pub fn enter(&mut self, unit: &str, address: &str) {
        let bag = self.bags.entry(unit.to_owned()).or_default();
        for (key, value) in [
            ("egress-subnets", format!("{address}/32")),
            ("ingress-address", address.to_owned()),
            ("private-address", address.to_owned()),
        ] {
            bag.entry(key.to_owned()).or_insert(value);
        }
    }
}

/// An address for a unit at the other end, from its number.
pub(super) fn address_of(unit: &str) -> String {
    let number: u8 = unit
        .rsplit_once('/')
        .and_then(|(_, number)| number.parse().ok())
        .unwrap_or(0);
    format!("10.0.0.{}", number.saturating_add(1))
}

fn refused<T>(code: ErrorCode, message: String) -> Result<T, HostError> {
    Err(HostError::new(code, message))
}

impl TestHost {
    /// The relation of an argument: `website:3`, or the number alone.
    pub fn relation(&self, id: &str) -> Result<&TestRelation, HostError> {
        match self.working_relations.get(&number(id)?) {
            Some(relation) => Ok(relation),
            None => refused(
                ErrorCode::NotFound,
                format!("there is no relation \"{id}\""),
            ),
        }
    }

    pub fn ids_at(&self, endpoint: &str) -> Result<Vec<String>, HostError> {
        let mut at = self
            .working_relations
            .iter()
            .filter(|(_, relation)| relation.endpoint == endpoint)
            .map(|(number, _)| format!("{endpoint}:{number}"))
            .peekable();
        if at.peek().is_none() && !self.endpoints.iter().any(|known| known == endpoint) {
            return refused(
                ErrorCode::NotFound,
                format!("the charm has no endpoint \"{endpoint}\""),
            );
        }
        Ok(at.collect())
    }

    pub fn bag(&self, id: &str, member: &str) -> Result<Vec<(String, String)>, HostError> {
        let relation = self.relation(id)?;
        let own = member == self.unit || member == self.application();
        let peers = relation.application == self.application();
        if member == self.application() && !peers && !self.leader {
            return refused(
                ErrorCode::Denied,
                format!("{id}: only the leader may read what its own application says"),
            );
        }
        let application = own_part(member);
        if !own && application != relation.application {
            return refused(
                ErrorCode::NotFound,
                format!("{id}: \"{member}\" is no member of it"),
            );
        }
        let bag = relation.bags.get(member).cloned().unwrap_or_default();
        Ok(bag.into_iter().collect())
    }

    pub fn write_bag(&mut self, id: &str, bag: Bag, changes: &Changes) -> Result<(), HostError> {
        self.relation(id)?;
        let member = match bag {
            Bag::Unit => self.unit.clone(),
            Bag::Application if self.leader => self.application(),
            Bag::Application => {
                return refused(
                    ErrorCode::Denied,
                    format!("{id}: only the leader may speak for its application"),
                );
            }
        };
        if let Some(relation) = self.working_relations.get_mut(&number(id)?) {
            apply(relation.bags.entry(member).or_default(), changes);
        }
        Ok(())
    }

    pub fn application(&self) -> String {
        own_part(&self.unit).to_owned()
    }
}

/// Sets and deletes; an empty text deletes.
pub(super) fn apply(bag: &mut BTreeMap<String, String>, changes: &Changes) {
    for (key, value) in changes {
        match value.as_ref().filter(|value| !value.is_empty()) {
            Some(value) => {
                bag.insert(key.clone(), value.clone());
            }
            None => {
                bag.remove(key);
            }
        }
    }
}

/// The application in the name of a unit or application.
fn own_part(member: &str) -> &str {
    member
        .rsplit_once('/')
        .map_or(member, |(application, _)| application)
}

pub(super) fn number(id: &str) -> Result<u64, HostError> {
    let digits = id.rsplit_once(':').map_or(id, |(_, digits)| digits);
    digits.parse().map_err(|_| {
        HostError::new(
            ErrorCode::Invalid,
            format!("\"{id}\" is not a relation: write ENDPOINT:NUMBER"),
        )
    })
}
