//! The end of relations, and of what waits for them.

use periapt_model::removal::Going;
use periapt_model::{ApplicationName, Life, ModelUuid, Refusal};
use periapt_wire::rest::Removal;

use super::rows::{self, Relation};
use super::{scope, subordinates};
use crate::cleanup::{self, Kind};
use crate::db::{Tx, params};
use crate::error::StoreError;
use crate::tables::{self, With};
use crate::{Result, Store, application, secret, unit, why};

impl Store {
    /// Begins to remove a relation; the subordinate units that go with it. With nobody in scope
    /// it is gone at once, otherwise with the last unit that leaves. With `force` it goes after
    /// `force-wait` whatever its units do, and without after the model's `removal-deadline`.
    pub async fn remove_relation(
        &self,
        model: &ModelUuid,
        id: u64,
        going: impl Into<Going>,
    ) -> Result<Removal> {
        let (model, going) = (model.clone(), going.into());
        self.write(move |tx| {
            Box::pin(async move {
                let force = unit::removal::begin(tx, going.force);
                let relation = rows::require(&mut tx.db, &model, id).await?;
                if relation.is_peer() {
                    return Err(StoreError::Refused {
                        refusal: Refusal::RelationIsPeer,
                        message: format!(
                            "peer relation \"{}\" goes with its application",
                            relation.key
                        ),
                    });
                }
                destroy(tx, &model, relation, force, going.destroy_storage).await
            })
        })
        .await
    }
}

/// Begins to remove a relation; the subordinate units that begin to go with it.
async fn destroy(
    tx: &mut Tx,
    model: &ModelUuid,
    mut relation: Relation,
    force: bool,
    destroy_storage: bool,
) -> Result<Removal> {
    if relation.life.is_alive() {
        let sql =
            "UPDATE relation SET life = 'dying', cause = $3 WHERE model_uuid = $1 AND id = $2";
        let values = params![model, relation.id, why::cause(tx)];
        tx.db.execute(sql, values).await?;
        relation.life = Life::Dying;
        rows::touch(tx, model, &relation);
    }
    let going = match relation.container {
        true => subordinates::drop_unsupported(tx, model, force, destroy_storage).await?,
        false => Removal {
            units: Vec::new(),
            machines: Vec::new(),
            destroyed_storage: Vec::new(),
            detached_storage: Vec::new(),
        },
    };
    if rows::is_empty(&mut tx.db, model, relation.id).await? {
        remove_now(tx, model, &relation).await?;
    } else if force && (tx.at_once || !relation.forced) {
        let sql = "UPDATE relation SET forced = 1 WHERE model_uuid = $1 AND id = $2";
        tx.db.execute(sql, params![model, relation.id]).await?;
        let (subject, due) = (
            relation.id.to_string(),
            cleanup::next_step(tx, model).await?,
        );
        cleanup::enqueue(tx, model, Kind::ForceRelation, &subject, true, due).await?;
    } else if !force && !relation.forced {
        let subject = relation.id.to_string();
        cleanup::enqueue_deadline(tx, model, Kind::ForceRelation, &subject).await?;
    }
    Ok(going)
}

/// Begins to remove the relations of an application that goes, all but those of peers.
pub(crate) async fn destroy_all_of(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    force: bool,
) -> Result<()> {
    for relation in rows::of_application(&mut tx.db, model, application).await? {
        if !relation.is_peer() {
            destroy(tx, model, relation, force, false).await?;
        }
    }
    Ok(())
}

/// Last step of force: whoever is in scope is out of it, and the relation is gone.
pub(crate) async fn force(tx: &mut Tx, model: &ModelUuid, id: u64) -> Result<()> {
    let Some(relation) = rows::find(&mut tx.db, model, id).await? else {
        return Ok(());
    };
    for unit in rows::in_scope(&mut tx.db, model, id).await? {
        scope::leave(tx, model, &unit, &relation).await?;
    }
    remove_now(tx, model, &relation).await
}

/// Removes a relation that nobody is in the scope of, with all settings, and the applications
/// that waited for it. Again is the same.
pub(crate) async fn remove_now(tx: &mut Tx, model: &ModelUuid, relation: &Relation) -> Result<()> {
    if !delete(tx, model, relation).await? {
        return Ok(());
    }
    for end in &relation.ends {
        application::removal::finish(tx, model, &end.application).await?;
    }
    Ok(())
}

/// Removes the peer relations of an application that is gone.
pub(crate) async fn remove_peers(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<()> {
    for relation in rows::of_application(&mut tx.db, model, application).await? {
        delete(tx, model, &relation).await?;
    }
    Ok(())
}

/// Whether there was anything to delete.
async fn delete(tx: &mut Tx, model: &ModelUuid, relation: &Relation) -> Result<bool> {
    secret::relation_gone(tx, model, relation.id).await?;
    let gone = tables::remove(tx, model, With::Relation, relation.id).await? > 0;
    if gone {
        rows::touch(tx, model, relation);
    }
    Ok(gone)
}
