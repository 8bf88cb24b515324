//! Bytes by their SHA-256: charm archives and compiled components.
//!
//! Stored in chunks, each its own job, so that a large upload never holds up the commits of
//! others. The row in `blob` comes last: until it is there the chunks do not exist for readers,
//! and what a crash left of them is dropped at the next opening.

use bytes::Bytes;
use periapt_model::{Digest, ModelUuid};

use crate::changes::namespace;
use crate::db::{Session, params};
use crate::error::StoreError;
use crate::tx::Tx;
use crate::{Result, Store, applications};

/// Bytes of a chunk.
pub(crate) const CHUNK: usize = 1 << 20;

impl Store {
    /// Stores bytes; their digest, 64 lower-case hexadecimal digits. Storing them again does
    /// nothing.
    pub async fn put_blob(&self, data: Bytes) -> Result<String> {
        let digest = Digest::of(&data).to_string();
        if self.has_blob(&digest).await? {
            return Ok(digest);
        }
        for (position, start) in (0_i64..).zip((0..data.len()).step_by(CHUNK)) {
            let chunk = data.slice(start..data.len().min(start + CHUNK));
            let digest = digest.clone();
            self.write_aside(move |tx| {
                Box::pin(async move {
                    let sql = "INSERT INTO blob_chunk (digest, position, data) VALUES ($1, $2, $3)
                        ON CONFLICT (digest, position) DO NOTHING";
                    tx.db
                        .execute(sql, params![digest, position, chunk.to_vec()])
                        .await
                        .map(|_| ())
                })
            })
            .await?;
        }
        let (params_digest, size) = (digest.clone(), data.len() as u64);
        self.write_aside(move |tx| {
            Box::pin(async move {
                let sql = "INSERT INTO blob (digest, size, created_at) VALUES ($1, $2, $3)
                    ON CONFLICT (digest) DO NOTHING";
                tx.db
                    .execute(sql, params![params_digest, size, tx.now])
                    .await
                    .map(|_| ())
            })
        })
        .await?;
        Ok(digest)
    }

    /// The bytes with this digest.
    ///
    /// # Errors
    /// `Corrupt` when what is stored under the digest does not have it.
    pub async fn get_blob(&self, digest: &str) -> Result<Option<Bytes>> {
        let mut db = self.snapshot().await?;
        let Some(row) = db
            .fetch_optional("SELECT size FROM blob WHERE digest = $1", params![digest])
            .await?
        else {
            return Ok(None);
        };
        let size = usize::try_from(row.int(0)?).unwrap_or(0);
        let mut data = Vec::with_capacity(size);
        let sql = "SELECT data FROM blob_chunk WHERE digest = $1 AND position = $2";
        for position in 0.. {
            let Some(row) = db
                .fetch_optional(sql, params![digest, position as i64])
                .await?
            else {
                break;
            };
            data.extend_from_slice(&row.bytes(0)?);
        }
        if data.len() != size {
            let message = format!("{digest} has {} of {size} bytes", data.len());
            return Err(StoreError::corrupt("blob", message));
        }
        // For a core, not for the reactor: a charm may have tens of megabytes.
        let (data, found) = tokio::task::spawn_blocking(move || {
            let found = Digest::of(&data).to_string();
            (data, found)
        })
        .await
        .map_err(|error| StoreError::corrupt("blob", error))?;
        if found != digest {
            return Err(StoreError::corrupt("blob", format!("{digest} is {found}")));
        }
        Ok(Some(Bytes::from(data)))
    }

    /// How many bytes have this digest.
    pub async fn blob_size(&self, digest: &str) -> Result<Option<u64>> {
        let sql = "SELECT size FROM blob WHERE digest = $1";
        let mut db = self.glance().await?;
        let row = db.fetch_optional(sql, params![digest]).await?;
        let size = row.map(|row| row.int(0)).transpose()?;
        Ok(size.map(|size| u64::try_from(size).unwrap_or(0)))
    }

    /// A part of the bytes with this digest, counted from 0, for who hands them on piece by
    /// piece. None after the last, and once the bytes are gone.
    pub async fn blob_part(&self, digest: &str, part: u32) -> Result<Option<Bytes>> {
        let sql = "SELECT data FROM blob_chunk WHERE digest = $1 AND position = $2";
        let mut db = self.glance().await?;
        let row = db.fetch_optional(sql, params![digest, part]).await?;
        let data = row.map(|row| row.bytes(0)).transpose()?;
        Ok(data.map(Bytes::from))
    }

