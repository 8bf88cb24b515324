//! Units that live in the container of another: how they come, and who goes when nothing ties
//! them to their principal any more.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::relation::supported;
use periapt_model::{ApplicationName, Life, MachineId, ModelUuid, UnitName};
use periapt_wire::rest::Removal;

use super::scope::Entering;
use crate::Result;
use crate::changes::namespace;
use crate::db::{Session, Tx, columns, optional_word, params, word};
use crate::status::{self, kind};
use crate::storage::Departing;
use crate::unit::address;
use crate::{Store, charm, storage, unit};

columns! {
    /// Where a unit lives.
    #[derive(Clone, Debug, Default)]
    pub struct Place {
        /// The unit in whose container it lives; none for a principal.
        principal: Option<UnitName> = "principal" as optional_word,
        machine: Option<MachineId> = "machine_id" as optional_word,
    }
    const PLACE = "FROM unit WHERE model_uuid = $1 AND name = $2";
}

impl Store {
    /// Where a unit lives; nowhere if it is gone.
    pub async fn unit_place(&self, model: &ModelUuid, unit: &UnitName) -> Result<Place> {
        let place = self
            .glance()
            .await?
            .one(PLACE, params![model, unit])
            .await?;
        Ok(place.unwrap_or_default())
    }
}

columns! {
    /// An application that may be subordinate, with the unit it has in a container.
    struct Guest {
        subordinate: bool = "application.subordinate",
        unit: Option<String> = "unit.name",
        life: Option<Life> = "unit.life" as optional_word,
    }
    const GUEST = "FROM application
        LEFT JOIN unit ON unit.model_uuid = application.model_uuid AND unit.application = application.name
            AND unit.principal = $3
        WHERE application.model_uuid = $1 AND application.name = $2";
}

/// Sees to it that the container has a unit of `other`, if that is subordinate. Otherwise why
/// the unit cannot enter yet.
pub(super) async fn ensure(
    tx: &mut Tx,
    model: &ModelUuid,
    entering: &Entering,
    other: &ApplicationName,
) -> Result<Option<String>> {
    let guest = tx
        .db
        .one(GUEST, params![model, other, &entering.root])
        .await?;
    let Some(guest) = guest.filter(|guest| guest.subordinate) else {
        return Ok(None);
    };
    if let (Some(old), Some(life)) = (guest.unit, guest.life) {
        return Ok((!life.is_alive()).then(|| {
            format!(
                "{old}, an earlier subordinate of {}, is still {life}",
                entering.root
            )
        }));
    }
    let Some(machine) = &entering.machine else {
        return Ok(Some(format!("{} has no machine", entering.name)));
    };
    let number = tx.take_numbers(model, &format!("unit {other}"), 1).await?;
    let unit = UnitName::new(other, number);
    let sql = "INSERT INTO unit (model_uuid, name, application, number, life, machine_id, principal, resolved,
            workload_version, opened_ports, forced, created_at, address, cause)
        VALUES ($1, $2, $3, $4, 'alive', $5, $6, 'none', '', '[]', 0, $7, $8, $9)";
    let address = address::take(tx, 1).await?.pop().flatten();
    let root = &entering.root;
    let cause = entering.cause.to_string();
    let values = params![
        model, &unit, other, number, machine, root, tx.now, address, cause
    ];
    tx.db.execute(sql, values).await?;
    let statuses = [
        (kind::AGENT, unit.to_string(), "allocating", ""),
        (
            kind::WORKLOAD,
            unit.to_string(),
            "waiting",
            "agent initialising",
        ),
    ];
    status::put_first(tx, model, &statuses).await?;
    tx.touch(model, namespace::UNIT, unit.as_str());
    tx.touch(model, namespace::UNIT, entering.root.as_str());
    tx.touch(model, namespace::MACHINE_UNITS, machine.as_str());
    let charm = charm::of_application(&mut tx.db, model, other).await?;
    storage::give(tx, model, other, &charm, &[unit], &[]).await?;
    Ok(None)
}

columns! {
    struct Tie {
        one: ApplicationName = "one.application" as word,
        other: ApplicationName = "other.application" as word,
    }
    const TIES = "FROM relation
        JOIN relation_endpoint AS one ON one.model_uuid = relation.model_uuid
            AND one.relation_id = relation.id AND one.role = 'requirer'
        JOIN relation_endpoint AS other ON other.model_uuid = relation.model_uuid
            AND other.relation_id = relation.id AND other.role = 'provider'
        WHERE relation.model_uuid = $1 AND relation.scope = 'container' AND relation.life = 'alive'";
}

/// Pairs of applications with an alive relation that stays within a container.
pub(super) async fn ties(
    db: &mut Session,
    model: &ModelUuid,
) -> Result<Vec<(ApplicationName, ApplicationName)>> {
    let ties = db.all(TIES, params![model]).await?;
    Ok(ties.into_iter().map(|tie| (tie.one, tie.other)).collect())
}

columns! {
    struct Subordinate {
        principal: UnitName = "principal" as word,
        unit: UnitName = "name" as word,
        life: Life = "life" as word,
    }
    const SUBORDINATES = "FROM unit WHERE model_uuid = $1 AND principal IS NOT NULL
        ORDER BY principal, name";
}

/// Begins to remove the subordinate units that nothing holds any more; which.
pub(super) async fn drop_unsupported(
    tx: &mut Tx,
    model: &ModelUuid,
    force: bool,
    destroy_storage: bool,
) -> Result<Removal> {
    let mut removal = Removal {
        units: Vec::new(),
        machines: Vec::new(),
        destroyed_storage: Vec::new(),
        detached_storage: Vec::new(),
    };
    let mut containers: BTreeMap<UnitName, Vec<(UnitName, Life)>> = BTreeMap::new();
    for row in tx.db.all(SUBORDINATES, params![model]).await? {
        let units = containers.entry(row.principal).or_default();
        units.push((row.unit, row.life));
    }
    if containers.is_empty() {
        return Ok(removal);
    }
    let ties = ties(&mut tx.db, model).await?;
    let mut going = Vec::new();
    for (principal, units) in containers {
        let within: BTreeSet<ApplicationName> =
            units.iter().map(|(unit, _)| unit.application()).collect();
        let held = supported(&principal.application(), &ties, &within);
        for (unit, life) in units {
            if !held.contains(&unit.application()) && (life.is_alive() || force) {
                going.push(unit);
            }
        }
    }
    let of = Departing {
        units: &going,
        application: None,
        destroy: destroy_storage,
    };
    storage::departing(tx, model, of, &mut removal).await?;
    for unit in &going {
        unit::removal::destroy_unit(tx, model, unit, force).await?;
    }
    removal.units = going;
    Ok(removal)
}
