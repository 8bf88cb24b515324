//! The relations of one unit as its uniter compares them with what the unit has seen.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::cause::Cause;
use periapt_model::relation::{RemoteRelation, Role, supported};
use periapt_model::uniter::RelationCauses;
use periapt_model::{ApplicationName, Life, ModelUuid, UnitName};

use super::subordinates;
use crate::Result;
use crate::db::{Session, columns, optional_word, params, word};
use crate::error::StoreError;

columns! {
    /// The unit's own end of a relation, and what it must know of the other one.
    struct EndRow {
        id: u64 = "relation.id",
        scope: String = "relation.scope",
        life: Life = "relation.life" as word,
        suspended: bool = "relation.suspended",
        endpoint: String = "mine.name",
        role: Role = "mine.role" as word,
        version: u64 = "mine.version",
        settings_cause: Cause = "mine.cause" as word,
        cause: Cause = "relation.cause" as word,
        other: Option<ApplicationName> = "other.application" as optional_word,
        other_version: Option<u64> = "other.version",
        other_cause: Option<Cause> = "other.cause" as optional_word,
        entered: u64 = "(SELECT COUNT(*) FROM relation_unit
            WHERE relation_unit.model_uuid = relation.model_uuid
                AND relation_unit.relation_id = relation.id AND relation_unit.unit = $3
                AND relation_unit.in_scope = 1)",
    }
    const ENDS = "FROM relation_endpoint AS mine
        JOIN relation ON relation.model_uuid = mine.model_uuid AND relation.id = mine.relation_id
        LEFT JOIN relation_endpoint AS other ON other.model_uuid = mine.model_uuid
            AND other.relation_id = mine.relation_id AND other.application <> mine.application
        WHERE mine.model_uuid = $1 AND mine.application = $2";
}

columns! {
    struct Member {
        relation: u64 = "relation_unit.relation_id",
        unit: UnitName = "relation_unit.unit" as word,
        version: u64 = "relation_unit.version",
        cause: Cause = "relation_unit.cause" as word,
    }
    const MEMBERS = "FROM relation_endpoint AS mine
        JOIN relation_unit ON relation_unit.model_uuid = mine.model_uuid
            AND relation_unit.relation_id = mine.relation_id
        WHERE mine.model_uuid = $1 AND mine.application = $2 AND relation_unit.in_scope = 1
            AND relation_unit.unit <> $3
            AND (mine.role = 'peer' OR relation_unit.application <> mine.application)
            AND (relation_unit.container = '' OR relation_unit.container = $4)";
}

/// Every relation that the unit takes part in, by number, from one moment; what brought about what is said of them
/// goes to `causes`.
///
/// A relation that stays within a container has no place for a subordinate unit whose container
/// holds nobody of the other side, and never will.
pub(crate) async fn of_unit(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
    principal: Option<&UnitName>,
    causes: &mut BTreeMap<u64, RelationCauses>,
) -> Result<BTreeMap<u64, RemoteRelation>> {
    let application = unit.application();
    let mut found = BTreeMap::new();
    let mut doubtful = Vec::new();
    for row in db.all(ENDS, params![model, &application, unit]).await? {
        let peer = row.role == Role::Peer;
        let (remote_application, version, said) = match (row.other, row.other_version) {
            _ if peer => (application.clone(), row.version, row.settings_cause),
            (Some(other), Some(version)) => (other, version, row.other_cause.unwrap_or_default()),
            _ => return Err(StoreError::corrupt("relation", "an end is missing")),
        };
        if let Some(principal) = principal
            && row.scope == "container"
            && row.entered == 0
            && principal.application() != remote_application
        {
            doubtful.push((row.id, remote_application.clone()));
        }
        let known = RelationCauses {
            relation: row.cause,
            applications: Some((remote_application.clone(), said))
                .into_iter()
                .filter(|(_, said)| !said.is_unknown())
                .collect(),
            members: BTreeMap::new(),
        };
        causes.insert(row.id, known);
        let relation = RemoteRelation {
            endpoint: row.endpoint,
            applications: [(remote_application.clone(), version)].into(),
            remote_application,
            life: row.life,
            suspended: row.suspended,
            peer,
            members: BTreeMap::new(),
        };
        found.insert(row.id, relation);
    }
    if let Some(principal) = principal.filter(|_| !doubtful.is_empty()) {
        let near = within_reach(db, model, &principal.application()).await?;
        for (id, other) in doubtful {
            if !near.contains(&other) {
                found.remove(&id);
            }
        }
    }
    members(
        db,
        model,
        unit,
        principal.unwrap_or(unit),
        &mut found,
        causes,
    )
    .await?;
    causes.retain(|id, known| found.contains_key(id) && *known != RelationCauses::default());
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
    let links = db.words("application", sql, params![model]).await?;
    let links = links.into_iter().collect();
    Ok(supported(root, &ties, &links))
}

/// Who is at the other end, each within sight.
async fn members(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
    root: &UnitName,
    found: &mut BTreeMap<u64, RemoteRelation>,
    causes: &mut BTreeMap<u64, RelationCauses>,
) -> Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let application = unit.application();
    let values = params![model, &application, unit, root];
    for member in db.all(MEMBERS, values).await? {
        if let Some(relation) = found.get_mut(&member.relation) {
            if let Some(known) = causes.get_mut(&member.relation)
                && !member.cause.is_unknown()
            {
                known.members.insert(member.unit.clone(), member.cause);
            }
            relation.members.insert(member.unit, member.version);
        }
    }
    Ok(())
}
