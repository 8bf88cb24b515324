//! Ports that a hook opened and closed.

use periapt_contract::Effect;
use periapt_contract::ports::{Changes, OpenPorts, Openings, Refused};
use periapt_model::UnitName;
use periapt_model::bounds::PORT_RANGES;

use super::effects::Committing;
use crate::Result;
use crate::changes::namespace;
use crate::db::{Tx, columns, json, params, to_json};
use crate::error::StoreError;

columns! {
    /// What another unit of the machine has open.
    struct Other {
        unit: String = "name",
        openings: Openings = "opened_ports" as json,
    }
    const OTHERS = "FROM unit
        WHERE model_uuid = $1 AND machine_id = $2 AND name <> $3 AND opened_ports <> '[]'";
}

/// Closes, then opens. A range that another unit of the machine, or this one, has opened in
/// part is refused, and so is one too many.
pub(super) async fn apply(tx: &mut Tx, of: Committing<'_>, changes: &Changes) -> Result<()> {
    if changes.changes_nothing() {
        return Ok(());
    }
    let (model, unit) = (of.model, of.unit);
    let before = &of.row.opened_ports;
    let mut others: OpenPorts<String> = OpenPorts::default();
    if let Some(machine) = &of.row.machine
        && !changes.open.is_empty()
    {
        let values = params![model, machine, unit];
        for other in tx.db.all(OTHERS, values).await? {
            others.insert_of(&other.unit, other.openings.ranges());
        }
    }
    let after = changes
        .applied(before, &others)
        .map_err(|refused| in_words(unit, refused))?;
    if after != *before {
        let sql = "UPDATE unit SET opened_ports = $3 WHERE model_uuid = $1 AND name = $2";
        tx.db
            .execute(sql, params![model, unit, to_json(&after)?])
            .await?;
        tx.touch(model, namespace::PORT, unit.as_str());
    }
    Ok(())
}

fn in_words(unit: &UnitName, refused: Refused<String>) -> StoreError {
    match refused {
        Refused::Taken { range, open, owner } => {
            let owner = owner.unwrap_or_else(|| unit.to_string());
            StoreError::Invalid {
                code: "port-conflict",
                message: format!("cannot open {range} for {unit}: {owner} has opened {open}"),
            }
        }
        Refused::TooMany { range } => StoreError::Invalid {
            code: "too-many-ports",
            message: format!(
                "cannot open {range} for {unit}: it has {} port ranges open, the most there may be",
                PORT_RANGES.most
            ),
        },
    }
}
