//! Which workers run: rows of the engines in this process, and rows asked from the agents.
//!
//! An agent watches for requests; a question bumps the model's counter, which wakes the agents'
//! watchers, and waits a short while for what they put. An agent that does not answer in time
//! is missing from the answer, never a reason to fail it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use periapt_engine::{Clock, EngineReport, SharedClock};
use periapt_model::ModelUuid;
use periapt_wire::rest::WorkerRow;
use tokio::sync::watch;

#[cfg(test)]
mod tests;

/// How long agents have to answer.
pub const ANSWER_BOUND: Duration = Duration::from_secs(2);

/// The engines of the controller's process.
#[async_trait]
pub trait Reports: Send + Sync + 'static {
    /// Rows of the controller engine.
    async fn controller(&self) -> Vec<WorkerRow>;
    /// Rows of one model's engine.
    async fn model(&self, model: &ModelUuid) -> Vec<WorkerRow>;
    /// What the controller engine says of itself. May block for as long as a worker does.
    fn controller_engine(&self) -> Option<EngineReport> {
        None
    }
    /// What the models' engines say of themselves. May block for as long as a worker does.
    fn model_engines(&self) -> BTreeMap<ModelUuid, EngineReport> {
        BTreeMap::new()
    }
}

/// Questions of one kind to the connected agents, and their answers. Clones share it.
pub struct AgentReports<A = Vec<WorkerRow>> {
    clock: SharedClock,
    models: Models<A>,
}

type Models<A> = Arc<Mutex<HashMap<ModelUuid, Model<A>>>>;

struct Model<A> {
    /// Number of the last question.
    asked: watch::Sender<u64>,
    /// By connection: the question it last answered, and what it said.
    answers: watch::Sender<HashMap<u64, (u64, A)>>,
}

impl<A> Clone for AgentReports<A> {
    fn clone(&self) -> Self {
        Self {
            clock: self.clock.clone(),
            models: Arc::clone(&self.models),
        }
    }
}

impl AgentReports {
    /// Asks the agents of a model which workers run: one row for each worker.
    pub async fn rows(&self, model: &ModelUuid) -> Vec<WorkerRow> {
        merge(self.ask(model).await.into_iter().flatten())
    }
}

impl<A: Clone> AgentReports<A> {
    pub fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            models: Arc::default(),
        }
    }

    /// Questions to the agents of a model, for a watcher.
    pub fn questions(&self, model: &ModelUuid) -> watch::Receiver<u64> {
        let mut questions = self
            .lock()
            .entry(model.clone())
            .or_insert_with(Model::new)
            .asked
            .subscribe();
        questions.mark_unchanged();
        questions
    }

    /// The answer of the agent on `connection`.
    pub fn put(&self, model: &ModelUuid, connection: u64, answer: A) {
        if let Some(entry) = self.lock().get(model) {
            let asked = *entry.asked.borrow();
            entry.answers.send_modify(|answers| {
                answers.insert(connection, (asked, answer));
            });
        }
    }

    /// Forgets what a connection said; called as it ends.
    pub fn forget(&self, model: &ModelUuid, connection: u64) {
        let mut models = self.lock();
        if let Some(entry) = models.get(model) {
            entry
                .answers
                .send_if_modified(|answers| answers.remove(&connection).is_some());
            if entry.asked.receiver_count() == 0 && entry.answers.borrow().is_empty() {
                models.remove(model);
            }
        }
    }

    /// Asks the agents of a model and waits for as many answers as there are watchers, within
    /// the bound.
    pub async fn ask(&self, model: &ModelUuid) -> Vec<A> {
        let (question, expected, mut answers) = {
            let models = self.lock();
            let Some(entry) = models.get(model) else {
                return Vec::new();
            };
            let expected = entry.asked.receiver_count();
            if expected == 0 {
                return Vec::new();
            }
            entry.asked.send_modify(|number| *number += 1);
            (*entry.asked.borrow(), expected, entry.answers.subscribe())
        };
        let fresh = |answers: &HashMap<u64, (u64, A)>| {
            answers
                .values()
                .filter(|(answered, _)| *answered >= question)
                .count()
        };
        let all = async {
            // The sender lives in the registry; were it gone, there would be nothing to wait for.
            let _ = answers.wait_for(|answers| fresh(answers) >= expected).await;
        };
        periapt_engine::clock::timeout(&*self.clock as &dyn Clock, ANSWER_BOUND, all).await;
        let answers = answers.borrow();
        answers
            .values()
            .filter(|(answered, _)| *answered >= question)
            .map(|(_, answer)| answer.clone())
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ModelUuid, Model<A>>> {
        self.models.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<A> Model<A> {
    fn new() -> Self {
        Self {
            asked: watch::Sender::new(0),
            answers: watch::Sender::new(HashMap::new()),
        }
    }
}

/// One row per worker and agent kind: counts are summed, the liveliest state is shown.
pub fn merge(rows: impl IntoIterator<Item = WorkerRow>) -> Vec<WorkerRow> {
    let mut order: Vec<(String, String)> = Vec::new();
    let mut merged: BTreeMap<(String, String), WorkerRow> = BTreeMap::new();
    for row in rows {
        let key = (row.agent.clone(), row.worker.clone());
        match merged.get_mut(&key) {
            None => {
                order.push(key.clone());
                merged.insert(key, row);
            }
            Some(known) => {
                known.running += row.running;
                known.start_count += row.start_count;
                if liveliness(&row.state) < liveliness(&known.state) {
                    known.state = row.state;
                    known.reason = row.reason;
                }
            }
        }
    }
    order
        .into_iter()
        .filter_map(|key| merged.remove(&key))
        .collect()
}

fn liveliness(state: &str) -> u8 {
    match state {
        "running" => 0,
        "resting" => 1,
        "library" => 2,
        "uninstalled" => 3,
        _ => 4,
    }
}
