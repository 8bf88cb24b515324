//! Questions to agents, and their answers: which workers run, a look into the process, files of a unit.
//!
//! A question waits in this process until the agent that it is for answers it over its own
//! connection, since agents open no socket. No other agent hears of it. Nothing is stored: who asked is
//! told that nobody answered when the bound is over, and asks again. What is asked of all agents of a model is
//! answered by those that answer in time.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use periapt_engine::SharedClock;
use periapt_engine::clock::timeout;
use periapt_model::{AgentName, ModelUuid};
use periapt_wire::agent::host::{AgentAnswer, AgentQuestion, Asked, FileAnswer, FileQuestion};
use periapt_wire::rest::{AgentIntrospection, WorkerRow};
use tokio::sync::{oneshot, watch};

use crate::reports::merge;

#[cfg(test)]
mod tests;

/// How long an agent has to answer about files. Its disk may be slow.
pub const FILES_BOUND: Duration = Duration::from_secs(10);
/// How long agents have to answer about themselves.
pub const REPORT_BOUND: Duration = Duration::from_secs(2);
/// Questions to one agent that may wait at once.
const WAITING: usize = 64;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The agent is not connected to this process.
    NotConnected,
    /// The agent did not answer in time, or something else than was asked.
    Late,
    /// As many questions wait as may.
    Crowded,
}

/// An agent of a model.
pub type Host = (ModelUuid, AgentName);

/// Clones share the questions.
#[derive(Clone)]
pub struct Questions {
    clock: SharedClock,
    number: Arc<AtomicU64>,
    hosts: Arc<Mutex<HashMap<Host, Asking>>>,
}

/// What one agent is asked.
struct Asking {
    asked: watch::Sender<u64>,
    waiting: BTreeMap<u64, (Asked, oneshot::Sender<AgentAnswer>)>,
}

/// Takes the question back, however the wait for its answer ends.
struct Waiting<'a> {
    questions: &'a Questions,
    host: &'a Host,
    number: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut hosts = self.questions.lock();
        if let Some(asking) = hosts.get_mut(self.host) {
            asking.waiting.remove(&self.number);
        }
    }
}

impl Questions {
    pub fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            number: Arc::default(),
            hosts: Arc::default(),
        }
    }

    /// Fires when something is asked of an agent.
    pub fn watch(&self, host: &Host) -> watch::Receiver<u64> {
        let mut hosts = self.lock();
        // Those of agents that are gone, and of models.
        hosts.retain(|_, asking| asking.is_heard() || !asking.waiting.is_empty());
        let asking = hosts.entry(host.clone()).or_insert_with(|| Asking {
            asked: watch::Sender::new(0),
            waiting: BTreeMap::new(),
        });
        let mut questions = asking.asked.subscribe();
        questions.mark_unchanged();
        questions
    }

    /// What waits for an answer of an agent.
    pub fn waiting(&self, host: &Host) -> Vec<AgentQuestion> {
        let hosts = self.lock();
        let waiting = hosts.get(host).map(|asking| asking.waiting.iter());
        let question = |(number, (asked, _)): (&u64, &(Asked, _))| AgentQuestion {
            number: *number,
            asked: asked.clone(),
        };
        waiting.into_iter().flatten().map(question).collect()
    }

    /// An agent's answer, to what it was asked itself. One that nobody waits for any more is dropped.
    pub fn put(&self, host: &Host, number: u64, answer: AgentAnswer) {
        let waiting = self
            .lock()
            .get_mut(host)
            .and_then(|asking| asking.waiting.remove(&number));
        if let Some((_, answered)) = waiting {
            // Who asked may be gone.
            let _ = answered.send(answer);
        }
    }

    /// Asks the agent of a unit about files of that.
    pub async fn files(&self, host: &Host, question: FileQuestion) -> Result<FileAnswer, Silence> {
        let asked = Asked::Files(question);
        match self.ask(host, asked, FILES_BOUND).await? {
            AgentAnswer::Files(answer) => Ok(answer),
            AgentAnswer::Workers(_) | AgentAnswer::Process(_) => Err(Silence::Late),
        }
    }

    /// Asks the agents of a model which workers run: one row for each worker.
    pub async fn workers(&self, model: &ModelUuid) -> Vec<WorkerRow> {
        let answers = self.ask_all(model, Asked::Workers).await.into_iter();
        let rows = answers.filter_map(|answer| match answer {
            AgentAnswer::Workers(rows) => Some(rows),
            AgentAnswer::Process(_) | AgentAnswer::Files(_) => None,
        });
        merge(rows.flatten())
    }

    /// Asks the agents of a model for a look into their processes.
    pub async fn processes(&self, model: &ModelUuid) -> Vec<AgentIntrospection> {
        let answers = self.ask_all(model, Asked::Process).await.into_iter();
        let looks = answers.filter_map(|answer| match answer {
            AgentAnswer::Process(look) => Some(*look),
            AgentAnswer::Workers(_) | AgentAnswer::Files(_) => None,
        });
        looks.collect()
    }

    /// Asks all agents of a model at once, so that the bound is one.
    async fn ask_all(&self, model: &ModelUuid, asked: Asked) -> Vec<AgentAnswer> {
        let hosts: Vec<Host> = {
            let hosts = self.lock();
            let heard = hosts.iter().filter(|(_, asking)| asking.is_heard());
            let own = heard.map(|(host, _)| host).filter(|host| host.0 == *model);
            own.cloned().collect()
        };
        let answers = hosts
            .iter()
            .map(|host| self.ask(host, asked.clone(), REPORT_BOUND));
        join_all(answers).await.into_iter().flatten().collect()
    }

    async fn ask(
        &self,
        host: &Host,
        asked: Asked,
        bound: Duration,
    ) -> Result<AgentAnswer, Silence> {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let (answered, answer) = oneshot::channel();
        {
            let mut hosts = self.lock();
            let asking = hosts.get_mut(host).ok_or(Silence::NotConnected)?;
            if !asking.is_heard() {
                return Err(Silence::NotConnected);
            }
            if asking.waiting.len() >= WAITING {
                return Err(Silence::Crowded);
            }
            asking.waiting.insert(number, (asked, answered));
            asking.asked.send_modify(|asked| *asked += 1);
        }
        let _waiting = Waiting {
            questions: self,
            host,
            number,
        };
        match timeout(&*self.clock, bound, answer).await {
            Some(Ok(answer)) => Ok(answer),
            _ => Err(Silence::Late),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Host, Asking>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asking {
    /// Whether the agent is connected and listens.
    fn is_heard(&self) -> bool {
        self.asked.receiver_count() > 0
    }
}
