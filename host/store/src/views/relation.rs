//! Relations as shown, and what units and applications wait for because of them.

use std::collections::{BTreeSet, HashMap};

use periapt_model::refusal::Subject;
use periapt_model::status::{Relation as Word, Status};
use periapt_model::{ApplicationName, ModelUuid, UnitName};
use periapt_wire::rest::{RelationEndpoint, RelationInfo};

use crate::db::{Cells, Column, Session, Which, columns, names, params, word};
use crate::error::StoreError;
use crate::relation::rows::{self, Relation};
use crate::waiting::{self, Cleanup};
use crate::{DatabaseError, Result, Store};

/// The columns of a [`Tie`], of which the other end is joined as `other`.
macro_rules! tie {
    ($endpoint:literal, $relation:literal) => {
        concat!($endpoint, ", ", $relation, ", other.application")
    };
}
pub(crate) use tie;

/// Names listed in a sentence at most.
const NAMED: usize = 8;

impl Store {
    /// All relations of a model, by number.
    pub async fn relations(&self, model: &ModelUuid) -> Result<Vec<RelationInfo>> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        all(&mut db, model).await
    }

    /// One relation.
    pub async fn relation(&self, model: &ModelUuid, id: u64) -> Result<RelationInfo> {
        find(&mut self.snapshot().await?, model, id).await
    }
}

/// All relations of a model as shown, by number.
pub(crate) async fn all(db: &mut Session, model: &ModelUuid) -> Result<Vec<RelationInfo>> {
    let found = without_versions(db, model, None).await?;
    with_versions(db, model, None, found).await
}

/// All relations, or some of them, their settings not counted: that takes as long as all the rest of
/// a large model.
pub(crate) async fn without_versions(
    db: &mut Session,
    model: &ModelUuid,
    only: Option<&[u64]>,
) -> Result<Vec<RelationInfo>> {
    let relations = match only {
        Some(ids) => rows::some(db, model, ids).await?,
        None => rows::all(db, model).await?,
    };
    shown(db, model, relations, only).await
}

/// Some relations as shown; those that are gone are missing.
pub(crate) async fn some(
    db: &mut Session,
    model: &ModelUuid,
    ids: &[u64],
) -> Result<Vec<RelationInfo>> {
    let found = without_versions(db, model, Some(ids)).await?;
    with_versions(db, model, Some(ids), found).await
}

/// Says how often each of the relations was written.
async fn with_versions(
    db: &mut Session,
    model: &ModelUuid,
    only: Option<&[u64]>,
    mut relations: Vec<RelationInfo>,
) -> Result<Vec<RelationInfo>> {
    if relations.is_empty() {
        return Ok(relations);
    }
    let written = written(db, model, only).await?;
    for relation in &mut relations {
        relation.settings_version = written.get(&relation.id).copied().unwrap_or_default();
    }
    Ok(relations)
}

/// One relation as shown.
pub(crate) async fn find(db: &mut Session, model: &ModelUuid, id: u64) -> Result<RelationInfo> {
    let found = some(db, model, &[id]).await?;
    found
        .into_iter()
        .next()
        .ok_or_else(|| StoreError::not_found(Subject::Relation, id))
}

/// The same in one scope.
type Present = BTreeSet<ApplicationName>;

columns! {
    /// An application that has units in a scope.
    pub(crate) struct PresentIn {
        relation: u64 = "DISTINCT relation_id",
        application: ApplicationName = "application" as word,
    }
    /// Of all scopes of a model.
    const PRESENT = "FROM relation_unit WHERE model_uuid = $1 AND in_scope = 1";
    const PRESENT_IN_SOME =
        names!("FROM relation_unit WHERE in_scope = 1 AND model_uuid = $1 AND relation_id IN", "");
}

columns! {
    struct Staying {
        relation: u64 = "relation_id",
        unit: UnitName = "unit" as word,
    }
    const STAYING = names!(
        "FROM relation_unit WHERE in_scope = 1 AND model_uuid = $1 AND relation_id IN",
        "ORDER BY application, unit"
    );
}

