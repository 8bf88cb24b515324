//! **environupgrader**: brings what the provider made for the model up to this version.
//!
//! Trigger: start with the gate locked. Action: the local provider has no upgrade operations, so
//! the model's status becomes available, unless it is being destroyed, and the gate opens.
//! Effect: the ordinary workers of the model start. Once open, the gate stays open for the
//! engine's life.

use periapt_client::ApiConnection;
use periapt_engine::{Gate, Manifold, ResultExt, TaskWorker};
use periapt_model::Life;
use periapt_model::status::{Model, Status};
use periapt_wire::agent::undertaker::{GetUndertakerModel, SetModelStatus};

use super::{apicaller, environ};

pub const NAME: &str = "environ-upgrader";
pub const GATE: &str = "environ-upgrade-gate";
pub const FLAG: &str = "environ-upgraded-flag";

/// Lends nothing; unlocks the gate of node [`GATE`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let gate: Gate = context.get(GATE)?;
        context.require(environ::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let model = worker.or_dying(api.call(&GetUndertakerModel {})).await?;
            let model = model.while_doing("reading the model")?;
            if model.is_some_and(|model| model.life == Life::Alive) {
                let available = SetModelStatus {
                    status: Status::new(Model::Available, ""),
                };
                worker
                    .or_dying(api.call(&available))
                    .await?
                    .while_doing("setting the model's status")?;
            }
            gate.unlock();
            worker.dying().cancelled().await;
            Ok(())
        }))
    })
    .needs([apicaller::NAME, environ::NAME, GATE])
}
