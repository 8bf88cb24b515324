//! The model as a bundle sees it.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::ApplicationName;
use periapt_model::bundle::{CurrentApplication, CurrentModel};
use periapt_wire::rest::{ApplicationInfo, ListQuery, RelationInfo};

use crate::failure::Outcome;
use crate::session::ModelSession;

/// The model, and what an export says beyond it.
pub struct Current {
    pub model: CurrentModel,
    pub applications: BTreeMap<ApplicationName, ApplicationInfo>,
    /// Without those between the units of one application, which nobody writes.
    pub relations: Vec<RelationInfo>,
}

pub async fn read(here: &ModelSession) -> Outcome<Current> {
    let client = here.client();
    let mut model = CurrentModel::default();
    let mut applications = BTreeMap::new();
    for info in client.applications(&here.model).await? {
        let config = client.application_config(&here.model, &info.name).await?;
        let charm = client.charm(&here.model, &info.charm).await?;
        let current = CurrentApplication {
            charm_digest: charm.sha256,
            units: u32::try_from(info.units.len()).unwrap_or(u32::MAX),
            settings: config.settings,
            exposed: info.exposed,
        };
        model.applications.insert(info.name.clone(), current);
        applications.insert(info.name.clone(), info);
    }
    let relations = client.relations(&here.model, &ListQuery::default()).await?;
    let relations: Vec<RelationInfo> = relations
        .into_iter()
        .filter(|relation| relation.endpoints.len() == 2)
        .collect();
    let keys: BTreeSet<String> = relations
        .iter()
        .map(|relation| relation.key.clone())
        .collect();
    model.relations = keys;
    Ok(Current {
        model,
        applications,
        relations,
    })
}