columns! {
    /// How often something of a relation was written.
    struct Written {
        relation: u64 = "relation_id",
        times: u64 = "CAST(SUM(version) AS BIGINT)",
    }
    const BY_UNITS = "FROM relation_unit WHERE model_uuid = $1 GROUP BY relation_id";
    const BY_UNITS_OF_SOME = names!(
        "FROM relation_unit WHERE model_uuid = $1 AND relation_id IN", "GROUP BY relation_id"
    );
    const BY_ENDS = "FROM relation_endpoint WHERE model_uuid = $1 GROUP BY relation_id";
    const BY_ENDS_OF_SOME = names!(
        "FROM relation_endpoint WHERE model_uuid = $1 AND relation_id IN", "GROUP BY relation_id"
    );
}

async fn shown(
    db: &mut Session,
    model: &ModelUuid,
    relations: Vec<Relation>,
    only: Option<&[u64]>,
) -> Result<Vec<RelationInfo>> {
    if relations.is_empty() {
        return Ok(Vec::new());
    }
    let rows = match only {
        Some(ids) => db.some(PRESENT_IN_SOME, model, ids).await?,
        None => db.all(PRESENT, params![model]).await?,
    };
    let mut present: HashMap<u64, Present> = HashMap::new();
    for row in rows {
        let of_relation = present.entry(row.relation).or_default();
        of_relation.insert(row.application);
    }
    let closed: Vec<u64> = relations
        .iter()
        .filter(|relation| !relation.is_open())
        .map(|relation| relation.id)
        .collect();
    // Who is still in the scope of relations that nobody may enter.
    let mut staying: HashMap<u64, Vec<UnitName>> = HashMap::new();
    for row in db.some(STAYING, model, &closed).await? {
        staying.entry(row.relation).or_default().push(row.unit);
    }
    let mut due = match closed.is_empty() {
        true => HashMap::new(),
        false => waiting::of_relations(db, model).await?,
    };
    Ok(relations
        .into_iter()
        .map(|relation| {
            let id = relation.id;
            let present = present.remove(&id).unwrap_or_default();
            let staying = staying.remove(&id).unwrap_or_default();
            let due = due.remove(&id.to_string()).unwrap_or_default();
            info(relation, &present, &staying, &due)
        })
        .collect())
}

/// How often somebody entered each relation or wrote settings in it.
async fn written(
    db: &mut Session,
    model: &ModelUuid,
    only: Option<&[u64]>,
) -> Result<HashMap<u64, u64>> {
    let mut found: HashMap<u64, u64> = HashMap::new();
    for (whole, some) in [(BY_UNITS, BY_UNITS_OF_SOME), (BY_ENDS, BY_ENDS_OF_SOME)] {
        let rows = match only {
            Some(ids) => db.some(some, model, ids).await?,
            None => db.all(whole, params![model]).await?,
        };
        for row in rows {
            *found.entry(row.relation).or_default() += row.times;
        }
    }
    Ok(found)
}

fn info(
    relation: Relation,
    present: &Present,
    staying: &[UnitName],
    due: &[Cleanup],
) -> RelationInfo {
    let status = status(&relation, present);
    let waiting_for = match relation.is_open() {
        true => Vec::new(),
        false => waiting::relation(staying, due),
    };
    RelationInfo {
        id: relation.id,
        key: relation.key,
        interface: relation.interface,
        scope: if relation.container {
            "container"
        } else {
            "global"
        }
        .to_owned(),
        endpoints: relation
            .ends
            .into_iter()
            .map(|end| RelationEndpoint {
                application: end.application,
                name: end.name,
                role: end.role.to_string(),
            })
            .collect(),
        life: relation.life,
        status: Status {
            since: relation.created_at,
            ..Status::new(status, relation.reason)
        },
        suspended: relation.suspended,
        created_at: relation.created_at,
        settings_version: 0,
        waiting_for,
    }
}

