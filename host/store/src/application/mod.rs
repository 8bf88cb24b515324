//! Applications: as shown, in one reading for single ones, lists and the feed; and in `deploy`, `config`,
//! `assignments` and `removal` what happens to them.

use std::collections::{HashMap, HashSet};

use periapt_model::bounds::TEXT_BYTES;
use periapt_model::status::{Agent, ApplicationParts, Status, Workload};
use periapt_model::{ApplicationName, Life, ModelUuid, UnitName};
use periapt_wire::rest::ApplicationInfo;

use crate::changes::namespace;
use crate::db::{Row, Session, Tx, Which, columns, of_which, optional_json, params, to_json, word};
use crate::error::StoreError;
use crate::tables::{Table, tables};
use crate::waiting::HeldBy;
use crate::{Result, Store, status};

mod assignments;
pub(crate) mod config;
mod deploy;
pub(crate) mod removal;

pub(crate) const TABLES: &[Table] = tables! {
    "application", Application "name = $2";
};

impl Store {
    /// Model and name of every application, to tell whose figures are still wanted.
    pub async fn application_names(&self) -> Result<HashSet<(String, String)>> {
        let rows = self
            .glance()
            .await?
            .fetch("SELECT model_uuid, name FROM application", vec![])
            .await?;
        rows.iter()
            .map(|row| Ok((row.text(0)?, row.text(1)?)))
            .collect()
    }

    /// All applications of a model, by name.
    pub async fn applications(&self, model: &ModelUuid) -> Result<Vec<ApplicationInfo>> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        load(&mut db, model, Which::All).await
    }

    /// One application.
    pub async fn application(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
    ) -> Result<ApplicationInfo> {
        find(&mut self.snapshot().await?, model, application).await
    }
}

