//! What a running `collect-metrics` has: it may add metrics, write log lines, and read its files.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use periapt_contract::metrics::Collected;
use periapt_engine::SharedClock;
use periapt_model::UnitName;
use periapt_model::charm::Access;
use periapt_model::charm::metrics::COLLECT_METRICS;
use periapt_sandbox::{
    CallError, ConfigAnswers, GoalStateAnswers, HookContext, HookFailure, LeadershipAnswers,
    LogAnswers, LogLevel, MetricsAnswers, NetworkAnswers, PortsAnswers, RelationAnswers,
    SharedDirectory, StateAnswers, StatusAnswers, UnitAnswers, UnitFiles, WorkloadAnswers,
};

use crate::context::record;
use crate::process::{HookLog, ModelIdentity, Process};
use crate::state_directory::StateDirectory;

/// A restricted context: the sandbox refuses every tool that is not written here, and so do the
/// answers that are not.
pub(super) struct MetricsContext {
    pub unit: UnitName,
    pub model: ModelIdentity,
    pub clock: SharedClock,
    pub log: Arc<dyn HookLog>,
    pub collected: Arc<Mutex<Collected>>,
}

impl HookContext for MetricsContext {
    fn restricted_to(&self) -> Option<&'static str> {
        Some(COLLECT_METRICS)
    }
}

impl MetricsAnswers for MetricsContext {
    fn add_metric(
        &mut self,
        name: String,
        value: f64,
        labels: Vec<(String, String)>,
    ) -> Result<(), CallError> {
        let mut collected = self
            .collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        collected.add(name, value, labels)
    }
}

impl LogAnswers for MetricsContext {
    fn log(&mut self, level: LogLevel, message: &str) {
        let level = level.as_str();
        let line = record(&self.clock, &self.unit, "juju-log", level, message);
        self.log.write(line);
    }
}

impl UnitAnswers for MetricsContext {
    fn unit_name(&self) -> String {
        self.unit.to_string()
    }

    fn model_name(&self) -> String {
        self.model.name.to_string()
    }

    fn model_uuid(&self) -> String {
        self.model.uuid.to_string()
    }
}

impl ConfigAnswers for MetricsContext {}
impl GoalStateAnswers for MetricsContext {}
impl LeadershipAnswers for MetricsContext {}
impl NetworkAnswers for MetricsContext {}
impl PortsAnswers for MetricsContext {}
impl RelationAnswers for MetricsContext {}
impl StateAnswers for MetricsContext {}
impl StatusAnswers for MetricsContext {}
impl WorkloadAnswers for MetricsContext {}

/// The unit's files as they were committed, to read.
pub(super) struct CommittedFiles {
    pub directory: StateDirectory,
    pub generation: u64,
    pub process: Process,
}

impl UnitFiles for CommittedFiles {
    fn committed(&self) -> PathBuf {
        self.directory.generation(self.generation)
    }

    fn stage(&self) -> Result<PathBuf, HookFailure> {
        Err(HookFailure::Directories(format!(
            "{COLLECT_METRICS} may read /state and not change it"
        )))
    }

    fn changed(&self) {}

    fn share(&self, directory: &Path) -> Result<(), HookFailure> {
        let shared = self.process.prepare_shared(directory);
        shared.map_err(|error| HookFailure::Directories(error.to_string()))
    }
}

/// The same directories, of which none may be changed.
pub(super) fn to_read(shared: Vec<SharedDirectory>) -> Vec<SharedDirectory> {
    let read = |directory| SharedDirectory {
        access: Access::ReadOnly,
        ..directory
    };
    shared.into_iter().map(read).collect()
}
