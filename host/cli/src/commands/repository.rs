//! A charm repository on this machine's disk: `charm publish` writes it, `deploy` and `refresh` take charms from it.
//!
//! A charm that is taken goes up like one of a file: the controller knows nothing of repositories.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use periapt_model::Digest;
use periapt_model::charm::repository::{INDEX, Index, Release, RepositoryError};

use super::{Context, deploy};
use crate::arguments::CharmPublish;
use crate::failure::{Exit, Failure, Outcome};

/// An index of some ten thousand revisions; a longer file is none.
const INDEX_BYTES: u64 = 4 << 20;

pub fn publish(context: &Context, arguments: &CharmPublish) -> Outcome {
    let archive = deploy::read_archive(&arguments.path)?;
    let metadata = deploy::check_archive(&arguments.path, &archive)?.metadata;
    let directory = &arguments.directory;
    fs::create_dir_all(directory)
        .map_err(|error| Failure::file("the repository cannot be made", directory, &error))?;
    let _lock = lock(directory)?;
    let mut index = read(directory)?.unwrap_or_default();
    let release = Release {
        sha256: Digest::of(&archive),
        size: archive.len() as u64,
    };
    let file = release.file();
    let (name, channel) = (&metadata.name, &arguments.channel);
    let revision = index
        .publish(name, channel, release, arguments.revision)
        .map_err(|error| refused(directory, &error))?;
    let text = index.write().map_err(|error| refused(directory, &error))?;
    if text.len() as u64 > INDEX_BYTES {
        return Err(Failure::failed("the repository is full")
            .why(format!(
                "its index would have more than {INDEX_BYTES} bytes"
            ))
            .advice("publish to another directory"));
    }
    // The archive first: an index names nothing that is not there.
    replace(directory, &file, &archive)?;
    replace(directory, INDEX, text.as_bytes())?;
    context.output.say(&format!(
        "Published {name} revision {revision} to channel {channel}"
    ));
    Ok(())
}

/// The archive that a channel of a charm is at.
pub fn take(directory: &Path, charm: &str, channel: &str) -> Outcome<Bytes> {
    let index = read(directory)?.ok_or_else(|| {
        Failure::new(
            Exit::NotFound,
            format!("{} is no charm repository", directory.display()),
        )
        .why(format!("it has no {INDEX}"))
        .advice(format!(
            "periapt charm publish ./FILE.charm {}",
            directory.display()
        ))
    })?;
    let (revision, release) = index
        .newest(charm, channel)
        .map_err(|error| refused(directory, &error))?;
    let file = directory.join(release.file());
    let failed = |error: std::io::Error| Failure::file("the charm cannot be read", &file, &error);
    let mut archive = Vec::new();
    File::open(&file)
        .and_then(|file| {
            file.take(release.size.saturating_add(1))
                .read_to_end(&mut archive)
        })
        .map_err(failed)?;
    if archive.len() as u64 != release.size || Digest::of(&archive) != release.sha256 {
        return Err(Failure::failed(format!(
            "revision {revision} of charm \"{charm}\" is damaged"
        ))
        .why(format!(
            "{} is not what the index says: {}",
            file.display(),
            release.sha256
        ))
        .advice("publish the charm again"));
    }
    Ok(archive.into())
}

fn refused(directory: &Path, error: &RepositoryError) -> Failure {
    let (exit, advice) = match error {
        RepositoryError::Unreadable(_)
        | RepositoryError::Format(_)
        | RepositoryError::Dangling { .. } => (
            Exit::Failed,
            "use a directory that periapt charm publish wrote",
        ),
        RepositoryError::Name(_) | RepositoryError::Channel(_) => {
            (Exit::Usage, "choose another name")
        }
        RepositoryError::NotNewer { .. } | RepositoryError::OtherRevision { .. } => {
            (Exit::Conflict, "leave --revision out, or give a higher one")
        }
        RepositoryError::ChannelIsNewer { .. } => (
            Exit::Conflict,
            "a channel does not go back: publish to another one, or pack a newer charm",
        ),
        RepositoryError::Full { .. } => (Exit::Conflict, "publish to another directory"),
        RepositoryError::NoCharm { .. } | RepositoryError::NoChannel { .. } => {
            (Exit::NotFound, "publish it first: periapt charm publish")
        }
    };
    Failure::new(
        exit,
        format!("charm repository {} refuses", directory.display()),
    )
    .why(error.to_string())
    .advice(advice)
}

/// The index of a directory; none where there is none.
fn read(directory: &Path) -> Outcome<Option<Index>> {
    let path = directory.join(INDEX);
    let failed = |error: std::io::Error| Failure::file("the index cannot be read", &path, &error);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut text = String::new();
    file.take(INDEX_BYTES.saturating_add(1))
        .read_to_string(&mut text)
        .map_err(failed)?;
    if text.len() as u64 > INDEX_BYTES {
        let error = RepositoryError::Unreadable(format!("more than {INDEX_BYTES} bytes"));
        return Err(refused(directory, &error));
    }
    let index = Index::read(&text).map_err(|error| refused(directory, &error))?;
    Ok(Some(index))
}

/// Held while a directory is published to, so that nobody's revision is lost.
fn lock(directory: &Path) -> Outcome<File> {
    let path = directory.join(".lock");
    let failed =
        |error: std::io::Error| Failure::file("the repository cannot be locked", &path, &error);
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}

/// Writes a file, all of it or nothing.
fn replace(directory: &Path, name: &str, bytes: &[u8]) -> Outcome {
    let fresh: PathBuf = directory.join(format!(".{name}.new"));
    let failed =
        |error: std::io::Error| Failure::file("the repository cannot be written", &fresh, &error);
    let mut file = File::create(&fresh).map_err(failed)?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&fresh, directory.join(name)))
        .and_then(|()| File::open(directory)?.sync_all())
        .map_err(failed)
}
