//! Bytes on their way in, before anybody knows whether they are wanted: kept in the database a
//! chunk at a time, so that a slow or large upload costs one chunk of memory.

use bytes::{Bytes, BytesMut};
use periapt_model::digest::{Digest, Digester};

use crate::blobs::CHUNK;
use crate::db::params;
use crate::error::StoreError;
use crate::{Result, Store};

/// An upload that is coming in. Dropped, it leaves nothing; what a crash leaves is dropped at
/// the next opening.
pub struct Staging {
    store: Store,
    /// Name of the chunks; no digest looks like it.
    name: String,
    stored: i64,
    size: u64,
    digester: Digester,
    pending: BytesMut,
}

impl Store {
    /// Begins an upload.
    pub fn stage(&self) -> Staging {
        Staging {
            store: self.clone(),
            name: format!("upload-{}", uuid::Uuid::new_v4()),
            stored: 0,
            size: 0,
            digester: Digester::default(),
            pending: BytesMut::new(),
        }
    }

    async fn drop_staged(&self, name: String) -> Result<()> {
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
    pub async fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.digester.update(bytes);
        self.size += bytes.len() as u64;
        self.pending.extend_from_slice(bytes);
        while self.pending.len() >= CHUNK {
            let chunk = self.pending.split_to(CHUNK).to_vec();
            let values = params![&self.name, self.stored, chunk];
            self.store
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
    pub async fn take(mut self) -> Result<Bytes> {
        if self.stored == 0 {
            return Ok(std::mem::take(&mut self.pending).freeze());
        }
        let mut all = Vec::with_capacity(usize::try_from(self.size).unwrap_or(0));
        let sql = "SELECT data FROM blob_chunk WHERE digest = $1 AND position = $2";
        let mut db = self.store.snapshot().await?;
        for position in 0..self.stored {
            let row = db
                .fetch_optional(sql, params![&self.name, position])
                .await?;
            let row = row.ok_or_else(|| StoreError::corrupt("upload", "a chunk is missing"))?;
            all.extend_from_slice(&row.bytes(0)?);
        }
        drop(db);
        all.extend_from_slice(&self.pending);
        let name = std::mem::take(&mut self.name);
        self.stored = 0;
        self.store.drop_staged(name).await?;
        Ok(all.into())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.stored == 0 {
            return;
        }
        let (store, name) = (self.store.clone(), std::mem::take(&mut self.name));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = store.drop_staged(name).await {
                    tracing::warn!(%error, "an abandoned upload stays until the next start");
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixtures;

    async fn chunks(store: &Store) -> u64 {
        let sql = "SELECT COUNT(*) FROM blob_chunk";
        let mut db = store.glance().await.unwrap();
        db.count(sql, vec![]).await.unwrap()
    }

    #[tokio::test]
    async fn bytes_come_out_as_they_went_in_and_leave_nothing() {
        for fixture in fixtures().await {
            for size in [0, 1, CHUNK - 1, CHUNK, 3 * CHUNK + 7] {
                let bytes: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
                let mut staging = fixture.store.stage();
                for part in bytes.chunks(100_000) {
                    staging.push(part).await.unwrap();
                }
                assert_eq!(staging.size(), size as u64);
                assert_eq!(staging.digest(), Digest::of(&bytes));
                assert_eq!(staging.take().await.unwrap(), bytes);
                assert_eq!(chunks(&fixture.store).await, 0);
            }
            fixture.end().await;
        }
    }

    #[tokio::test]
    async fn an_abandoned_upload_leaves_nothing() {
        for fixture in fixtures().await {
            let mut staging = fixture.store.stage();
            staging.push(&vec![7; 2 * CHUNK]).await.unwrap();
            assert_eq!(chunks(&fixture.store).await, 2);
            drop(staging);
            while chunks(&fixture.store).await > 0 {
                tokio::task::yield_now().await;
            }
            fixture.end().await;
        }
    }
}
