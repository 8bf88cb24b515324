//! Directories of storage below the agent's directory: plain ones, memory, and filesystems in files.
//!
//! `storage/` is the controller's, and the agent goes through it to what is its user's: so nobody leads whoever works
//! here astray by a link in the place of a directory. Beside the directories are, in `storage/.files`, the images of
//! those that are in files, and a mark for each that was given up.
//!
//! What never happens here: nothing is decided about what is to be there, and nothing that is in a directory is read.

mod image;
mod mount;
mod place;
#[cfg(test)]
mod tests;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use periapt_engine::SharedClock;
use periapt_model::storage::PoolKind;

use crate::error::file;
use crate::{Filesystem, Filesystems, ProviderError};
use place::{Owner, Place};

pub(super) use place::STORAGE;

/// Between two looks at whether the agent has taken up its directories, and how many there are.
const LOOK: Duration = Duration::from_millis(100);
const LOOKS: u32 = 50;

/// Those of one environment.
pub(super) struct LocalFilesystems {
    /// The agent's.
    directory: PathBuf,
    clock: SharedClock,
}

impl LocalFilesystems {
    pub fn new(directory: PathBuf, clock: SharedClock) -> Self {
        Self { directory, clock }
    }

    /// Whose the directories are to be. An agent that just starts says so in a moment.
    async fn owner(&self) -> Result<Owner, ProviderError> {
        for _ in 0..LOOKS {
            if let Some(owner) = Owner::of(&self.directory)? {
                return Ok(owner);
            }
            self.clock.sleep(LOOK).await;
        }
        Owner::at_last(&self.directory)
    }

    fn place(&self, filesystem: &Filesystem) -> Result<Place, ProviderError> {
        Place::of(&self.directory, &filesystem.directory)
    }
}

#[async_trait]
impl Filesystems for LocalFilesystems {
    async fn make(&self, filesystem: &Filesystem) -> Result<(), ProviderError> {
        let (place, wanted) = (self.place(filesystem)?, filesystem.clone());
        require_mounting(wanted.kind)?;
        let owner = self.owner().await?;
        blocking(move || {
            place.prepare(owner)?;
            let _lock = place.lock()?;
            match wanted.kind {
                PoolKind::Rootfs => {
                    place.make_point()?;
                    place.require_empty()?;
                    place.make(owner)?;
                }
                PoolKind::Tmpfs => {
                    place.make_point()?;
                    mount::memory(&place.directory(), wanted.size, owner)?;
                }
                PoolKind::Loop => {
                    place.make_point()?;
                    image::make_and_mount(&place, &wanted, owner)?;
                }
            }
            place.take_up()
        })
        .await
    }

    async fn import(&self, filesystem: &Filesystem) -> Result<u64, ProviderError> {
        let (place, wanted) = (self.place(filesystem)?, filesystem.clone());
        require_mounting(wanted.kind)?;
        let owner = self.owner().await?;
        blocking(move || {
            place.prepare(owner)?;
            let _lock = place.lock()?;
            let size = match wanted.kind {
                PoolKind::Rootfs => {
                    place.take(owner)?;
                    place.size_given_up().map_or_else(|| place.room(), Ok)?
                }
                PoolKind::Tmpfs => return Err(ProviderError::NothingToImport(place.directory())),
                PoolKind::Loop => {
                    let size = image::size(&place)?;
                    place.make_point()?;
                    image::mount(&place, owner)?;
                    size
                }
            };
            place.take_up()?;
            Ok(size)
        })
        .await
    }

    async fn destroy(&self, filesystem: &Filesystem) -> Result<(), ProviderError> {
        let (place, asked) = (self.place(filesystem)?, filesystem.clone());
        blocking(move || {
            let _lock = place.lock()?;
            if !asked.made && asked.kind != PoolKind::Tmpfs && !is_new(&place)? {
                return Ok(());
            }
            mount::unmount(&place.directory())?;
            place.remove()
        })
        .await
    }

    async fn release(&self, filesystem: &Filesystem) -> Result<(), ProviderError> {
        let (place, size) = (self.place(filesystem)?, filesystem.size);
        blocking(move || {
            let _lock = place.lock()?;
            mount::unmount(&place.directory())?;
            place.give_up(size)
        })
        .await
    }
}

/// Whether nobody has used it: it is empty, or not there. What cannot be looked into now is not taken for new.
fn is_new(place: &Place) -> Result<bool, ProviderError> {
    let at = place.directory();
    if place.image().exists() && !mount::is_mounted(&at)? {
        return image::is_unused(place);
    }
    match place.require_empty() {
        Ok(()) => Ok(true),
        Err(ProviderError::DirectoryTaken(_)) => Ok(false),
        Err(ProviderError::File { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(true),
        Err(ProviderError::File { source, .. }) if source.kind() == ErrorKind::NotADirectory => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Takes back all that an environment which goes has of storage, but what was given up; whether there is such.
pub(super) async fn clear(directory: &Path) -> Result<bool, ProviderError> {
    let directory = directory.to_owned();
    blocking(move || {
        let root = directory.join(STORAGE);
        let _lock = place::lock(&root)?;
        mount::unmount_below(&root)?;
        place::clear(&directory)
    })
    .await
}

/// Refuses what needs to be mounted to a process that may not mount.
fn require_mounting(kind: PoolKind) -> Result<(), ProviderError> {
    let what = match kind {
        PoolKind::Rootfs => return Ok(()),
        PoolKind::Tmpfs => "tmpfs",
        PoolKind::Loop => "loop",
    };
    match mount::is_allowed() {
        true => Ok(()),
        false => Err(ProviderError::StorageNeedsRoot { what }),
    }
}

/// Off the reactor: discs and programs take their time.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ProviderError> + Send + 'static,
) -> Result<T, ProviderError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(file("work in", STORAGE)(error.into())))
}
