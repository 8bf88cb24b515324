//! Statuses: the current one of each entity, and a line of history with every change.

use std::fmt::Display;
use std::str::FromStr;

use periapt_model::bounds::{STATUS_LINES, TEXT_BYTES};
use periapt_model::status::{Agent, Machine, Status, Workload};
use periapt_model::{ApplicationName, MachineId, ModelUuid, UnitName};

use crate::changes::namespace;
use crate::db::{self, Cells, Session, Tx, params, to_json, word};
use crate::tables::{Table, tables};
use crate::{DatabaseError, Result, Store, lease};

#[cfg(test)]
mod tests;

pub(crate) const TABLES: &[Table] = tables! {
    "status",
        Application "kind = 'application' AND entity = $2",
        Unit "kind IN ('workload', 'juju-unit') AND entity = $2",
        Machine "kind IN ('machine', 'juju-machine') AND entity = $2";
    "status_history",
        Application "kind = 'application' AND entity = $2",
        Unit "kind IN ('workload', 'juju-unit') AND entity = $2",
        Machine "kind IN ('machine', 'juju-machine') AND entity = $2";
};

/// Whose status, by the names Juju's status log uses.
pub(crate) mod kind {
    pub const WORKLOAD: &str = "workload";
    pub const AGENT: &str = "juju-unit";
    pub const APPLICATION: &str = "application";
    pub const INSTANCE: &str = "machine";
    pub const MACHINE: &str = "juju-machine";
    pub const MODEL: &str = "model";
}

/// Rows of history cost about this beside their text.
const HISTORY_ROW_BYTES: usize = 120;

impl Store {
    /// What the unit's agent does.
    pub async fn set_agent_status(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        status: Status<Agent>,
    ) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                crate::unit::require(&mut tx.db, &model, &unit).await?;
                put_agent(tx, &model, &unit, &status).await
            })
        })
        .await
    }

    /// What the charm says of its workload.
    pub async fn set_unit_status(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        status: Status<Workload>,
    ) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                crate::unit::require(&mut tx.db, &model, &unit).await?;
                put_workload(tx, &model, &unit, &status).await
            })
        })
        .await
    }

    /// Both statuses of a unit that is being deployed.
    pub async fn set_deploy_status(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        workload: Status<Workload>,
        agent: Status<Agent>,
    ) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                crate::unit::require(&mut tx.db, &model, &unit).await?;
                put_workload(tx, &model, &unit, &workload).await?;
                put_agent(tx, &model, &unit, &agent).await
            })
        })
        .await
    }

    /// What the leader says of its application; [`LeaseLost`](crate::StoreError::LeaseLost) unless
    /// the unit leads at the moment of the commit.
    pub async fn set_application_status(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        status: Status<Workload>,
    ) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                crate::unit::require(&mut tx.db, &model, &unit).await?;
                lease::rows::require_leader(tx, &model, &unit).await?;
                put_application(tx, &model, &unit.application(), &status).await
            })
        })
        .await
    }
}

/// What the agent does. The history has what is displayed: a failed hook is the workload's error,
/// during which the agent counts as idle, and its end is a line too.
pub(crate) async fn put_agent(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    status: &Status<Agent>,
) -> Result<()> {
    let name = unit.as_str();
    let sql = "SELECT 1 FROM status WHERE model_uuid = $1 AND kind = 'juju-unit' AND entity = $2 AND status = 'error'";
    let failed = tx.db.exists(sql, params![model, name]).await?;
    let written = put_current(tx, model, kind::AGENT, name, status).await?;
    if written != Written::Nothing {
        tx.touch(model, namespace::UNIT_STATUS, name);
    }
    if written != Written::Status {
        return Ok(());
    }
    if status.status == Agent::Error {
        record(tx, model, kind::WORKLOAD, name, "error", &status.message).await?;
        if !failed {
            record(tx, model, kind::AGENT, name, Agent::Idle.as_str(), "").await?;
        }
    } else {
        if failed {
            end_of_error(tx, model, unit).await?;
        }
        let word = status.status.as_str();
        record(tx, model, kind::AGENT, name, word, &status.message).await?;
    }
    Ok(())
}

