//! Charm repositories: `charm publish` writes one on this machine's disk, `deploy` and `refresh` take charms from one.
//!
//! A charm that is taken goes up like one of a file: the controller fetches only those that bundles name. What it reads of its own
//! repository is the index, to say which charms have newer revisions.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use periapt_client::rest::RestClient;
use periapt_model::Digest;
use periapt_model::charm::repository::{INDEX, Index, Release, RepositoryError, address};
use periapt_repository::{Fault, INDEX_BYTES, Repository};

use super::{Context, deploy};
use crate::arguments::CharmPublish;
use crate::failure::{Exit, Failure, Outcome};

pub fn publish(context: &Context, arguments: &CharmPublish) -> Outcome {
    let archive = deploy::read_archive(&arguments.path)?;
    let metadata = deploy::check_archive(&arguments.path, &archive)?.metadata;
    let directory = &arguments.directory;
    fs::create_dir_all(directory)
        .map_err(|error| Failure::file("cannot create the repository", directory, &error))?;
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
        .map_err(|error| unpublished(directory, error))?;
    let text = index
        .write()
        .map_err(|error| unpublished(directory, error))?;
    if text.len() as u64 > INDEX_BYTES {
        return Err(Failure::failed("the repository is full")
            .why(format!(
                "its index would be larger than {INDEX_BYTES} bytes"
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

/// Where charms are taken from by name: the controller's repository, if it has one.
pub async fn of_controller(client: &RestClient) -> Outcome<Option<String>> {
    let place = client.controller().await?.charm_repository;
    Ok(Some(place).filter(|place| !place.is_empty()))
}

/// Nobody said where a charm is that was asked for by its name.
pub fn nowhere(charm: &str) -> Failure {
    Failure::new(Exit::NotFound, format!("there is no charm at {charm}"))
        .why("there is no such file, and the controller has no charm repository")
        .advice("give the path of a .charm file, or a repository: --repository DIR|URL")
}

/// The archive that a channel of a charm is at, in the repository at `place`.
pub async fn take(place: &str, charm: &str, channel: &str) -> Outcome<Bytes> {
    let refused = |fault: Fault| refused(place, &fault);
    let repository = Repository::at(place).map_err(refused)?;
    let taken = repository.take(charm, channel).await;
    Ok(taken.map_err(refused)?.archive)
}

/// A channel of a charm in a repository, and what it is at.
pub struct Channel {
    pub name: String,
    pub revision: u32,
    pub release: Release,
}

/// The channels of a charm in the repository at `place`.
pub async fn channels(place: &str, charm: &str) -> Outcome<Vec<Channel>> {
    let refused = |fault: Fault| refused(place, &fault);
    let repository = Repository::at(place).map_err(refused)?;
    let index = repository.index().await.map_err(refused)?;
    let found = index.channels(charm);
    let found = found.map_err(|error| refused(Fault::Index(error)))?;
    let channels = found.into_iter().map(|(name, revision, release)| Channel {
        name: name.to_owned(),
        revision,
        release: release.clone(),
    });
    Ok(channels.collect())
}

fn unpublished(directory: &Path, error: RepositoryError) -> Failure {
    refused(&directory.display().to_string(), &Fault::Index(error))
}

fn refused(place: &str, fault: &Fault) -> Failure {
    let (exit, advice) = match fault {
        Fault::NoIndex => {
            let advice = match address(place) {
                Some(_) => {
                    "give the URL of a directory created by periapt charm publish".to_owned()
                }
                None => format!("periapt charm publish ./FILE.charm {place}"),
            };
            return Failure::new(Exit::NotFound, format!("{place} is not a charm repository"))
                .why(fault.to_string())
                .advice(advice);
        }
        Fault::Index(error) => of_index(error),
        Fault::Unreadable { .. } => (Exit::Failed, "make sure that this machine can read it"),
        Fault::TooLarge { .. } => (Exit::Failed, "use another repository"),
        Fault::Damaged { .. } => (Exit::Failed, "publish the charm again"),
    };
    Failure::new(
        exit,
        format!("charm repository {place} refused the request"),
    )
    .why(fault.to_string())
    .advice(advice)
}

fn of_index(error: &RepositoryError) -> (Exit, &'static str) {
    match error {
        RepositoryError::Unreadable(_)
        | RepositoryError::Format(_)
        | RepositoryError::Dangling { .. } => (
            Exit::Failed,
            "use a directory created by periapt charm publish",
        ),
        RepositoryError::Name(_) | RepositoryError::Channel(_) => {
            (Exit::Usage, "choose another name")
        }
        RepositoryError::NotNewer { .. } | RepositoryError::OtherRevision { .. } => {
            (Exit::Conflict, "leave out --revision, or give a higher one")
        }
        RepositoryError::ChannelIsNewer { .. } => (
            Exit::Conflict,
            "a channel never goes back: publish to another one, or pack a newer charm",
        ),
        RepositoryError::Full { .. } => (Exit::Conflict, "publish to another directory"),
        RepositoryError::NoCharm { .. } | RepositoryError::NoChannel { .. } => {
            (Exit::NotFound, "publish it first: periapt charm publish")
        }
    }
}

/// The index of a directory; none where there is none.
fn read(directory: &Path) -> Outcome<Option<Index>> {
    let path = directory.join(INDEX);
    let failed = |error: std::io::Error| Failure::file("cannot read the index", &path, &error);
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
        return Err(unpublished(directory, error));
    }
    let index = Index::read(&text).map_err(|error| unpublished(directory, error))?;
    Ok(Some(index))
}

/// Held while a directory is published to, so that nobody's revision is lost.
fn lock(directory: &Path) -> Outcome<File> {
    let path = directory.join(".lock");
    let failed = |error: std::io::Error| Failure::file("cannot lock the repository", &path, &error);
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
        |error: std::io::Error| Failure::file("cannot write the repository", &fresh, &error);
    let mut file = File::create(&fresh).map_err(failed)?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&fresh, directory.join(name)))
        .and_then(|()| File::open(directory)?.sync_all())
        .map_err(failed)
}
