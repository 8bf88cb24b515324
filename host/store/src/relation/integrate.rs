//! How relations come to be and are held up for a while.

use std::collections::BTreeMap;

use periapt_model::bounds::TEXT_BYTES;
use periapt_model::charm::{CharmInfo, Scope};
use periapt_model::refusal::Subject;
use periapt_model::relation::{EndpointError, EndpointName, Pair, Role, Side};
use periapt_model::{ApplicationName, Life, ModelUuid, Refusal};
use periapt_wire::rest::RelationInfo;

use super::rows;
use crate::db::{Session, Tx, params};
use crate::error::StoreError;
use crate::views::relation::listed;
use crate::{Result, Store, application, charm, views, why};

impl From<EndpointError> for StoreError {
    fn from(error: EndpointError) -> Self {
        StoreError::Refused {
            refusal: error.refusal(),
            message: error.to_string(),
        }
    }
}

impl Store {
    /// Relates two endpoints. Asked again it is refused as existing already.
    pub async fn integrate(
        &self,
        model: &ModelUuid,
        endpoints: [EndpointName; 2],
    ) -> Result<RelationInfo> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_alive_model(&mut tx.db, &model).await?;
                let [first, second] = &endpoints;
                if first.application == second.application {
                    return Err(StoreError::Refused {
                        refusal: Refusal::RelationWithItself,
                        message: format!(
                            "\"{}\" cannot be related to itself; peer endpoints relate its units from the start",
                            first.application
                        ),
                    });
                }
                let left = alive_charm(&mut tx.db, &model, &first.application).await?;
                let right = alive_charm(&mut tx.db, &model, &second.application).await?;
                let pair = Pair::find((first, &left.metadata), (second, &right.metadata))?;
                require_new(&mut tx.db, &model, &pair.to_string()).await?;
                for side in [&pair.requirer, &pair.provider] {
                    require_room(&mut tx.db, &model, side).await?;
                }
                let id = make(
                    tx,
                    &model,
                    &pair.to_string(),
                    pair.scope(),
                    &[&pair.requirer, &pair.provider],
                )
                .await?;
                views::relation::find(&mut tx.db, &model, id).await
            })
        })
        .await
    }

    /// Suspends or resumes a relation.
    pub async fn change_relation(
        &self,
        model: &ModelUuid,
        id: u64,
        suspended: bool,
        reason: &str,
    ) -> Result<RelationInfo> {
        let model = model.clone();
        let reason = if suspended {
            TEXT_BYTES.cut(reason).into_owned()
        } else {
            String::new()
        };
        self.write(move |tx| {
            Box::pin(async move {
                let relation = rows::require(&mut tx.db, &model, id).await?;
                if relation.is_peer() {
                    return Err(StoreError::Refused {
                        refusal: Refusal::RelationIsPeer,
                        message: format!("peer relation \"{}\" cannot be suspended", relation.key),
                    });
                }
                if !relation.life.is_alive() {
                    return Err(StoreError::NotAlive {
                        kind: Subject::Relation,
                        name: relation.key,
                        life: relation.life,
                    });
                }
                if relation.suspended != suspended || relation.reason != reason {
                    let sql =
                        "UPDATE relation SET suspended = $3, suspended_reason = $4, cause = $5
                        WHERE model_uuid = $1 AND id = $2";
                    let values = params![&model, id, suspended, reason, why::cause(tx)];
                    tx.db.execute(sql, values).await?;
                    rows::touch(tx, &model, &relation);
                }
                views::relation::find(&mut tx.db, &model, id).await
            })
        })
        .await
    }
}

