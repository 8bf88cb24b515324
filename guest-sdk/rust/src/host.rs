//! What a charm may ask of the host, one method per function of the world.
//!
//! Charm code does not call these; [`Context`](crate::Context) gives them types. The trait is
//! the seam at which the harness takes the controller's place.

use crate::{Bag, GoalState, HostError, Level, Network, PortRange, Status, Value};

/// Keys with the values they get; none deletes.
pub type Changes = [(String, Option<String>)];

/// The host of a hook.
#[allow(missing_docs)]
pub trait Host {
    fn config_get(&self, key: &str) -> Result<Option<Value>, HostError>;
    fn config_all(&self) -> Result<Vec<(String, Value)>, HostError>;

    fn unit_status(&self) -> Result<Status, HostError>;
    fn set_unit_status(&self, status: &Status) -> Result<(), HostError>;
    fn application_status(&self) -> Result<Status, HostError>;
    fn set_application_status(&self, status: &Status) -> Result<(), HostError>;

    fn state_get(&self, key: &str) -> Result<Option<String>, HostError>;
    fn state_set(&self, key: &str, value: &str) -> Result<(), HostError>;
    fn state_delete(&self, key: &str) -> Result<(), HostError>;
    fn state_all(&self) -> Result<Vec<(String, String)>, HostError>;

    fn open_ports(&self, ports: PortRange) -> Result<(), HostError>;
    fn close_ports(&self, ports: PortRange) -> Result<(), HostError>;
    fn opened_ports(&self) -> Result<Vec<PortRange>, HostError>;

    fn is_leader(&self) -> Result<bool, HostError>;
    fn leader_settings(&self) -> Result<Vec<(String, String)>, HostError>;
    fn set_leader_settings(&self, changes: &Changes) -> Result<(), HostError>;

    fn relation_ids(&self, endpoint: &str) -> Result<Vec<String>, HostError>;
    fn relation_units(&self, relation: &str) -> Result<Vec<String>, HostError>;
    fn relation_application(&self, relation: &str) -> Result<String, HostError>;
    fn relation_get(
        &self,
        relation: &str,
        member: &str,
    ) -> Result<Vec<(String, String)>, HostError>;
    fn relation_set(&self, relation: &str, bag: Bag, changes: &Changes) -> Result<(), HostError>;
    fn relation_model_uuid(&self, relation: &str) -> Result<String, HostError>;

    fn goal_state(&self) -> Result<GoalState, HostError>;
    fn network(&self, binding: &str) -> Result<Network, HostError>;

    fn unit_name(&self) -> String;
    fn model_name(&self) -> String;
    fn private_address(&self) -> Result<String, HostError>;
    fn public_address(&self) -> Result<String, HostError>;
    fn set_workload_version(&self, version: &str) -> Result<(), HostError>;

    fn log(&self, level: Level, message: &str);
}
