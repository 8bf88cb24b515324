//! Units by name, and the names of units that another entity's change concerns.

use periapt_model::ModelUuid;

use super::parts::parts;
use super::{Cause, EntityKind, Names, Reader, WantedOfModel, raise};
use crate::db::{Session, Which, names, params, part_params};
use crate::{Presence, Result, unit};

/// Turns what is wanted of all units of something into their names.
pub(super) async fn name(
    db: &mut Session,
    model: &ModelUuid,
    wanted: &mut WantedOfModel,
) -> Result<()> {
    if let Some(position) = wanted.agents {
        for (kind, sql) in [
            (
                EntityKind::Unit,
                "SELECT name FROM unit WHERE model_uuid = $1",
            ),
            (
                EntityKind::Machine,
                "SELECT id FROM machine WHERE model_uuid = $1",
            ),
        ] {
            for row in db.fetch(sql, params![model]).await? {
                wanted.add_shown(kind, row.str(0)?, position);
            }
        }
    }
    let units = wanted.names.entry(EntityKind::Unit).or_default();
    for part in parts(&wanted.units_of) {
        let sql = names!(
            "SELECT name, application FROM unit WHERE model_uuid = $1 AND application IN",
            ""
        );
        for row in db.fetch(sql, part_params(model, &part)).await? {
            if let Some(position) = wanted.units_of.get(row.str(1)?) {
                raise(units, row.str(0)?, shown(*position));
            }
        }
    }
    for part in parts(&wanted.units_on) {
        let sql = names!(
            "SELECT name, machine_id FROM unit WHERE model_uuid = $1 AND machine_id IN",
            ""
        );
        for row in db.fetch(sql, part_params(model, &part)).await? {
            if let Some(position) = wanted.units_on.get(row.str(1)?) {
                raise(units, row.str(0)?, shown(*position));
            }
        }
    }
    wanted.names.retain(|_, names| !names.is_empty());
    Ok(())
}

fn shown(position: i64) -> Cause {
    Cause {
        position,
        own: false,
    }
}

/// Reads the named units. `present` says whether an agent is connected.
pub(super) async fn read(
    reader: &mut Reader,
    mut names: Names,
    present: Presence<'_>,
) -> Result<()> {
    let wanted = names.wanted();
    let which = Which::Named(&wanted);
    for unit in unit::load(&mut reader.db, &names.model, which, present).await? {
        names.put(reader, unit.name.as_str(), &unit)?;
    }
    names.end(reader);
    Ok(())
}
