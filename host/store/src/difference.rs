//! What settings and charms were before they were changed: one row for each, written in the transaction
//! of the change. A change is a fact about the past and stays until it is too old, or its application or
//! model goes. No row holds the value of a secret: `periapt_model::difference` leaves it out.

use periapt_model::bounds::DIFFERENCES;
use periapt_model::difference::Difference;
use periapt_model::{ApplicationName, ModelUuid};

use crate::Result;
use crate::db::{Tx, params};
use crate::tables::{Table, tables};

pub(crate) const TABLES: &[Table] = tables! {
    "difference", Application "application = $2";
};

/// What kind of thing differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Config,
    Revision,
}

impl Kind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Config => "config",
            Kind::Revision => "revision",
        }
    }
}

/// Writes what differs since a change of an application, or of the model itself.
pub(crate) async fn record(
    tx: &mut Tx,
    model: &ModelUuid,
    application: Option<&ApplicationName>,
    kind: Kind,
    differences: Vec<Difference>,
) -> Result<()> {
    let application = application.map(ApplicationName::as_str).unwrap_or_default();
    let mut rows = Vec::with_capacity(differences.len());
    for Difference { name, was, becomes } in differences {
        let (id, now) = (tx.next_id(), tx.now);
        rows.push(params![
            id,
            model,
            application,
            kind.as_str(),
            name,
            was,
            becomes,
            now
        ]);
    }
    let head =
        "INSERT INTO difference (id, model_uuid, application, kind, name, was, becomes, time)";
    Ok(tx.db.insert_many(head, "", rows).await?)
}

/// Drops what is older than `oldest`, and all but the newest of a model. How many.
pub(crate) async fn prune(tx: &mut Tx, model: &ModelUuid, oldest: Option<i64>) -> Result<u64> {
    let mut gone = 0;
    if let Some(oldest) = oldest {
        let sql = "DELETE FROM difference WHERE model_uuid = $1 AND time < $2";
        gone += tx.db.execute(sql, params![model, oldest]).await?;
    }
    let sql = "DELETE FROM difference WHERE model_uuid = $1 AND id <= (
        SELECT id FROM difference WHERE model_uuid = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)";
    gone += tx.db.execute(sql, params![model, DIFFERENCES.most]).await?;
    Ok(gone)
}

#[cfg(test)]
mod tests;
