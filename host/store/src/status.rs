//! Statuses: the current one of each entity, and a line of history with every change.

use std::fmt::Display;
use std::str::FromStr;

use periapt_model::status::{Agent, Machine, Status, Workload, derive_application};
use periapt_model::{ApplicationName, MachineId, ModelUuid, UnitName};

use crate::changes::namespace;
use crate::db::{Row, Session, params, to_json};
use crate::error::StoreError;
use crate::tx::Tx;
use crate::{Result, Store, lease};

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
                require_unit(&mut tx.db, &model, &unit).await?;
                put_agent(tx, &model, &unit, &status).await
            })
        })
        .await
    }

    /// The same, as the uniter says it.
    pub async fn set_unit_agent_status(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        status: Status<Agent>,
    ) -> Result<()> {
        self.set_agent_status(model, unit, status).await
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
                require_unit(&mut tx.db, &model, &unit).await?;
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
                require_unit(&mut tx.db, &model, &unit).await?;
                put_workload(tx, &model, &unit, &workload).await?;
                put_agent(tx, &model, &unit, &agent).await
            })
        })
        .await
    }

    /// What the leader says of its application; [`StoreError::LeaseLost`] unless the unit leads
    /// at the moment of the commit.
    pub async fn set_application_status(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        status: Status<Workload>,
    ) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                require_unit(&mut tx.db, &model, &unit).await?;
                lease::rows::require_leader(tx, &model, &unit).await?;
                put_application(tx, &model, &unit.application(), &status).await
            })
        })
        .await
    }

    /// Something the controller found wrong with an application, as a charm that does not
    /// compile.
    pub async fn set_application_error(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        message: &str,
    ) -> Result<()> {
        let (model, application) = (model.clone(), application.clone());
        let status = Status::new(Workload::Error, message);
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "SELECT 1 FROM application WHERE model_uuid = $1 AND name = $2";
                let found = tx
                    .db
                    .fetch_optional(sql, params![&model, &application])
                    .await?;
                if found.is_none() {
                    return Err(StoreError::not_found("application", &application));
                }
                put_application(tx, &model, &application, &status).await
            })
        })
        .await
    }
}

