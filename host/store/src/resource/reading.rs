//! Resources as people are shown them.

use std::collections::BTreeMap;

use periapt_model::{ApplicationName, ModelUuid, UnitName};
use periapt_wire::rest::{ApplicationResources, AttachedResource, ResourceInfo, ResourceOfUnit};

use super::attach::ATTACHED;
use crate::db::{columns, params, word};
use crate::{Result, Store, charm};

columns! {
    struct OfUnit {
        name: String = "unit_resource.name",
        unit: UnitName = "unit_resource.unit" as word,
        revision: u64 = "unit_resource.revision",
    }
    const OF_UNITS = "FROM unit_resource
        JOIN unit ON unit.model_uuid = unit_resource.model_uuid AND unit.name = unit_resource.unit
        WHERE unit.model_uuid = $1 AND unit.application = $2 ORDER BY unit.number";
}

impl Store {
    /// The resources that an application's charm declares, with what is attached and what units have.
    pub async fn resources(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
    ) -> Result<ApplicationResources> {
        let mut db = self.snapshot().await?;
        let charm = charm::of_application(&mut db, model, application).await?;
        let mut units: BTreeMap<String, Vec<ResourceOfUnit>> = BTreeMap::new();
        for row in db.all(OF_UNITS, params![model, application]).await? {
            let OfUnit {
                name,
                unit,
                revision,
            } = row;
            let of_name = units.entry(name).or_default();
            of_name.push(ResourceOfUnit { unit, revision });
        }
        let mut resources = Vec::new();
        for (name, declared) in &charm.metadata.resources {
            let key = params![model, application, name];
            let attached: Option<AttachedResource> = db.one(ATTACHED, key).await?;
            resources.push(ResourceInfo {
                name: name.clone(),
                kind: declared.kind,
                description: declared.description.clone(),
                file_name: declared.file_name(name).to_owned(),
                units: match attached {
                    Some(_) => units.remove(name).unwrap_or_default(),
                    None => Vec::new(),
                },
                attached,
            });
        }
        Ok(ApplicationResources {
            application: application.clone(),
            resources,
        })
    }
}
