//! The one process on this machine that carries out who reaches whom, for all environments alike, so
//! that one port serves all their names.
//!
//! It starts with the first environment that has something to be reached, in a session of its own, is
//! found again by whoever comes later, and is stopped when no environment has anything left. Which have
//! is a file for each in `wanted`, since several controllers may share the directory: whoever takes the
//! last away stops the process. Everything is started only once it is asked for: where nothing is
//! exposed and no charm has containers there is no directory, no process and no task.
//!
//! What it never does: it does not know what a document means.

mod control;
mod keeper;
#[cfg(test)]
mod tests;
mod wanted;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use periapt_engine::SharedClock;
use periapt_model::ModelUuid;
use periapt_model::reach::published::{Answer, Published};
use tokio::sync::{mpsc, oneshot, watch};

use super::process::Program;
use super::supervisor::Patience;
use crate::{Applied, ProviderError};
use keeper::{Ask, Keeper};
use wanted::Wanted;

/// Name of its directory among those of the environments, which no environment can have: theirs are
/// UUIDs.
const DIRECTORY: &str = "workloads";

/// What each environment is told anew when it changes.
pub(super) type Told = Arc<Mutex<BTreeMap<ModelUuid, watch::Sender<Option<Applied>>>>>;

/// The process as all environments of a controller share it.
pub(super) struct Workloads {
    directory: PathBuf,
    program: Program,
    patience: Patience,
    clock: SharedClock,
    asks: Mutex<Option<mpsc::UnboundedSender<Ask>>>,
    told: Told,
}

impl Workloads {
    pub fn new(agents: PathBuf, program: Program, patience: Patience, clock: SharedClock) -> Self {
        Self {
            directory: agents.join(DIRECTORY),
            program,
            patience,
            clock,
            asks: Mutex::default(),
            told: Told::default(),
        }
    }

    /// Has the process carry out the document of a model; none takes back what it was told before.
    pub async fn apply(
        &self,
        environment: &str,
        document: Option<Published>,
    ) -> Result<Applied, ProviderError> {
        let wanted = Wanted::new(&self.directory);
        if document.is_none() && !wanted.has(environment) {
            return Ok(nothing());
        }
        let model: ModelUuid = environment
            .parse()
            .map_err(|_| ProviderError::InvalidName(environment.to_owned()))?;
        let (reply, answer) = oneshot::channel();
        let ask = Ask::Apply {
            model,
            document: document.map(Box::new),
            reply,
        };
        let asks = self.asks();
        asks.send(ask).map_err(|_| ProviderError::Closed)?;
        answer.await.map_err(|_| ProviderError::Closed)?
    }

    /// Keeps what a model was told no longer in mind, and takes nothing back.
    pub fn forget(&self, environment: &str) {
        let asks = self.asks.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(asks), Ok(model)) = (asks.as_ref(), environment.parse()) {
            // A task that is over has nothing in mind.
            let _ = asks.send(Ask::Forget(model));
        }
    }

    /// What holds for a model, as it was told last.
    pub fn applied(&self, environment: &str) -> watch::Receiver<Option<Applied>> {
        match environment.parse() {
            Ok(model) => {
                let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
                let model = told.entry(model);
                model
                    .or_insert_with(|| watch::Sender::new(None))
                    .subscribe()
            }
            Err(_) => watch::Sender::new(None).subscribe(),
        }
    }

    /// The way to the task that keeps the process, which starts with the first who asks.
    fn asks(&self) -> mpsc::UnboundedSender<Ask> {
        let mut asks = self.asks.lock().unwrap_or_else(PoisonError::into_inner);
        let start = || {
            let (asks, receiver) = mpsc::unbounded_channel();
            let keeper = Keeper::new(
                self.directory.clone(),
                self.program.clone(),
                self.patience,
                Arc::clone(&self.clock),
                Arc::clone(&self.told),
            );
            tokio::spawn(keeper.run(receiver));
            asks
        };
        asks.get_or_insert_with(start).clone()
    }
}

/// What holds where there is no document.
pub(super) fn nothing() -> Applied {
    Answer {
        number: 0,
        ingress: None,
        ingress_failed: None,
        listening: Vec::new(),
        not_listening: Vec::new(),
    }
}