/// What the workload displays again, unless its charm said something since.
async fn end_of_error(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let sql =
        "SELECT status FROM status_history WHERE model_uuid = $1 AND kind = $2 AND entity = $3
        ORDER BY id DESC LIMIT 1";
    let newest = params![model, kind::WORKLOAD, unit];
    let newest: Option<String> = tx.db.scalar(sql, newest).await?;
    let said: Option<Status<Workload>> =
        find(&mut tx.db, model, kind::WORKLOAD, unit.as_str()).await?;
    match (newest, said) {
        (Some(newest), Some(said)) if newest == "error" => {
            let word = said.status.as_str();
            record(
                tx,
                model,
                kind::WORKLOAD,
                unit.as_str(),
                word,
                &said.message,
            )
            .await
        }
        _ => Ok(()),
    }
}

pub(crate) async fn put_workload(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    status: &Status<Workload>,
) -> Result<()> {
    let written = put_current(tx, model, kind::WORKLOAD, unit.as_str(), status).await?;
    if written == Written::Status {
        record_said(tx, model, kind::WORKLOAD, unit.as_str(), status).await?;
    }
    if written != Written::Nothing {
        tx.touch(model, namespace::UNIT_STATUS, unit.as_str());
    }
    Ok(())
}

async fn put_application(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    status: &Status<Workload>,
) -> Result<()> {
    let written = put_current(tx, model, kind::APPLICATION, application.as_str(), status).await?;
    if written == Written::Status {
        record_said(tx, model, kind::APPLICATION, application.as_str(), status).await?;
    }
    if written != Written::Nothing {
        tx.touch(model, namespace::APPLICATION_STATUS, application.as_str());
    }
    Ok(())
}

/// The status of a machine (`kind::MACHINE`) or of its instance (`kind::INSTANCE`).
pub(crate) async fn put_machine(
    tx: &mut Tx,
    model: &ModelUuid,
    kind: &'static str,
    machine: &MachineId,
    status: &Status<Machine>,
) -> Result<()> {
    if put(tx, model, kind, machine.as_str(), status).await? != Written::Nothing {
        tx.touch(model, namespace::MACHINE_STATUS, machine.as_str());
    }
    Ok(())
}

/// What storing a status changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    Nothing,
    /// The data behind the same word and text.
    Data,
    Status,
}

/// Stores a status, with a line of history. Other data alone say no new thing: the status keeps
/// its time and gets no line.
pub(crate) async fn put<W: Display>(
    tx: &mut Tx,
    model: &ModelUuid,
    kind: &'static str,
    entity: &str,
    status: &Status<W>,
) -> Result<Written> {
    let written = put_current(tx, model, kind, entity, status).await?;
    if written == Written::Status {
        let word = status.status.to_string();
        record(tx, model, kind, entity, &word, &status.message).await?;
    }
    Ok(written)
}

/// The same without the history.
async fn put_current<W: Display>(
    tx: &mut Tx,
    model: &ModelUuid,
    kind: &'static str,
    entity: &str,
    status: &Status<W>,
) -> Result<Written> {
    let (word, data) = (status.status.to_string(), to_json(&status.data)?);
    let sql = "INSERT INTO status (model_uuid, kind, entity, status, message, data, since)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (model_uuid, kind, entity) DO UPDATE
        SET status = excluded.status, message = excluded.message, data = excluded.data,
            since = CASE WHEN status.status = excluded.status AND status.message = excluded.message
                THEN status.since ELSE excluded.since END
        WHERE status.status <> excluded.status OR status.message <> excluded.message OR status.data <> excluded.data
        RETURNING since";
    let now = tx.now;
    let message = TEXT_BYTES.cut(&status.message);
    let values = params![model, kind, entity, &word, &*message, data, now];
    let since: Option<i64> = tx.db.scalar(sql, values).await?;
    Ok(match since {
        None => Written::Nothing,
        Some(since) if since == now => Written::Status,
        Some(_) => Written::Data,
    })
}

/// Time that the lines of [`STATUS_LINES`] are counted in, microseconds.
const MINUTE: i64 = 60_000_000;

