//! Large bytes by their SHA-256.
//!
//! Stored in chunks, each its own job, so that a large upload never holds up the commits of
//! others. The row in `blob` comes last: until it is there the chunks do not exist for readers,
//! and what a crash left of them is dropped at the next opening.

use bytes::Bytes;
use periapt_model::Digest;

use crate::error::Error;
use crate::session::Session;
use crate::tx::Tx;
use crate::{OpenDatabase, params};

/// Bytes of a chunk.
pub const CHUNK: usize = 1 << 20;

impl OpenDatabase {
    /// Stores bytes; their digest, 64 lower-case hexadecimal digits. Storing them again does
    /// nothing.
    pub async fn put_blob(&self, data: Bytes) -> Result<String, Error> {
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
    pub async fn get_blob(&self, digest: &str) -> Result<Option<Bytes>, Error> {
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
            return Err(Error::corrupt("blob", message));
        }
        // For a core, not for the reactor: there may be tens of megabytes.
        let (data, found) = tokio::task::spawn_blocking(move || {
            let found = Digest::of(&data).to_string();
            (data, found)
        })
        .await
        .map_err(|error| Error::corrupt("blob", error))?;
        if found != digest {
            return Err(Error::corrupt("blob", format!("{digest} is {found}")));
        }
        Ok(Some(Bytes::from(data)))
    }

    /// How many bytes have this digest.
    pub async fn blob_size(&self, digest: &str) -> Result<Option<u64>, Error> {
        let sql = "SELECT size FROM blob WHERE digest = $1";
        let mut db = self.glance().await?;
        let row = db.fetch_optional(sql, params![digest]).await?;
        let size = row.map(|row| row.int(0)).transpose()?;
        Ok(size.map(|size| u64::try_from(size).unwrap_or(0)))
    }

    /// A part of the bytes with this digest, counted from 0, for who hands them on piece by
    /// piece. None after the last, and once the bytes are gone.
    pub async fn blob_part(&self, digest: &str, part: u32) -> Result<Option<Bytes>, Error> {
        let sql = "SELECT data FROM blob_chunk WHERE digest = $1 AND position = $2";
        let mut db = self.glance().await?;
        let row = db.fetch_optional(sql, params![digest, part]).await?;
        let data = row.map(|row| row.bytes(0)).transpose()?;
        Ok(data.map(Bytes::from))
    }

    /// Whether the bytes with this digest are there.
    pub async fn has_blob(&self, digest: &str) -> Result<bool, Error> {
        let sql = "SELECT COUNT(*) FROM blob WHERE digest = $1";
        Ok(self.glance().await?.count(sql, params![digest]).await? > 0)
    }
}

/// Forgets bytes, as part of a transaction. Who no longer refers to them says so.
pub async fn drop_blob(tx: &mut Tx, digest: &str) -> Result<(), Error> {
    for sql in [
        "DELETE FROM blob WHERE digest = $1",
        "DELETE FROM blob_chunk WHERE digest = $1",
    ] {
        tx.db.execute(sql, params![digest]).await?;
    }
    Ok(())
}

/// Drops chunks whose upload never came to its end. Only for one controller's own file: on a
/// shared server another controller may be in the middle of an upload.
pub(crate) async fn drop_orphans(session: &mut Session) -> Result<(), Error> {
    if session.is_postgres() {
        return Ok(());
    }
    let sql = "DELETE FROM blob_chunk WHERE digest NOT IN (SELECT digest FROM blob)";
    session.execute(sql, vec![]).await.map(|_| ())
}
