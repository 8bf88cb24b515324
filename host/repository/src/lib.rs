//! Charm repositories as they are read: a directory of this machine, or one that a web server hands out.
//!
//! What is read has a bound in bytes and in time, and an archive is what the index says by its digest, or
//! is no archive. Where a repository is somebody says whom the reader trusts; no redirect leads elsewhere.
//! What the index means is decided in `periapt_model`; nothing is written here.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use periapt_model::charm::repository::{INDEX, Index, RepositoryError, address};
use periapt_model::{Digest, bounds};
use thiserror::Error;

#[cfg(test)]
mod tests;
mod web;

use web::Web;

/// An index of some ten thousand revisions; a longer file is none.
pub const INDEX_BYTES: u64 = 4 << 20;

/// Why a repository does not give what it was asked for.
#[derive(Debug, Error)]
pub enum Fault {
    #[error("it has no {INDEX}")]
    NoIndex,
    #[error(transparent)]
    Index(#[from] RepositoryError),
    #[error("{file} cannot be read: {why}")]
    Unreadable { file: String, why: String },
    #[error("{file} has more than {most} bytes")]
    TooLarge { file: String, most: u64 },
    #[error(
        "revision {revision} of charm \"{charm}\" is damaged: {file} is not what the index says"
    )]
    Damaged {
        charm: String,
        revision: u32,
        file: String,
    },
}

/// One revision of a charm.
#[derive(Debug)]
pub struct Taken {
    pub revision: u32,
    pub archive: Bytes,
}

/// A repository that is read.
pub struct Repository(Place);

enum Place {
    Directory(PathBuf),
    Web(Web),
}

impl Repository {
    /// The one at a path or a URL. Nothing is read yet.
    ///
    /// # Errors
    /// A URL that is none.
    pub fn at(place: &str) -> Result<Self, Fault> {
        Ok(Self(match address(place) {
            Some(_) => Place::Web(Web::new(place)?),
            None => Place::Directory(PathBuf::from(place)),
        }))
    }

    /// # Errors
    /// It cannot be read, or is none.
    pub async fn index(&self) -> Result<Index, Fault> {
        let bytes = self.read(INDEX, INDEX_BYTES, web::OF_INDEX).await?;
        let bytes = bytes.ok_or(Fault::NoIndex)?;
        let text = String::from_utf8(bytes).map_err(|error| Fault::Unreadable {
            file: INDEX.to_owned(),
            why: error.to_string(),
        })?;
        Ok(Index::read(&text)?)
    }

    /// The archive of a charm: that of `revision`, or the one that the channel is at.
    ///
    /// # Errors
    /// There is no such charm, channel or revision, or what is there is not what the index says.
    pub async fn take(
        &self,
        charm: &str,
        channel: &str,
        revision: Option<u32>,
    ) -> Result<Taken, Fault> {
        let index = self.index().await?;
        let (revision, release) = index.find(charm, channel, revision)?;
        let most = bounds::RESOURCE_BYTES.most;
        let file = release.file();
        if release.size > most {
            return Err(Fault::TooLarge { file, most });
        }
        let archive = self.read(&file, release.size, web::OF_ARCHIVE).await;
        let damaged = Fault::Damaged {
            charm: charm.to_owned(),
            revision,
            file,
        };
        match archive {
            Ok(Some(archive))
                if archive.len() as u64 == release.size
                    && Digest::of(&archive) == release.sha256 =>
            {
                Ok(Taken {
                    revision,
                    archive: archive.into(),
                })
            }
            Ok(_) | Err(Fault::TooLarge { .. }) => Err(damaged),
            Err(fault) => Err(fault),
        }
    }

    /// A file of at most so many bytes; none where there is none. A server has so much time for it.
    async fn read(
        &self,
        name: &str,
        most: u64,
        patience: Duration,
    ) -> Result<Option<Vec<u8>>, Fault> {
        match &self.0 {
            Place::Web(web) => web.get(name, most, patience).await,
            Place::Directory(directory) => {
                let path = directory.join(name);
                let shown = path.display().to_string();
                let unreadable = |why: String| Fault::Unreadable {
                    file: shown.clone(),
                    why,
                };
                let read = tokio::task::spawn_blocking(move || read_file(&path, most)).await;
                let read = read.map_err(|error| unreadable(error.to_string()))?;
                let read = read.map_err(|error| unreadable(error.to_string()))?;
                match read {
                    Some(bytes) if bytes.len() as u64 > most => {
                        Err(Fault::TooLarge { file: shown, most })
                    }
                    read => Ok(read),
                }
            }
        }
    }
}

/// A byte more than `most` at most, which tells that there are more. Blocks.
fn read_file(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(io::Error::other("it is no file")),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}
