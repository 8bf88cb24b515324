//! What will be there once the model has settled, and where the unit can be reached.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A unit or application that is there or coming.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// Of a unit or an application.
    pub name: String,
    /// Its status, `waiting`, `active`, `dying` and so on.
    pub status: String,
    /// Since when, in seconds since the epoch.
    pub since: i64,
}

/// What the model is heading for. A unit that is in here may not have started yet: a charm that
/// forms a cluster can wait for all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalState {
    /// Units of the unit's own application, itself among them.
    pub units: Vec<Goal>,
    /// By endpoint of the charm, the applications at the other ends and their units.
    pub relations: BTreeMap<String, Vec<Goal>>,
}

/// Addresses of the unit for one endpoint or extra binding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    /// Where the workload listens.
    pub bind_addresses: Vec<String>,
    /// Where others reach it.
    pub ingress_addresses: Vec<String>,
    /// Where its own connections come from, in CIDR notation.
    pub egress_subnets: Vec<String>,
}
