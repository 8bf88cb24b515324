//! What charms were compiled to, for which engine.

use periapt_database::drop_blob;
use periapt_model::ModelUuid;

use crate::changes::namespace;
use crate::db::{Tx, columns, params, word};
use crate::{Result, Store, application, resource};

/// What a charm was compiled to for an engine.
#[derive(Clone, Debug)]
pub struct CompiledForm {
    pub engine_hash: String,
    /// Of its bytes, which are stored.
    pub digest: String,
}

columns! {
    struct CharmRow {
        model: ModelUuid = "model_uuid" as word,
        url: String = "url",
    }
    const OF_ARCHIVE = "FROM charm WHERE sha256 = $1";
    const COMPILED_TO = "FROM charm WHERE sha256 IN
        (SELECT charm_sha256 FROM compiled_charm WHERE digest = $1)";
}

impl Store {
    /// Whether the digest is a charm archive of the model, what one was compiled to, or a resource of an
    /// application: what an agent of the model may fetch.
    pub async fn model_uses_blob(&self, model: &ModelUuid, digest: &str) -> Result<bool> {
        let sql = "SELECT (SELECT COUNT(*) FROM charm WHERE model_uuid = $1 AND (sha256 = $2
            OR sha256 IN (SELECT charm_sha256 FROM compiled_charm WHERE digest = $2)))
            + (SELECT COUNT(*) FROM resource WHERE model_uuid = $1 AND sha256 = $2)";
        Ok(self
            .glance()
            .await?
            .count(sql, params![model, digest])
            .await?
            > 0)
    }

    /// Records what a charm was compiled to for an engine; units that wait for it are woken.
    pub async fn put_compiled(&self, charm_sha256: &str, form: CompiledForm) -> Result<()> {
        let charm = charm_sha256.to_owned();
        self.write_aside(move |tx| Box::pin(async move { record(tx, &charm, &form).await }))
            .await
    }

    /// Removes a compiled form that is damaged; the charms that were compiled to it are pending
    /// again.
    pub async fn forget_compiled(&self, digest: &str) -> Result<()> {
        let digest = digest.to_owned();
        self.write_aside(move |tx| {
            Box::pin(async move {
                for charm in tx.db.all(COMPILED_TO, params![&digest]).await? {
                    tx.touch(&charm.model, namespace::CHARM, charm.url);
                }
                let sql = "DELETE FROM compiled_charm WHERE digest = $1";
                tx.db.execute(sql, params![&digest]).await?;
                // Its bytes are not worth keeping, whoever else would have the same.
                Ok(drop_blob(tx, &digest).await?)
            })
        })
        .await
    }

    /// The digest of what a charm was compiled to for an engine.
    pub async fn compiled(&self, charm_sha256: &str, engine_hash: &str) -> Result<Option<String>> {
        let sql = "SELECT digest FROM compiled_charm WHERE charm_sha256 = $1 AND engine_hash = $2";
        let mut db = self.glance().await?;
        let key = params![charm_sha256, engine_hash];
        Ok(db.scalar(sql, key).await?)
    }
}

/// The same in a transaction.
pub(super) async fn record(tx: &mut Tx, charm: &str, form: &CompiledForm) -> Result<()> {
    let sql = "INSERT INTO compiled_charm (charm_sha256, engine_hash, digest) VALUES ($1, $2, $3)
        ON CONFLICT (charm_sha256, engine_hash) DO UPDATE SET digest = excluded.digest
        WHERE compiled_charm.digest <> excluded.digest";
    application::prepared(tx, charm).await?;
    let values = params![charm, &form.engine_hash, &form.digest];
    if tx.db.execute(sql, values).await? == 0 {
        return Ok(());
    }
    for charm in tx.db.all(OF_ARCHIVE, params![charm]).await? {
        tx.touch(&charm.model, namespace::CHARM, charm.url);
    }
    Ok(())
}

/// Removes a charm's archive and compiled forms once no model has the charm.
pub(crate) async fn drop_unused_charm(tx: &mut Tx, sha256: &str) -> Result<()> {
    if tx
        .db
        .count(
            "SELECT COUNT(*) FROM charm WHERE sha256 = $1",
            params![sha256],
        )
        .await?
        > 0
    {
        return Ok(());
    }
    let mut digests = vec![sha256.to_owned()];
    let sql = "SELECT digest FROM compiled_charm WHERE charm_sha256 = $1";
    digests.extend(tx.db.scalars::<String>(sql, params![sha256]).await?);
    tx.db
        .execute(
            "DELETE FROM compiled_charm WHERE charm_sha256 = $1",
            params![sha256],
        )
        .await?;
    for digest in digests {
        resource::drop_unused(tx, &digest).await?;
    }
    Ok(())
}
