//! The end of a model: from dying to dead, and from dead to gone.

use periapt_model::refusal::Subject;
use periapt_model::{Life, ModelName, ModelUuid, Refusal};
use periapt_wire::agent::undertaker::UndertakerModel;

use crate::changes::namespace;
use crate::db::{Session, columns, params, word};
use crate::error::StoreError;
use crate::{Result, Store, charm, cloud, model, resource, storage, tables, waiting};

impl Store {
    /// The model as its undertaker sees it; none when it is gone.
    pub async fn get_undertaker_model(&self, model: &ModelUuid) -> Result<Option<UndertakerModel>> {
        let mut db = self.glance().await?;
        let Some((found, _)) = load(&mut db, model).await? else {
            return Ok(None);
        };
        let forced_from = db.scalar(waiting::UNTIL, params![model]).await?;
        let deadline = model::config::removal_deadline(&mut db, model).await?;
        Ok(Some(UndertakerModel {
            forced_from: forced_from.flatten(),
            deadline_ms: deadline.and_then(|deadline| u64::try_from(deadline / 1_000).ok()),
            ..found
        }))
    }

    /// Makes a dying model dead once it is empty. A forced one whose time-out has passed since
    /// its destruction began is made dead with what is left in it.
    pub async fn process_dying_model(&self, model: &ModelUuid) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let found = load(&mut tx.db, &model).await?;
                let (found, started_at) =
                    found.ok_or_else(|| StoreError::not_found(Subject::Model, &model))?;
                match found.life {
                    Life::Dead => return Ok(()),
                    Life::Alive => {
                        return Err(StoreError::Refused {
                            refusal: Refusal::ModelAlive,
                            message: format!("model \"{}\" is alive", found.name),
                        });
                    }
                    Life::Dying => {}
                }
                let empty = found.applications + found.units + found.machines + found.storage == 0;
                let overdue = found.force
                    && found.timeout_ms.is_some_and(|timeout| {
                        let timeout =
                            i64::try_from(timeout.saturating_mul(1_000)).unwrap_or(i64::MAX);
                        started_at.saturating_add(timeout) <= tx.now
                    });
                // What a person wants kept is given up before anything forgets it.
                let keeps = storage::is_to_be_kept(&mut tx.db, &model).await?;
                if !empty && (!overdue || keeps) {
                    return Err(StoreError::NotEmpty {
                        model: found.name.to_string(),
                        applications: found.applications,
                        units: found.units,
                        machines: found.machines,
                        storage: found.storage,
                    });
                }
                tx.db
                    .execute(
                        "UPDATE model SET life = 'dead' WHERE uuid = $1",
                        params![&model],
                    )
                    .await?;
                tx.touch(&model, namespace::MODEL, model.as_str());
                Ok(())
            })
        })
        .await
    }

    /// Removes a dead model with everything in it. One that is gone already is fine.
    pub async fn remove_model(&self, model: &ModelUuid) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let Some((found, _)) = load(&mut tx.db, &model).await? else {
                    return Ok(());
                };
                if found.life != Life::Dead {
                    return Err(StoreError::Refused {
                        refusal: Refusal::ModelNotDead,
                        message: format!(
                            "model \"{}\" is {} and cannot be removed",
                            found.name, found.life
                        ),
                    });
                }
                let archives = charm::archives(&mut tx.db, &model).await?;
                let contents = resource::contents(&mut tx.db, &model).await?;
                tables::remove_model(tx, &model).await?;
                for archive in archives {
                    charm::drop_unused_charm(tx, &archive).await?;
                }
                for content in contents {
                    resource::drop_unused(tx, &content).await?;
                }
                cloud::remove_unused(tx).await?;
                tx.model_gone(&model);
                tx.touch(&model, namespace::MODEL, model.as_str());
                Ok(())
            })
        })
        .await
    }
}

columns! {
    struct Going {
        name: ModelName = "name" as word,
        life: Life = "life" as word,
        force: bool = "destroy_force",
        timeout_ms: Option<u64> = "destroy_timeout_ms",
        started_at: i64 = "COALESCE(destroy_started_at, 0)",
        applications: u64 =
            "(SELECT COUNT(*) FROM application WHERE application.model_uuid = model.uuid)",
        machines: u64 = "(SELECT COUNT(*) FROM machine WHERE machine.model_uuid = model.uuid)",
        units: u64 = "(SELECT COUNT(*) FROM unit WHERE unit.model_uuid = model.uuid)",
        storage: u64 = "(SELECT COUNT(*) FROM storage WHERE storage.model_uuid = model.uuid)",
    }
    const GOING = "FROM model WHERE uuid = $1";
}

async fn load(db: &mut Session, model: &ModelUuid) -> Result<Option<(UndertakerModel, i64)>> {
    let going = db.one(GOING, params![model]).await?;
    Ok(going.map(|going| {
        let found = UndertakerModel {
            uuid: model.clone(),
            name: going.name,
            life: going.life,
            force: going.force,
            timeout_ms: going.timeout_ms,
            applications: going.applications,
            machines: going.machines,
            units: going.units,
            storage: going.storage,
            deadline_ms: None,
            forced_from: None,
        };
        (found, going.started_at)
    }))
}
