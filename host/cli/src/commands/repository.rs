//! Charm repositories: `charm publish` writes one on this machine's disk; `deploy`, `refresh` and `download` take charms
//! from one.
//!
//! A charm that is taken goes up like one of a file: the controller fetches only those that bundles name. What it reads of its own
//! repository is the index, to say which charms have newer revisions.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use periapt_client::rest::RestClient;
use periapt_model::Digest;
use periapt_model::charm::repository::{INDEX, Index, Release, RepositoryError, address};
use periapt_repository::{Fault, INDEX_BYTES, Repository, Taken};

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

/// A charm from the repository at `place`: its `revision`, or the one that the channel is at.
pub async fn take(
    place: &str,
    charm: &str,
    channel: &str,
    revision: Option<u32>,
) -> Outcome<Taken> {
    let refused = |fault: Fault| refused(place, &fault);
    let repository = Repository::at(place).map_err(refused)?;
    let taken = repository.take(charm, channel, revision).await;
    taken.map_err(refused)
}

/// A channel of a charm in a repository, and what it is at.
pub struct Channel {
    pub name: String,
    pub revision: u32,
    pub release: Release,
}

/// What a repository has of a charm.
pub struct Published {
    pub channels: Vec<Channel>,
    /// All its revisions, older ones included, in ascending order.
    pub revisions: Vec<u32>,
}

/// What the repository at `place` has of a charm.
pub async fn published(place: &str, charm: &str) -> Outcome<Published> {
    let refused = |fault: Fault| refused(place, &fault);
    let repository = Repository::at(place).map_err(refused)?;
    let index = repository.index().await.map_err(refused)?;
    let absent = |error: RepositoryError| refused(Fault::Index(error));
    let revisions = index.revisions(charm).map_err(absent)?;
    let found = index.channels(charm).map_err(absent)?;
    let channels = found.into_iter().map(|(name, revision, release)| Channel {
        name: name.to_owned(),
        revision,
        release: release.clone(),
    });
    Ok(Published {
        channels: channels.collect(),
        revisions,
    })
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
        RepositoryError::NoRevision { .. } => (
            Exit::NotFound,
            "name one of these, or leave out --revision for the newest in the channel",
        ),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn publish(directory: &Path, index: &mut Index, channel: &str, archive: &[u8]) {
        let release = Release {
            sha256: Digest::of(archive),
            size: archive.len() as u64,
        };
        fs::write(directory.join(release.file()), archive).unwrap();
        index.publish("site", channel, release, None).unwrap();
    }

    #[tokio::test]
    async fn an_older_revision_is_taken_and_an_unknown_one_refused_with_the_list_of_those_there() {
        let directory = tempfile::tempdir().unwrap();
        let mut index = Index::default();
        publish(directory.path(), &mut index, "stable", b"older");
        publish(directory.path(), &mut index, "stable", b"newer");
        publish(directory.path(), &mut index, "edge", b"newest");
        fs::write(directory.path().join(INDEX), index.write().unwrap()).unwrap();
        let place = directory.path().display().to_string();
        for (wanted, revision, archive) in [
            (None, 1, "newer"),
            (Some(0), 0, "older"),
            (Some(1), 1, "newer"),
            (Some(2), 2, "newest"),
        ] {
            let taken = take(&place, "site", "stable", wanted).await.unwrap();
            assert_eq!(
                (taken.revision, taken.archive.as_ref()),
                (revision, archive.as_bytes())
            );
        }
        let refused = take(&place, "site", "stable", Some(3)).await.unwrap_err();
        assert_eq!(refused.exit, Exit::NotFound);
        let told = refused.to_string();
        assert_eq!(told.lines().count(), 3, "{told}");
        assert!(told.contains("no revision 3; it has 0-2"), "{told}");

        let published = published(&place, "site").await.unwrap();
        assert_eq!(published.revisions, [0, 1, 2]);
        let channels: Vec<(String, u32)> = published
            .channels
            .into_iter()
            .map(|channel| (channel.name, channel.revision))
            .collect();
        assert_eq!(channels, [("edge".to_owned(), 2), ("stable".to_owned(), 1)]);
    }
}
