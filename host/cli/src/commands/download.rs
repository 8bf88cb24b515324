//! `download`: a charm of the model, or of a charm repository, as a `.charm` file.

use std::io::Write;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use periapt_client::rest::{RestClient, RestError};
use periapt_model::ApplicationName;
use periapt_model::charm::CharmInfo;
use periapt_model::charm::repository::CHANNEL;

use super::refresh::of_model;
use super::{Context, repository};
use crate::arguments::Download;
use crate::failure::{Exit, Failure, Outcome};
use crate::output::{self, text};
use crate::session::{ModelSession, Session, split};

/// A charm that was found.
struct Found {
    /// How a person is told of it.
    shown: String,
    name: String,
    revision: u32,
    archive: Bytes,
}

pub async fn download(context: &Context, arguments: Download) -> Outcome {
    let found = match (&arguments.place, &arguments.channel) {
        (None, None) => of_model_or_repository(context, &arguments).await?,
        (Some(place), _) => released(place, &arguments).await?,
        (None, Some(_)) => {
            let model = arguments.model.model.as_deref();
            let controller = model.and_then(|model| split(model).0);
            let session = Session::open_named(&context.files, controller).await?;
            let place = repository::of_controller(&session.client).await?;
            let place = place.ok_or_else(|| without_repository(&arguments.charm))?;
            released(&place, &arguments).await?
        }
    };
    let file = arguments
        .filepath
        .unwrap_or_else(|| PathBuf::from(format!("{}-{}.charm", found.name, found.revision)));
    if file.as_os_str() == "-" {
        return output::to_stdout(|stdout| stdout.write_all(&found.archive));
    }
    Whole::write(&file, &found.archive)?.keep()?;
    context.output.say(&format!(
        "Downloaded {} ({}) to {}",
        found.shown,
        text::bytes(found.archive.len() as u64),
        file.display()
    ));
    Ok(())
}

/// A charm from the repository at `place`.
async fn released(place: &str, arguments: &Download) -> Outcome<Found> {
    let name = &arguments.charm;
    let channel = arguments.channel.as_deref().unwrap_or(CHANNEL);
    let taken = repository::take(place, name, channel, arguments.revision).await?;
    Ok(Found {
        shown: format!("{name} revision {} of {place}", taken.revision),
        name: name.clone(),
        revision: taken.revision,
        archive: taken.archive,
    })
}

fn without_repository(charm: &str) -> Failure {
    Failure::new(
        Exit::NotFound,
        format!("there is no charm repository with \"{charm}\""),
    )
    .why("--channel names a channel of the controller's charm repository, and it has none")
    .advice("give a charm repository: --repository DIR|URL")
}

/// The charm of this URL, or that of an application; else, under this name, that of the controller's repository.
async fn of_model_or_repository(context: &Context, arguments: &Download) -> Outcome<Found> {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let (client, model) = (here.client(), &here.model);
    let wanted = arguments.charm.as_str();
    let charm = match wanted.contains(':') {
        true => {
            let charm = client.charm(model, wanted).await?;
            match arguments.revision {
                Some(revision) if revision != charm.revision => {
                    return Err(other_revision(&charm, revision));
                }
                _ => charm,
            }
        }
        false => {
            let application: ApplicationName = wanted.parse()?;
            let application = match client.application(model, &application).await {
                Ok(application) => application,
                Err(error) => {
                    return match instead(client, &error).await? {
                        Some(place) => released(&place, arguments).await,
                        None => Err(error.into()),
                    };
                }
            };
            match arguments.revision {
                Some(revision) => {
                    let command = format!("download {}", application.charm_name);
                    of_model(context, &here, &application, revision, &command).await?
                }
                None => client.charm(model, &application.charm).await?,
            }
        }
    };
    Ok(Found {
        archive: client.charm_archive(model, &charm).await?,
        shown: charm.url.to_string(),
        name: charm.name,
        revision: charm.revision,
    })
}

