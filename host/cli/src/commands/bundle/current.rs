//! The model as a bundle sees it.

use std::collections::BTreeMap;

use periapt_model::bundle::{CurrentApplication, CurrentModel, CurrentResource};
use periapt_model::{ApplicationName, Tag};
use periapt_wire::rest::{ApplicationInfo, ListQuery};

use crate::failure::Outcome;
use crate::session::ModelSession;

/// The model, and what an export says beyond it.
pub struct Current {
    pub model: CurrentModel,
    pub applications: BTreeMap<ApplicationName, ApplicationInfo>,
}

/// The two ends in a relation's key.
pub fn ends(key: &str) -> Option<[String; 2]> {
    let (requirer, provider) = key.split_once(' ')?;
    Some([requirer.to_owned(), provider.to_owned()])
}

pub async fn read(here: &ModelSession) -> Outcome<Current> {
    let client = here.client();
    let mut model = CurrentModel::default();
    let mut applications = BTreeMap::new();
    let noted = client.annotations(&here.model, None).await?.into_iter();
    let mut noted: BTreeMap<ApplicationName, BTreeMap<String, String>> = noted
        .filter_map(|of| match of.entity {
            Tag::Application(name) => Some((name, of.annotations)),
            _ => None,
        })
        .collect();
    for info in client.applications(&here.model).await? {
        let config = client.application_config(&here.model, &info.name).await?;
        let charm = client.charm(&here.model, &info.charm).await?;
        let current = CurrentApplication {
            charm_digest: charm.sha256,
            units: u32::try_from(info.units.len()).unwrap_or(u32::MAX),
            settings: config.settings,
            exposed: info.exposed_endpoints.clone(),
            resources: attached(here, &info.name).await?,
            annotations: noted.remove(&info.name).unwrap_or_default(),
        };
        model.applications.insert(info.name.clone(), current);
        applications.insert(info.name.clone(), info);
    }
    let relations = client.relations(&here.model, &ListQuery::default()).await?;
    // Nobody writes those between the units of one application.
    model.relations = relations
        .into_iter()
        .filter(|relation| relation.endpoints.len() == 2)
        .map(|relation| relation.key)
        .collect();
    Ok(Current {
        model,
        applications,
    })
}

async fn attached(
    here: &ModelSession,
    application: &ApplicationName,
) -> Outcome<BTreeMap<String, CurrentResource>> {
    let found = here.client().resources(&here.model, application).await?;
    let resources = found.resources.into_iter();
    let attached = resources.filter_map(|resource| {
        let attached = resource.attached?;
        let current = CurrentResource {
            revision: attached.revision,
            sha256: attached.sha256,
        };
        Some((resource.name, current))
    });
    Ok(attached.collect())
}
