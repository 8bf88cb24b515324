//! Bytes on their way in, before anybody knows whether they are wanted: kept in the database a
//! chunk at a time, so that a slow or large upload costs one chunk of memory.

use bytes::{Bytes, BytesMut};
use periapt_model::digest::{Digest, Digester};

use crate::blobs::CHUNK;
use crate::error::Error;
use crate::{OpenDatabase, Param, params};

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

    /// Keeps all bytes under their digest, a chunk at a time, so that no memory has them all; the digest.
    /// What is kept and nobody refers to is dropped by whoever would have.
    pub async fn keep(mut self) -> Result<String, Error> {
        let digest = self.digest().to_string();
        if !self.database.has_blob(&digest).await? {
            for position in 0..self.stored {
                let values = params![&digest, &self.name, position];
                let sql = "INSERT INTO blob_chunk (digest, position, data)
                    SELECT $1, position, data FROM blob_chunk WHERE digest = $2 AND position = $3
                    ON CONFLICT (digest, position) DO NOTHING";
                self.aside(sql, values).await?;
            }
            let mut chunks = self.stored;
            if !self.pending.is_empty() {
                let rest = std::mem::take(&mut self.pending).to_vec();
                let sql = "INSERT INTO blob_chunk (digest, position, data) VALUES ($1, $2, $3)
                    ON CONFLICT (digest, position) DO NOTHING";
                self.aside(sql, params![&digest, chunks, rest]).await?;
                chunks += 1;
            }
            let (name, size) = (digest.clone(), self.size);
            self.database
                .write_aside(move |tx| {
                    Box::pin(async move {
                        // Somebody may have dropped the same bytes meanwhile.
                        let sql = "SELECT COUNT(*) FROM blob_chunk WHERE digest = $1";
                        let there = tx.db.count(sql, params![&name]).await?;
                        if i64::try_from(there).ok() != Some(chunks) {
                            let message = format!("{name} was dropped while it was stored");
                            return Err(Error::corrupt("blob", message));
                        }
                        let sql = "INSERT INTO blob (digest, size, created_at) VALUES ($1, $2, $3)
                            ON CONFLICT (digest) DO NOTHING";
                        let values = params![name, size, tx.now];
                        tx.db.execute(sql, values).await.map(|_| ())
                    })
                })
                .await?;
        }
        let name = std::mem::take(&mut self.name);
        if std::mem::take(&mut self.stored) > 0 {
            self.database.drop_staged(name).await?;
        }
        Ok(digest)
    }

    async fn aside(&self, sql: &'static str, values: Vec<Param>) -> Result<(), Error> {
        self.database
            .write_aside(move |tx| {
                Box::pin(async move { tx.db.execute(sql, values).await.map(|_| ()) })
            })
            .await
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
