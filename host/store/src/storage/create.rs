//! New storage: what an application's units are given as it is deployed and as they come.

use std::collections::BTreeMap;

use periapt_model::bounds::STORAGES_AT_ONCE;
use periapt_model::charm::{CharmInfo, Storage};
use periapt_model::storage::{Asked, Directive, Pool, StorageId, directives, location, to_create};
use periapt_model::{ApplicationName, Life, ModelUuid, Refusal, UnitName};

use super::options::Stock;
use super::rows::{OF_OWNER, StorageRow, changed};
use super::{NUMBERS, agents, attach};
use crate::Result;
use crate::changes::namespace;
use crate::db::{Session, Tx, columns, params, to_json};
use crate::error::StoreError;

columns! {
    struct DirectiveRow {
        name: String = "name",
        pool: String = "pool",
        size: u64 = "size",
        count: u32 = "count",
    }
    const DIRECTIVES = "FROM application_storage WHERE model_uuid = $1 AND application = $2
        ORDER BY name";
}

/// What each unit of an application is given, by name.
pub(super) async fn of_application(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<BTreeMap<String, Directive>> {
    let rows: Vec<DirectiveRow> = db.all(DIRECTIVES, params![model, application]).await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let directive = Directive {
                pool: row.pool,
                size: row.size,
                count: row.count,
            };
            (row.name, directive)
        })
        .collect())
}

pub(super) async fn put_directive(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    name: &str,
    directive: &Directive,
) -> Result<()> {
    let sql = "INSERT INTO application_storage (model_uuid, application, name, pool, size, count)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (model_uuid, application, name) DO UPDATE
        SET pool = excluded.pool, size = excluded.size, count = excluded.count";
    let Directive { pool, size, count } = directive;
    let values = params![model, application, name, pool, *size, *count];
    tx.db.execute(sql, values).await?;
    Ok(())
}

/// Keeps what each unit of a new application is given, and makes what all of them share.
pub(crate) async fn declare(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    charm: &CharmInfo,
    asked: &BTreeMap<String, Asked>,
) -> Result<()> {
    let declared = &charm.metadata.storage;
    if declared.is_empty() && asked.is_empty() {
        return Ok(());
    }
    let stock = Stock::of(&mut tx.db, model).await?;
    let wanted = directives(declared, asked, &stock.pools, &stock.default_pool)?;
    for (name, directive) in &wanted {
        put_directive(tx, model, application, name, directive).await?;
        if declared.get(name).is_some_and(|storage| storage.shared) {
            require_few(u64::from(directive.count))?;
            for _ in 0..directive.count {
                share(tx, model, application, name, directive, &stock).await?;
            }
        }
    }
    Ok(())
}

/// Makes a storage that all units of an application have.
pub(super) async fn share(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    name: &str,
    directive: &Directive,
    stock: &Stock,
) -> Result<StorageId> {
    let new = New {
        name,
        shared: true,
        owner: application.as_str(),
        pool_name: &directive.pool,
        pool: stock.pools.find(&directive.pool)?,
        size: directive.size,
        directory: None,
    };
    insert(tx, model, new).await
}

/// Gives new units what their application's directives and shared storage say, `attach` in place of as many new
/// ones. In a model that goes they are given nothing.
pub(crate) async fn give(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    charm: &CharmInfo,
    units: &[UnitName],
    attach: &[StorageId],
) -> Result<()> {
    let declared = &charm.metadata.storage;
    if declared.is_empty() && attach.is_empty() {
        return Ok(());
    }
    if !attach.is_empty() && units.len() != 1 {
        return Err(StoreError::Refused {
            refusal: Refusal::StorageInvalid,
            message: format!(
                "storage is attached to one new unit, and {} are asked for",
                units.len()
            ),
        });
    }
    if crate::require_model(&mut tx.db, model).await? != Life::Alive {
        return Ok(());
    }
    let wanted = of_application(&mut tx.db, model, application).await?;
    let of_units = wanted.iter().filter(|(name, _)| {
        let declared = declared.get(*name);
        declared.is_some_and(|declared| !declared.shared)
    });
    let each: u64 = of_units.map(|(_, wanted)| u64::from(wanted.count)).sum();
    require_few(each.saturating_mul(units.len() as u64))?;
    let mut attached: BTreeMap<&str, u32> = BTreeMap::new();
    for id in attach {
        for unit in units {
            attach::existing(tx, model, id, unit, declared).await?;
        }
        *attached.entry(id.name()).or_default() += 1;
    }
    let shared: Vec<StorageRow> = tx.db.all(OF_OWNER, params![model, application]).await?;
    let stock = Stock::of(&mut tx.db, model).await?;
    for unit in units {
        for row in shared.iter().filter(|row| row.life.is_alive()) {
            if let Some(declared) = declared.get(row.id.name()) {
                put_attachment(tx, model, &row.id, declared, unit).await?;
            }
        }
        for (name, directive) in &wanted {
            let Some(declared) = declared.get(name).filter(|declared| !declared.shared) else {
                continue;
            };
            let attached = attached.get(name.as_str()).copied().unwrap_or_default();
            for _ in 0..to_create(directive, attached) {
                make_for(tx, model, unit, name, declared, directive, &stock).await?;
            }
        }
    }
    Ok(())
}

