//! An agent for tests: answers from memory and writes down what it was asked for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::action::Task;
use crate::ports::{Openings, PortRange};
use crate::settings::Settings;
use crate::workload::{Container, Layers, Seen};
use crate::{
    ActionAnswers, CallError, LeadershipAnswers, Member, PortsAnswers, RelationAnswers,
    RelationInfo, StateAnswers, UnitAnswers, WorkloadAnswers,
};

/// How often it was asked for what.
#[derive(Debug, Default)]
pub struct Record {
    pub state_reads: u32,
    pub settings_reads: Vec<(u64, Member)>,
    pub task_lines: Vec<String>,
}

/// The unit `web/0`. A clone keeps the same record.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    pub record: Arc<Mutex<Record>>,
    pub state: BTreeMap<String, String>,
    pub ports: Openings,
    pub leader: bool,
    pub relations: Vec<RelationInfo>,
    pub settings: BTreeMap<(u64, Member), Settings>,
    pub told: Settings,
    /// What it may open at most.
    pub declared: Option<Vec<PortRange>>,
    pub containers: Vec<Container>,
    pub layers: BTreeMap<String, Layers>,
    pub seen: Seen,
    /// What is being run; none in a hook.
    pub task: Option<Task>,
}

/// With a state and an open port.
pub fn unit() -> Unit {
    Unit {
        state: bag(&[("old", "1")]),
        ports: [range("80/tcp")].into_iter().collect(),
        ..Unit::default()
    }
}

pub fn range(text: &str) -> PortRange {
    text.parse().unwrap()
}

pub fn bag(settings: &[(&str, &str)]) -> Settings {
    let pairs = settings.iter();
    pairs
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

impl Unit {
    /// What a hook has of it.
    pub fn context(&self) -> Self {
        self.clone()
    }
}

impl UnitAnswers for Unit {
    fn unit_name(&self) -> String {
        "web/0".to_owned()
    }
}

impl StateAnswers for Unit {
    fn state(&mut self) -> Result<BTreeMap<String, String>, CallError> {
        self.record.lock().unwrap().state_reads += 1;
        Ok(self.state.clone())
    }
}

impl PortsAnswers for Unit {
    fn opened_ports(&mut self) -> Result<Openings, CallError> {
        Ok(self.ports.clone())
    }

    fn declared_ports(&mut self) -> Option<Vec<PortRange>> {
        self.declared.clone()
    }

    fn port_endpoints(&mut self) -> Result<Vec<String>, CallError> {
        Ok(["website", "cluster"].map(str::to_owned).to_vec())
    }
}

impl WorkloadAnswers for Unit {
    fn containers(&mut self) -> Result<Vec<Container>, CallError> {
        Ok(self.containers.clone())
    }

    fn layers(&mut self, container: &str) -> Result<Layers, CallError> {
        Ok(self.layers.get(container).cloned().unwrap_or_default())
    }

    fn seen(&mut self, _container: &str) -> Result<Seen, CallError> {
        Ok(self.seen.clone())
    }
}

impl ActionAnswers for Unit {
    fn task(&mut self) -> Result<Task, CallError> {
        let denied = || CallError::denied("a hook was asked for by nobody");
        self.task.clone().ok_or_else(denied)
    }

    fn log_task(&mut self, message: &str) -> Result<(), CallError> {
        self.record
            .lock()
            .unwrap()
            .task_lines
            .push(message.to_owned());
        Ok(())
    }
}

impl LeadershipAnswers for Unit {
    fn is_leader(&mut self) -> Result<bool, CallError> {
        Ok(self.leader)
    }

    fn leader_settings(&mut self) -> Result<Settings, CallError> {
        Ok(self.told.clone())
    }
}

impl RelationAnswers for Unit {
    fn knows_endpoint(&self, name: &str) -> bool {
        ["website", "cluster"].contains(&name)
    }

    fn relations(&self) -> Vec<RelationInfo> {
        self.relations.clone()
    }

    fn relation_settings(&mut self, relation: u64, of: &Member) -> Result<Settings, CallError> {
        let asked = (relation, of.clone());
        let mut record = self.record.lock().unwrap();
        record.settings_reads.push(asked.clone());
        let known = self.settings.get(&asked).cloned();
        known.ok_or_else(|| CallError::not_found("never was in scope"))
    }
}
