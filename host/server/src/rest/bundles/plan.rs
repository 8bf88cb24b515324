//! A bundle, read and held against the model: nothing is changed here.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::bundle::{Bundle, BundleDifference, BundleResource, Step};
use periapt_model::charm::{CharmMetadata, ResourceKind};
use periapt_model::nearest::suggestion;
use periapt_model::refusal::Subject;
use periapt_model::storage::{DEFAULT_POOL, Pool, Pools, directives};
use periapt_model::{ApplicationName, ModelUuid, Refusal, UserName};
use periapt_store::Store;
use periapt_wire::rest::{BundleMissing, DeployBundle};

use super::super::problem::Answer;
use super::charms::{self, Charms, Found};
use super::{current, located};
use crate::state::ServerState;

/// What is to be done, and all that is needed for it.
pub(super) struct Planned {
    pub bundle: Bundle,
    pub charms: Charms,
    /// What the rules know of them.
    pub known: BTreeMap<ApplicationName, (CharmMetadata, String)>,
    pub steps: Vec<Step>,
    pub difference: BundleDifference,
    /// Keys of the bundle's relations.
    pub pairs: BTreeSet<String>,
    /// Files of which nothing is said.
    pub missing: Vec<BundleMissing>,
}

pub(super) async fn plan(
    state: &ServerState,
    model: &ModelUuid,
    user: &UserName,
    request: &DeployBundle,
) -> Result<Planned, Answer> {
    let overlays: Vec<&str> = request.overlays.iter().map(String::as_str).collect();
    let read = Bundle::parse(&request.bundle, &overlays);
    let mut bundle = read.map_err(|error| located::unreadable(request, &error))?;
    let mut current = current::read(state.store(), model).await?;
    let Found { charms, index } =
        charms::find(state, model, user, &bundle, request, &current.charms).await?;
    if let Some(index) = &index {
        current.find_revisions(index);
    }
    for (name, application) in &mut bundle.applications {
        let released = charms.get(name).and_then(|charm| charm.released.as_ref());
        application.released = released.map(|released| released.revision);
    }
    type_options(&mut bundle, &charms, request)?;
    let missing = read_files(&mut bundle, &charms, request)?;
    let known: BTreeMap<ApplicationName, (CharmMetadata, String)> = charms
        .iter()
        .map(|(name, charm)| {
            let known = (charm.metadata.clone(), charm.sha256.clone());
            (name.clone(), known)
        })
        .collect();
    let unplanned = |error| located::unplanned(request, &error);
    let steps = bundle.plan(&current.model, &known).map_err(unplanned)?;
    let pairs = bundle.pairs(&known).map_err(unplanned)?;
    require_storage(state.store(), model, request, &steps, &charms).await?;
    let compared = periapt_model::bundle::ComparedCharm::all(&known);
    let difference = bundle.difference(&current.model, &compared, &pairs);
    Ok(Planned {
        bundle,
        charms,
        known,
        steps,
        difference,
        pairs,
        missing,
    })
}

impl Planned {
    /// That every file that a step attaches was uploaded.
    pub(super) fn require_uploads(&self, request: &DeployBundle) -> Result<(), Answer> {
        for step in &self.steps {
            let (application, resources) = match step {
                Step::Deploy { application, .. } => {
                    let files = self.bundle.applications.get(application);
                    let files: Option<Vec<&String>> =
                        files.map(|wanted| wanted.digests.keys().collect());
                    (application, files.unwrap_or_default())
                }
                Step::Attach {
                    application,
                    resource,
                } => (application, vec![resource]),
                _ => continue,
            };
            let given = request.resources.get(application);
            for resource in resources {
                let file = given.and_then(|given| given.get(resource));
                if file.is_none_or(|file| file.upload.is_none()) {
                    let why = format!(
                        "the file of resource \"{resource}\" of \"{application}\" was not uploaded"
                    );
                    let missing = Refusal::NotFound(Subject::Upload);
                    return Err(located::of_application(request, application, missing, &why));
                }
            }
        }
        Ok(())
    }
}

