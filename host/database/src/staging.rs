//! Bytes on their way in, before anybody knows whether they are wanted: kept in the database a
//! chunk at a time, so that a slow or large upload costs one chunk of memory.

use bytes::{Bytes, BytesMut};
use periapt_model::digest::{Digest, Digester};

use crate::blobs::CHUNK;
use crate::error::Error;
use crate::{OpenDatabase, params};

/// An upload that is coming in. Dropped, it leaves nothing; what a crash leaves is dropped at
/// the next opening.
pub struct Staging {
    database: OpenDatabase,
    /// Name of the chunks; no digest looks like it.
    name: String,
    stored: i64,
    size: u64,
    digester: Digester,
    pending: BytesMut,
}

impl OpenDatabase {
    /// Begins an upload.
    pub fn stage(&self) -> Staging {
        Staging {
            database: self.clone(),
            name: format!("upload-{}", uuid::Uuid::new_v4()),
            stored: 0,
            size: 0,
            digester: Digester::default(),
            pending: BytesMut::new(),
        }
    }

    async fn drop_staged(&self, name: String) -> Result<(), Error> {
        self.write_aside(move |tx| {
            Box::pin(async move {
                let sql = "DELETE FROM blob_chunk WHERE digest = $1";
                tx.db.execute(sql, params![name]).await.map(|_| ())
            })
        })
        .await
    }
}

impl Staging {
    /// Bytes so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Of the bytes so far.
    pub fn digest(&self) -> Digest {
        self.digester.digest()
    }

    /// Takes the next bytes.
    pub async fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.digester.update(bytes);
        self.size += bytes.len() as u64;
        self.pending.extend_from_slice(bytes);
        while self.pending.len() >= CHUNK {
            let chunk = self.pending.split_to(CHUNK).to_vec();
            let values = params![&self.name, self.stored, chunk];
            self.database
                .write_aside(move |tx| {
                    Box::pin(async move {
                        let sql =
                            "INSERT INTO blob_chunk (digest, position, data) VALUES ($1, $2, $3)";
                        tx.db.execute(sql, values).await.map(|_| ())
                    })
                })
                .await?;
            self.stored += 1;
        }
        Ok(())
    }

    /// All bytes, in memory from now on; the staged ones are dropped.
    pub async fn take(mut self) -> Result<Bytes, Error> {
        if self.stored == 0 {
            return Ok(std::mem::take(&mut self.pending).freeze());
        }
        let mut all = Vec::with_capacity(usize::try_from(self.size).unwrap_or(0));
        let sql = "SELECT data FROM blob_chunk WHERE digest = $1 AND position = $2";
        let mut db = self.database.snapshot().await?;
        for position in 0..self.stored {
            let row = db
                .fetch_optional(sql, params![&self.name, position])
                .await?;
            let row = row.ok_or_else(|| Error::corrupt("upload", "a chunk is missing"))?;
            all.extend_from_slice(&row.bytes(0)?);
        }
        drop(db);
        all.extend_from_slice(&self.pending);
        let name = std::mem::take(&mut self.name);
        self.stored = 0;
        self.database.drop_staged(name).await?;
        Ok(all.into())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.stored == 0 {
            return;
        }
        let (database, name) = (self.database.clone(), std::mem::take(&mut self.name));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = database.drop_staged(name).await {
                    tracing::warn!(%error, "an abandoned upload stays until the next start");
                }
            });
        }
    }
}
