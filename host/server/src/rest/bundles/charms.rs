//! The charms of a bundle: those that were uploaded or are described with it, those of the model, and those of the
//! controller's charm repository.

use std::collections::BTreeMap;

use bytes::Bytes;
use periapt_model::bundle::Bundle;
use periapt_model::charm::repository::CHANNEL;
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
    /// Its name in the controller's charm repository, where it is from there. Its archive is not kept meanwhile: a
    /// bundle may name many.
    pub released: Option<String>,
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

/// Finds them all. `known` are those of the model, by URL.
pub(super) async fn find(
    state: &ServerState,
    model: &ModelUuid,
    user: &UserName,
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
                (None, None) => {
                    in_repository(state, user, application, request, name, known).await?
                }
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

/// A charm of the controller's repository, by its name.
async fn in_repository(
    state: &ServerState,
    user: &UserName,
    application: &ApplicationName,
    request: &DeployBundle,
    name: &str,
    known: &BTreeMap<String, CharmInfo>,
) -> Result<Charm, Answer> {
    let refused = |(refusal, why): (Refusal, String)| {
        located::of_application(request, application, refusal, &why)
    };
    if name.parse::<ApplicationName>().is_err() {
        let why = format!(
            "the request does not include the charm \"{name}\" of \"{application}\", which is a path"
        );
        return Err(refused((Refusal::BundleCharmInvalid, why)));
    }
    // Archives are large, and unpacking one is work: as with uploads, few at once.
    let _turn = state.uploads().take(user).await;
    let archive = taken(state, name).await?.map_err(refused)?;
    let read = charms::read(archive).await?;
    let mut charm = of_digest(known, &read.sha256).unwrap_or_else(|| Charm {
        metadata: read.metadata.clone(),
        config: read.config.clone(),
        sha256: read.sha256.clone(),
        url: None,
        released: None,
    });
    charm.released = Some(name.to_owned());
    Ok(charm)
}

/// The archive of a charm as the controller's repository has it in the channel `stable`; else what is refused, and why.
pub(super) async fn taken(
    state: &ServerState,
    name: &str,
) -> Result<Result<Bytes, (Refusal, String)>, StoreError> {
    let place = charm_revisions::place(state.store()).await?;
    if place.is_empty() {
        let why =
            format!("charm \"{name}\" comes from a charm repository, but the controller has none");
        return Ok(Err((Refusal::CharmRepositoryMissing, why)));
    }
    let taken = async { Repository::at(&place)?.take(name, CHANNEL, None).await };
    Ok(taken.await.map(|taken| taken.archive).map_err(|fault| {
        let refusal = match fault {
            Fault::Index(_) => Refusal::BundleCharmInvalid,
            _ => Refusal::CharmRepositoryUnavailable,
        };
        let why = format!("cannot get \"{name}\" from the charm repository {place}: {fault}");
        (refusal, why)
    }))
}
