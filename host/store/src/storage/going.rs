//! What becomes of storage as units, applications and the model go that it belongs to.

use std::collections::BTreeSet;

use periapt_model::storage::StorageId;
use periapt_model::{ApplicationName, ModelUuid, Refusal, UnitName};
use periapt_wire::rest::Removal;

use super::detach::{drop_one, settle};
use super::rows::{ALL, OF_OWNER, OF_UNIT, StorageRow, changed, set_dying};
use crate::Result;
use crate::changes::namespace;
use crate::db::{Session, Tx, params};
use crate::error::StoreError;

/// A unit leaves: it lets go of all that it has.
pub(crate) async fn unit_leaves(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let sql = "SELECT storage FROM storage_attachment
        WHERE model_uuid = $1 AND unit = $2 AND life = 'alive' ORDER BY storage";
    let ids: Vec<StorageId> = tx.db.words("storage", sql, params![model, unit]).await?;
    if ids.is_empty() {
        return Ok(());
    }
    let sql = "UPDATE storage_attachment SET life = 'dying', cause = $3
        WHERE model_uuid = $1 AND unit = $2 AND life = 'alive'";
    let values = params![model, unit, crate::why::cause(tx)];
    tx.db.execute(sql, values).await?;
    for id in &ids {
        changed(tx, model, id).await?;
    }
    tx.touch(model, namespace::STORAGE_HOOKS, unit.as_str());
    Ok(())
}

/// A unit is gone, whatever it has not let go of.
pub(crate) async fn unit_gone(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let sql = "SELECT storage FROM storage_attachment
        WHERE model_uuid = $1 AND unit = $2 ORDER BY storage";
    let ids: Vec<StorageId> = tx.db.words("storage", sql, params![model, unit]).await?;
    for id in &ids {
        drop_one(tx, model, id, unit).await?;
    }
    Ok(())
}

/// An application is gone: what its units shared is nobody's, or goes.
pub(crate) async fn application_gone(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<()> {
    let shared: Vec<StorageRow> = tx.db.all(OF_OWNER, params![model, application]).await?;
    for row in shared {
        let sql = "UPDATE storage SET shared = 0, owner = '' WHERE model_uuid = $1 AND id = $2";
        let values = params![model, row.id.to_string()];
        tx.db.execute(sql, values).await?;
        changed(tx, model, &row.id).await?;
        settle(tx, model, &row.id).await?;
    }
    Ok(())
}

/// Whose storage goes along.
pub(crate) struct Departing<'a> {
    pub units: &'a [UnitName],
    /// It goes with all of its units.
    pub application: Option<&'a ApplicationName>,
    /// Also what would outlive them.
    pub destroy: bool,
}

/// Says what becomes of the storage of units that are about to go, with those in their containers, and has what
/// would outlive them go with them where that is wanted. To be asked before they begin to go.
pub(crate) async fn departing(
    tx: &mut Tx,
    model: &ModelUuid,
    of: Departing<'_>,
    removal: &mut Removal,
) -> Result<()> {
    let sql = "SELECT 1 FROM storage WHERE model_uuid = $1 LIMIT 1";
    if !tx.db.exists(sql, params![model]).await? {
        return Ok(());
    }
    let mut units: BTreeSet<UnitName> = of.units.iter().cloned().collect();
    for unit in of.units {
        let sql = "SELECT name FROM unit WHERE model_uuid = $1 AND principal = $2";
        let inside: Vec<UnitName> = tx.db.words("unit", sql, params![model, unit]).await?;
        units.extend(inside);
    }
    let mut rows = Vec::new();
    for unit in &units {
        let theirs: Vec<StorageRow> = tx.db.all(OF_UNIT, params![model, unit]).await?;
        rows.extend(theirs.into_iter().filter(|row| !row.shared));
    }
    if let Some(application) = of.application {
        let shared: Vec<StorageRow> = tx.db.all(OF_OWNER, params![model, application]).await?;
        rows.extend(shared);
    }
    rows.sort_by_key(|row| row.id.number());
    for row in rows {
        // Of what goes already something was said.
        if !row.life.is_alive() && !of.destroy {
            continue;
        }
        if of.destroy {
            set_dying(tx, model, &row.id, false).await?;
        }
        match of.destroy || !row.may_be_kept() {
            true => removal.destroyed_storage.push(row.id),
            false => removal.detached_storage.push(row.id),
        }
    }
    Ok(())
}

/// Whether there is storage of which the directory is yet to be given up.
pub(crate) async fn is_to_be_kept(db: &mut Session, model: &ModelUuid) -> Result<bool> {
    let sql = "SELECT 1 FROM storage WHERE model_uuid = $1 AND keep = 1 LIMIT 1";
    Ok(db.exists(sql, params![model]).await?)
}

/// The model goes with all of its storage: destroyed, or given up and kept. What outlives units needs a word for
/// that, of which none is a refusal.
pub(crate) async fn model_goes(
    tx: &mut Tx,
    model: &ModelUuid,
    destroy: Option<bool>,
) -> Result<()> {
    let all: Vec<StorageRow> = tx.db.all(ALL, params![model]).await?;
    let kept = all
        .iter()
        .filter(|row| row.life.is_alive() && row.may_be_kept());
    let kept: Vec<String> = kept.map(|row| row.id.to_string()).collect();
    if destroy.is_none() && !kept.is_empty() {
        let shown = match kept.as_slice() {
            few if few.len() <= 5 => few.join(", "),
            [first, second, third, ..] => {
                format!("{first}, {second}, {third} and {} more", kept.len() - 3)
            }
            _ => String::new(),
        };
        return Err(StoreError::Refused {
            refusal: Refusal::ModelHasPersistentStorage,
            message: format!("the model has storage that outlives units: {shown}"),
        });
    }
    for row in all {
        if row.life.is_alive() || destroy == Some(true) {
            let keep = destroy == Some(false) && row.may_be_kept();
            set_dying(tx, model, &row.id, keep).await?;
        }
        settle(tx, model, &row.id).await?;
    }
    Ok(())
}
