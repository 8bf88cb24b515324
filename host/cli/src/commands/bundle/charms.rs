//! The charms of a bundle: files beside it, or charms that the model has.

use std::collections::BTreeMap;

use bytes::Bytes;
use periapt_model::ApplicationName;
use periapt_model::bundle::Bundle;
use periapt_model::charm::{Archive, CharmMetadata};
use periapt_model::config::Schema;

use super::BundleFile;
use crate::commands::Context;
use crate::commands::deploy::{read_archive, upload};
use crate::failure::{Exit, Failure, Outcome};
use crate::session::ModelSession;

/// One charm, as far as it is needed before anything is changed.
struct Found {
    metadata: CharmMetadata,
    config: Schema,
    digest: String,
    /// Not in the model yet.
    archive: Option<Bytes>,
    url: Option<String>,
}

/// The charm of every application.
pub struct Charms(BTreeMap<ApplicationName, Found>);

impl Charms {
    pub async fn read(file: &BundleFile, here: &ModelSession) -> Outcome<Self> {
        let mut all = BTreeMap::new();
        for (application, wanted) in &file.bundle.applications {
            let found = match wanted.charm.starts_with("local:") {
                true => in_model(&wanted.charm, here).await?,
                false => on_disk(application, &wanted.charm, file)?,
            };
            all.insert(application.clone(), found);
        }
        Ok(Self(all))
    }

    /// What a plan wants to know.
    pub fn known(&self) -> BTreeMap<ApplicationName, (CharmMetadata, String)> {
        let known = |(name, found): (&ApplicationName, &Found)| {
            let charm = (found.metadata.clone(), found.digest.clone());
            (name.clone(), charm)
        };
        self.0.iter().map(known).collect()
    }

    /// The bundle with its options in the types of their charms, so that they compare with what
    /// is set.
    pub fn typed(&self, mut bundle: Bundle) -> Outcome<Bundle> {
        for (name, application) in &mut bundle.applications {
            let Some(found) = self.0.get(name) else {
                continue;
            };
            for (option, value) in &mut application.options {
                *value = found.config.coerce(option, value).map_err(|error| {
                    Failure::usage(format!("option {option} of \"{name}\" does not fit"))
                        .why(error.to_string())
                        .advice("correct the bundle, then deploy it again: nothing was changed")
                })?;
            }
        }
        Ok(bundle)
    }

    /// The URL of an application's charm in the model, uploaded if need be.
    pub async fn url(
        &mut self,
        context: &Context,
        here: &ModelSession,
        application: &ApplicationName,
    ) -> Outcome<String> {
        let Some(found) = self.0.get(application) else {
            return Err(Failure::failed(format!(
                "the charm of \"{application}\" is not known"
            )));
        };
        let digest = found.digest.clone();
        if let Some(url) = &found.url {
            return Ok(url.clone());
        }
        let archive = found.archive.clone().unwrap_or_default();
        let url = upload(context, here, archive).await?.url.to_string();
        // The charm of other applications, too.
        for same in self.0.values_mut().filter(|same| same.digest == digest) {
            same.url = Some(url.clone());
        }
        Ok(url)
    }
}

async fn in_model(url: &str, here: &ModelSession) -> Outcome<Found> {
    let charm = here.client().charm(&here.model, url).await;
    let charm = charm.map_err(|error| match error.code() {
        "charm-not-found" => absent(url, &here.model),
        _ => error.into(),
    })?;
    Ok(Found {
        metadata: charm.metadata,
        config: charm.config,
        digest: charm.sha256,
        archive: None,
        url: Some(charm.url.to_string()),
    })
}

/// What an export without its charms meets in another model.
fn absent(url: &str, model: &str) -> Failure {
    Failure::new(
        Exit::NotFound,
        format!("model \"{model}\" does not have the charm {url}"),
    )
    .why("local: names a charm of the model that the bundle was exported from (charm-not-found)")
    .advice(
        "export it with its charms, periapt export-bundle --filename bundle.yaml --charms ., then \
         deploy that",
    )
}

fn on_disk(application: &ApplicationName, charm: &str, file: &BundleFile) -> Outcome<Found> {
    let path = file.folder.join(charm);
    if !path.exists() {
        return Err(Failure::new(
            Exit::NotFound,
            format!("the charm of \"{application}\" is not there"),
        )
        .why(format!("{} does not exist", path.display()))
        .advice(
            "give a path relative to the bundle, or local:NAME-REVISION of an uploaded charm",
        ));
    }
    let bytes = read_archive(&path)?;
    let archive = Archive::read(&bytes).map_err(|error| {
        Failure::usage(format!("{} is no charm", path.display()))
            .why(format!("{error} ({})", error.refusal()))
            .advice(error.refusal().advice())
    })?;
    Ok(Found {
        digest: archive.sha256.clone(),
        metadata: archive.metadata.clone(),
        config: archive.config.clone(),
        archive: Some(bytes),
        url: None,
    })
}
