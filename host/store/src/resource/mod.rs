//! Resources: files that people attach to an application beside its charm, and what waits to be attached.
//!
//! An application has one revision of each, the newest. Content is stored once however many refer to it,
//! and is gone with the last who does; charms are asked as well, since somebody may attach an archive.

use periapt_model::ApplicationName;
use periapt_model::ModelUuid;
use periapt_model::charm::CharmInfo;

use crate::changes::namespace;
use crate::db::{Session, Tx, params};
use crate::tables::{Table, tables};
use crate::{Result, why};

mod agent;
mod attach;
mod reading;
#[cfg(test)]
mod tests;
mod upload;

pub(crate) use attach::attach_uploads;

pub(crate) const TABLES: &[Table] = tables! {
    "resource", Application "application = $2";
    "resource_upload";
    "unit_resource", Unit "unit = $2";
};

/// Who made a file, and what it is.
struct Content {
    sha256: String,
    size: u64,
    uploaded_by: String,
    uploaded_at: i64,
}

/// The charm's units are to hear of other resources: they run `upgrade-charm`.
pub(crate) async fn tell(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<()> {
    let sql = "UPDATE application SET charm_modified_version = charm_modified_version + 1, charm_cause = $3
        WHERE model_uuid = $1 AND name = $2";
    let values = params![model, application, why::cause(tx)];
    tx.db.execute(sql, values).await?;
    tx.touch(model, namespace::APPLICATION, application.as_str());
    Ok(())
}

/// Forgets resources that the charm which is coming does not declare.
pub(crate) async fn keep_declared(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    charm: &CharmInfo,
) -> Result<()> {
    let sql = "SELECT name FROM resource WHERE model_uuid = $1 AND application = $2";
    let key = params![model, application];
    for name in tx.db.scalars::<String>(sql, key).await? {
        if charm.metadata.resources.contains_key(&name) {
            continue;
        }
        let key = params![model, application, &name];
        let sql =
            "SELECT sha256 FROM resource WHERE model_uuid = $1 AND application = $2 AND name = $3";
        let content = tx.db.scalar::<String>(sql, key.clone()).await?;
        let sql = "DELETE FROM resource WHERE model_uuid = $1 AND application = $2 AND name = $3";
        tx.db.execute(sql, key).await?;
        if let Some(content) = content {
            drop_unused(tx, &content).await?;
        }
    }
    Ok(())
}

/// Digests of all that a model has of resources.
pub(crate) async fn contents(db: &mut Session, model: &ModelUuid) -> Result<Vec<String>> {
    let sql = "SELECT sha256 FROM resource WHERE model_uuid = $1
        UNION SELECT sha256 FROM resource_upload WHERE model_uuid = $1";
    Ok(db.scalars(sql, params![model]).await?)
}

/// Digests of what is attached to an application.
pub(crate) async fn contents_of(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<Vec<String>> {
    let sql = "SELECT DISTINCT sha256 FROM resource WHERE model_uuid = $1 AND application = $2";
    Ok(db.scalars(sql, params![model, application]).await?)
}

/// Removes content to which nothing refers any more.
pub(crate) async fn drop_unused(tx: &mut Tx, sha256: &str) -> Result<()> {
    let sql = "SELECT (SELECT COUNT(*) FROM resource WHERE sha256 = $1)
        + (SELECT COUNT(*) FROM resource_upload WHERE sha256 = $1)
        + (SELECT COUNT(*) FROM charm WHERE sha256 = $1)
        + (SELECT COUNT(*) FROM compiled_charm WHERE digest = $1)";
    if tx.db.count(sql, params![sha256]).await? > 0 {
        return Ok(());
    }
    Ok(periapt_database::drop_blob(tx, sha256).await?)
}
