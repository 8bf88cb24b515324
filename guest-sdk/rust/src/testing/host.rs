//! The controller's place in a test: the same answers, kept in memory.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Bag, Changes, ErrorCode, GoalState, Host, HostError, Level, Network, PortRange, Protocol,
    Status, StatusKind, Value,
};

use super::relations::{TestRelation, apply};

/// Limits of charm state, as the controller has them.
const KEY_BYTES: usize = 256;
const VALUE_BYTES: usize = 64 << 10;
const TOTAL_BYTES: usize = 2 << 20;

pub(super) struct TestHost {
    pub unit: String,
    /// What the charm says it has.
    pub endpoints: Vec<String>,
    pub config: BTreeMap<String, Value>,
    pub leader: bool,
    pub unit_status: Status,
    pub application_status: Status,
    pub workload_version: Option<String>,
    pub state: BTreeMap<String, String>,
    pub ports: BTreeSet<PortRange>,
    pub log: Vec<(Level, String)>,
    pub relations: BTreeMap<u64, TestRelation>,
    pub next_relation: u64,
    pub leader_settings: BTreeMap<String, String>,
    pub goal_state: GoalState,
    pub networks: BTreeMap<String, Network>,
    /// What the running hook sees: committed values with its own writes on top.
    working_state: BTreeMap<String, String>,
    working_ports: BTreeSet<PortRange>,
    pub(super) working_relations: BTreeMap<u64, TestRelation>,
    working_leader_settings: BTreeMap<String, String>,
}

impl Default for TestHost {
    fn default() -> Self {
        Self {
            unit: "test/0".to_owned(),
            endpoints: Vec::new(),
            config: BTreeMap::new(),
            leader: false,
            unit_status: Status::waiting("installing agent"),
            application_status: Status::new(StatusKind::Unknown, ""),
            workload_version: None,
            state: BTreeMap::new(),
            ports: BTreeSet::new(),
            log: Vec::new(),
            relations: BTreeMap::new(),
            next_relation: 0,
            leader_settings: BTreeMap::new(),
            goal_state: GoalState::default(),
            networks: BTreeMap::new(),
            working_state: BTreeMap::new(),
            working_ports: BTreeSet::new(),
            working_relations: BTreeMap::new(),
            working_leader_settings: BTreeMap::new(),
        }
    }
}

impl TestHost {
    pub fn begin(&mut self) {
        self.working_state = self.state.clone();
        self.working_ports = self.ports.clone();
        self.working_relations = self.relations.clone();
        self.working_leader_settings = self.leader_settings.clone();
    }

    pub fn commit(&mut self) {
        self.state = std::mem::take(&mut self.working_state);
        self.ports = std::mem::take(&mut self.working_ports);
        self.relations = std::mem::take(&mut self.working_relations);
        self.leader_settings = std::mem::take(&mut self.working_leader_settings);
    }

    pub fn discard(&mut self) {
        self.working_state.clear();
        self.working_ports.clear();
        self.working_relations.clear();
        self.working_leader_settings.clear();
    }

    fn lead(&self, what: &str) -> Result<(), HostError> {
        if self.leader {
            Ok(())
        } else {
            Err(HostError::new(
                ErrorCode::Denied,
                format!("only the leader may {what}"),
            ))
        }
    }
}

fn check_ports(range: PortRange) -> Result<PortRange, HostError> {
    match range.protocol {
        Protocol::Icmp => Ok(PortRange::icmp()),
        _ if range.start == 0 || range.end < range.start => Err(HostError::new(
            ErrorCode::Invalid,
            format!("\"{range}\" is not a port range"),
        )),
        _ => Ok(range),
    }
}

impl Host for RefCell<TestHost> {
    /// The harness has no schema, so an option that was never set is one without a value.
    fn config_get(&self, key: &str) -> Result<Option<Value>, HostError> {
        Ok(self.borrow().config.get(key).cloned())
    }

    fn config_all(&self) -> Result<Vec<(String, Value)>, HostError> {
        Ok(self
            .borrow()
            .config
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect())
    }

    fn unit_status(&self) -> Result<Status, HostError> {
        Ok(self.borrow().unit_status.clone())
    }

    fn set_unit_status(&self, status: &Status) -> Result<(), HostError> {
        self.borrow_mut().unit_status = status.clone();
        Ok(())
    }

    fn application_status(&self) -> Result<Status, HostError> {
        self.borrow().lead("use the application's status")?;
        Ok(self.borrow().application_status.clone())
    }

    fn set_application_status(&self, status: &Status) -> Result<(), HostError> {
        self.borrow().lead("use the application's status")?;
        self.borrow_mut().application_status = status.clone();
        Ok(())
    }

    fn state_get(&self, key: &str) -> Result<Option<String>, HostError> {
        Ok(self.borrow().working_state.get(key).cloned())
    }

