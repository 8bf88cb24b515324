//! Settings that a hook changed, in the transaction that commits it.

use periapt_contract::relation;
use periapt_contract::settings::Settings;
use periapt_model::hook::RelationSettings;
use periapt_model::hook::commit::{self, Standing};
use periapt_model::{ModelUuid, UnitName};

use super::rows;
use crate::db::{Tx, columns, json, params, to_json};
use crate::hook::Committing;
use crate::{Result, why};

/// A bag of settings as it is stored.
pub(super) type Bag = Settings;

/// Applies what a hook changed in relations.
pub(crate) async fn apply(
    tx: &mut Tx,
    of: Committing<'_>,
    relations: &relation::Changes,
) -> Result<()> {
    for (id, settings) in relations {
        if !settings.is_empty() {
            of_relation(tx, of, *id, settings).await?;
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
    of: Committing<'_>,
    id: u64,
    settings: &RelationSettings,
) -> Result<()> {
    let (model, unit) = (of.model, of.unit);
    let (own, shared) = (&settings.unit, &settings.application);
    let relation = rows::find(&mut tx.db, model, id).await?;
    let present = match relation {
        Some(_) => tx.db.one(PRESENT, params![model, id, unit]).await?,
        None => None,
    };
    let standing = match (&relation, &present) {
        (None, _) => Standing::Gone,
        (_, None) => Standing::Outside,
        _ => Standing::InScope,
    };
    commit::writes(unit, id, standing, of.hook)?;
    let (Some(relation), Some(present)) = (relation, present) else {
        return Ok(());
    };
    let application = unit.application();
    if let Some(bag) = commit::changed(&present.settings, own)? {
        let sql = "UPDATE relation_unit SET settings = $4, version = version + 1, cause = $5
            WHERE model_uuid = $1 AND relation_id = $2 AND unit = $3";
        let values = params![model, id, unit, to_json(&bag)?, why::cause(tx)];
        tx.db.execute(sql, values).await?;
        rows::touch_units(tx, model, &relation, &application, &present.container);
    }
    if shared.is_empty() {
        return Ok(());
    }
    let sql = "SELECT settings FROM relation_endpoint
        WHERE model_uuid = $1 AND relation_id = $2 AND application = $3 AND name = $4";
    let key = params![model, id, &application, &present.endpoint];
    let before: Option<Bag> = tx.db.document("settings", sql, key).await?;
    let before = before.ok_or_else(|| commit::not_in_scope(unit, id))?;
    if let Some(bag) = commit::changed(&before, shared)? {
        let sql = "UPDATE relation_endpoint SET settings = $5, version = version + 1, cause = $6
            WHERE model_uuid = $1 AND relation_id = $2 AND application = $3 AND name = $4";
        let bag = to_json(&bag)?;
        let cause = why::cause(tx);
        let values = params![model, id, &application, &present.endpoint, bag, cause];
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
