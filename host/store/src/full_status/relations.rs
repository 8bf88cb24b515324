//! Relations as people see them: in lists, alone, in events and in the status of a model. Five
//! indexed statements, however many relations; the word of the status is a function of counts.

use std::collections::BTreeMap;

use periapt_model::{ApplicationName, Life, ModelUuid};
use periapt_wire::rest::{RelationEndpoint, RelationInfo};

use crate::Result;
use crate::db::{Session, params};

/// Stands for all relations in a statement.
const ALL: i64 = -1;

/// All relations of a model, or the one with the number `only`, oldest first.
pub(crate) async fn load(
    db: &mut Session,
    model: &ModelUuid,
    only: Option<u64>,
) -> Result<Vec<RelationInfo>> {
    let only = only.map_or(ALL, |id| i64::try_from(id).unwrap_or(i64::MAX));
    let mut endpoints = load_endpoints(db, model, only).await?;
    if endpoints.is_empty() {
        return Ok(Vec::new());
    }
    let mut scopes = load_scopes(db, model, only).await?;
    let mut held = load_held(db, model, only).await?;
    let sql = "SELECT id, key, interface, scope, life, suspended, suspended_reason, created_at
        FROM relation WHERE model_uuid = $1 AND ($2 = -1 OR id = $2) ORDER BY id";
    let rows = db.fetch(sql, params![model, only]).await?;
    rows.iter()
        .map(|row| {
            let id = row.count(0)?;
            let (endpoints, written) = endpoints.remove(&id).unwrap_or_default();
            let scope = scopes.remove(&id).unwrap_or_default();
            let (life, suspended): (Life, bool) = (row.parse(4, "life")?, row.flag(5)?);
            let in_scope = |application: &ApplicationName| {
                let found = scope.members.get(application.as_str());
                found.copied().unwrap_or_default()
            };
            let members: Vec<u64> = endpoints
                .iter()
                .map(|endpoint| in_scope(&endpoint.application))
                .collect();
            Ok(RelationInfo {
                id,
                key: row.text(1)?,
                interface: row.text(2)?,
                scope: row.text(3)?,
                endpoints,
                life,
                status: word(life, suspended, &members).to_owned(),
                message: row.text(6)?,
                suspended,
                created_at: row.int(7)?,
                settings_version: scope.written + written,
                waiting_for: held.remove(&id).unwrap_or_default(),
            })
        })
        .collect()
}

/// The status of a relation with so many units in scope on each of its sides.
fn word(life: Life, suspended: bool, members: &[u64]) -> &'static str {
    let anybody = members.iter().any(|count| *count > 0);
    match (life.is_alive(), suspended) {
        (false, _) => "broken",
        (true, true) if anybody => "suspending",
        (true, true) => "suspended",
        (true, false) if members.iter().all(|count| *count > 0) => "joined",
        (true, false) => "joining",
    }
}

/// Both ends of each relation, the provider first, and how often their settings were written.
async fn load_endpoints(
    db: &mut Session,
    model: &ModelUuid,
    only: i64,
) -> Result<BTreeMap<u64, (Vec<RelationEndpoint>, u64)>> {
    let sql = "SELECT relation_id, application, name, role, version FROM relation_endpoint
        WHERE model_uuid = $1 AND ($2 = -1 OR relation_id = $2) ORDER BY relation_id, role, application";
    let mut all: BTreeMap<u64, (Vec<RelationEndpoint>, u64)> = BTreeMap::new();
    for row in db.fetch(sql, params![model, only]).await? {
        let (endpoints, written) = all.entry(row.count(0)?).or_default();
        endpoints.push(RelationEndpoint {
            application: row.parse(1, "application name")?,
            name: row.text(2)?,
            role: row.text(3)?,
        });
        *written += row.count(4)?;
    }
    Ok(all)
}

#[derive(Default)]
struct InScope {
    /// Units in scope, by application.
    members: BTreeMap<String, u64>,
    /// How often units wrote settings.
    written: u64,
}

async fn load_scopes(
    db: &mut Session,
    model: &ModelUuid,
    only: i64,
) -> Result<BTreeMap<u64, InScope>> {
    let sql = "SELECT relation_id, application, CAST(SUM(in_scope) AS BIGINT), CAST(SUM(version) AS BIGINT)
        FROM relation_unit WHERE model_uuid = $1 AND ($2 = -1 OR relation_id = $2)
        GROUP BY relation_id, application";
    let mut all: BTreeMap<u64, InScope> = BTreeMap::new();
    for row in db.fetch(sql, params![model, only]).await? {
        let scope = all.entry(row.count(0)?).or_default();
        scope.members.insert(row.text(1)?, row.count(2)?);
        scope.written += row.count(3)?;
    }
    Ok(all)
}

/// What the end or the suspension of relations waits for, in words.
async fn load_held(
    db: &mut Session,
    model: &ModelUuid,
    only: i64,
) -> Result<BTreeMap<u64, Vec<String>>> {
    let mut held: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    let sql = "SELECT relation.id, relation_unit.unit FROM relation
        JOIN relation_unit ON relation_unit.model_uuid = relation.model_uuid
            AND relation_unit.relation_id = relation.id AND relation_unit.in_scope = 1
        WHERE relation.model_uuid = $1 AND ($2 = -1 OR relation.id = $2)
            AND (relation.life <> 'alive' OR relation.suspended = 1)
        ORDER BY relation.id, relation_unit.unit";
    for row in db.fetch(sql, params![model, only]).await? {
        let unit = row.str(1)?;
        let line = format!("unit {unit} to run its departed and broken hooks");
        held.entry(row.count(0)?).or_default().push(line);
    }
    let sql = "SELECT relation.id, cleanup.kind, cleanup.due_at, cleanup.last_error FROM cleanup
        JOIN relation ON relation.model_uuid = cleanup.model_uuid
            AND CAST(relation.id AS TEXT) = cleanup.subject
        WHERE cleanup.model_uuid = $1 AND cleanup.kind = 'force-relation' AND ($2 = -1 OR relation.id = $2)
        ORDER BY cleanup.due_at";
    for row in db.fetch(sql, params![model, only]).await? {
        let cleanup = crate::units::Cleanup::read(&row, 1)?;
        held.entry(row.count(0)?)
            .or_default()
            .push(cleanup.in_words());
    }
    Ok(held)
}

/// Relations by the application that takes part in them, as `relation 3 (front:website site:website)`.
/// Those of peers go with their application and hold nothing up.
pub(crate) fn of_applications(relations: &[RelationInfo]) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for relation in relations {
        for endpoint in &relation.endpoints {
            if endpoint.role != "peer" {
                all.entry(endpoint.application.to_string())
                    .or_default()
                    .push(format!("relation {} ({})", relation.id, relation.key));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_follows_from_life_suspension_and_who_is_in_scope() {
        let alive = |suspended, members: &[u64]| word(Life::Alive, suspended, members);
        assert_eq!(alive(false, &[0, 0]), "joining");
        assert_eq!(alive(false, &[2, 0]), "joining");
        assert_eq!(alive(false, &[2, 1]), "joined");
        assert_eq!(alive(false, &[1]), "joined");
        assert_eq!(alive(true, &[2, 0]), "suspending");
        assert_eq!(alive(true, &[0, 0]), "suspended");
        assert_eq!(word(Life::Dying, false, &[2, 1]), "broken");
        assert_eq!(word(Life::Dying, true, &[0, 0]), "broken");
    }
}