pub(crate) async fn require_unit(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<()> {
    let sql = "SELECT 1 FROM unit WHERE model_uuid = $1 AND name = $2";
    match db.fetch_optional(sql, params![model, unit]).await? {
        Some(_) => Ok(()),
        None => Err(StoreError::not_found("unit", unit)),
    }
}

/// A failed hook is also a line of the workload's history, because it is shown as the
/// workload's status.
pub(crate) async fn put_agent(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    status: &Status<Agent>,
) -> Result<()> {
    if put(tx, model, kind::AGENT, unit.as_str(), status).await? {
        if status.status == Agent::Error {
            record(
                tx,
                model,
                kind::WORKLOAD,
                unit.as_str(),
                "error",
                &status.message,
            )
            .await?;
        }
        tx.touch(model, namespace::UNIT_STATUS, unit.as_str());
    }
    Ok(())
}

pub(crate) async fn put_workload(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    status: &Status<Workload>,
) -> Result<()> {
    if put(tx, model, kind::WORKLOAD, unit.as_str(), status).await? {
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
    if put(tx, model, kind::APPLICATION, application.as_str(), status).await? {
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
    if put(tx, model, kind, machine.as_str(), status).await? {
        tx.touch(model, namespace::MACHINE_STATUS, machine.as_str());
    }
    Ok(())
}

/// Stores a status, with a line of history. The same word, text and data again change nothing;
/// false then.
pub(crate) async fn put<W: Display>(
    tx: &mut Tx,
    model: &ModelUuid,
    kind: &'static str,
    entity: &str,
    status: &Status<W>,
) -> Result<bool> {
    let (word, data) = (status.status.to_string(), to_json(&status.data)?);
    let sql = "INSERT INTO status (model_uuid, kind, entity, status, message, data, since)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (model_uuid, kind, entity) DO UPDATE
        SET status = excluded.status, message = excluded.message, data = excluded.data, since = excluded.since
        WHERE status.status <> excluded.status OR status.message <> excluded.message OR status.data <> excluded.data";
    let now = tx.now;
    let touched = tx
        .db
        .execute(
            sql,
            params![model, kind, entity, &word, &status.message, data, now],
        )
        .await?;
    if touched > 0 {
        record(tx, model, kind, entity, &word, &status.message).await?;
    }
    Ok(touched > 0)
}

/// Appends a line to the status history.
async fn record(
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
    tx.db.execute(sql, row).await.map(|_| ())
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
    let size = HISTORY_ROW_BYTES + entity.len() + word.len() + message.len();
    let (id, now) = (tx.next_id(), tx.now);
    params![id, model, kind, entity, word, message, now, size as u64]
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
    tx.db.insert_many(HISTORY_HEAD, "", history).await
}

/// Forgets an entity's status and history of one kind.
pub(crate) async fn forget(
    tx: &mut Tx,
    model: &ModelUuid,
    kind: &'static str,
    entity: &str,
) -> Result<()> {
    let status = "DELETE FROM status WHERE model_uuid = $1 AND kind = $2 AND entity = $3";
    tx.db.execute(status, params![model, kind, entity]).await?;
    let history = "DELETE FROM status_history WHERE model_uuid = $1 AND kind = $2 AND entity = $3";
    tx.db
        .execute(history, params![model, kind, entity])
        .await
        .map(|_| ())
}

/// The status in the columns `status, message, data, since` from `index` on.
pub(crate) fn read<W>(row: &Row, index: usize) -> Result<Status<W>>
where
    W: FromStr,
    W::Err: Display,
{
    Ok(Status {
        status: row.parse(index, "status")?,
        message: row.text(index + 1)?,
        data: match row.str(index + 2)? {
            "{}" => serde_json::Map::new(),
            _ => row.json(index + 2, "status data")?,
        },
        since: row.int(index + 3)?,
    })
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
    let sql = "SELECT status, message, data, since FROM status
        WHERE model_uuid = $1 AND kind = $2 AND entity = $3";
    let row = db.fetch_optional(sql, params![model, kind, entity]).await?;
    row.map(|row| read(&row, 0)).transpose()
}

/// An application's status: what its leader set, else the worst of its units. The units are
/// summed up by the database, one row per word.
pub(crate) async fn of_application(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<Status<Workload>> {
    if let Some(status) = find(db, model, kind::APPLICATION, application.as_str()).await? {
        return Ok(status);
    }
    let sql = "SELECT status.status, '', '{}', MIN(status.since) FROM unit
        JOIN status ON status.model_uuid = unit.model_uuid AND status.kind = 'workload' AND status.entity = unit.name
        WHERE unit.model_uuid = $1 AND unit.application = $2 GROUP BY status.status";
    let rows = db.fetch(sql, params![model, application]).await?;
    let words: Vec<Status<Workload>> =
        rows.iter().map(|row| read(row, 0)).collect::<Result<_>>()?;
    let mut worst = derive_application(words);
    if worst.since > 0 {
        let sql = "SELECT status.message FROM unit
            JOIN status ON status.model_uuid = unit.model_uuid AND status.kind = 'workload' AND status.entity = unit.name
            WHERE unit.model_uuid = $1 AND unit.application = $2 AND status.status = $3 AND status.since = $4
            ORDER BY unit.number LIMIT 1";
        let params = params![model, application, worst.status.as_str(), worst.since];
        if let Some(row) = db.fetch_optional(sql, params).await? {
            worst.message = row.text(0)?;
        }
    }
    Ok(worst)
}

/// How a unit's statuses are shown. A failed hook shows as the workload's error while the agent
/// counts as idle; an absent agent shows as lost. Both as Juju does.
pub(crate) fn shown(
    unit: &UnitName,
    workload: Status<Workload>,
    agent: Status<Agent>,
    present: bool,
) -> (Status<Workload>, Status<Agent>) {
    let failed = agent.status == Agent::Error;
    let (mut workload, mut agent) = if failed {
        let error = Status {
            status: Workload::Error,
            message: agent.message.clone(),
            data: agent.data.clone(),
            since: agent.since,
        };
        (
            error,
            Status {
                since: agent.since,
                ..Status::new(Agent::Idle, "")
            },
        )
    } else {
        (workload, agent)
    };
    if !present && agent.status != Agent::Allocating {
        if !matches!(workload.status, Workload::Error | Workload::Terminated) {
            let message = format!("agent lost, see: periapt show-status-log {unit}");
            workload = Status {
                since: workload.since,
                ..Status::new(Workload::Unknown, message)
            };
        }
        let message = "agent is not communicating with the server";
        agent = Status {
            since: agent.since,
            ..Status::new(Agent::Lost, message)
        };
    }
    (workload, agent)
}

/// How the status of a machine's agent is shown: an absent one is down, as in Juju.
pub(crate) fn shown_machine(agent: Status<Machine>, present: bool) -> Status<Machine> {
    if present || agent.status == Machine::Pending {
        return agent;
    }
    let message = "agent is not communicating with the server";
    Status {
        since: agent.since,
        ..Status::new(Machine::Down, message)
    }
}
