//! Questions to agents about files of their units, and the answers.
//!
//! A question waits in this process until the agent that has the unit answers it over its own
//! connection, since agents open no socket. No other agent hears of it. Nothing is stored: who asked is
//! told that nobody answered when the bound is over, and asks again.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use periapt_engine::{Clock, SharedClock};
use periapt_model::{AgentName, ModelUuid, UnitName};
use periapt_wire::agent::host::{FileAnswer, FileQuestion, WantedFiles};
use tokio::sync::{oneshot, watch};

#[cfg(test)]
mod tests;

/// How long an agent has to answer. Its disk may be slow.
pub const ANSWER_BOUND: Duration = Duration::from_secs(10);
/// Questions to one agent that may wait at once.
const WAITING: usize = 64;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The agent is not connected to this process.
    NotConnected,
    /// The agent did not answer in time.
    Late,
    /// As many questions wait as may.
    Crowded,
}

/// An agent of a model.
pub type Host = (ModelUuid, AgentName);

/// Clones share the questions.
#[derive(Clone)]
pub struct UnitFiles {
    clock: SharedClock,
    number: Arc<AtomicU64>,
    hosts: Arc<Mutex<HashMap<Host, Asking>>>,
}

/// What one agent is asked.
struct Asking {
    asked: watch::Sender<u64>,
    waiting: BTreeMap<u64, (FileQuestion, oneshot::Sender<FileAnswer>)>,
}

/// Takes the question back, however the wait for its answer ends.
struct Asked<'a> {
    files: &'a UnitFiles,
    host: &'a Host,
    number: u64,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let mut hosts = self.files.lock();
        if let Some(asking) = hosts.get_mut(self.host) {
            asking.waiting.remove(&self.number);
        }
    }
}

impl UnitFiles {
    pub fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            number: Arc::default(),
            hosts: Arc::default(),
        }
    }

    /// Fires when something is asked of an agent.
    pub fn questions(&self, host: &Host) -> watch::Receiver<u64> {
        let mut hosts = self.lock();
        // Those of agents that are gone, and of models.
        hosts.retain(|_, asking| asking.asked.receiver_count() > 0 || !asking.waiting.is_empty());
        let asking = hosts.entry(host.clone()).or_insert_with(|| Asking {
            asked: watch::Sender::new(0),
            waiting: BTreeMap::new(),
        });
        let mut questions = asking.asked.subscribe();
        questions.mark_unchanged();
        questions
    }

    /// What waits for an answer of an agent.
    pub fn waiting(&self, host: &Host) -> Vec<FileQuestion> {
        let hosts = self.lock();
        let waiting = hosts.get(host).map(|asking| asking.waiting.values());
        waiting
            .into_iter()
            .flatten()
            .map(|(question, _)| question.clone())
            .collect()
    }

    /// An agent's answer, to what it was asked itself. One that nobody waits for any more is dropped.
    pub fn put(&self, host: &Host, number: u64, answer: FileAnswer) {
        let waiting = self
            .lock()
            .get_mut(host)
            .and_then(|asking| asking.waiting.remove(&number));
        if let Some((_, answered)) = waiting {
            // Who asked may be gone.
            let _ = answered.send(answer);
        }
    }

    /// Asks the agent of a unit.
    pub async fn ask(
        &self,
        host: &Host,
        unit: &UnitName,
        generation: u64,
        path: &str,
        wanted: WantedFiles,
    ) -> Result<FileAnswer, Silence> {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let (answered, answer) = oneshot::channel();
        {
            let mut hosts = self.lock();
            let entry = hosts.get_mut(host).ok_or(Silence::NotConnected)?;
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
            host,
            number,
        };
        let clock = &*self.clock as &dyn Clock;
        match periapt_engine::clock::timeout(clock, ANSWER_BOUND, answer).await {
            Some(Ok(answer)) => Ok(answer),
            _ => Err(Silence::Late),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Host, Asking>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
