//! The charms of a bundle: those that were uploaded or are described with it, those of the model, and those of the
//! controller's charm repository.

use std::collections::BTreeMap;

use bytes::Bytes;
use periapt_model::bundle::Bundle;
use periapt_model::charm::repository::CHANNEL;
use periapt_model::charm::{CharmInfo, CharmMetadata};
use periapt_model::config::Schema;
use periapt_model::refusal::Subject;
use periapt_model::{ApplicationName, ModelUuid, Refusal};
use periapt_repository::{Fault, Repository};
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
    /// What is to be uploaded of the repository.
    pub archive: Option<Bytes>,
    /// The channel of the repository that it was taken from.
    pub channel: Option<String>,
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
            archive: None,
            channel: None,
        }
    }
}

/// Finds them all. `known` are those of the model, by URL.
pub(super) async fn find(
    state: &ServerState,
    model: &ModelUuid,
    bundle: &Bundle,
    request: &DeployBundle,
    known: &BTreeMap<String, CharmInfo>,
) -> Result<Charms, Answer> {
    let mut all = Charms::new();
    // Each is looked for once, however many applications have it.
    let mut found: BTreeMap<&str, Charm> = BTreeMap::new();
    for (application, wanted) in &bundle.applications {
        let name = wanted.charm.as_str();
        let charm = match found.get(name) {
            Some(charm) => charm.clone(),
            None => match (given(request, name), known.get(name)) {
                (Some(given), _) => described(application, name, given, request, known)?,
                (None, Some(info)) => Charm::from(info),
                (None, None) if name.starts_with("local:") => {
                    return Err(absent(state, model, name).await?);
                }
                (None, None) => in_repository(state, application, name, request, known).await?,
            },
        };
        found.insert(name, charm.clone());
        all.insert(application.clone(), charm);
    }
    Ok(all)
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
            archive: None,
            channel: None,
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

/// A charm of the controller's repository, by its name.
async fn in_repository(
    state: &ServerState,
    application: &ApplicationName,
    name: &str,
    request: &DeployBundle,
    known: &BTreeMap<String, CharmInfo>,
) -> Result<Charm, Answer> {
    let refused = |refusal: Refusal, why: String| {
        located::of_application(request, application, refusal, &why)
    };
    if name.parse::<ApplicationName>().is_err() {
        return Err(refused(
            Refusal::BundleCharmInvalid,
            format!(
                "nothing is said of the charm \"{name}\" of \"{application}\", which is a path"
            ),
        ));
    }
    let place = charm_revisions::place(state.store()).await?;
    if place.is_empty() {
        return Err(refused(
            Refusal::CharmRepositoryMissing,
            format!(
                "charm \"{name}\" of \"{application}\" is one of a charm repository, and the controller has none"
            ),
        ));
    }
    let taken = async { Repository::at(&place)?.take(name, CHANNEL).await };
    let archive = match taken.await {
        Ok(taken) => taken.archive,
        Err(fault) => {
            let refusal = match fault {
                Fault::Index(_) => Refusal::BundleCharmInvalid,
                _ => Refusal::CharmRepositoryUnavailable,
            };
            return Err(refused(
                refusal,
                format!("the charm repository {place} does not give \"{name}\": {fault}"),
            ));
        }
    };
    let read = charms::read(archive.clone()).await?;
    let mut charm = of_digest(known, &read.sha256).unwrap_or_else(|| Charm {
        metadata: read.metadata.clone(),
        config: read.config.clone(),
        sha256: read.sha256.clone(),
        url: None,
        archive: Some(archive),
        channel: None,
    });
    charm.channel = Some(CHANNEL.to_owned());
    Ok(charm)
}
