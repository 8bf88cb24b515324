//! The README of a charm, read from its stored archive.
//!
//! An archive may have 128 MiB and its README a few KiB. So the archive is not put together: the reader of its
//! format asks for bytes at a place, and the part of the archive that has them is fetched, one at a time. Nothing is
//! kept of it, since a README is read seldom and its archive is there as long as the charm is.

use std::io::{self, Read, Seek, SeekFrom};

use bytes::Bytes;
use periapt_model::ModelUuid;
use periapt_model::charm::CharmReadme;
use periapt_model::refusal::Subject;
use tokio::runtime::Handle;

use crate::db::CHUNK;
use crate::error::StoreError;
use crate::{Result, Store};

impl Store {
    /// What a charm says about itself at length, with the digest of its archive.
    pub async fn charm_readme(
        &self,
        model: &ModelUuid,
        url: &str,
    ) -> Result<(String, CharmReadme)> {
        let charm = self.get_charm(model, url).await?;
        let gone = || StoreError::not_found(Subject::CharmArchive, &charm.sha256);
        let size = self.blob_size(&charm.sha256).await?.ok_or_else(gone)?;
        let archive = Stored {
            runtime: Handle::current(),
            store: self.clone(),
            digest: charm.sha256.clone(),
            size,
            place: 0,
            part: None,
        };
        // Unpacking is work for a core, not for the reactor.
        let read = tokio::task::spawn_blocking(move || CharmReadme::read(archive)).await;
        let read = read.map_err(|_| StoreError::internal("a README was not read to its end"))?;
        Ok((charm.sha256, read.map_err(of_archive)?))
    }
}

/// What the store said, if it is that; everything else is an archive that cannot be what was uploaded.
fn of_archive(error: io::Error) -> StoreError {
    match error.downcast::<StoreError>() {
        Ok(error) => error,
        Err(error) => StoreError::corrupt("charm archive", error),
    }
}

/// The bytes with a digest, for a reader that goes to and fro. It blocks its thread while a part is fetched.
struct Stored {
    runtime: Handle,
    store: Store,
    digest: String,
    size: u64,
    /// Where it is read next.
    place: u64,
    /// The part that was fetched last, with its number.
    part: Option<(u32, Bytes)>,
}

impl Stored {
    fn part(&mut self, number: u32) -> io::Result<Bytes> {
        if let Some((fetched, part)) = &self.part
            && *fetched == number
        {
            return Ok(part.clone());
        }
        let fetched = self
            .runtime
            .block_on(self.store.blob_part(&self.digest, number))
            .map_err(io::Error::other)?;
        // The model may go while its charm is looked at.
        let gone = || StoreError::not_found(Subject::CharmArchive, &self.digest);
        let part = fetched.ok_or_else(|| io::Error::other(gone()))?;
        self.part = Some((number, part.clone()));
        Ok(part)
    }
}

impl Read for Stored {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.place >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        let number = u32::try_from(self.place / CHUNK as u64).map_err(io::Error::other)?;
        let part = self.part(number)?;
        let from = usize::try_from(self.place % CHUNK as u64).map_err(io::Error::other)?;
        let rest = part.get(from..).unwrap_or_default();
        let read = rest.len().min(buffer.len());
        buffer[..read].copy_from_slice(&rest[..read]);
        self.place += read as u64;
        Ok(read)
    }
}

impl Seek for Stored {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.place.checked_add_signed(by),
        };
        self.place = place.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.place)
    }
}

#[cfg(test)]
mod tests;
