//! **environupgrader**: brings what the provider keeps for the model up to this version.
//!
//! Trigger: start with the gate locked. Action: it carries out the provider's steps that the
//! model has not had yet, one after the other, and records each. Effect: the model's status is
//! `busy` meanwhile; a step that fails makes it `error` with the text and is tried again, and the
//! ordinary workers of the model wait. When all are done the model is available and the gate
//! opens; it stays open for the engine's life.
//!
//! Differently from Juju's it does not wait for a valid credential: one that is not valid when
//! the engine starts would hold up every worker of the model, those too that never ask the
//! provider. It opens the provider by itself for the steps, and not at all when there are none
//! left.

use periapt_engine::{
    Gate, Manifold, ResultExt, TaskWorker, WorkerContext, WorkerError, WorkerResult, fault,
};
use periapt_model::Life;
use periapt_model::status::{Model, Status};
use periapt_wire::ApiConnection;
use periapt_wire::agent::model_upgrader::{GetEnvironVersion, SetEnvironVersion};
use periapt_wire::agent::undertaker::{GetUndertakerModel, SetModelStatus};
use serde_json::json;

use super::{ModelContext, agent, apicaller};

pub const NAME: &str = "environ-upgrader";
pub const GATE: &str = "environ-upgrade-gate";
pub const FLAG: &str = "environ-upgraded-flag";

/// Lends nothing; unlocks the gate of node [`GATE`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let model: ModelContext = context.get(agent::NAME)?;
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let gate: Gate = context.get(GATE)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let upgrader = Upgrader { worker, api };
            upgrader.run(&model).await?;
            gate.unlock();
            upgrader.worker.dying().cancelled().await;
            Ok(())
        }))
    })
    .needs([agent::NAME, apicaller::NAME, GATE])
}

struct Upgrader {
    worker: WorkerContext,
    api: ApiConnection,
}

impl Upgrader {
    async fn run(&self, model: &ModelContext) -> WorkerResult {
        let found = self
            .worker
            .or_dying(self.api.call(&GetEnvironVersion {}))
            .await?
            .while_doing("reading the environment's version")?;
        let ops = model.providers.upgrade_ops(&model.cloud_type);
        let ops = ops.while_doing("finding the provider")?;
        let newest = ops.last().map_or(0, |op| op.version);
        self.show(found, newest, None);
        if found > newest {
            let why = format!(
                "the environment is at version {found}, and this program knows {newest} only"
            );
            self.say(Model::Error, &why).await?;
            return Err(WorkerError::text(why));
        }
        for op in ops.iter().filter(|op| op.version > found) {
            self.say(
                Model::Busy,
                &format!("upgrade step \"{}\" is running", op.name),
            )
            .await?;
            let provider = model.open_provider()?;
            let carried_out = match fault::check(&format!("environ-upgrade-{}", op.name)) {
                Ok(()) => self
                    .worker
                    .or_dying(provider.upgrade(op))
                    .await?
                    .map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            if let Err(error) = carried_out {
                let why = format!("upgrade step \"{}\" failed: {error}", op.name);
                tracing::error!(step = op.name, %error, "the environment cannot be upgraded");
                self.say(Model::Error, &why).await?;
                return Err(WorkerError::text(why));
            }
            let done = SetEnvironVersion {
                version: op.version,
            };
            self.worker
                .or_dying(self.api.call(&done))
                .await?
                .while_doing("recording an upgrade step")?;
            self.show(op.version, newest, Some(op.name));
        }
        self.say(Model::Available, "").await
    }

    /// Sets the status of a model that lives; one on its way out says that.
    async fn say(&self, status: Model, message: &str) -> WorkerResult {
        let model = self
            .worker
            .or_dying(self.api.call(&GetUndertakerModel {}))
            .await?
            .while_doing("reading the model")?;
        if model.is_none_or(|model| model.life != Life::Alive) {
            return Ok(());
        }
        let set = SetModelStatus {
            status: Status::new(status, message),
        };
        self.worker
            .or_dying(self.api.call(&set))
            .await?
            .while_doing("setting the model's status")
            .map(|_| ())
    }

    fn show(&self, version: u32, newest: u32, last: Option<&str>) {
        self.worker
            .set_report(json!({ "version": version, "newest": newest, "last-step": last }));
    }
}
