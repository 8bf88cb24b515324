//! Settings that a hook changed, in the transaction that commits it.

use periapt_contract::settings::{self, Changes};
use periapt_contract::{leadership, relation};
use periapt_model::hook::{Kind, RelationSettings};
use periapt_model::{ModelUuid, Refusal, UnitName};

use super::{rows, scope};
use crate::Result;
use crate::changes::namespace;
use crate::db::{Tx, columns, json, params, to_json};
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
            Err(StoreError::Refused {
                refusal: Refusal::NotInScope,
                ..
            }) if left == Some(*id) => {}
            result => result?,
        }
    }
    Ok(())
}

columns! {
    /// A unit in the scope of a relation.
    struct Present {
        container: String = "container",
        endpoint: String = "endpoint",
        settings: Bag = "settings" as json,
    }
    const PRESENT = "FROM relation_unit
        WHERE model_uuid = $1 AND relation_id = $2 AND unit = $3 AND in_scope = 1";
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
    let present = tx.db.one(PRESENT, params![model, id, unit]).await?;
    let present = present.ok_or_else(|| scope::not_in_relation(unit, id))?;
    let application = unit.application();
    if let Some(bag) = changed(present.settings, own)? {
        let sql = "UPDATE relation_unit SET settings = $4, version = version + 1
            WHERE model_uuid = $1 AND relation_id = $2 AND unit = $3";
        tx.db
            .execute(sql, params![model, id, unit, to_json(&bag)?])
            .await?;
        rows::touch_units(tx, model, &relation, &application, &present.container);
    }
    if shared.is_empty() {
        return Ok(());
    }
    let sql = "SELECT settings FROM relation_endpoint
        WHERE model_uuid = $1 AND relation_id = $2 AND application = $3 AND name = $4";
    let key = params![model, id, &application, &present.endpoint];
    let before = tx.db.document("settings", sql, key).await?;
    let before = before.ok_or_else(|| scope::not_in_relation(unit, id))?;
    if let Some(bag) = changed(before, shared)? {
        let sql = "UPDATE relation_endpoint SET settings = $5, version = version + 1
            WHERE model_uuid = $1 AND relation_id = $2 AND application = $3 AND name = $4";
        let values = params![model, id, &application, &present.endpoint, to_json(&bag)?];
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
    let containers: Vec<String> = tx.db.scalars(sql, params![model, relation.id]).await?;
    for container in containers {
        rows::touch_units(tx, model, relation, &application, &container);
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
    let key = params![model, &application];
    let before = tx.db.document("settings", sql, key).await?;
    if let Some(bag) = changed(before.unwrap_or_default(), changes)? {
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
