//! The charms of a bundle: those that were uploaded or are described with it, those of the model, and those of the
//! controller's charm repository.

use std::collections::BTreeMap;

use bytes::Bytes;
use periapt_model::bundle::{Bundle, BundleApplication};
use periapt_model::charm::repository::{CHANNEL, Index, RepositoryError};
use periapt_model::charm::{CharmInfo, CharmMetadata};
use periapt_model::config::Schema;
use periapt_model::refusal::Subject;
use periapt_model::{ApplicationName, ModelUuid, Refusal, UserName};
use periapt_repository::{Fault, Repository};
use periapt_store::StoreError;
use periapt_wire::Problem;
use periapt_wire::rest::{BundleCharm, DeployBundle};

use super::super::problem::Answer;
use super::located;
use crate::state::ServerState;
use crate::{charm_revisions, charms};

/// One charm, as far as it is needed before anything is changed.
#[derive(Clone)]
pub(super) struct Charm {
    pub metadata: CharmMetadata,
    pub config: Schema,
    pub sha256: String,
    /// As the model names it, once it has it.
    pub url: Option<String>,
    /// What it is in the controller's charm repository, where it is from there. Its archive is not kept meanwhile: a
    /// bundle may name many.
    pub released: Option<Released>,
}

/// A charm of the controller's charm repository.
#[derive(Clone)]
pub(super) struct Released {
    pub name: String,
    /// That its application follows.
    pub channel: String,
    /// That was named, or where the channel was when the bundle was planned.
    pub revision: u32,
}

/// The charm of every application.
pub(super) type Charms = BTreeMap<ApplicationName, Charm>;

impl From<&CharmInfo> for Charm {
    fn from(charm: &CharmInfo) -> Self {
        Charm {
            metadata: charm.metadata.clone(),
            config: charm.config.clone(),
            sha256: charm.sha256.clone(),
            url: Some(charm.url.to_string()),
            released: None,
        }
    }
}

/// The charms of a bundle.
pub(super) struct Found {
    pub charms: Charms,
    /// Of the charm repository, where an application has its charm from there.
    pub index: Option<Index>,
}

/// Finds them all. `known` are those of the model, by URL.
pub(super) async fn find(
    state: &ServerState,
    model: &ModelUuid,
    user: &UserName,
    bundle: &Bundle,
    request: &DeployBundle,
    known: &BTreeMap<String, CharmInfo>,
) -> Result<Found, Answer> {
    let mut search = Search {
        state,
        user,
        request,
        known,
        index: None,
    };
    let mut all = Charms::new();
    // Each is looked for once, however many applications have it.
    let mut found: BTreeMap<(&str, Option<&str>, Option<u32>), Charm> = BTreeMap::new();
    for (application, wanted) in &bundle.applications {
        let name = wanted.charm.as_str();
        let key = (name, wanted.channel.as_deref(), wanted.revision);
        let charm = match found.get(&key) {
            Some(charm) => charm.clone(),
            None => match (search.beside(application, wanted)?, known.get(name)) {
                (Some(given), _) => described(application, name, given, request, known)?,
                (None, Some(info)) => Charm::from(info),
                (None, None) if name.starts_with("local:") => {
                    return Err(absent(state, model, name).await?);
                }
                (None, None) => search.in_repository(application, wanted).await?,
            },
        };
        found.insert(key, charm.clone());
        all.insert(application.clone(), charm);
    }
    Ok(Found {
        charms: all,
        index: search.index,
    })
}

/// A search for the charms of one bundle.
struct Search<'a> {
    state: &'a ServerState,
    user: &'a UserName,
    request: &'a DeployBundle,
    /// Those of the model, by URL.
    known: &'a BTreeMap<String, CharmInfo>,
    /// Of the controller's charm repository, read once and for the first application that needs it.
    index: Option<Index>,
}

