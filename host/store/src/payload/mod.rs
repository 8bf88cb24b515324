//! Payloads of units: what charms say that they run by themselves. They go with their units.
//!
//! Only the commit of a hook writes them (`hook/payloads.rs`); here they are read.

use periapt_contract::payloads::{Payload, PayloadStatus};
use periapt_model::{MachineId, ModelUuid, UnitName};
use periapt_wire::rest::{Page, PayloadInfo, PayloadQuery, UnitPayloads};

use crate::db::{Cells, Session, columns, json, optional_word, params, word};
use crate::page::Paging;
use crate::tables::{Table, tables};
use crate::{DatabaseError, Result, Store, require_model, unit};

#[cfg(test)]
mod tests;

pub(crate) const TABLES: &[Table] = tables! {
    "payload", Unit "unit = $2";
};

columns! {
    struct Row {
        unit: UnitName = "payload.unit" as word,
        machine: Option<MachineId> = "unit.machine_id" as optional_word,
        class: String = "payload.class",
        id: String = "payload.id",
        kind: String = "payload.type",
        status: PayloadStatus = "payload.status" as status,
        labels: Vec<String> = "payload.labels" as json,
    }
    const OF_UNIT = "FROM payload
        JOIN unit ON unit.model_uuid = payload.model_uuid AND unit.name = payload.unit
        WHERE payload.model_uuid = $1 AND payload.unit = $2 ORDER BY payload.class, payload.id";
    /// Of so many units after one.
    const OF_MODEL = "FROM payload
        JOIN unit ON unit.model_uuid = payload.model_uuid AND unit.name = payload.unit
        WHERE payload.model_uuid = $1 AND payload.unit IN (
            SELECT DISTINCT unit FROM payload WHERE model_uuid = $1 AND unit > $2
            ORDER BY unit LIMIT $3)
        ORDER BY payload.unit, payload.class, payload.id";
}

fn status(cells: &mut Cells<'_>) -> std::result::Result<PayloadStatus, DatabaseError> {
    match cells.str()? {
        "starting" => Ok(PayloadStatus::Starting),
        "running" => Ok(PayloadStatus::Running),
        "stopping" => Ok(PayloadStatus::Stopping),
        "stopped" => Ok(PayloadStatus::Stopped),
        other => Err(cells.unfit(other)),
    }
}

impl Store {
    /// The payloads of one unit, or a page of the units that have some, by name.
    pub async fn payloads(
        &self,
        model: &ModelUuid,
        query: &PayloadQuery,
    ) -> Result<Page<UnitPayloads>> {
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        if let Some(name) = &query.unit {
            let name: &UnitName = &name.parse()?;
            unit::require(&mut db, model, name).await?;
            let rows = db.all(OF_UNIT, params![model, name]).await?;
            let items = by_unit(rows);
            return Ok(Page { items, next: None });
        }
        let paging = Paging::of(query.limit)?;
        let after = query.after.as_deref().unwrap_or_default();
        let rows = db
            .all(OF_MODEL, params![model, after, paging.rows()])
            .await?;
        let items = by_unit(rows);
        Ok(paging.page(items, |last| last.unit.to_string()))
    }
}

fn by_unit(rows: Vec<Row>) -> Vec<UnitPayloads> {
    let mut units: Vec<UnitPayloads> = Vec::new();
    for row in rows {
        let payload = PayloadInfo {
            class: row.class,
            id: row.id,
            kind: row.kind,
            status: row.status.to_string(),
            labels: row.labels,
        };
        match units.last_mut() {
            Some(last) if last.unit == row.unit => last.payloads.push(payload),
            _ => units.push(UnitPayloads {
                unit: row.unit,
                machine: row.machine,
                payloads: vec![payload],
            }),
        }
    }
    units
}

/// What the unit's next hook finds registered.
pub(crate) async fn of_unit(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<Vec<Payload>> {
    let rows = db.all(OF_UNIT, params![model, unit]).await?;
    let payload = |row: Row| Payload {
        class: row.class,
        id: row.id,
        kind: row.kind,
        status: row.status,
        labels: row.labels,
    };
    Ok(rows.into_iter().map(payload).collect())
}
