//! More storage for a unit that is there.

use std::collections::BTreeMap;

use periapt_model::charm::{CharmInfo, Storage};
use periapt_model::storage::{Asked, Changes, Directive, StorageId, directives, may_create};
use periapt_model::{Life, ModelUuid, UnitName};
use periapt_wire::rest::{AddStorage, StorageInfo};

use super::create::{make_for, of_application, require_few};
use super::options::Stock;
use super::reading::by_ids;
use super::rows::held;
use crate::db::Tx;
use crate::error::StoreError;
use crate::{Result, Store, charm, require_alive_model, require_model, unit};

impl Store {
    /// Gives a unit so many more of a storage that its charm declares; those.
    pub async fn add_storage(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        request: AddStorage,
    ) -> Result<Vec<StorageInfo>> {
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                require_alive_model(&mut tx.db, &model).await?;
                let life = unit::life(&mut tx.db, &model, &unit).await?;
                let application = unit.application();
                let charm = charm::of_application(&mut tx.db, &model, &application).await?;
                let AddStorage { storage, asked } = request;
                let made = add(tx, &model, &unit, life, &charm, &storage, &asked).await?;
                by_ids(&mut tx.db, &model, &made).await
            })
        })
        .await
    }
}

/// What a hook asked for. A unit that leaves meanwhile is given nothing, since nothing would come of it; so it is in
/// a model that goes.
pub(crate) async fn add_at_commit(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    life: Life,
    changes: &Changes,
) -> Result<()> {
    if !life.is_alive() || require_model(&mut tx.db, model).await? != Life::Alive {
        return Ok(());
    }
    let charm = charm::of_application(&mut tx.db, model, &unit.application()).await?;
    for (name, count) in changes {
        let asked = Asked {
            count: Some(*count),
            ..Asked::default()
        };
        add(tx, model, unit, life, &charm, name, &asked).await?;
    }
    Ok(())
}

async fn add(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    life: Life,
    charm: &CharmInfo,
    name: &str,
    asked: &Asked,
) -> Result<Vec<StorageId>> {
    let declared = &charm.metadata.storage;
    let count = asked.count.unwrap_or(1);
    let held = held(&mut tx.db, model, unit).await?;
    let held = held.get(name).copied().unwrap_or_default();
    may_create(unit, life, declared, name, (held, count))?;
    require_few(u64::from(count))?;
    let stock = Stock::of(&mut tx.db, model).await?;
    let others = of_application(&mut tx.db, model, &unit.application()).await?;
    let (declared, directive) = wanted(charm, name, asked, others.get(name), &stock)?;
    let mut made = Vec::new();
    for _ in 0..count {
        made.push(make_for(tx, model, unit, name, declared, &directive, &stock).await?);
    }
    Ok(made)
}

/// What is made: as asked for, else as for the other units, else as the charm and the model say.
fn wanted<'a>(
    charm: &'a CharmInfo,
    name: &str,
    asked: &Asked,
    others: Option<&Directive>,
    stock: &Stock,
) -> Result<(&'a Storage, Directive)> {
    let missing = || StoreError::internal(format!("no charm declares the storage {name}"));
    let declared = charm.metadata.storage.get(name).ok_or_else(missing)?;
    let pool = asked.pool.as_ref().or(others.map(|others| &others.pool));
    let asked = Asked {
        pool: Some(pool.unwrap_or(&stock.default_pool).clone()),
        size: asked.size.or(others.map(|others| others.size)),
        count: None,
    };
    let only = BTreeMap::from([(name.to_owned(), declared.clone())]);
    let asked = BTreeMap::from([(name.to_owned(), asked)]);
    let mut wanted = directives(&only, &asked, &stock.pools, &stock.default_pool)?;
    let directive = wanted.remove(name).ok_or_else(missing)?;
    Ok((declared, directive))
}
