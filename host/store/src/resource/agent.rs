//! What agents ask about resources, and which revision their units have.

use periapt_model::{ModelUuid, UnitName};
use periapt_wire::agent::uniter::ResourceContent;

use crate::changes::namespace;
use crate::db::{columns, params};
use crate::{Result, Store};

columns! {
    struct Asked -> ResourceContent {
        revision = "resource.revision",
        sha256 = "resource.sha256",
        size = "resource.size",
        known = "(SELECT unit_resource.revision FROM unit_resource
            WHERE unit_resource.model_uuid = $1 AND unit_resource.unit = $4
            AND unit_resource.name = $3)",
    }
    const ASKED = "FROM resource WHERE resource.model_uuid = $1 AND resource.application = $2
        AND resource.name = $3";
}

impl Store {
    /// What is attached to a unit's application under a name.
    pub async fn resource_of_unit(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        name: &str,
    ) -> Result<Option<ResourceContent>> {
        let key = params![model, &unit.application(), name, unit];
        Ok(self.glance().await?.one(ASKED, key).await?)
    }

    /// Records which revision of a resource a unit has.
    pub async fn set_unit_resource(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        name: &str,
        revision: u64,
    ) -> Result<()> {
        let (model, unit, name) = (model.clone(), unit.clone(), name.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                crate::unit::require(&mut tx.db, &model, &unit).await?;
                // What the application does not have is nothing to be remembered.
                let sql = "SELECT COUNT(*) FROM resource
                    WHERE model_uuid = $1 AND application = $2 AND name = $3";
                let key = params![&model, &unit.application(), &name];
                if tx.db.count(sql, key).await? == 0 {
                    return Ok(());
                }
                let sql = "INSERT INTO unit_resource (model_uuid, unit, name, revision)
                    VALUES ($1, $2, $3, $4)
                    ON CONFLICT (model_uuid, unit, name) DO UPDATE SET revision = excluded.revision
                    WHERE unit_resource.revision <> excluded.revision";
                let values = params![&model, &unit, name, revision];
                if tx.db.execute(sql, values).await? > 0 {
                    tx.touch(&model, namespace::UNIT_STATUS, unit.as_str());
                }
                Ok(())
            })
        })
        .await
    }
}