    /// Whether the bytes with this digest are there.
    pub async fn has_blob(&self, digest: &str) -> Result<bool> {
        let sql = "SELECT COUNT(*) FROM blob WHERE digest = $1";
        Ok(self.glance().await?.count(sql, params![digest]).await? > 0)
    }

    /// Whether the digest is a charm archive of the model or what one was compiled to: what an
    /// agent of the model may fetch.
    pub async fn model_uses_blob(&self, model: &ModelUuid, digest: &str) -> Result<bool> {
        let sql = "SELECT COUNT(*) FROM charm WHERE model_uuid = $1 AND (sha256 = $2
            OR sha256 IN (SELECT charm_sha256 FROM compiled_charm WHERE digest = $2))";
        Ok(self
            .glance()
            .await?
            .count(sql, params![model, digest])
            .await?
            > 0)
    }

    /// Records what a charm was compiled to for an engine; units that wait for it are woken.
    pub async fn put_compiled(
        &self,
        charm_sha256: &str,
        engine_hash: &str,
        digest: &str,
    ) -> Result<()> {
        let (charm, engine, digest) = (
            charm_sha256.to_owned(),
            engine_hash.to_owned(),
            digest.to_owned(),
        );
        self.write_aside(move |tx| {
            Box::pin(async move {
                let sql = "INSERT INTO compiled_charm (charm_sha256, engine_hash, digest) VALUES ($1, $2, $3)
                    ON CONFLICT (charm_sha256, engine_hash) DO UPDATE SET digest = excluded.digest
                    WHERE compiled_charm.digest <> excluded.digest";
                applications::prepared(tx, &charm).await?;
                if tx.db.execute(sql, params![&charm, engine, digest]).await? == 0 {
                    return Ok(());
                }
                let sql = "SELECT model_uuid, url FROM charm WHERE sha256 = $1";
                for row in tx.db.fetch(sql, params![charm]).await? {
                    let model: ModelUuid = row.parse(0, "model UUID")?;
                    tx.touch(&model, namespace::CHARM, row.text(1)?);
                }
                Ok(())
            })
        })
        .await
    }

    /// Removes a compiled form that is damaged; the charms that were compiled to it are pending
    /// again.
    pub async fn forget_compiled(&self, digest: &str) -> Result<()> {
        let digest = digest.to_owned();
        self.write_aside(move |tx| {
            Box::pin(async move {
                let sql = "SELECT model_uuid, url FROM charm WHERE sha256 IN
                    (SELECT charm_sha256 FROM compiled_charm WHERE digest = $1)";
                for row in tx.db.fetch(sql, params![&digest]).await? {
                    let model: ModelUuid = row.parse(0, "model UUID")?;
                    tx.touch(&model, namespace::CHARM, row.text(1)?);
                }
                for sql in [
                    "DELETE FROM compiled_charm WHERE digest = $1",
                    "DELETE FROM blob WHERE digest = $1",
                    "DELETE FROM blob_chunk WHERE digest = $1",
                ] {
                    tx.db.execute(sql, params![&digest]).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// The digest of what a charm was compiled to for an engine.
    pub async fn compiled(&self, charm_sha256: &str, engine_hash: &str) -> Result<Option<String>> {
        let sql = "SELECT digest FROM compiled_charm WHERE charm_sha256 = $1 AND engine_hash = $2";
        let row = self
            .glance()
            .await?
            .fetch_optional(sql, params![charm_sha256, engine_hash])
            .await?;
        row.map(|row| row.text(0)).transpose()
    }
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
    for row in tx.db.fetch(sql, params![sha256]).await? {
        digests.push(row.text(0)?);
    }
    tx.db
        .execute(
            "DELETE FROM compiled_charm WHERE charm_sha256 = $1",
            params![sha256],
        )
        .await?;
    for digest in digests {
        tx.db
            .execute("DELETE FROM blob WHERE digest = $1", params![&digest])
            .await?;
        tx.db
            .execute("DELETE FROM blob_chunk WHERE digest = $1", params![digest])
            .await?;
    }
    Ok(())
}

/// Drops chunks whose upload never came to its end. Only for one controller's own file: on a
/// shared server another controller may be in the middle of an upload.
pub(crate) async fn drop_orphans(session: &mut Session) -> Result<()> {
    if session.is_postgres() {
        return Ok(());
    }
    let sql = "DELETE FROM blob_chunk WHERE digest NOT IN (SELECT digest FROM blob)";
    session.execute(sql, vec![]).await.map(|_| ())
}
