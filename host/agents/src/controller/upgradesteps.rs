//! **upgradesteps**: holds back the models' engines until this version has set itself up.
//!
//! Trigger: start with the gate locked. Action: the store migrated its schema as it was opened,
//! and this version has no further steps, so the version is recorded and the gate opens. Effect:
//! the flag lets the model worker manager start. The gate outlives restarts of its nodes. A store
//! that cannot be opened keeps it locked.

use periapt_engine::{Gate, Manifold, ResultExt, TaskWorker};
use periapt_store::Store;
use serde_json::json;

use super::dbaccessor;

pub const NAME: &str = "upgrade-steps-runner";
pub const GATE: &str = "upgrade-steps-gate";
pub const FLAG: &str = "upgrade-steps-flag";

/// Where the store keeps the version that last set itself up.
const VERSION_KEY: &str = "agent-version";

/// Lends nothing; unlocks the gate of node [`GATE`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let store: Store = context.get(dbaccessor::NAME)?;
        let gate: Gate = context.get(GATE)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let version = env!("CARGO_PKG_VERSION");
            let before = store
                .controller_value(VERSION_KEY)
                .await
                .while_doing("reading the version")?;
            if before.as_deref() != Some(version) {
                store
                    .set_controller_value(VERSION_KEY, version)
                    .await
                    .while_doing("recording the version")?;
            }
            worker.set_report(json!({ "from": before, "to": version }));
            gate.unlock();
            worker.dying().cancelled().await;
            Ok(())
        }))
    })
    .needs([dbaccessor::NAME, GATE])
}
