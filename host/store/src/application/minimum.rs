//! The least number of units that an application has, and units made where it has fewer.
//!
//! Only units that are alive count: one that goes is made good while it goes. Nobody is kept from removing
//! units, and a minimum that is taken back removes none.

use periapt_model::{ApplicationName, Life, ModelUuid, UnitName};
use periapt_wire::rest::ApplicationInfo;

use super::deploy::{UNITS_AT_ONCE, make_units};
use crate::changes::namespace;
use crate::db::{columns, params, word};
use crate::error::StoreError;
use crate::{Result, Store, application, charm, storage, views};

columns! {
    /// How far an application of a model is from its minimum.
    struct Scale {
        life: Life = "application.life" as word,
        model: Life = "model.life" as word,
        least: u64 = "application.min_units",
        alive: u64 = "(SELECT COUNT(*) FROM unit WHERE unit.model_uuid = application.model_uuid
            AND unit.application = application.name AND unit.life = 'alive')",
    }
    const SCALE = "FROM application JOIN model ON model.uuid = application.model_uuid
        WHERE application.model_uuid = $1 AND application.name = $2";
}

impl Store {
    /// Says how many units an application has at the least; 0 for no minimum.
    pub async fn set_min_units(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        least: u32,
    ) -> Result<ApplicationInfo> {
        if least > UNITS_AT_ONCE {
            return Err(StoreError::bad_request(format!(
                "the minimum of an application is at most {UNITS_AT_ONCE} units"
            )));
        }
        let (model, application) = (model.clone(), application.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let charm = application::require_alive(&mut tx.db, &model, &application).await?;
                let charm = charm::find(&mut tx.db, &model, &charm).await?;
                if charm.subordinate {
                    return Err(StoreError::bad_request(format!(
                        "\"{application}\" is subordinate: it has as many units as its relations bring"
                    )));
                }
                let sql = "UPDATE application SET min_units = $3
                    WHERE model_uuid = $1 AND name = $2 AND min_units <> $3";
                let changed = tx.db.execute(sql, params![&model, &application, least]).await?;
                if changed > 0 {
                    tx.touch(&model, namespace::APPLICATION, application.as_str());
                }
                views::application::find(&mut tx.db, &model, &application).await
            })
        })
        .await
    }

    /// The applications of a model that have fewer units alive than they should.
    pub async fn applications_below_minimum(
        &self,
        model: &ModelUuid,
    ) -> Result<Vec<ApplicationName>> {
        let sql = "SELECT application.name FROM application
                JOIN model ON model.uuid = application.model_uuid
            WHERE application.model_uuid = $1 AND application.min_units > 0
                AND application.life = 'alive' AND model.life = 'alive'
                AND application.min_units > (SELECT COUNT(*) FROM unit
                    WHERE unit.model_uuid = application.model_uuid
                        AND unit.application = application.name AND unit.life = 'alive')
            ORDER BY application.name";
        let mut db = self.glance().await?;
        Ok(db.words("application", sql, params![model]).await?)
    }

    /// Adds exactly the units that an application lacks; which those are. One that goes or is gone lacks none.
    pub async fn rescale(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
    ) -> Result<Vec<UnitName>> {
        let (model, application) = (model.clone(), application.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let key = params![&model, &application];
                let Some(found) = tx.db.one(SCALE, key).await? else {
                    return Ok(Vec::new());
                };
                if !found.life.is_alive() || !found.model.is_alive() {
                    return Ok(Vec::new());
                }
                let missing = found.least.saturating_sub(found.alive);
                let missing = u32::try_from(missing).unwrap_or(UNITS_AT_ONCE);
                if missing == 0 {
                    return Ok(Vec::new());
                }
                let charm = application::require_alive(&mut tx.db, &model, &application).await?;
                let charm = charm::find(&mut tx.db, &model, &charm).await?;
                let units = make_units(tx, &model, &application, missing, &[]).await?;
                storage::give(tx, &model, &application, &charm, &units, &[]).await?;
                Ok(units)
            })
        })
        .await
    }
}

#[cfg(test)]
mod tests;