/// One application as shown.
pub(crate) async fn find(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<ApplicationInfo> {
    let found = load(db, model, Which::Named(&[application.to_string()])).await?;
    found
        .into_iter()
        .next()
        .ok_or_else(|| StoreError::not_found("application", application))
}

columns! {
    struct Standing {
        life: Life = "life" as word,
        charm: String = "charm_url",
    }
    const STANDING = "FROM application WHERE model_uuid = $1 AND name = $2";
}

/// Fails unless the application is there and alive; the URL of its charm.
pub(crate) async fn require_alive(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<String> {
    let found = db.one(STANDING, params![model, application]).await?;
    let found = found.ok_or_else(|| StoreError::not_found("application", application))?;
    match found.life {
        Life::Alive => Ok(found.charm),
        life => Err(StoreError::NotAlive {
            kind: "application",
            name: application.to_string(),
            life,
        }),
    }
}

/// Applications as shown, by name; of the named those that there are.
pub(crate) async fn load(
    db: &mut Session,
    model: &ModelUuid,
    which: Which<'_>,
) -> Result<Vec<ApplicationInfo>> {
    let mut units = UnitsOf::new();
    // Of agents only those matter that failed.
    let sql = of_which!(
        "SELECT unit.application, unit.name, workload.status, workload.message, workload.data, workload.since,
                agent.status, agent.message, agent.data, agent.since
            FROM unit
            LEFT JOIN status AS workload ON workload.model_uuid = unit.model_uuid
                AND workload.kind = 'workload' AND workload.entity = unit.name
            LEFT JOIN status AS agent ON agent.model_uuid = unit.model_uuid
                AND agent.kind = 'juju-unit' AND agent.entity = unit.name AND agent.status = 'error'
            WHERE unit.model_uuid = $1",
        "unit.application",
        "ORDER BY unit.application, unit.number"
    );
    for row in which.fetch(db, model, sql).await? {
        let (names, said) = units.entry(row.text(0)?).or_default();
        names.push(row.parse(1, "unit name")?);
        if let Some(workload) = status::read_optional(&row, 2)? {
            let agent = status::read_optional(&row, 6)?;
            said.push((
                workload,
                agent.unwrap_or_else(|| Status::new(Agent::Idle, "")),
            ));
        }
    }
    let sql = of_which!(
        "SELECT application.name, application.charm_url, charm.name, charm.revision, application.life,
                application.exposed, application.workload_version, application.subordinate,
                status.status, status.message, status.data, status.since, application.trouble
            FROM application
            JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
            LEFT JOIN status ON status.model_uuid = application.model_uuid AND status.kind = 'application'
                AND status.entity = application.name
            WHERE application.model_uuid = $1",
        "application.name",
        "ORDER BY application.name"
    );
    let rows = which.fetch(db, model, sql).await?;
    let mut held_by = HeldBy::default();
    for row in &rows {
        if !row.parse::<Life>(4, "life")?.is_alive() {
            held_by.load(db, model).await?;
            break;
        }
    }
    rows.iter()
        .map(|row| read(row, &mut units, &mut held_by))
        .collect()
}

/// Units with what they and their agents say, by application.
type UnitsOf = HashMap<String, (Vec<UnitName>, Vec<(Status<Workload>, Status<Agent>)>)>;

/// An application as shown; `held_by` has what those which go wait for.
fn read(row: &Row, units: &mut UnitsOf, held_by: &mut HeldBy) -> Result<ApplicationInfo> {
    let (names, said) = units.remove(row.str(0)?).unwrap_or_default();
    let life: Life = row.parse(4, "life")?;
    let waiting_for = match life {
        Life::Alive => Vec::new(),
        Life::Dying | Life::Dead => held_by.take(row.str(0)?, &names),
    };
    let parts = ApplicationParts {
        trouble: trouble(row, 12)?,
        set: status::read_optional(row, 8)?,
        units: said,
    };
    Ok(ApplicationInfo {
        name: row.parse(0, "application name")?,
        charm: row.text(1)?,
        charm_name: row.text(2)?,
        charm_revision: row.count(3)?,
        life,
        exposed: row.flag(5)?,
        workload_version: row.text(6)?,
        status: parts.status(),
        units: names,
        subordinate: row.flag(7)?,
        waiting_for,
    })
}

/// What the controller cannot do for an application, from its column.
pub(crate) fn trouble(row: &Row, index: usize) -> Result<Option<Status<Workload>>> {
    Ok(match row.optional_str(index)? {
        Some(_) => Some(row.json(index, "trouble of an application")?),
        None => None,
    })
}

columns! {
    /// How an application's charm is prepared.
    struct Preparing {
        trouble: Option<Status<Workload>> = "application.trouble" as optional_json,
        compiled: u64 = "(SELECT COUNT(*) FROM compiled_charm
            WHERE compiled_charm.charm_sha256 = charm.sha256 AND compiled_charm.engine_hash = $3)",
    }
    const PREPARING = "FROM application JOIN charm ON charm.model_uuid = application.model_uuid
            AND charm.url = application.charm_url
        WHERE application.model_uuid = $1 AND application.name = $2";
}

columns! {
    /// An application that wants a charm.
    struct Wanting {
        model: ModelUuid = "application.model_uuid" as word,
        application: ApplicationName = "application.name" as word,
    }
    const WANTING = "FROM application
        JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
        WHERE charm.sha256 = $1 AND application.trouble IS NOT NULL";
}

impl Store {
    /// Records that the controller cannot prepare an application's charm for this engine; it is
    /// shown as the application's error until it can, see [`prepared`]. Nothing is recorded when
    /// it can by now, as another process may have found out.
    pub async fn set_charm_trouble(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        engine_hash: &str,
        message: &str,
    ) -> Result<()> {
        let (model, application) = (model.clone(), application.clone());
        let engine = engine_hash.to_owned();
        let message = TEXT_BYTES.cut(message).into_owned();
        self.write(move |tx| {
            Box::pin(async move {
                let key = params![&model, &application, engine];
                let found = tx.db.one(PREPARING, key).await?;
                let found =
                    found.ok_or_else(|| StoreError::not_found("application", &application))?;
                let known = found.trouble.is_some_and(|known| known.message == message);
                if known || found.compiled > 0 {
                    return Ok(());
                }
                let error = Status {
                    since: tx.now,
                    ..Status::new(Workload::Error, message)
                };
                put_trouble(tx, &model, &application, Some(&error)).await
            })
        })
        .await
    }
}

/// Takes away what stood against the applications that want a charm with this digest.
pub(crate) async fn prepared(tx: &mut Tx, charm_sha256: &str) -> Result<()> {
    for wanting in tx.db.all(WANTING, params![charm_sha256]).await? {
        put_trouble(tx, &wanting.model, &wanting.application, None).await?;
    }
    Ok(())
}

/// Puts an error in the place of the last one, or takes that away.
pub(crate) async fn put_trouble(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    error: Option<&Status<Workload>>,
) -> Result<()> {
    let sql = "UPDATE application SET trouble = $3 WHERE model_uuid = $1 AND name = $2
        AND COALESCE(trouble, $3) IS NOT NULL";
    let json = error.map(to_json).transpose()?;
    let changed = tx
        .db
        .execute(sql, params![model, application, json])
        .await?;
    if changed == 0 {
        return Ok(());
    }
    // The history has what is shown from now on.
    let shown = find(&mut tx.db, model, application).await?.status;
    let word = shown.status.to_string();
    let whose = status::kind::APPLICATION;
    status::record(
        tx,
        model,
        whose,
        application.as_str(),
        &word,
        &shown.message,
    )
    .await?;
    tx.touch(model, namespace::APPLICATION_STATUS, application.as_str());
    Ok(())
}