    fn state_set(&self, key: &str, value: &str) -> Result<(), HostError> {
        let limit = |message: String| Err(HostError::new(ErrorCode::Limit, message));
        if key.is_empty() {
            return Err(HostError::new(
                ErrorCode::Invalid,
                "a state key is not empty",
            ));
        }
        if key.len() > KEY_BYTES {
            return limit(format!("a state key holds {KEY_BYTES} bytes at most"));
        }
        if value.len() > VALUE_BYTES {
            return limit(format!("a state value holds {VALUE_BYTES} bytes at most"));
        }
        let mut host = self.borrow_mut();
        let others: usize = host
            .working_state
            .iter()
            .filter(|(name, _)| *name != key)
            .map(|(name, value)| name.len() + value.len())
            .sum();
        if others + key.len() + value.len() > TOTAL_BYTES {
            return limit(format!(
                "the state of a unit holds {TOTAL_BYTES} bytes at most"
            ));
        }
        host.working_state.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    fn state_delete(&self, key: &str) -> Result<(), HostError> {
        self.borrow_mut().working_state.remove(key);
        Ok(())
    }

    fn state_all(&self) -> Result<Vec<(String, String)>, HostError> {
        Ok(self
            .borrow()
            .working_state
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect())
    }

    fn open_ports(&self, ports: PortRange) -> Result<(), HostError> {
        self.borrow_mut().working_ports.insert(check_ports(ports)?);
        Ok(())
    }

    fn close_ports(&self, ports: PortRange) -> Result<(), HostError> {
        self.borrow_mut().working_ports.remove(&check_ports(ports)?);
        Ok(())
    }

    fn opened_ports(&self) -> Result<Vec<PortRange>, HostError> {
        Ok(self.borrow().working_ports.iter().copied().collect())
    }

    fn is_leader(&self) -> Result<bool, HostError> {
        Ok(self.borrow().leader)
    }

    fn leader_settings(&self) -> Result<Vec<(String, String)>, HostError> {
        let settings = self.borrow().working_leader_settings.clone();
        Ok(settings.into_iter().collect())
    }

    fn set_leader_settings(&self, changes: &Changes) -> Result<(), HostError> {
        self.borrow().lead("tell the other units something")?;
        apply(&mut self.borrow_mut().working_leader_settings, changes);
        Ok(())
    }

    fn relation_ids(&self, endpoint: &str) -> Result<Vec<String>, HostError> {
        self.borrow().ids_at(endpoint)
    }

    fn relation_units(&self, relation: &str) -> Result<Vec<String>, HostError> {
        let host = self.borrow();
        Ok(host.relation(relation)?.units.iter().cloned().collect())
    }

    fn relation_application(&self, relation: &str) -> Result<String, HostError> {
        Ok(self.borrow().relation(relation)?.application.clone())
    }

    fn relation_get(
        &self,
        relation: &str,
        member: &str,
    ) -> Result<Vec<(String, String)>, HostError> {
        self.borrow().bag(relation, member)
    }

    fn relation_set(&self, relation: &str, bag: Bag, changes: &Changes) -> Result<(), HostError> {
        self.borrow_mut().write_bag(relation, bag, changes)
    }

    fn relation_model_uuid(&self, relation: &str) -> Result<String, HostError> {
        self.borrow().relation(relation)?;
        Ok("00000000-0000-4000-8000-000000000000".to_owned())
    }

    fn goal_state(&self) -> Result<GoalState, HostError> {
        Ok(self.borrow().goal_state.clone())
    }

    fn network(&self, binding: &str) -> Result<Network, HostError> {
        let host = self.borrow();
        if let Some(network) = host.networks.get(binding) {
            return Ok(network.clone());
        }
        if !host.endpoints.iter().any(|endpoint| endpoint == binding) {
            return Err(HostError::new(
                ErrorCode::NotFound,
                format!("the charm has no binding \"{binding}\""),
            ));
        }
        Ok(Network {
            bind_addresses: vec!["127.0.0.1".to_owned()],
            ingress_addresses: vec!["127.0.0.1".to_owned()],
            egress_subnets: vec!["127.0.0.1/32".to_owned()],
        })
    }

    fn unit_name(&self) -> String {
        self.borrow().unit.clone()
    }

    fn model_name(&self) -> String {
        "test".to_owned()
    }

    fn private_address(&self) -> Result<String, HostError> {
        Ok("127.0.0.1".to_owned())
    }

    fn public_address(&self) -> Result<String, HostError> {
        Ok("127.0.0.1".to_owned())
    }

    fn set_workload_version(&self, version: &str) -> Result<(), HostError> {
        self.borrow_mut().workload_version = Some(version.to_owned());
        Ok(())
    }

    fn log(&self, level: Level, message: &str) {
        self.borrow_mut().log.push((level, message.to_owned()));
    }
}
