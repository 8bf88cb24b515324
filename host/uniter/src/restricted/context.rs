//! What such a hook has: it may write log lines and read its files, and `collect-metrics` may add metrics.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use periapt_contract::metrics::Collected;
use periapt_engine::SharedClock;
use periapt_model::UnitName;
use periapt_model::charm::Access;
use periapt_sandbox::{
    CallError, HookContext, HookFailure, LogAnswers, LogLevel, MetricsAnswers, SharedDirectory,
    UnitAnswers, UnitFiles,
};

use crate::context::record;
use crate::process::{HookLog, ModelIdentity, Process};
use crate::state_directory::StateDirectory;

/// A restricted context: the sandbox refuses every tool that is not written here, and so do the
/// answers that are not.
pub(super) struct RestrictedContext {
    pub hook: &'static str,
    pub unit: UnitName,
    pub model: ModelIdentity,
    pub clock: SharedClock,
    pub log: Arc<dyn HookLog>,
    /// Where metrics go, of a hook that may add any.
    pub collected: Option<Arc<Mutex<Collected>>>,
}

impl HookContext for RestrictedContext {
    fn restricted_to(&self) -> Option<&'static str> {
        Some(self.hook)
    }
}

impl MetricsAnswers for RestrictedContext {
    fn add_metric(
        &mut self,
        name: String,
        value: f64,
        labels: Vec<(String, String)>,
    ) -> Result<(), CallError> {
        match &self.collected {
            Some(collected) => collected
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .add(name, value, labels),
            None => Err(CallError::restricted(self.hook)),
        }
    }
}

impl LogAnswers for RestrictedContext {
    fn log(&mut self, level: LogLevel, message: &str) {
        let level = level.as_str();
        let line = record(&self.clock, &self.unit, "juju-log", level, message);
        self.log.write(line);
    }
}

impl UnitAnswers for RestrictedContext {
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

// Nothing else is answered, so whatever a later version adds is refused.
macro_rules! others {
    (LogAnswers) => {};
    (MetricsAnswers) => {};
    (UnitAnswers) => {};
    ($answers:ident) => { impl periapt_sandbox::$answers for RestrictedContext {} };
    ($($answers:ident)*) => { $(others! { $answers })* };
}
periapt_sandbox::each_answers!(others);

/// The unit's files as they were committed, to read.
pub(super) struct CommittedFiles {
    pub hook: &'static str,
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
            "{} may read /state and not change it",
            self.hook
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
