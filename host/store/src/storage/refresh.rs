//! An application changes to another charm: what its units have of storage is to fit that one, too.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::charm::{CharmInfo, Storage};
use periapt_model::storage::{Asked, CountRange, compatible, directives, mib_of};
use periapt_model::{ApplicationName, Life, ModelUuid, Refusal, UnitName};

use super::create::{make_for, of_application, put_attachment, put_directive, require_few, share};
use super::options::Stock;
use super::rows::held;
use crate::Result;
use crate::db::{Tx, params};
use crate::error::StoreError;

/// Refuses a charm that takes away what units have. What it declares besides is given to the units of now and of
/// later, as is `wanted`, and what it does not declare any more is given to none.
pub(crate) async fn refreshed(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    old: &CharmInfo,
    new: &CharmInfo,
    wanted: &BTreeMap<String, Asked>,
) -> Result<()> {
    let (before, after) = (&old.metadata.storage, &new.metadata.storage);
    if before.is_empty() && after.is_empty() && wanted.is_empty() {
        return Ok(());
    }
    let sql = "SELECT DISTINCT storage.name FROM storage
        WHERE storage.model_uuid = $1 AND (storage.owner = $2 OR storage.id IN (
            SELECT storage_attachment.storage FROM storage_attachment
            JOIN unit ON unit.model_uuid = storage_attachment.model_uuid
                AND unit.name = storage_attachment.unit
            WHERE storage_attachment.model_uuid = $1 AND unit.application = $2))";
    let used: Vec<String> = tx.db.scalars(sql, params![model, application]).await?;
    let used: BTreeSet<String> = used.into_iter().collect();
    compatible(before, after, &used)?;
    let stock = Stock::of(&mut tx.db, model).await?;
    let kept = of_application(&mut tx.db, model, application).await?;
    let mut asked: BTreeMap<String, Asked> = BTreeMap::new();
    for (name, directive) in &kept {
        let Some(storage) = after.get(name) else {
            let sql = "DELETE FROM application_storage
                WHERE model_uuid = $1 AND application = $2 AND name = $3";
            tx.db
                .execute(sql, params![model, application, name])
                .await?;
            continue;
        };
        let range = range(storage)?;
        let least = storage.minimum_size.as_deref().map(mib_of).transpose();
        let least = least.map_err(StoreError::bad_request)?.unwrap_or_default();
        let count = directive.count.max(range.least);
        asked.insert(
            name.clone(),
            Asked {
                pool: Some(directive.pool.clone()),
                size: Some(directive.size.max(least)),
                count: Some(range.most.map_or(count, |most| count.min(most))),
            },
        );
    }
    for (name, wanted) in wanted {
        let one = asked.entry(name.clone()).or_default();
        let shared = after.get(name).is_some_and(|storage| storage.shared);
        let changes = |count: u32| one.count.is_some_and(|now| now != count);
        if shared && wanted.count.is_some_and(changes) {
            return Err(StoreError::Refused {
                refusal: Refusal::StorageInvalid,
                message: format!(
                    "all units of {application} share the storage \"{name}\", and their number stays as it was"
                ),
            });
        }
        *one = Asked {
            pool: wanted.pool.clone().or(one.pool.take()),
            size: wanted.size.or(one.size),
            count: wanted.count.or(one.count),
        };
    }
    let wanted = directives(after, &asked, &stock.pools, &stock.default_pool)?;
    for (name, directive) in &wanted {
        put_directive(tx, model, application, name, directive).await?;
    }
    if crate::require_model(&mut tx.db, model).await? != Life::Alive {
        return Ok(());
    }
    let sql = "SELECT name FROM unit WHERE model_uuid = $1 AND application = $2
        AND life = 'alive' ORDER BY number";
    let units: Vec<UnitName> = tx
        .db
        .words("unit", sql, params![model, application])
        .await?;
    for (name, directive) in &wanted {
        let Some(declared) = after.get(name) else {
            continue;
        };
        // What the old one needed as well the units have, unless a person took it away from them.
        let needed = match before.get(name).filter(|_| kept.contains_key(name)) {
            Some(old) => range(old)?.least,
            None => 0,
        };
        let needs = match declared.shared && !before.contains_key(name) {
            true => directive.count,
            false => range(declared)?.least,
        };
        if needs <= needed {
            continue;
        }
        if declared.shared {
            require_few(u64::from(needs - needed))?;
            for _ in needed..needs {
                let id = share(tx, model, application, name, directive, &stock).await?;
                for unit in &units {
                    put_attachment(tx, model, &id, declared, unit).await?;
                }
            }
            continue;
        }
        require_few(u64::from(needs).saturating_mul(units.len() as u64))?;
        for unit in &units {
            let held = held(&mut tx.db, model, unit).await?;
            let held = held.get(name).copied().unwrap_or_default();
            for _ in held..needs {
                make_for(tx, model, unit, name, declared, directive, &stock).await?;
            }
        }
    }
    Ok(())
}

fn range(storage: &Storage) -> Result<CountRange> {
    CountRange::of(storage.multiple.as_ref()).map_err(StoreError::bad_request)
}