/// Appends what a charm says to the status history. What it says faster than anybody reads takes
/// the place of its newest line.
async fn record_said(
    tx: &mut Tx,
    model: &ModelUuid,
    kind: &'static str,
    entity: &str,
    status: &Status<Workload>,
) -> Result<()> {
    let word = status.status.as_str();
    let sql = "SELECT time FROM status_history WHERE model_uuid = $1 AND kind = $2 AND entity = $3
        ORDER BY id DESC LIMIT 1 OFFSET $4";
    let key = params![model, kind, entity, STATUS_LINES.most - 1];
    let before: Option<i64> = tx.db.scalar(sql, key).await?;
    let crowded = before.is_some_and(|before| tx.now - before < MINUTE);
    if !crowded {
        return record(tx, model, kind, entity, word, &status.message).await;
    }
    let sql = "UPDATE status_history SET status = $4, message = $5, time = $6, size = $7
        WHERE id = (SELECT MAX(id) FROM status_history WHERE model_uuid = $1 AND kind = $2 AND entity = $3)";
    let message = TEXT_BYTES.cut(&status.message);
    let size = history_size(entity, word, &message);
    let row = params![model, kind, entity, word, &*message, tx.now, size];
    tx.db.execute(sql, row).await?;
    Ok(())
}

/// Appends a line to the status history.
pub(crate) async fn record(
    tx: &mut Tx,
    model: &ModelUuid,
    kind: &'static str,
    entity: &str,
    word: &str,
    message: &str,
) -> Result<()> {
    let row = history_row(tx, model, kind, entity, word, message);
    let sql =
        "INSERT INTO status_history (id, model_uuid, kind, entity, status, message, time, size)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    tx.db.execute(sql, row).await?;
    Ok(())
}

pub(crate) const HISTORY_HEAD: &str =
    "INSERT INTO status_history (id, model_uuid, kind, entity, status, message, time, size)";
pub(crate) const STATUS_HEAD: &str =
    "INSERT INTO status (model_uuid, kind, entity, status, message, data, since)";

pub(crate) fn history_row(
    tx: &mut Tx,
    model: &ModelUuid,
    kind: &'static str,
    entity: &str,
    word: &str,
    message: &str,
) -> Vec<crate::db::Param> {
    let (id, now) = (tx.next_id(), tx.now);
    let message = TEXT_BYTES.cut(message);
    let size = history_size(entity, word, &message);
    params![id, model, kind, entity, word, &*message, now, size]
}

/// What a line of history takes, bytes.
fn history_size(entity: &str, word: &str, message: &str) -> u64 {
    (HISTORY_ROW_BYTES + entity.len() + word.len() + message.len()) as u64
}

/// First statuses of new entities, many at once.
pub(crate) async fn put_first(
    tx: &mut Tx,
    model: &ModelUuid,
    statuses: &[(&'static str, String, &'static str, &'static str)],
) -> Result<()> {
    let mut rows = Vec::with_capacity(statuses.len());
    let mut history = Vec::with_capacity(statuses.len());
    for (kind, entity, word, message) in statuses {
        rows.push(params![model, *kind, entity, *word, *message, "{}", tx.now]);
        history.push(history_row(tx, model, kind, entity, word, message));
    }
    tx.db.insert_many(STATUS_HEAD, "", rows).await?;
    Ok(tx.db.insert_many(HISTORY_HEAD, "", history).await?)
}

/// The columns of a status, for those that read one beside other things.
macro_rules! list {
    ($table:literal) => {
        concat!(
            $table,
            ".status, ",
            $table,
            ".message, ",
            $table,
            ".data, ",
            $table,
            ".since"
        )
    };
}
pub(crate) use list;

/// The status in the columns of [`list!`].
pub(crate) fn whole<W>(cells: &mut Cells<'_>) -> std::result::Result<Status<W>, DatabaseError>
where
    W: FromStr,
    W::Err: Display,
{
    Ok(Status {
        status: word(cells)?,
        message: cells.str()?.to_owned(),
        data: match cells.str()? {
            "{}" => serde_json::Map::new(),
            data => serde_json::from_str(data).map_err(|error| cells.unfit(error))?,
        },
        since: cells.int()?,
    })
}

/// The same where there may be none.
pub(crate) fn optional<W>(
    cells: &mut Cells<'_>,
) -> std::result::Result<Option<Status<W>>, DatabaseError>
where
    W: FromStr,
    W::Err: Display,
{
    db::optional(cells, 4, whole)
}

/// One current status.
pub(crate) async fn find<W>(
    db: &mut Session,
    model: &ModelUuid,
    kind: &'static str,
    entity: &str,
) -> Result<Option<Status<W>>>
where
    W: FromStr,
    W::Err: Display,
{
    let sql = concat!(
        "SELECT ",
        list!("status"),
        " FROM status WHERE model_uuid = $1 AND kind = $2 AND entity = $3"
    );
    let row = db.fetch_optional(sql, params![model, kind, entity]).await?;
    Ok(row.map(|row| whole(&mut row.cells())).transpose()?)
}
