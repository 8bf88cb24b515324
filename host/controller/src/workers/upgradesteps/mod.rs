//! **upgradesteps**: holds back the models' engines until this version has set itself up.
//!
//! Trigger: start with the gate locked. Action: it carries out the steps of the table that this
//! process has not had yet, in their order, and records each. Effect: meanwhile the API serves
//! what shows the state of the controller and no more; then the gate opens and the model worker
//! manager starts. A step that fails keeps the gate closed: the report, the log and the API name
//! it, and it is tried again until it succeeds. The gate outlives restarts of its nodes. A store
//! that cannot be opened keeps it locked too; its schema has been migrated by then.
//!
//! Agents cannot renew their leases meanwhile, so the leaders of applications are pinned.

mod steps;
#[cfg(test)]
mod tests;

use periapt_engine::{
    Gate, Manifold, ResultExt, TaskWorker, WorkerContext, WorkerError, WorkerResult, fault,
};
use periapt_model::Tag;
use periapt_store::{Store, lease::Manager};
use serde_json::json;

use super::{ControllerContext, agent, dbaccessor, lease};

pub use steps::{STEPS, UpgradeStep};

pub const NAME: &str = "upgrade-steps-runner";
pub const GATE: &str = "upgrade-steps-gate";
pub const FLAG: &str = "upgrade-steps-flag";

/// Where the store keeps the version that last set itself up.
const VERSION_KEY: &str = "agent-version";

/// Lends nothing; unlocks the gate of node [`GATE`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let store: Store = context.get(dbaccessor::NAME)?;
        let leases: Manager = context.get(lease::NAME)?;
        let gate: Gate = context.get(GATE)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let runner = Runner {
                worker,
                controller,
                store,
                leases,
            };
            if !gate.is_unlocked() {
                runner.run().await?;
                gate.unlock();
            }
            runner.worker.dying().cancelled().await;
            Ok(())
        }))
    })
    .needs([agent::NAME, dbaccessor::NAME, lease::NAME, GATE])
}

struct Runner {
    worker: WorkerContext,
    controller: ControllerContext,
    store: Store,
    leases: Manager,
}

impl Runner {
    async fn run(&self) -> WorkerResult {
        let mut pending = Vec::new();
        for step in self.controller.upgrade_steps {
            let done = self.store.controller_value(&self.key(step)).await;
            if done.while_doing("reading the upgrade steps")?.is_none() {
                pending.push(step);
            }
        }
        let entity = Tag::Controller(self.controller.config.uuid.clone());
        if !pending.is_empty() {
            let pinned = self.leases.pin_leaders(&entity).await;
            pinned.while_doing("pinning the leaders")?;
        }
        for step in pending {
            self.carry_out(step).await?;
        }
        self.record_version().await?;
        // Also after a process that was killed on the way.
        let unpinned = self.leases.unpin_leaders(&entity).await;
        unpinned.while_doing("unpinning the leaders")
    }

    async fn carry_out(&self, step: &UpgradeStep) -> WorkerResult {
        let UpgradeStep { name, since, .. } = step;
        tracing::info!(step = name, since, "upgrade step begins");
        self.controller.upgrade.begin(name);
        self.worker.set_report(json!({ "step": name }));
        let ended = match fault::check(&format!("upgrade-step-{name}")) {
            Ok(()) => {
                let ended = self.worker.or_dying((step.run)(&self.controller)).await?;
                ended.map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = ended {
            tracing::error!(step = name, %error, "upgrade step failed and will be tried again");
            self.controller.upgrade.fail(name, &error);
            return Err(WorkerError::text(format!(
                "upgrade step \"{name}\" failed: {error}"
            )));
        }
        let key = self.key(step);
        let recorded = self.store.set_controller_value(&key, VERSION);
        recorded.await.while_doing("recording an upgrade step")
    }

    async fn record_version(&self) -> WorkerResult {
        let before = self.store.controller_value(VERSION_KEY).await;
        let before = before.while_doing("reading the version")?;
        if before.as_deref() != Some(VERSION) {
            let recorded = self.store.set_controller_value(VERSION_KEY, VERSION);
            recorded.await.while_doing("recording the version")?;
        }
        self.worker
            .set_report(json!({ "from": before, "to": VERSION }));
        Ok(())
    }

    /// Where the store keeps that this process has had a step.
    fn key(&self, step: &UpgradeStep) -> String {
        format!("upgrade-step/{}/{}", step.name, self.controller.config.node)
    }
}

/// This program's.
const VERSION: &str = env!("CARGO_PKG_VERSION");