/// Refuses more than one request makes.
pub(super) fn require_few(count: u64) -> Result<()> {
    if count <= STORAGES_AT_ONCE.most {
        return Ok(());
    }
    Err(StoreError::Refused {
        refusal: Refusal::StorageInvalid,
        message: format!(
            "{count} storages would be made, more than the {} that one request makes",
            STORAGES_AT_ONCE.most
        ),
    })
}

/// Makes a storage that a unit has for its own.
pub(super) async fn make_for(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    name: &str,
    declared: &Storage,
    directive: &Directive,
    stock: &Stock,
) -> Result<StorageId> {
    let new = New {
        name,
        shared: false,
        owner: unit.as_str(),
        pool_name: &directive.pool,
        pool: stock.pools.find(&directive.pool)?,
        size: directive.size,
        directory: None,
    };
    let id = insert(tx, model, new).await?;
    put_attachment(tx, model, &id, declared, unit).await?;
    Ok(id)
}

/// A storage that comes.
pub(super) struct New<'a> {
    pub name: &'a str,
    pub shared: bool,
    pub owner: &'a str,
    pub pool_name: &'a str,
    pub pool: &'a Pool,
    pub size: u64,
    /// That of an imported one; it is named after the storage otherwise.
    pub directory: Option<&'a str>,
}

pub(super) async fn insert(tx: &mut Tx, model: &ModelUuid, new: New<'_>) -> Result<StorageId> {
    let id = next_id(tx, model, new.name).await?;
    let sql = "INSERT INTO storage (model_uuid, id, number, name, kind, shared, owner, life, pool,
            provider, attributes, size, provider_id, imported, status_since, created_at)
        VALUES ($1, $2, $3, $4, 'filesystem', $5, $6, 'alive', $7, $8, $9, $10, $11, $12, $13, $13)";
    let values = params![
        model,
        id.to_string(),
        id.number(),
        id.name(),
        new.shared,
        new.owner,
        new.pool_name,
        new.pool.provider.as_str(),
        to_json(&new.pool.attributes)?,
        new.size,
        new.directory.map_or_else(|| id.dashed(), str::to_owned),
        new.directory.is_some(),
        tx.now
    ];
    tx.db.execute(sql, values).await?;
    tx.touch(model, namespace::STORAGE, id.to_string());
    Ok(id)
}

/// The next number whose directory is not one that was imported under that name.
async fn next_id(tx: &mut Tx, model: &ModelUuid, name: &str) -> Result<StorageId> {
    loop {
        let number = tx.take_numbers(model, NUMBERS, 1).await?;
        let id = StorageId::new(name, number)
            .map_err(|error| StoreError::bad_request(error.to_string()))?;
        if directory_of(&mut tx.db, model, &id.dashed())
            .await?
            .is_none()
        {
            return Ok(id);
        }
    }
}

/// The storage that has a directory of this name.
pub(super) async fn directory_of(
    db: &mut Session,
    model: &ModelUuid,
    directory: &str,
) -> Result<Option<StorageId>> {
    let sql = "SELECT id FROM storage WHERE model_uuid = $1 AND provider_id = $2 LIMIT 1";
    Ok(db.word("storage", sql, params![model, directory]).await?)
}

/// A unit has a storage from now on, and hears of it once its directory is there.
pub(super) async fn put_attachment(
    tx: &mut Tx,
    model: &ModelUuid,
    id: &StorageId,
    declared: &Storage,
    unit: &UnitName,
) -> Result<()> {
    let location = location(declared, id);
    let sql = "SELECT storage FROM storage_attachment
        WHERE model_uuid = $1 AND unit = $2 AND location = $3 LIMIT 1";
    let there: Option<String> = tx.db.scalar(sql, params![model, unit, &location]).await?;
    if let Some(other) = there {
        return Err(StoreError::Refused {
            refusal: Refusal::TryAgain,
            message: format!(
                "{unit} has not let go of storage {other} yet, which is at {location}"
            ),
        });
    }
    let sql = "INSERT INTO storage_attachment
            (model_uuid, storage, unit, life, location, read_only, created_at, cause)
        VALUES ($1, $2, $3, 'alive', $4, $5, $6, $7)";
    let values = params![
        model,
        id.to_string(),
        unit,
        &location,
        declared.read_only,
        tx.now,
        crate::why::cause(tx)
    ];
    tx.db.execute(sql, values).await?;
    changed(tx, model, id).await?;
    tx.touch(model, namespace::STORAGE_HOOKS, unit.as_str());
    agents::unit_placed(tx, model, unit).await
}