/// The word for how far a relation is.
fn status(relation: &Relation, present: &Present) -> Word {
    if !relation.life.is_alive() {
        return Word::Broken;
    }
    match (relation.suspended, present.is_empty()) {
        (true, true) => return Word::Suspended,
        (true, false) => return Word::Suspending,
        _ => {}
    }
    let all = relation
        .ends
        .iter()
        .all(|end| present.contains(&end.application));
    if all { Word::Joined } else { Word::Joining }
}

/// How far each of some relations is, for a picture of what will be there.
pub(crate) async fn statuses(
    db: &mut Session,
    model: &ModelUuid,
    relations: &[Relation],
) -> Result<HashMap<u64, Word>> {
    let mut found = HashMap::new();
    for relation in relations {
        let sql = "SELECT DISTINCT application FROM relation_unit
            WHERE model_uuid = $1 AND relation_id = $2 AND in_scope = 1";
        let names = db.words("application", sql, params![model, relation.id]);
        let present: Present = names.await?.into_iter().collect();
        found.insert(relation.id, status(relation, &present));
    }
    Ok(found)
}

/// A list for a sentence, cut where it becomes long.
pub(crate) fn listed(names: &[String]) -> String {
    let shown = names.len().min(NAMED);
    let mut text = names[..shown].join(", ");
    if names.len() > shown {
        text.push_str(&format!(" and {} more", names.len() - shown));
    }
    text
}

/// Who shares a principal's container, and the relations in whose scope a unit is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    pub subordinates: Vec<UnitName>,
    /// `the relation website:3 with front`, without peers.
    pub relations: Vec<String>,
}

columns! {
    struct Within {
        principal: String = "principal",
        unit: UnitName = "name" as word,
    }
    const WITHIN = which(
        "FROM unit WHERE model_uuid = $1 AND principal IS NOT NULL",
        "principal",
        "ORDER BY application, number"
    );
}

columns! {
    /// A relation that holds a unit which goes.
    struct Holding {
        unit: String = "relation_unit.unit",
        tie: Tie = [tie!("relation_unit.endpoint", "relation_unit.relation_id")] as tied,
    }
    const HOLDING = which(
        // With a join of the two SQLite looks at all units of all relations for each that goes.
        "FROM relation_unit
            JOIN relation_endpoint AS other ON other.model_uuid = relation_unit.model_uuid
                AND other.relation_id = relation_unit.relation_id
                AND other.application <> relation_unit.application
            WHERE relation_unit.model_uuid = $1 AND relation_unit.in_scope = 1 AND relation_unit.unit IN (
                SELECT name FROM unit WHERE model_uuid = $1 AND life <> 'alive')",
        "relation_unit.unit",
        "ORDER BY relation_unit.unit, relation_unit.relation_id"
    );
}

/// Neighbours of the units in whose life they matter: the subordinates of principals; of those
/// that go, the relations too.
pub(crate) async fn neighbours(
    db: &mut Session,
    model: &ModelUuid,
    which: Which<'_>,
) -> Result<HashMap<String, Neighbours>> {
    let mut found: HashMap<String, Neighbours> = HashMap::new();
    for row in db.which(WITHIN, model, which).await? {
        let of_principal = found.entry(row.principal).or_default();
        of_principal.subordinates.push(row.unit);
    }
    for row in db.which(HOLDING, model, which).await? {
        let neighbours = found.entry(row.unit).or_default();
        neighbours.relations.push(row.tie.in_words());
    }
    Ok(found)
}

/// The own end of a relation, its number, and the application at the other end.
pub(crate) struct Tie {
    endpoint: String,
    pub relation: u64,
    other: String,
}

impl Tie {
    /// `the relation website:3 with front`.
    pub(crate) fn in_words(&self) -> String {
        let Tie {
            endpoint,
            relation,
            other,
        } = self;
        format!("the relation {endpoint}:{relation} with {other}")
    }
}

/// What is in the columns of [`tie!`].
pub(crate) fn tied(cells: &mut Cells<'_>) -> std::result::Result<Tie, DatabaseError> {
    Ok(Tie {
        endpoint: Column::read(cells)?,
        relation: Column::read(cells)?,
        other: Column::read(cells)?,
    })
}
