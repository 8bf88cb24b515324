//! Which workers run: rows of the engines in this process, and how those of several engines become one. What
//! agents say of theirs is asked by [`crate::questions`].

use std::collections::BTreeMap;

use async_trait::async_trait;
use periapt_engine::EngineReport;
use periapt_model::ModelUuid;
use periapt_wire::rest::WorkerRow;

#[cfg(test)]
mod tests;

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
