//! Rows of relations with their endpoints.

use periapt_model::relation::Role;
use periapt_model::{ApplicationName, Life, ModelUuid, UnitName};

use crate::Result;
use crate::changes::namespace;
use crate::db::{PART, Param, Session, Tx, names, params, part_params};
use crate::error::StoreError;

/// A relation as it is stored.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub id: u64,
    /// `front:website site:website`.
    pub key: String,
    pub interface: String,
    /// Stays within a container.
    pub container: bool,
    pub life: Life,
    pub suspended: bool,
    pub reason: String,
    pub forced: bool,
    pub created_at: i64,
    /// The requirer first; one of a peer relation.
    pub ends: Vec<End>,
}

/// One end of a relation.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub application: ApplicationName,
    pub name: String,
    pub role: Role,
}

impl Relation {
    pub(crate) fn is_peer(&self) -> bool {
        self.ends.iter().any(|end| end.role == Role::Peer)
    }

    /// The application's own end and the other one; the same twice in a peer relation.
    pub(crate) fn seen_by(&self, application: &ApplicationName) -> Option<(&End, &End)> {
        let mine = self
            .ends
            .iter()
            .find(|end| end.application == *application)?;
        let other = self.ends.iter().find(|end| end.application != *application);
        Some((mine, other.unwrap_or(mine)))
    }

    /// Whether units may enter its scope.
    pub(crate) fn is_open(&self) -> bool {
        self.life.is_alive() && !self.suspended
    }
}

macro_rules! relations {
    ($condition:expr) => {
        concat!(
            "SELECT relation.id, relation.key, relation.interface, relation.scope, relation.life,
                relation.suspended, relation.suspended_reason, relation.forced, relation.created_at,
                relation_endpoint.application, relation_endpoint.name, relation_endpoint.role
            FROM relation JOIN relation_endpoint ON relation_endpoint.model_uuid = relation.model_uuid
                AND relation_endpoint.relation_id = relation.id
            WHERE relation.model_uuid = $1 ",
            $condition,
            " ORDER BY relation.id, relation_endpoint.role DESC"
        )
    };
}

/// Some relations; those that are gone are missing.
pub(crate) async fn some(
    db: &mut Session,
    model: &ModelUuid,
    ids: &[u64],
) -> Result<Vec<Relation>> {
    let mut found = Vec::new();
    for part in ids.chunks(PART) {
        let sql = relations!(names!("AND relation.id IN", ""));
        found.extend(load(db, sql, part_params(model, part)).await?);
    }
    Ok(found)
}

/// All relations of a model, by number.
pub(crate) async fn all(db: &mut Session, model: &ModelUuid) -> Result<Vec<Relation>> {
    load(db, relations!(""), params![model]).await
}

/// One relation; none when it is gone.
pub(crate) async fn find(db: &mut Session, model: &ModelUuid, id: u64) -> Result<Option<Relation>> {
    let sql = relations!("AND relation.id = $2");
    Ok(load(db, sql, params![model, id]).await?.pop())
}

pub(crate) async fn require(db: &mut Session, model: &ModelUuid, id: u64) -> Result<Relation> {
    let found = find(db, model, id).await?;
    found.ok_or_else(|| StoreError::not_found("relation", id))
}

/// The relations of an application, peers included.
pub(crate) async fn of_application(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<Vec<Relation>> {
    let sql = relations!(
        "AND relation.id IN (SELECT relation_id FROM relation_endpoint WHERE model_uuid = $1 AND application = $2)"
    );
    load(db, sql, params![model, application]).await
}

/// The relations in whose scope a unit is.
pub(crate) async fn entered(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<Vec<Relation>> {
    let sql = relations!(
        "AND relation.id IN (SELECT relation_id FROM relation_unit
            WHERE model_uuid = $1 AND unit = $2 AND in_scope = 1)"
    );
    load(db, sql, params![model, unit]).await
}

async fn load(db: &mut Session, sql: &'static str, values: Vec<Param>) -> Result<Vec<Relation>> {
    let mut found: Vec<Relation> = Vec::new();
    for row in db.fetch(sql, values).await? {
        let id = row.count(0)?;
        let end = End {
            application: row.parse(9, "application name")?,
            name: row.text(10)?,
            role: row.parse(11, "role")?,
        };
        if let Some(last) = found.last_mut().filter(|last| last.id == id) {
            last.ends.push(end);
            continue;
        }
        found.push(Relation {
            id,
            key: row.text(1)?,
            interface: row.text(2)?,
            container: row.str(3)? == "container",
            life: row.parse(4, "life")?,
            suspended: row.flag(5)?,
            reason: row.text(6)?,
            forced: row.flag(7)?,
            created_at: row.int(8)?,
            ends: vec![end],
        });
    }
    Ok(found)
}

/// Says that a relation itself changed: made, life, suspension, gone.
pub(crate) fn touch(tx: &mut Tx, model: &ModelUuid, relation: &Relation) {
    tx.touch(model, namespace::RELATION, relation.id.to_string());
    for end in &relation.ends {
        tx.touch(
            model,
            namespace::APPLICATION_RELATIONS,
            end.application.as_str(),
        );
    }
}

/// Says that a unit, or the application, `of` one end changed what the other side sees, and with
/// it what is shown of the relation.
/// `container` is the principal unit where the relation stays within its container.
pub(crate) fn touch_units(
    tx: &mut Tx,
    model: &ModelUuid,
    relation: &Relation,
    of: &ApplicationName,
    container: &str,
) {
    tx.touch(model, namespace::RELATION_STATUS, relation.id.to_string());
    if !container.is_empty() {
        tx.touch(model, namespace::RELATION_UNITS, container);
        return;
    }
    if let Some((_, other)) = relation.seen_by(of) {
        tx.touch(model, namespace::RELATION_UNITS, other.application.as_str());
    }
}

/// Units in scope: relation, application, unit.
pub(crate) async fn in_scope(
    db: &mut Session,
    model: &ModelUuid,
    relation: u64,
) -> Result<Vec<UnitName>> {
    let sql =
        "SELECT unit FROM relation_unit WHERE model_uuid = $1 AND relation_id = $2 AND in_scope = 1
        ORDER BY unit";
    let rows = db.fetch(sql, params![model, relation]).await?;
    rows.iter()
        .map(|row| Ok(row.parse(0, "unit name")?))
        .collect()
}

/// Whether nobody is in scope.
pub(crate) async fn is_empty(db: &mut Session, model: &ModelUuid, relation: u64) -> Result<bool> {
    let sql = "SELECT 1 FROM relation_unit WHERE model_uuid = $1 AND relation_id = $2 AND in_scope = 1 LIMIT 1";
    Ok(db
        .fetch_optional(sql, params![model, relation])
        .await?
        .is_none())
}
