//! Rows of relations with their endpoints.

use periapt_model::cause::Cause;
use periapt_model::refusal::Subject;
use periapt_model::relation::Role;
use periapt_model::{ApplicationName, Life, ModelUuid, UnitName};

use crate::Result;
use crate::changes::namespace;
use crate::db::{Session, Tx, columns, names, params, word};
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
    /// What it is there, is suspended or ends because of.
    pub cause: Cause,
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
            "FROM relation JOIN relation_endpoint ON relation_endpoint.model_uuid = relation.model_uuid
                AND relation_endpoint.relation_id = relation.id
            WHERE relation.model_uuid = $1 ",
            $condition,
            " ORDER BY relation.id, relation_endpoint.role DESC"
        )
    };
}

columns! {
    /// One end, with the relation.
    struct EndRow {
        id: u64 = "relation.id",
        key: String = "relation.key",
        interface: String = "relation.interface",
        scope: String = "relation.scope",
        life: Life = "relation.life" as word,
        suspended: bool = "relation.suspended",
        reason: String = "relation.suspended_reason",
        forced: bool = "relation.forced",
        created_at: i64 = "relation.created_at",
        cause: Cause = "relation.cause" as word,
        application: ApplicationName = "relation_endpoint.application" as word,
        name: String = "relation_endpoint.name",
        role: Role = "relation_endpoint.role" as word,
    }
    const ALL = relations!("");
    const ONE = relations!("AND relation.id = $2");
    const SOME = relations!(names!("AND relation.id IN", ""));
    const OF_APPLICATION = relations!(
        "AND relation.id IN (SELECT relation_id FROM relation_endpoint
            WHERE model_uuid = $1 AND application = $2)"
    );
    const ENTERED = relations!(
        "AND relation.id IN (SELECT relation_id FROM relation_unit
            WHERE model_uuid = $1 AND unit = $2 AND in_scope = 1)"
    );
}

/// Some relations; those that are gone are missing.
pub(crate) async fn some(
    db: &mut Session,
    model: &ModelUuid,
    ids: &[u64],
) -> Result<Vec<Relation>> {
    Ok(relations(db.some(SOME, model, ids).await?))
}

/// All relations of a model, by number.
pub(crate) async fn all(db: &mut Session, model: &ModelUuid) -> Result<Vec<Relation>> {
    Ok(relations(db.all(ALL, params![model]).await?))
}

/// One relation; none when it is gone.
pub(crate) async fn find(db: &mut Session, model: &ModelUuid, id: u64) -> Result<Option<Relation>> {
    Ok(relations(db.all(ONE, params![model, id]).await?).pop())
}

pub(crate) async fn require(db: &mut Session, model: &ModelUuid, id: u64) -> Result<Relation> {
    let found = find(db, model, id).await?;
    found.ok_or_else(|| StoreError::not_found(Subject::Relation, id))
}

/// The relations of an application, peers included.
pub(crate) async fn of_application(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<Vec<Relation>> {
    let ends = db.all(OF_APPLICATION, params![model, application]).await?;
    Ok(relations(ends))
}

/// The relations in whose scope a unit is.
pub(crate) async fn entered(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<Vec<Relation>> {
    Ok(relations(db.all(ENTERED, params![model, unit]).await?))
}

/// The relations of these ends, which are in order.
fn relations(ends: Vec<EndRow>) -> Vec<Relation> {
    let mut found: Vec<Relation> = Vec::new();
    for row in ends {
        let end = End {
            application: row.application,
            name: row.name,
            role: row.role,
        };
        if let Some(last) = found.last_mut().filter(|last| last.id == row.id) {
            last.ends.push(end);
            continue;
        }
        found.push(Relation {
            id: row.id,
            key: row.key,
            interface: row.interface,
            container: row.scope == "container",
            life: row.life,
            suspended: row.suspended,
            reason: row.reason,
            forced: row.forced,
            created_at: row.created_at,
            cause: row.cause,
            ends: vec![end],
        });
    }
    found
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
    Ok(db.words("unit", sql, params![model, relation]).await?)
}

/// Whether nobody is in scope.
pub(crate) async fn is_empty(db: &mut Session, model: &ModelUuid, relation: u64) -> Result<bool> {
    let sql = "SELECT 1 FROM relation_unit WHERE model_uuid = $1 AND relation_id = $2 AND in_scope = 1 LIMIT 1";
    Ok(!db.exists(sql, params![model, relation]).await?)
}
