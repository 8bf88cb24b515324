//! Trees of files: copied with their times, made durable, compared.
//!
//! What a guest wrote is never followed: a symbolic link is copied as a link and counted as
//! one. Nothing else than files, directories and links can be in such a tree, because WASI
//! offers no way to make it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::error::UniterError;

/// What tells that a tree is as it was. Times of inode changes cannot be set back by a guest,
/// other than those of modification.
pub(crate) type Picture = BTreeMap<PathBuf, Entry>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    kind: fs::FileType,
    size: u64,
    inode: u64,
    changed: (i64, i64),
}

/// Copies the content of `from` into the new directory `to`.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    let mut pending = vec![(from.to_owned(), to.to_owned())];
    let mut directories = Vec::new();
    while let Some((source, target)) = pending.pop() {
        for entry in fs::read_dir(&source)? {
            let entry = entry?;
            let (path, copy) = (entry.path(), target.join(entry.file_name()));
            let kind = entry.file_type()?;
            if kind.is_dir() {
                fs::create_dir(&copy)?;
                pending.push((path, copy));
            } else if kind.is_symlink() {
                std::os::unix::fs::symlink(fs::read_link(&path)?, &copy)?;
            } else {
                fs::copy(&path, &copy)?;
                let modified = entry.metadata()?.modified()?;
                File::options()
                    .write(true)
                    .open(&copy)?
                    .set_modified(modified)?;
            }
        }
        directories.push((source, target));
    }
    // Filling a directory changes its time, so times of directories come last.
    for (source, target) in directories {
        File::open(&target)?.set_modified(fs::metadata(&source)?.modified()?)?;
    }
    Ok(())
}

/// Everything below `root`, by its path from there.
pub(crate) fn picture(root: &Path) -> io::Result<Picture> {
    let mut picture = Picture::new();
    walk(root, &mut |path, metadata| {
        let entry = Entry {
            kind: metadata.file_type(),
            size: if metadata.is_dir() { 0 } else { metadata.len() },
            inode: metadata.ino(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        };
        picture.insert(path.strip_prefix(root).unwrap_or(path).to_owned(), entry);
        Ok(())
    })?;
    Ok(picture)
}

/// Makes everything at and below `root` durable.
pub(crate) fn sync(root: &Path) -> io::Result<()> {
    walk(root, &mut |path, metadata| {
        if metadata.is_symlink() {
            Ok(())
        } else {
            File::open(path)?.sync_all()
        }
    })?;
    File::open(root)?.sync_all()
}

/// Makes the names in `directory` durable.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Removes `path` with everything below it; what is not there is removed already.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Does work on files where waiting for a disk holds nobody up.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, UniterError> + Send + 'static,
) -> Result<T, UniterError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| UniterError::Thread(error.to_string()))?
}

fn walk(
    root: &Path,
    visit: &mut dyn FnMut(&Path, &fs::Metadata) -> io::Result<()>,
) -> io::Result<()> {
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory)? {
            let path = entry?.path();
            let metadata = fs::symlink_metadata(&path)?;
            visit(&path, &metadata)?;
            if metadata.is_dir() {
                pending.push(path);
            }
        }
    }
    Ok(())
}
