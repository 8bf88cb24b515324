//! The relations of a unit under test: who is in them, and what everybody said.

use std::collections::{BTreeMap, BTreeSet};

use periapt_contract::unit::application_of;

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
    pub fn bag_mut(&mut self, member: &str) -> &mut BTreeMap<String, String> {
        self.bags.entry(member.to_owned()).or_default()
    }

    /// What the host writes into the bag of a unit that enters.
    pub fn enter(&mut self, unit: &str, address: &str) {
        let bag = self.bag_mut(unit);
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

impl TestHost {
    pub fn application(&self) -> String {
        application_of(&self.unit).to_owned()
    }
}

/// The number in what [`Harness::add_relation`](super::Harness::add_relation) gave.
pub(super) fn number(id: &str) -> Option<u64> {
    id.rsplit_once(':')?.1.parse().ok()
}
