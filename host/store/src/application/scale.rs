//! As many units as somebody says, in one step: those that lack are made, those that are too many begin to go.
//!
//! Units that are alive count, and the youngest go first. A minimum keeps nobody from having fewer: it makes
//! them good afterwards, as when a unit is removed by its name.

use periapt_model::block::Change;
use periapt_model::removal::Going;
use periapt_model::{ApplicationName, MachineId, ModelUuid, UnitName};
use periapt_wire::rest::{Removal, Scaled};

use super::deploy::make_units;
use crate::db::{columns, optional_word, params, word};
use crate::error::StoreError;
use crate::{Result, Store, application, block, charm, storage, unit};

#[cfg(test)]
mod tests;

columns! {
    struct Alive {
        name: UnitName = "name" as word,
        machine: Option<MachineId> = "machine_id" as optional_word,
    }
    const ALIVE = "FROM unit WHERE model_uuid = $1 AND application = $2 AND life = 'alive'";
}

impl Store {
    /// Gives an application so many units: what it has then, what was added and what goes.
    pub async fn scale(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        wanted: u32,
        going: Going,
    ) -> Result<Scaled> {
        let (model, application) = (model.clone(), application.clone());
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_alive_model(&mut tx.db, &model).await?;
                let found = application::require_alive(&mut tx.db, &model, &application).await?;
                let charm = charm::find(&mut tx.db, &model, &found).await?;
                if charm.subordinate {
                    return Err(StoreError::bad_request(format!(
                        "\"{application}\" is subordinate: it has as many units as its relations bring"
                    )));
                }
                let mut alive = tx.db.all(ALIVE, params![&model, &application]).await?;
                alive.sort_by_key(|unit| unit.name.number());
                let stay = alive.len().min(usize::try_from(wanted).unwrap_or(usize::MAX));
                let leaving = alive.split_off(stay);
                let mut units: Vec<UnitName> = alive.into_iter().map(|unit| unit.name).collect();
                let lacking = wanted - u32::try_from(stay).unwrap_or(wanted);
                let added = make_units(tx, &model, &application, lacking, &[]).await?;
                storage::give(tx, &model, &application, &charm, &added, &[]).await?;
                units.extend(added.iter().cloned());
                let mut removal = Removal::default();
                if !leaving.is_empty() {
                    block::allow(&mut tx.db, &model, Change::RemoveObject, going.force).await?;
                    let force = unit::removal::begin(tx, going.force);
                    let machines = leaving.iter().filter_map(|unit| unit.machine.clone());
                    removal.machines = machines.collect();
                    removal.units = leaving.into_iter().map(|unit| unit.name).collect();
                    unit::removal::depart(tx, &model, &mut removal, going.destroy_storage, force)
                        .await?;
                }
                Ok(Scaled {
                    units,
                    added,
                    removal,
                })
            })
        })
        .await
    }
}
