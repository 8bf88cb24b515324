//! Settings as units and people read them.

use std::collections::BTreeMap;

use periapt_model::bounds::{Bound, SETTINGS_SHOWN_BYTES};
use periapt_model::hook::commit;
use periapt_model::refusal::Subject;
use periapt_model::{ModelUuid, Tag, UnitName};
use periapt_wire::rest::{UnitBag, UnitRelation};

use super::rows::{self, Relation};
use super::settings::Bag;
use crate::db::{Session, columns, json, params, word};
use crate::error::StoreError;
use crate::{Result, Store, lease};

impl Store {
    /// The relations of a unit with all settings, for people.
    pub async fn unit_relations(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
    ) -> Result<Vec<UnitRelation>> {
        let mut db = self.snapshot().await?;
        let root = root(&mut db, model, unit).await?;
        let mut causes = BTreeMap::new();
        let seen = super::of_unit(&mut db, model, unit, root.as_ref(), &mut causes).await?;
        let root = root.as_ref().unwrap_or(unit);
        let application = unit.application();
        let mut shown = Vec::new();
        let mut room = Room(SETTINGS_SHOWN_BYTES.length());
        for relation in rows::of_application(&mut db, model, &application).await? {
            if seen.contains_key(&relation.id) {
                shown.extend(of_relation(&mut db, model, unit, root, &relation, &mut room).await?);
            }
        }
        Ok(shown)
    }

    /// Settings of a unit or an application, as `unit` may read them: those of its own, and of
    /// the other end within its container. Those of its own application are for the leader,
    /// but for those of a peer relation.
    pub async fn relation_settings(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        relation: u64,
        of: &Tag,
    ) -> Result<BTreeMap<String, String>> {
        let mut db = self.snapshot().await?;
        let root = root(&mut db, model, unit).await?;
        let root = root.as_ref().unwrap_or(unit);
        let found = rows::require(&mut db, model, relation).await?;
        let own = unit.application();
        let Some((mine, other)) = found.seen_by(&own) else {
            return Err(commit::not_in_scope(unit, relation).into());
        };
        match of {
            Tag::Unit(of) => {
                let theirs = of.application();
                let in_sight = *of == *unit || theirs == other.application;
                let sql =
                    "SELECT settings FROM relation_unit WHERE model_uuid = $1 AND relation_id = $2
                    AND unit = $3 AND (container = '' OR container = $4)";
                let key = params![model, relation, of, root];
                let bag = match in_sight {
                    true => db.document("settings", sql, key).await?,
                    false => None,
                };
                bag.ok_or_else(|| {
                    StoreError::not_found(Subject::Settings, format!("{of} in relation {relation}"))
                })
            }
            Tag::Application(of) => {
                if *of == own && !found.is_peer() {
                    let now = self.lease_now(&mut db).await?;
                    require_leader(&mut db, model, unit, now).await?;
                }
                let end = [mine, other].into_iter().find(|end| end.application == *of);
                let end = end.ok_or_else(|| {
                    StoreError::not_found(Subject::Settings, format!("{of} in relation {relation}"))
                })?;
                application_bag(&mut db, model, relation, end).await
            }
            other => Err(StoreError::bad_request(format!(
                "{other} has no settings in a relation; a unit or an application has"
            ))),
        }
    }

    /// What the leader of the unit's application told its units.
    pub async fn leader_settings(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
    ) -> Result<BTreeMap<String, String>> {
        let mut db = self.glance().await?;
        let sql = "SELECT COALESCE(leader_settings.settings, '{}') FROM unit
            LEFT JOIN leader_settings ON leader_settings.model_uuid = unit.model_uuid
                AND leader_settings.application = unit.application
            WHERE unit.model_uuid = $1 AND unit.name = $2";
        let bag = db.document("settings", sql, params![model, unit]).await?;
        bag.ok_or_else(|| StoreError::not_found(Subject::Unit, unit))
    }
}

/// The principal of a unit that exists.
pub(super) async fn root(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<Option<UnitName>> {
    let sql = "SELECT principal FROM unit WHERE model_uuid = $1 AND name = $2";
    let found = db.optional_word("principal", sql, params![model, unit]);
    found
        .await?
        .ok_or_else(|| StoreError::not_found(Subject::Unit, unit))
}

async fn require_leader(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
    now: i64,
) -> Result<()> {
    let application = unit.application();
    let namespace = lease::Namespace::ApplicationLeadership;
    match lease::rows::find(db, namespace, model, application.as_str()).await? {
        Some(held) if held.holder == unit.as_str() && !held.is_over(now) => Ok(()),
        _ => Err(StoreError::LeaseLost {
            lease: application.to_string(),
            holder: unit.to_string(),
        }),
    }
}

async fn application_bag(
    db: &mut Session,
    model: &ModelUuid,
    relation: u64,
    end: &rows::End,
) -> Result<Bag> {
    let sql = "SELECT settings FROM relation_endpoint
        WHERE model_uuid = $1 AND relation_id = $2 AND application = $3 AND name = $4";
    let values = params![model, relation, &end.application, &end.name];
    let bag = db.document("settings", sql, values).await?;
    Ok(bag.unwrap_or_default())
}

/// Bytes of settings that an answer to a person still holds.
struct Room(usize);

impl Room {
    /// The bag, or where there is no room for it its keys and the beginnings of its values.
    fn take(&mut self, mut bag: Bag) -> Bag {
        let bytes: usize = bag.iter().map(|(key, value)| key.len() + value.len()).sum();
        match self.0.checked_sub(bytes) {
            Some(left) => self.0 = left,
            None => {
                for value in bag.values_mut() {
                    *value = BEGINNING.cut(value).into_owned();
                }
            }
        }
        bag
    }
}

/// What is shown of a value for which there is no room.
const BEGINNING: Bound = Bound::new("a value without room", 256, "bytes", "the rest is cut off");

columns! {
    struct UnitRow {
        unit: UnitName = "unit" as word,
        application: String = "application",
        in_scope: bool = "in_scope",
        settings: Bag = "settings" as json,
    }
    // Of those that left, the ones that are no more are no longer shown.
    const UNITS = "FROM relation_unit
        WHERE model_uuid = $1 AND relation_id = $2 AND (container = '' OR container = $3)
            AND (in_scope = 1 OR EXISTS (SELECT 1 FROM unit WHERE unit.model_uuid = relation_unit.model_uuid
                AND unit.name = relation_unit.unit))";
}

async fn of_relation(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
    root: &UnitName,
    relation: &Relation,
    room: &mut Room,
) -> Result<Option<UnitRelation>> {
    let Some((mine, other)) = relation.seen_by(&unit.application()) else {
        return Ok(None);
    };
    let mut shown = UnitRelation {
        relation_id: relation.id,
        endpoint: mine.name.clone(),
        related_endpoint: other.name.clone(),
        related_application: other.application.clone(),
        application_data: room.take(application_bag(db, model, relation.id, other).await?),
        local_application_data: room.take(application_bag(db, model, relation.id, mine).await?),
        local_unit: UnitBag::default(),
        related_units: BTreeMap::new(),
    };
    for row in db.all(UNITS, params![model, relation.id, root]).await? {
        let bag = UnitBag {
            in_scope: row.in_scope,
            data: room.take(row.settings),
        };
        if row.unit == *unit {
            shown.local_unit = bag;
        } else if row.application == other.application.as_str() {
            shown.related_units.insert(row.unit, bag);
        }
    }
    Ok(Some(shown))
}