/// Gives options the types of their charms, so that they compare with what is set.
fn type_options(
    bundle: &mut Bundle,
    charms: &Charms,
    request: &DeployBundle,
) -> Result<(), Answer> {
    for (name, application) in &mut bundle.applications {
        let Some(charm) = charms.get(name) else {
            continue;
        };
        for (option, value) in &mut application.options {
            *value = charm.config.coerce(option, value).map_err(|error| {
                let why = format!("option {option} of \"{name}\" does not fit: {error}");
                located::of_application(request, name, error.refusal(), &why)
            })?;
        }
    }
    Ok(())
}

/// Takes over what files hold, which only who sent the bundle knows, and refuses those that no charm declares. Those of
/// which nothing is said are left for whoever asks for a dry run to see.
fn read_files(
    bundle: &mut Bundle,
    charms: &Charms,
    request: &DeployBundle,
) -> Result<Vec<BundleMissing>, Answer> {
    let mut missing = Vec::new();
    for (name, application) in &mut bundle.applications {
        let declared = charms.get(name).map(|charm| &charm.metadata.resources);
        let mut digests = BTreeMap::new();
        for (resource, given) in &application.resources {
            let kind = declared.and_then(|declared| declared.get(resource));
            let refused = match kind.map(|resource| resource.kind) {
                Some(ResourceKind::File) => None,
                Some(ResourceKind::OciImage) => Some((
                    Refusal::ResourceIsImage,
                    format!("resource \"{resource}\" of \"{name}\" is a container image"),
                )),
                None => {
                    let known = declared.into_iter().flatten();
                    let meant = suggestion(resource, known.map(|(name, _)| name.as_str()));
                    let why =
                        format!("the charm of \"{name}\" has no resource \"{resource}\"{meant}");
                    Some((Refusal::NotFound(Subject::Resource), why))
                }
            };
            if let Some((refusal, why)) = refused {
                return Err(located::of_application(request, name, refusal, &why));
            }
            let BundleResource::File(path) = given else {
                continue;
            };
            let files = request.resources.get(name);
            let Some(file) = files.and_then(|files| files.get(resource)) else {
                if request.dry_run {
                    missing.push(BundleMissing {
                        application: name.clone(),
                        resource: resource.clone(),
                        file: path.clone(),
                    });
                    // No file has this digest, so it differs from what is attached.
                    digests.insert(resource.clone(), String::new());
                    continue;
                }
                let why = format!(
                    "the request does not include the file \"{path}\" for resource \"{resource}\" of \"{name}\""
                );
                let refusal = Refusal::BundleInvalid;
                return Err(located::of_application(request, name, refusal, &why));
            };
            digests.insert(resource.clone(), file.sha256.clone());
        }
        application.digests = digests;
    }
    Ok(missing)
}

/// Whether all that is deployed can be given its storage.
async fn require_storage(
    store: &Store,
    model: &ModelUuid,
    request: &DeployBundle,
    steps: &[Step],
    charms: &Charms,
) -> Result<(), Answer> {
    let asks = |step: &Step| matches!(step, Step::Deploy { storage, .. } if !storage.is_empty());
    let made = match steps.iter().any(asks) {
        true => store.storage_pools(model).await?,
        false => Vec::new(),
    };
    let made = made.into_iter().filter(|pool| !pool.built_in);
    let pools = Pools::with(made.map(|pool| {
        let made = Pool {
            provider: pool.provider,
            attributes: pool.attributes,
        };
        (pool.name, made)
    }));
    for step in steps {
        let Step::Deploy {
            application,
            storage,
            ..
        } = step
        else {
            continue;
        };
        let Some(charm) = charms.get(application) else {
            continue;
        };
        // Which pool is the model's default is not looked at: it is one that the model has.
        if let Err(refused) = directives(&charm.metadata.storage, storage, &pools, DEFAULT_POOL) {
            let why = format!("invalid storage for \"{application}\": {}", refused.why);
            return Err(located::of_application(
                request,
                application,
                refused.refusal,
                &why,
            ));
        }
    }
    Ok(())
}
