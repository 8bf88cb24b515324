//! Units by name, and the names of units that another entity's change concerns.

use periapt_model::ModelUuid;

use super::{Cause, EntityKind, Names, Reader, WantedOfModel, raise};
use crate::db::{Session, Which, columns, names, params};
use crate::{Presence, Result, views};

columns! {
    struct OfApplication {
        name: String = "name",
        application: String = "application",
    }
    const OF = names!("FROM unit WHERE model_uuid = $1 AND application IN", "");
}

columns! {
    struct OnMachine {
        name: String = "name",
        machine: String = "machine_id",
    }
    const ON = names!("FROM unit WHERE model_uuid = $1 AND machine_id IN", "");
}

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
            let names: Vec<String> = db.scalars(sql, params![model]).await?;
            for name in names {
                wanted.add_shown(kind, &name, position);
            }
        }
    }
    let units = wanted.names.entry(EntityKind::Unit).or_default();
    let of: Vec<String> = wanted.units_of.keys().cloned().collect();
    for unit in db.some(OF, model, &of).await? {
        if let Some(position) = wanted.units_of.get(&unit.application) {
            raise(units, &unit.name, shown(*position));
        }
    }
    let on: Vec<String> = wanted.units_on.keys().cloned().collect();
    for unit in db.some(ON, model, &on).await? {
        if let Some(position) = wanted.units_on.get(&unit.machine) {
            raise(units, &unit.name, shown(*position));
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
    for unit in views::unit::load(&mut reader.db, &names.model, which, present).await? {
        names.put(reader, unit.name.as_str(), &unit)?;
    }
    names.end(reader);
    Ok(())
}
