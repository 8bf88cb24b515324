//! An agent for tests: answers from memory and writes down what it was asked for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::action::Task;
use crate::ports::{Openings, PortRange};
use crate::reboot::in_a_task;
use crate::secret::{Named, OwnedSecret, ReadSecret, SecretId};
use crate::settings::Settings;
use crate::storage::{Attached, Declared, StorageId};
use crate::workload::{Container, Layers, Seen};
use crate::{
    ActionAnswers, CallError, LeadershipAnswers, Member, PortsAnswers, RebootAnswers,
    RelationAnswers, RelationInfo, SecretAnswers, StateAnswers, StorageAnswers, UnitAnswers,
    WorkloadAnswers,
};

/// How often it was asked for what.
#[derive(Debug, Default)]
pub struct Record {
    pub state_reads: u32,
    pub settings_reads: Vec<(u64, Member)>,
    pub task_lines: Vec<String>,
    pub secrets_made: u8,
    /// Which secrets were read, and whether the newest was asked for.
    pub secrets_read: Vec<(Named, bool)>,
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
    pub secrets: Vec<OwnedSecret>,
    /// What it may read: on which revision it is, and the newest.
    pub readable: Vec<(ReadSecret, ReadSecret)>,
    pub storage: Vec<Attached>,
    pub declared_storage: BTreeMap<String, Declared>,
    /// What the hook is about.
    pub hook_storage: Option<StorageId>,
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

impl RebootAnswers for Unit {
    fn may_reboot(&mut self) -> Result<(), CallError> {
        match self.task {
            Some(_) => Err(in_a_task()),
            None => Ok(()),
        }
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

impl SecretAnswers for Unit {
    fn new_secret_id(&mut self) -> Result<SecretId, CallError> {
        let mut record = self.record.lock().unwrap();
        record.secrets_made += 1;
        Ok(SecretId::of_random([record.secrets_made; 12]))
    }

    fn owned_secrets(&mut self) -> Result<Vec<OwnedSecret>, CallError> {
        Ok(self.secrets.clone())
    }

    fn read_secret(&mut self, of: &Named, newest: bool) -> Result<ReadSecret, CallError> {
        let mut record = self.record.lock().unwrap();
        record.secrets_read.push((of.clone(), newest));
        let meant = |read: &ReadSecret| match of {
            Named::Id(id) => read.id == *id,
            Named::Label(label) => read.reader.as_ref().is_some_and(|one| one.label == *label),
        };
        let found = self.readable.iter().find(|(kept, _)| meant(kept));
        let (kept, latest) = found.ok_or_else(|| CallError::not_found("no such secret"))?;
        Ok(if newest { latest.clone() } else { kept.clone() })
    }
}

impl StorageAnswers for Unit {
    fn attached_storage(&mut self) -> Result<Vec<Attached>, CallError> {
        Ok(self.storage.clone())
    }

    fn declared_storage(&mut self) -> Result<BTreeMap<String, Declared>, CallError> {
        Ok(self.declared_storage.clone())
    }

    fn hook_storage(&self) -> Option<StorageId> {
        self.hook_storage.clone()
    }
}