impl<'a> Search<'a> {
    /// What is said of an application's charm with the bundle. Who names a channel means the charm repository.
    fn beside(
        &self,
        application: &ApplicationName,
        wanted: &BundleApplication,
    ) -> Result<Option<&'a BundleCharm>, Answer> {
        let given = given(self.request, &wanted.charm);
        let given = given.filter(|_| wanted.channel.is_none());
        match (given, wanted.revision) {
            (Some(_), Some(revision)) => {
                let error = wanted.revision_of_file(application, revision);
                Err(located::unreadable(self.request, &error))
            }
            (given, _) => Ok(given),
        }
    }

    /// A charm of the controller's repository, by its name.
    async fn in_repository(
        &mut self,
        application: &ApplicationName,
        wanted: &BundleApplication,
    ) -> Result<Charm, Answer> {
        let name = wanted.charm.as_str();
        let request = self.request;
        let refused = |(refusal, why): (Refusal, String)| {
            located::of_application(request, application, refusal, &why)
        };
        if !wanted.is_named() {
            let why = format!(
                "the request does not include the charm \"{name}\" of \"{application}\", which is a path"
            );
            return Err(refused((Refusal::BundleCharmInvalid, why)));
        }
        if self.index.is_none() {
            self.index = match charm_revisions::index(self.state.store()).await {
                Err(StoreError::Refused { refusal, message }) => {
                    return Err(refused((refusal, message)));
                }
                read => read?,
            };
        }
        let index = self.index.as_ref();
        let index = index.ok_or_else(|| refused(nowhere(name)))?;
        let channel = wanted.channel.as_deref().unwrap_or(CHANNEL);
        let found = index.find(name, channel, wanted.revision);
        let (revision, release) = found.map_err(|error| refused(untaken(name, error.into())))?;
        let released = Released {
            name: name.to_owned(),
            channel: channel.to_owned(),
            revision,
        };
        // What the model has is not read again.
        if let Some(charm) = of_digest(self.known, &release.sha256.to_string()) {
            return Ok(Charm {
                released: Some(released),
                ..charm
            });
        }
        // Archives are large, and unpacking one is work: as with uploads, few at once.
        let _turn = self.state.uploads().take(self.user).await;
        let archive = taken(self.state, &released).await?.map_err(refused)?;
        let read = charms::read(archive).await?;
        Ok(Charm {
            metadata: read.metadata,
            config: read.config,
            sha256: read.sha256,
            url: None,
            released: Some(released),
        })
    }
}

/// What is said of a charm by its path, or by the name of its file: whoever drops files on a page knows no paths.
fn given<'r>(request: &'r DeployBundle, path: &str) -> Option<&'r BundleCharm> {
    let charms = &request.charms;
    let file = path.rsplit('/').next().filter(|file| *file != path);
    charms
        .get(path)
        .or_else(|| file.and_then(|file| charms.get(file)))
}

fn of_digest(known: &BTreeMap<String, CharmInfo>, sha256: &str) -> Option<Charm> {
    let charm = known.values().find(|charm| charm.sha256 == sha256);
    charm.map(Charm::from)
}

/// A charm beside the bundle: the model has it, or enough is said of it to plan with.
fn described(
    application: &ApplicationName,
    name: &str,
    given: &BundleCharm,
    request: &DeployBundle,
    known: &BTreeMap<String, CharmInfo>,
) -> Result<Charm, Answer> {
    if let Some(charm) = of_digest(known, &given.sha256) {
        return Ok(charm);
    }
    match (&given.metadata, &given.config) {
        (Some(metadata), Some(config)) if request.dry_run => Ok(Charm {
            metadata: metadata.clone(),
            config: config.clone(),
            sha256: given.sha256.clone(),
            url: None,
            released: None,
        }),
        _ => {
            let why = format!(
                "the model does not have the charm \"{name}\" of \"{application}\" with SHA-256 {}; upload it first",
                given.sha256
            );
            let refusal = Refusal::BundleCharmInvalid;
            Err(located::of_application(request, application, refusal, &why))
        }
    }
}

/// What an export without its charms meets in another model.
async fn absent(state: &ServerState, model: &ModelUuid, url: &str) -> Result<Answer, Answer> {
    let model = state.store().model_summary(model).await?.name;
    let problem = Problem::new(Refusal::NotFound(Subject::Charm))
        .titled(format!("model \"{model}\" does not have the charm {url}"))
        .why("local: names a charm of the model that the bundle was exported from (charm-not-found)")
        .advice(
            "export it with its charms, periapt export-bundle --filename bundle.yaml --charms ., then deploy that",
        );
    Ok(Answer(problem))
}

/// The archive of a charm as the controller's repository has it; else what is refused, and why.
pub(super) async fn taken(
    state: &ServerState,
    charm: &Released,
) -> Result<Result<Bytes, (Refusal, String)>, StoreError> {
    let Released {
        name,
        channel,
        revision,
    } = charm;
    let place = charm_revisions::place(state.store()).await?;
    if place.is_empty() {
        return Ok(Err(nowhere(name)));
    }
    let taken = async {
        let repository = Repository::at(&place)?;
        repository.take(name, channel, Some(*revision)).await
    };
    let taken = taken.await.map(|taken| taken.archive);
    Ok(taken.map_err(|fault| untaken(name, fault)))
}

fn nowhere(name: &str) -> (Refusal, String) {
    let why =
        format!("charm \"{name}\" comes from a charm repository, but the controller has none");
    (Refusal::CharmRepositoryMissing, why)
}

fn untaken(name: &str, fault: Fault) -> (Refusal, String) {
    let refusal = match fault {
        Fault::Index(RepositoryError::NoRevision { .. }) => Refusal::BundleRevisionInvalid,
        Fault::Index(_) => Refusal::BundleCharmInvalid,
        _ => Refusal::CharmRepositoryUnavailable,
    };
    let why = format!("cannot get \"{name}\" from the charm repository: {fault}");
    (refusal, why)
}