async fn alive_charm(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<CharmInfo> {
    let url = application::require_alive(db, model, application).await?;
    charm::find(db, model, &url).await
}

async fn require_new(db: &mut Session, model: &ModelUuid, key: &str) -> Result<()> {
    let sql = "SELECT life FROM relation WHERE model_uuid = $1 AND key = $2";
    match db.word("life", sql, params![model, key]).await? {
        None => Ok(()),
        Some(Life::Alive) => Err(StoreError::AlreadyExists {
            kind: Subject::Relation,
            name: key.to_owned(),
        }),
        Some(life) => Err(StoreError::NotAlive {
            kind: Subject::Relation,
            name: key.to_owned(),
            life,
        }),
    }
}

/// Refuses one relation more than the endpoint takes.
async fn require_room(db: &mut Session, model: &ModelUuid, side: &Side) -> Result<()> {
    let Some(limit) = side.limit else {
        return Ok(());
    };
    let sql = "SELECT relation.key FROM relation JOIN relation_endpoint
            ON relation_endpoint.model_uuid = relation.model_uuid AND relation_endpoint.relation_id = relation.id
        WHERE relation_endpoint.model_uuid = $1 AND relation_endpoint.application = $2
            AND relation_endpoint.name = $3 ORDER BY relation.id";
    let values = params![model, &side.application, &side.name];
    let keys: Vec<String> = db.scalars(sql, values).await?;
    if keys.len() < limit as usize {
        return Ok(());
    }
    let keys: Vec<String> = keys.iter().map(|key| format!("\"{key}\"")).collect();
    Err(StoreError::Refused {
        refusal: Refusal::RelationLimitExceeded,
        message: format!(
            "\"{side}\" takes at most {limit} relations and has {}; remove one first",
            keys.join(", ")
        ),
    })
}

async fn make(
    tx: &mut Tx,
    model: &ModelUuid,
    key: &str,
    scope: Scope,
    sides: &[&Side],
) -> Result<u64> {
    let id = tx.take_numbers(model, "relation", 1).await?;
    let scope = scope.to_string();
    let interface = sides.first().map_or("", |side| side.interface.as_str());
    let sql = "INSERT INTO relation (model_uuid, id, key, interface, scope, life, suspended, suspended_reason,
            forced, created_at, cause)
        VALUES ($1, $2, $3, $4, $5, 'alive', 0, '', 0, $6, $7)";
    let values = params![model, id, key, interface, scope, tx.now, why::cause(tx)];
    tx.db.execute(sql, values).await?;
    for side in sides {
        let sql = "INSERT INTO relation_endpoint (model_uuid, relation_id, application, name, role, settings, version)
            VALUES ($1, $2, $3, $4, $5, '{}', 0)";
        let role = side.role.to_string();
        tx.db
            .execute(sql, params![model, id, &side.application, &side.name, role])
            .await?;
    }
    if let Some(relation) = rows::find(&mut tx.db, model, id).await? {
        rows::touch(tx, model, &relation);
    }
    Ok(id)
}

/// Makes the peer relations of a charm that its application does not have yet.
pub(crate) async fn make_peers(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    charm: &CharmInfo,
) -> Result<()> {
    for side in Side::all(application, &charm.metadata) {
        if side.role != Role::Peer {
            continue;
        }
        let key = side.to_string();
        let sql = "SELECT COUNT(*) FROM relation WHERE model_uuid = $1 AND key = $2";
        if tx.db.count(sql, params![model, &key]).await? == 0 {
            make(tx, model, &key, Scope::Global, &[&side]).await?;
        }
    }
    Ok(())
}

/// Refuses a charm whose endpoints are not what the application's relations rest on.
pub(crate) async fn require_endpoints(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
    old: &CharmInfo,
    new: &CharmInfo,
) -> Result<()> {
    let refused = |why: String| StoreError::Refused {
        refusal: Refusal::CharmBreaksRelations,
        message: format!(
            "\"{application}\" cannot be refreshed to charm \"{}\": {why}",
            new.url
        ),
    };
    let before = Side::all(application, &old.metadata);
    let after = Side::all(application, &new.metadata);
    let relations = rows::of_application(db, model, application).await?;
    let mut used: BTreeMap<(Role, &str), Vec<&str>> = BTreeMap::new();
    for relation in &relations {
        if let Some((mine, _)) = relation.seen_by(application) {
            let of_endpoint = used.entry((mine.role, &mine.name)).or_default();
            of_endpoint.push(&relation.key);
        }
    }
    for ((role, name), keys) in used {
        let find = |sides: &[Side]| {
            let mut sides = sides.iter();
            sides
                .find(|side| side.role == role && side.name == name)
                .cloned()
        };
        // Without the old one nothing can have rested on it.
        let Some(old) = find(&before) else { continue };
        if let Err(why) = old.may_become(find(&after).as_ref(), keys.len()) {
            let keys: Vec<String> = keys.iter().map(|key| format!("\"{key}\"")).collect();
            return Err(refused(format!("{why}; it is in use by {}", listed(&keys))));
        }
    }
    Ok(())
}
