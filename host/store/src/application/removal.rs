//! The way out of applications: their units and relations first.

use periapt_model::refusal::Subject;
use periapt_model::removal::Going;
use periapt_model::{ApplicationName, Life, MachineId, ModelUuid, UnitName};
use periapt_wire::rest::Removal;

use crate::changes::namespace;
use crate::cleanup::{self, Kind};
use crate::db::{Tx, columns, optional_word, params, word};
use crate::error::StoreError;
use crate::storage::{self, Departing};
use crate::tables::{self, With};
use crate::{Result, Store, relation, resource, secret, unit};

columns! {
    struct UnitRow {
        unit: UnitName = "name" as word,
        machine: Option<MachineId> = "machine_id" as optional_word,
    }
    const UNITS = "FROM unit WHERE model_uuid = $1 AND application = $2 ORDER BY number";
}

columns! {
    /// An application on its way out.
    struct Leaving {
        life: Life = "life" as word,
        units: u64 = "(SELECT COUNT(*) FROM unit WHERE unit.model_uuid = application.model_uuid
            AND unit.application = application.name)",
    }
    const LEAVING = "FROM application WHERE model_uuid = $1 AND name = $2";
}

impl Store {
    /// Begins to remove an application with its units; one without units is gone at once.
    pub async fn remove_application(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        going: impl Into<Going>,
    ) -> Result<Removal> {
        let (model, application, going) = (model.clone(), application.clone(), going.into());
        self.write(move |tx| {
            Box::pin(async move {
                let force = unit::removal::begin(tx, going.force);
                let mut removal = Removal {
                    units: Vec::new(),
                    machines: Vec::new(),
                    destroyed_storage: Vec::new(),
                    detached_storage: Vec::new(),
                };
                for row in tx.db.all(UNITS, params![&model, &application]).await? {
                    removal.units.push(row.unit);
                    removal.machines.extend(row.machine);
                }
                let of = Departing {
                    units: &removal.units.clone(),
                    application: Some(&application),
                    destroy: going.destroy_storage,
                };
                storage::departing(tx, &model, of, &mut removal).await?;
                destroy(tx, &model, &application, force).await?;
                Ok(removal)
            })
        })
        .await
    }
}

/// Begins to remove an application. It is gone once it has neither units nor relations.
pub(crate) async fn destroy(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    force: bool,
) -> Result<()> {
    let found = tx.db.one(LEAVING, params![model, application]).await?;
    let found = found.ok_or_else(|| StoreError::not_found(Subject::Application, application))?;
    let Leaving { life, units } = found;
    if life == Life::Alive {
        let sql = "UPDATE application SET life = 'dying' WHERE model_uuid = $1 AND name = $2";
        tx.db.execute(sql, params![model, application]).await?;
        tx.touch(model, namespace::APPLICATION, application.as_str());
    }
    relation::destroy_all_of(tx, model, application, force).await?;
    finish(tx, model, application).await?;
    if units > 0 && (life == Life::Alive || force) {
        cleanup::enqueue(
            tx,
            model,
            Kind::ApplicationUnits,
            application.as_str(),
            force,
            tx.now,
        )
        .await?;
    }
    Ok(())
}

/// Removes an application that goes and has neither units nor relations, but those of peers.
pub(crate) async fn finish(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<()> {
    let sql =
        "SELECT COUNT(*) FROM application WHERE model_uuid = $1 AND name = $2 AND life <> 'alive'
        AND NOT EXISTS (SELECT 1 FROM unit WHERE unit.model_uuid = $1 AND unit.application = $2)
        AND NOT EXISTS (SELECT 1 FROM relation_endpoint WHERE relation_endpoint.model_uuid = $1
            AND relation_endpoint.application = $2 AND relation_endpoint.role <> 'peer')";
    if tx.db.count(sql, params![model, application]).await? > 0 {
        remove_now(tx, model, application).await?;
    }
    Ok(())
}

async fn remove_now(tx: &mut Tx, model: &ModelUuid, application: &ApplicationName) -> Result<()> {
    let contents = resource::contents_of(&mut tx.db, model, application).await?;
    secret::application_gone(tx, model, application).await?;
    storage::application_gone(tx, model, application).await?;
    tables::remove(tx, model, With::Application, application).await?;
    for content in contents {
        resource::drop_unused(tx, &content).await?;
    }
    relation::remove_peers(tx, model, application).await?;
    tx.touch(model, namespace::APPLICATION, application.as_str());
    tx.touch(model, namespace::APPLICATION_CONFIG, application.as_str());
    tx.touch(model, namespace::APPLICATION_STATUS, application.as_str());
    Ok(())
}
