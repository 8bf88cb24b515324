//! Relations by number, and the numbers of relations that somebody's change concerns.

use std::collections::BTreeMap;

use periapt_model::ModelUuid;

use super::parts::{names, parts};
use super::{EntityKind, Names, Reader, WantedOfModel, part_params};
use crate::db::Session;
use crate::error::StoreError;
use crate::{Result, relations};

/// For more than so many relations all of the model are read at once.
const FEW: usize = 8;

/// Turns what is wanted of all relations of something into their numbers.
pub(super) async fn name(
    db: &mut Session,
    model: &ModelUuid,
    wanted: &mut WantedOfModel,
) -> Result<()> {
    let of = std::mem::take(&mut wanted.relations_of);
    let (containers, applications): (BTreeMap<String, i64>, BTreeMap<String, i64>) =
        of.into_iter().partition(|(name, _)| name.contains('/'));
    for part in parts(&applications) {
        let sql = names!(
            "SELECT DISTINCT application, CAST(relation_id AS TEXT) FROM relation_endpoint
            WHERE model_uuid = $1 AND application IN",
            ""
        );
        for row in db.fetch(sql, part_params(model, &part)).await? {
            if let Some(position) = applications.get(row.str(0)?) {
                wanted.add_shown(EntityKind::Relation, row.str(1)?, *position);
            }
        }
    }
    for part in parts(&containers) {
        let of_principal = names!(
            "SELECT DISTINCT unit, CAST(relation_id AS TEXT) FROM relation_unit
            WHERE model_uuid = $1 AND unit IN",
            ""
        );
        let of_subordinates = names!(
            "SELECT DISTINCT unit.principal, CAST(relation_unit.relation_id AS TEXT) FROM unit
            JOIN relation_unit ON relation_unit.model_uuid = unit.model_uuid AND relation_unit.unit = unit.name
            WHERE unit.model_uuid = $1 AND unit.principal IN",
            ""
        );
        for sql in [of_principal, of_subordinates] {
            for row in db.fetch(sql, part_params(model, &part)).await? {
                if let Some(position) = containers.get(row.str(0)?) {
                    wanted.add_shown(EntityKind::Relation, row.str(1)?, *position);
                }
            }
        }
    }
    Ok(())
}

/// Reads the named relations.
pub(super) async fn read(reader: &mut Reader, mut names: Names) -> Result<()> {
    let ids: Vec<u64> = names
        .causes
        .keys()
        .filter_map(|id| id.parse().ok())
        .collect();
    let mut found = Vec::new();
    if ids.len() > FEW {
        found = relations::all(&mut reader.db, &names.model).await?;
    } else {
        for id in ids {
            match relations::find(&mut reader.db, &names.model, id).await {
                Ok(relation) => found.push(relation),
                Err(StoreError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
    for relation in found {
        names.put(reader, &relation.id.to_string(), &relation)?;
    }
    names.end(reader);
    Ok(())
}
