//! Settings that a hook changed, in the transaction that commits it.

use periapt_contract::settings::{self, Changes};
use periapt_contract::{leadership, relation};
use periapt_model::hook::{Kind, RelationSettings};
use periapt_model::{ModelUuid, UnitName};

use super::{rows, scope};
use crate::Result;
use crate::changes::namespace;
use crate::db::{Tx, params, to_json};
use crate::error::StoreError;
use crate::hook::{Committing, too_large};

/// A bag of settings as it is stored.
pub(super) type Bag = settings::Settings;

/// Applies what a hook changed in relations. Settings for a relation that this hook already left (a
/// repeated commit) are ignored.
pub(crate) async fn apply(
    tx: &mut Tx,
    of: Committing<'_>,
    relations: &relation::Changes,
) -> Result<()> {
    let broken = of.hook.filter(|hook| hook.kind == Kind::RelationBroken);
    let left = broken
        .and_then(|hook| hook.relation.as_ref())
        .map(|event| event.hook.relation);
    for (id, settings) in relations {
        if settings.is_empty() {
            continue;
        }
        match of_relation(tx, of.model, of.unit, *id, settings).await {
            Err(StoreError::Invalid { code, .. })
                if code == scope::NOT_IN_SCOPE && left == Some(*id) => {}
            result => result?,
        }
    }
    Ok(())
}

async fn of_relation(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    id: u64,
    settings: &RelationSettings,
) -> Result<()> {
    let (own, shared) = (&settings.unit, &settings.application);
    // What was taken away by force takes no settings, and nobody is left to read them.
    let Some(relation) = rows::find(&mut tx.db, model, id).await? else {
        return Ok(());
    };
    let sql = "SELECT container, endpoint, settings, version FROM relation_unit
        WHERE model_uuid = $1 AND relation_id = $2 AND unit = $3 AND in_scope = 1";
    let row = tx.db.fetch_optional(sql, params![model, id, unit]).await?;
    let row = row.ok_or_else(|| scope::not_in_relation(unit, id))?;
    let (container, endpoint) = (row.text(0)?, row.text(1)?);
    let application = unit.application();
    if let Some(bag) = changed(row.json(2, "settings")?, own)? {
        let sql = "UPDATE relation_unit SET settings = $4, version = version + 1
            WHERE model_uuid = $1 AND relation_id = $2 AND unit = $3";
        tx.db
            .execute(sql, params![model, id, unit, to_json(&bag)?])
            .await?;
        rows::touch_units(tx, model, &relation, &application, &container);
    }
    if shared.is_empty() {
        return Ok(());
    }
    let sql = "SELECT settings FROM relation_endpoint
        WHERE model_uuid = $1 AND relation_id = $2 AND application = $3 AND name = $4";
    let key = params![model, id, &application, &endpoint];
    let row = tx.db.fetch_optional(sql, key).await?;
    let row = row.ok_or_else(|| scope::not_in_relation(unit, id))?;
    if let Some(bag) = changed(row.json(0, "settings")?, shared)? {
        let sql = "UPDATE relation_endpoint SET settings = $5, version = version + 1
            WHERE model_uuid = $1 AND relation_id = $2 AND application = $3 AND name = $4";
        let values = params![model, id, &application, &endpoint, to_json(&bag)?];
        tx.db.execute(sql, values).await?;
        touch_application(tx, model, &relation, unit).await?;
    }
    Ok(())
}

/// What an application says concerns every container of its relation.
async fn touch_application(
    tx: &mut Tx,
    model: &ModelUuid,
    relation: &rows::Relation,
    unit: &UnitName,
) -> Result<()> {
    let application = unit.application();
    if !relation.container {
        rows::touch_units(tx, model, relation, &application, "");
        return Ok(());
    }
    let sql = "SELECT DISTINCT container FROM relation_unit
        WHERE model_uuid = $1 AND relation_id = $2 AND in_scope = 1";
    for row in tx.db.fetch(sql, params![model, relation.id]).await? {
        rows::touch_units(tx, model, relation, &application, row.str(0)?);
    }
    Ok(())
}

/// Applies what a hook changed of what the leader tells.
pub(crate) async fn apply_leader(
    tx: &mut Tx,
    of: Committing<'_>,
    changes: &leadership::Changes,
) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let (model, application) = (of.model, of.unit.application());
    let sql = "SELECT settings FROM leader_settings WHERE model_uuid = $1 AND application = $2";
    let before = tx
        .db
        .fetch_optional(sql, params![model, &application])
        .await?;
    let before = before.map_or_else(|| Ok(Bag::new()), |row| row.json(0, "settings"))?;
    if let Some(bag) = changed(before, changes)? {
        let sql = "INSERT INTO leader_settings (model_uuid, application, settings, version)
            VALUES ($1, $2, $3, 1)
            ON CONFLICT (model_uuid, application) DO UPDATE
            SET settings = excluded.settings, version = leader_settings.version + 1";
        tx.db
            .execute(sql, params![model, &application, to_json(&bag)?])
            .await?;
        tx.touch(model, namespace::LEADER_SETTINGS, application.as_str());
    }
    Ok(())
}

/// The bag after the changes; none when they change nothing.
fn changed(before: Bag, changes: &Changes) -> Result<Option<Bag>> {
    if changes.contains_key("") {
        return Err(StoreError::bad_request("a setting needs a key"));
    }
    settings::changed(&before, changes).map_err(|much| {
        too_large(format!(
            "the settings would have {}, more than the {} allowed",
            much.amount(),
            much.bound.most
        ))
    })
}
