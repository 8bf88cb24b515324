//! The relations of one unit as its uniter compares them with what the unit has seen.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::relation::{RemoteRelation, supported};
use periapt_model::{ApplicationName, ModelUuid, UnitName};

use super::subordinates;
use crate::Result;
use crate::db::{Session, params};

/// Every relation that the unit takes part in, by number, from one moment.
///
/// A relation that stays within a container has no place for a subordinate unit whose container
/// holds nobody of the other side, and never will.
pub(crate) async fn of_unit(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
    principal: Option<&UnitName>,
) -> Result<BTreeMap<u64, RemoteRelation>> {
    let application = unit.application();
    let sql = "SELECT relation.id, relation.scope, relation.life, relation.suspended,
            mine.name, mine.role, mine.version, other.application, other.version,
            (SELECT COUNT(*) FROM relation_unit WHERE relation_unit.model_uuid = relation.model_uuid
                AND relation_unit.relation_id = relation.id AND relation_unit.unit = $3
                AND relation_unit.in_scope = 1)
        FROM relation_endpoint AS mine
        JOIN relation ON relation.model_uuid = mine.model_uuid AND relation.id = mine.relation_id
        LEFT JOIN relation_endpoint AS other ON other.model_uuid = mine.model_uuid
            AND other.relation_id = mine.relation_id AND other.application <> mine.application
        WHERE mine.model_uuid = $1 AND mine.application = $2";
    let mut found = BTreeMap::new();
    let mut doubtful = Vec::new();
    for row in db.fetch(sql, params![model, &application, unit]).await? {
        let peer = row.str(5)? == "peer";
        let (remote_application, version) = match peer {
            true => (application.clone(), row.count(6)?),
            false => (row.parse(7, "application name")?, row.count(8)?),
        };
        let id = row.count(0)?;
        if let Some(principal) = principal
            && row.str(1)? == "container"
            && row.count(9)? == 0
            && principal.application() != remote_application
        {
            doubtful.push((id, remote_application.clone()));
        }
        let relation = RemoteRelation {
            endpoint: row.text(4)?,
            applications: [(remote_application.clone(), version)].into(),
            remote_application,
            life: row.parse(2, "life")?,
            suspended: row.flag(3)?,
            peer,
            members: BTreeMap::new(),
        };
        found.insert(id, relation);
    }
    if let Some(principal) = principal.filter(|_| !doubtful.is_empty()) {
        let near = within_reach(db, model, &principal.application()).await?;
        for (id, other) in doubtful {
            if !near.contains(&other) {
                found.remove(&id);
            }
        }
    }
    members(db, model, unit, principal.unwrap_or(unit), &mut found).await?;
    Ok(found)
}

/// The subordinate applications that have, or may come to have, units in the containers of a
/// principal application.
async fn within_reach(
    db: &mut Session,
    model: &ModelUuid,
    root: &ApplicationName,
) -> Result<BTreeSet<ApplicationName>> {
    let ties = subordinates::ties(db, model).await?;
    let sql = "SELECT name FROM application WHERE model_uuid = $1 AND subordinate = 1";
    let rows = db.fetch(sql, params![model]).await?;
    let links = rows
        .iter()
        .map(|row| Ok(row.parse(0, "application name")?))
        .collect::<Result<_>>()?;
    Ok(supported(root, &ties, &links))
}

/// Who is at the other end, each within sight.
async fn members(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
    root: &UnitName,
    found: &mut BTreeMap<u64, RemoteRelation>,
) -> Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let sql = "SELECT relation_unit.relation_id, relation_unit.unit, relation_unit.version
        FROM relation_endpoint AS mine
        JOIN relation_unit ON relation_unit.model_uuid = mine.model_uuid
            AND relation_unit.relation_id = mine.relation_id
        WHERE mine.model_uuid = $1 AND mine.application = $2 AND relation_unit.in_scope = 1
            AND relation_unit.unit <> $3
            AND (mine.role = 'peer' OR relation_unit.application <> mine.application)
            AND (relation_unit.container = '' OR relation_unit.container = $4)";
    let application = unit.application();
    for row in db
        .fetch(sql, params![model, &application, unit, root])
        .await?
    {
        if let Some(relation) = found.get_mut(&row.count(0)?) {
            relation
                .members
                .insert(row.parse(1, "unit name")?, row.count(2)?);
        }
    }
    Ok(())
}
