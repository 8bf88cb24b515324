//! Which workers run: rows of the engines in this process, and rows asked from the agents.
//!
//! An agent watches for requests; a question bumps the model's counter, which wakes the agents'
//! watchers, and waits a short while for what they put. An agent that does not answer in time
//! is missing from the answer, never a reason to fail it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use periapt_engine::{Clock, SharedClock};
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
}

/// Questions to and answers of the connected agents. Clones share it.
#[derive(Clone)]
pub struct AgentReports {
    clock: SharedClock,
    models: Arc<Mutex<HashMap<ModelUuid, Model>>>,
}

struct Model {
    /// Number of the last question.
    asked: watch::Sender<u64>,
    /// By connection: the question it last answered, and its rows.
    answers: watch::Sender<HashMap<u64, (u64, Vec<WorkerRow>)>>,
}

impl AgentReports {
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
    pub fn put(&self, model: &ModelUuid, connection: u64, rows: Vec<WorkerRow>) {
        if let Some(entry) = self.lock().get(model) {
            let asked = *entry.asked.borrow();
            entry.answers.send_modify(|answers| {
                answers.insert(connection, (asked, rows));
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
    pub async fn ask(&self, model: &ModelUuid) -> Vec<WorkerRow> {
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
        let fresh = |answers: &HashMap<u64, (u64, Vec<WorkerRow>)>| {
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
        merge(
            answers
                .values()
                .filter(|(answered, _)| *answered >= question)
                .flat_map(|(_, rows)| rows.iter().cloned()),
        )
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ModelUuid, Model>> {
        self.models.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Model {
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
