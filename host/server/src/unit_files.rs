//! Questions to agents about files of their units, and the answers.
//!
//! A question waits in this process until the agent that has the unit answers it over its own
//! connection, since agents open no socket. Nothing is stored: who asked is told that nobody answered
//! when the bound is over, and asks again.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use periapt_engine::{Clock, SharedClock};
use periapt_model::{ModelUuid, UnitName};
use periapt_wire::agent::host::{FileAnswer, FileQuestion, WantedFiles};
use tokio::sync::{oneshot, watch};

#[cfg(test)]
mod tests;

/// How long an agent has to answer. Its disk may be slow.
pub const ANSWER_BOUND: Duration = Duration::from_secs(10);
/// Questions of one model that may wait at once.
const WAITING: usize = 64;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// No agent of the model is connected to this process.
    NotConnected,
    /// The agent did not answer in time.
    Late,
    /// As many questions wait as may.
    Crowded,
}

/// Clones share the questions.
#[derive(Clone)]
pub struct UnitFiles {
    clock: SharedClock,
    number: Arc<AtomicU64>,
    models: Arc<Mutex<HashMap<ModelUuid, Model>>>,
}

struct Model {
    asked: watch::Sender<u64>,
    waiting: BTreeMap<u64, (FileQuestion, oneshot::Sender<FileAnswer>)>,
}

/// Takes the question back, however the wait for its answer ends.
struct Asked<'a> {
    files: &'a UnitFiles,
    model: &'a ModelUuid,
    number: u64,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let mut models = self.files.lock();
        if let Some(model) = models.get_mut(self.model) {
            model.waiting.remove(&self.number);
            if model.waiting.is_empty() && model.asked.receiver_count() == 0 {
                models.remove(self.model);
            }
        }
    }
}

impl UnitFiles {
    pub fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            number: Arc::default(),
            models: Arc::default(),
        }
    }

    /// Fires when something is asked of the agents of a model.
    pub fn questions(&self, model: &ModelUuid) -> watch::Receiver<u64> {
        let mut models = self.lock();
        let model = models.entry(model.clone()).or_insert_with(|| Model {
            asked: watch::Sender::new(0),
            waiting: BTreeMap::new(),
        });
        let mut questions = model.asked.subscribe();
        questions.mark_unchanged();
        questions
    }

    /// What waits for an answer.
    pub fn waiting(&self, model: &ModelUuid) -> Vec<FileQuestion> {
        let models = self.lock();
        let waiting = models.get(model).map(|model| model.waiting.values());
        waiting
            .into_iter()
            .flatten()
            .map(|(question, _)| question.clone())
            .collect()
    }

    /// An agent's answer. One that nobody waits for any more is dropped.
    pub fn put(&self, model: &ModelUuid, number: u64, answer: FileAnswer) {
        let waiting = self
            .lock()
            .get_mut(model)
            .and_then(|model| model.waiting.remove(&number));
        if let Some((_, answered)) = waiting {
            // Who asked may be gone.
            let _ = answered.send(answer);
        }
    }

    /// The unit of a question that waits; an agent may answer only for units that it hosts.
    pub fn unit(&self, model: &ModelUuid, number: u64) -> Option<UnitName> {
        let models = self.lock();
        let (question, _) = models.get(model)?.waiting.get(&number)?;
        Some(question.unit.clone())
    }

    /// Asks the agent of a unit.
    pub async fn ask(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        generation: u64,
        path: &str,
        wanted: WantedFiles,
    ) -> Result<FileAnswer, Silence> {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let (answered, answer) = oneshot::channel();
        {
            let mut models = self.lock();
            let entry = models.get_mut(model).ok_or(Silence::NotConnected)?;
            if entry.asked.receiver_count() == 0 {
                return Err(Silence::NotConnected);
            }
            if entry.waiting.len() >= WAITING {
                return Err(Silence::Crowded);
            }
            let question = FileQuestion {
                number,
                unit: unit.clone(),
                generation,
                path: path.to_owned(),
                wanted,
            };
            entry.waiting.insert(number, (question, answered));
            entry.asked.send_modify(|asked| *asked += 1);
        }
        let _asked = Asked {
            files: self,
            model,
            number,
        };
        let clock = &*self.clock as &dyn Clock;
        match periapt_engine::clock::timeout(clock, ANSWER_BOUND, answer).await {
            Some(Ok(answer)) => Ok(answer),
            _ => Err(Silence::Late),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ModelUuid, Model>> {
        self.models.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
