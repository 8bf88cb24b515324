//! **lifeflag**: a flag computed from the life of one entity.
//!
//! Trigger: a change of the entity's life. Action: when the flag's truth changes it bounces; when
//! the entity is gone it ends with "entity removed", which ends a model's engine for good.
//! Effect: the undertaker runs exactly while its model is not alive, all others while it is not
//! dead. It never changes the entity.

use periapt_engine::flag::Flag;
use periapt_engine::{Manifold, Outputs, ResultExt, TaskWorker, WorkerError};
use periapt_model::{Life, Tag};
use periapt_wire::ApiConnection;
use periapt_wire::agent::life_flag::{GetLife, WatchLife};
use serde_json::json;

use super::apicaller;
use crate::watching;

pub const NOT_DEAD: &str = "not-dead-flag";
pub const NOT_ALIVE: &str = "not-alive-flag";

/// True until the model is dead.
pub fn not_dead(life: Life) -> bool {
    life != Life::Dead
}

/// True once the model is on its way out.
pub fn not_alive(life: Life) -> bool {
    life != Life::Alive
}

/// The flag `predicate` of the life of `entity`. Lends a [`Flag`].
pub fn manifold(entity: Tag, predicate: fn(Life) -> bool) -> Manifold {
    Manifold::new(move |context| {
        let entity = entity.clone();
        async move {
            let api: ApiConnection = context.get(apicaller::NAME)?;
            let truth = predicate(context.or_abort(life(&api, &entity)).await??);
            Ok(TaskWorker::lending(
                Outputs::of(Flag(truth)),
                move |worker| async move {
                    worker.set_report(json!({ "entity": entity, "flag": truth }));
                    let watch = WatchLife {
                        entity: entity.clone(),
                    };
                    watching::notify(&worker, &api, watch, "watching life", || async {
                        if predicate(life(&api, &entity).await?) != truth {
                            return Err(WorkerError::Bounce);
                        }
                        Ok(())
                    })
                    .await
                },
            ))
        }
    })
    .needs([apicaller::NAME])
}

async fn life(api: &ApiConnection, entity: &Tag) -> Result<Life, WorkerError> {
    let call = GetLife {
        entity: entity.clone(),
    };
    api.call(&call)
        .await
        .while_doing("reading life")?
        .ok_or(WorkerError::EntityRemoved)
}
