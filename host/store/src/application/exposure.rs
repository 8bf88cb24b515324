//! Exposing applications to addresses outside, and taking it back.

use periapt_model::charm::CharmInfo;
use periapt_model::reach::{Endpoints, Exposure};
use periapt_model::refusal::Subject;
use periapt_model::{ApplicationName, Life, ModelUuid, Refusal};
use periapt_wire::rest::{ApplicationInfo, Expose, Unexpose};

use crate::changes::namespace;
use crate::db::{Tx, columns, json, params, to_json, word};
use crate::error::StoreError;
use crate::{Result, Store, views};

columns! {
    struct Exposed {
        life: Life = "application.life" as word,
        exposure: Exposure = "application.exposure" as json,
        charm: CharmInfo = "charm.info" as json,
    }
    const EXPOSED = "FROM application
        JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
        WHERE application.model_uuid = $1 AND application.name = $2";
}

impl Store {
    /// Exposes endpoints of an application, or all of it. What is exposed so already is left alone.
    pub async fn expose(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        request: Expose,
    ) -> Result<ApplicationInfo> {
        let (model, application) = (model.clone(), application.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let found = find(tx, &model, &application).await?;
                if !found.life.is_alive() {
                    return Err(StoreError::NotAlive {
                        kind: Subject::Application,
                        name: application.to_string(),
                        life: found.life,
                    });
                }
                let wanted = Exposure::read(&request.exposed_endpoints)?;
                let bindings = found.charm.metadata.bindings();
                let known = |name: &str| name.is_empty() || bindings.contains(name);
                let unknown = wanted.iter().find(|(name, _)| !known(name));
                if let Some((name, _)) = unknown {
                    let name: String = name.chars().take(80).collect();
                    return Err(StoreError::Refused {
                        refusal: Refusal::EndpointNotFound,
                        message: format!("\"{application}\" has no endpoint or binding \"{name}\""),
                    });
                }
                let mut after = found.exposure.clone();
                after.extend(wanted);
                after.check()?;
                put(tx, &model, &application, &found.exposure, &after).await
            })
        })
        .await
    }

    /// Takes the exposure of endpoints back, or all of it.
    pub async fn unexpose(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        request: Unexpose,
    ) -> Result<ApplicationInfo> {
        let (model, application) = (model.clone(), application.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let found = find(tx, &model, &application).await?;
                let mut after = found.exposure.clone();
                let endpoints = Endpoints::of(request.endpoints);
                after
                    .unexpose(&application, &endpoints)
                    .map_err(|error| StoreError::Refused {
                        refusal: error.refusal(),
                        message: error.to_string(),
                    })?;
                put(tx, &model, &application, &found.exposure, &after).await
            })
        })
        .await
    }
}

async fn find(tx: &mut Tx, model: &ModelUuid, application: &ApplicationName) -> Result<Exposed> {
    let found = tx.db.one(EXPOSED, params![model, application]).await?;
    found.ok_or_else(|| StoreError::not_found(Subject::Application, application))
}

async fn put(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    before: &Exposure,
    after: &Exposure,
) -> Result<ApplicationInfo> {
    if before != after {
        let sql = "UPDATE application SET exposure = $3 WHERE model_uuid = $1 AND name = $2";
        let values = params![model, application, to_json(after)?];
        tx.db.execute(sql, values).await?;
        tx.touch(model, namespace::APPLICATION, application.as_str());
        // Where it is reached shows in a unit that has something open, and why not in one of which that was told.
        let sql = "SELECT name FROM unit
            WHERE model_uuid = $1 AND application = $2 AND (opened_ports <> '[]' OR reached <> '{}')";
        let units: Vec<String> = tx.db.scalars(sql, params![model, application]).await?;
        for unit in units {
            tx.touch(model, namespace::PORT, unit.as_str());
        }
    }
    views::application::find(&mut tx.db, model, application).await
}
