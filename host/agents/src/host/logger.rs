//! **logger** (`logging-config-updater`): applies the model's log levels.
//!
//! Trigger: its start, and a change of the model's `logging-config`. Action: replaces the levels
//! by module. Effect: `model-config logging-config="<root>=INFO;unit=DEBUG"` makes the next hook
//! write debug lines, without a restart.

use periapt_engine::{Manifold, TaskWorker};
use serde_json::json;

use super::levels::Levels;
use super::settings::{self, ModelSettings};
use super::{AgentContext, agent};

pub const NAME: &str = "logging-config-updater";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let agent: AgentContext = context.get(agent::NAME)?;
        let settings: ModelSettings = context.get(settings::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let mut logging = settings.logging;
            loop {
                let config = logging.borrow_and_update().clone();
                agent.levels.replace(Levels::parse(&config));
                worker.set_report(json!({ "logging-config": config }));
                if worker.or_dying(logging.changed()).await?.is_err() {
                    // The settings have no owner any more, so they cannot change.
                    worker.dying().cancelled().await;
                    return Ok(());
                }
            }
        }))
    })
    .needs([agent::NAME, settings::NAME])
}
