//! What becomes of secrets as what they belong to goes, and those who read them.

use std::collections::BTreeSet;

use periapt_model::secret::{OwnerKind, SecretId};
use periapt_model::{ApplicationName, ModelUuid, UnitName};

use super::change::{drop_strangers, remove, settle};
use super::leftover;
use super::rows::{OF_OWNER, SecretRow, by_id};
use crate::Result;
use crate::db::{Tx, params};

/// Removes the secrets of a unit that goes, and what it read.
pub(crate) async fn unit_gone(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    of_owner(tx, model, OwnerKind::Unit, unit.as_str()).await?;
    let sql =
        "SELECT secret FROM secret_reader WHERE model_uuid = $1 AND unit = $2 ORDER BY secret";
    let read: Vec<SecretId> = tx.db.words("secret", sql, params![model, unit]).await?;
    let sql = "DELETE FROM secret_reader WHERE model_uuid = $1 AND unit = $2";
    tx.db.execute(sql, params![model, unit]).await?;
    for id in read {
        tx.touch(model, crate::changes::namespace::SECRET, id.as_str());
        if let Some(row) = by_id(&mut tx.db, model, &id).await? {
            settle(tx, model, &row).await?;
        }
    }
    told_of_grants(tx, model, unit.as_str()).await
}

/// Whoever looks at secrets that are granted to `grantee`, which goes, hears of it.
async fn told_of_grants(tx: &mut Tx, model: &ModelUuid, grantee: &str) -> Result<()> {
    let sql = "SELECT DISTINCT secret FROM secret_grant WHERE model_uuid = $1 AND grantee = $2";
    let granted: Vec<SecretId> = tx.db.words("secret", sql, params![model, grantee]).await?;
    for id in granted {
        tx.touch(model, crate::changes::namespace::SECRET, id.as_str());
    }
    Ok(())
}

/// Removes the secrets of an application that goes.
pub(crate) async fn application_gone(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<()> {
    told_of_grants(tx, model, application.as_str()).await?;
    of_owner(tx, model, OwnerKind::Application, application.as_str()).await
}

async fn of_owner(tx: &mut Tx, model: &ModelUuid, kind: OwnerKind, owner: &str) -> Result<()> {
    let key = params![model, kind.as_str(), owner];
    let owned: Vec<SecretRow> = tx.db.all(OF_OWNER, key).await?;
    for row in owned {
        remove(tx, model, &row).await?;
    }
    Ok(())
}

/// Takes back what was granted in a relation that goes.
pub(crate) async fn relation_gone(tx: &mut Tx, model: &ModelUuid, relation: u64) -> Result<()> {
    let sql = "SELECT secret FROM secret_grant WHERE model_uuid = $1 AND relation = $2";
    let granted: Vec<SecretId> = tx.db.words("secret", sql, params![model, relation]).await?;
    if granted.is_empty() {
        return Ok(());
    }
    let sql = "DELETE FROM secret_grant WHERE model_uuid = $1 AND relation = $2";
    tx.db.execute(sql, params![model, relation]).await?;
    let granted: BTreeSet<SecretId> = granted.into_iter().collect();
    for id in granted {
        tx.touch(model, crate::changes::namespace::SECRET, id.as_str());
        drop_strangers(tx, model, &id).await?;
    }
    Ok(())
}

/// Leaves a note of what back ends outside keep for a model that goes.
pub(crate) async fn model_gone(tx: &mut Tx, model: &ModelUuid) -> Result<()> {
    leftover::leave_all(tx, model).await
}