/// Where a charm is looked for whose name no application has.
async fn instead(client: &RestClient, error: &RestError) -> Outcome<Option<String>> {
    match error.code() {
        "application-not-found" => repository::of_controller(client).await,
        _ => Ok(None),
    }
}

fn other_revision(charm: &CharmInfo, revision: u32) -> Failure {
    Failure::usage(format!("{} is not revision {revision}", charm.url))
        .why("the name of a charm in a model includes its revision")
        .advice(format!(
            "leave out --revision, or name it: periapt download local:{}-{revision}",
            charm.name
        ))
}

/// A file written beside its place, which it takes when it is kept: whoever looks there finds
/// what was there before or all of the new. Dropped before it leaves nothing.
pub struct Whole {
    written: PathBuf,
    place: PathBuf,
}

impl Whole {
    pub fn write(place: &Path, bytes: &[u8]) -> Outcome<Self> {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let whole = Self {
            written: place.with_file_name(format!(".{name}.{}", std::process::id())),
            place: place.to_owned(),
        };
        std::fs::File::create(&whole.written)
            .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
            .map_err(|error| Failure::file("cannot write the output", place, &error))?;
        Ok(whole)
    }

    /// Puts the file in its place.
    pub fn keep(self) -> Outcome {
        std::fs::rename(&self.written, &self.place)
            .map_err(|error| Failure::file("cannot write the output", &self.place, &error))
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        // Once it is kept there is nothing at this path.
        let _ = std::fs::remove_file(&self.written);
    }
}

#[cfg(test)]
mod tests {
    use periapt_model::Digest;
    use periapt_model::charm::repository::{INDEX, Index, Release};

    use super::*;

    fn read(line: &str) -> Download {
        use clap::Parser;
        let words = ["periapt", "download"].into_iter().chain(line.split(' '));
        match crate::arguments::Arguments::try_parse_from(words)
            .unwrap()
            .command
        {
            crate::arguments::Command::Download(arguments) => arguments,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_revision_of_a_charm_repository_is_the_one_that_is_downloaded() {
        let folder = tempfile::tempdir().unwrap();
        let mut index = Index::default();
        for archive in ["older", "newer"] {
            let release = Release {
                sha256: Digest::of(archive),
                size: archive.len() as u64,
            };
            std::fs::write(folder.path().join(release.file()), archive).unwrap();
            index.publish("site", CHANNEL, release, None).unwrap();
        }
        std::fs::write(folder.path().join(INDEX), index.write().unwrap()).unwrap();
        let place = folder.path().display().to_string();
        for (line, revision, archive) in [
            ("site", 1, "newer"),
            ("site --revision 1", 1, "newer"),
            ("site --revision 0", 0, "older"),
            ("site --channel stable --revision 0", 0, "older"),
        ] {
            let found = released(&place, &read(line)).await.unwrap();
            assert_eq!(
                (found.revision, found.archive.as_ref()),
                (revision, archive.as_bytes()),
                "{line}"
            );
            assert_eq!(found.shown, format!("site revision {revision} of {place}"));
        }
        let refused = released(&place, &read("site --revision 2")).await;
        let refused = refused.err().unwrap().to_string();
        assert!(refused.contains("no revision 2; it has 0-1"), "{refused}");
    }

    #[test]
    fn a_file_is_there_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("site.charm");
        let there = || std::fs::read_dir(folder.path()).unwrap().count();
        std::fs::write(&place, "old").unwrap();
        drop(Whole::write(&place, b"new").unwrap());
        assert_eq!(
            (std::fs::read(&place).unwrap(), there()),
            (b"old".to_vec(), 1)
        );
        let whole = Whole::write(&place, b"new").unwrap();
        assert_eq!(std::fs::read(&place).unwrap(), b"old");
        whole.keep().unwrap();
        assert_eq!(
            (std::fs::read(&place).unwrap(), there()),
            (b"new".to_vec(), 1)
        );
        let failure = Whole::write(&folder.path().join("none/site.charm"), b"new");
        assert_eq!(failure.err().unwrap().to_string().lines().count(), 3);
    }
}
