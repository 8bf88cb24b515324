//! Applications as listed.

use std::collections::HashMap;

use periapt_model::status::{Status, Workload, derive_application};
use periapt_model::{ApplicationName, Life, ModelUuid, UnitName};
use periapt_wire::rest::ApplicationInfo;

use crate::db::{Row, Session, params};
use crate::error::StoreError;
use crate::waiting::HeldBy;
use crate::{Result, Store, status};

impl Store {
    /// All applications of a model, by name.
    pub async fn applications(&self, model: &ModelUuid) -> Result<Vec<ApplicationInfo>> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        load(&mut db, model, None).await
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
    let found = load(db, model, Some(application)).await?;
    found
        .into_iter()
        .next()
        .ok_or_else(|| StoreError::not_found("application", application))
}

/// Fails unless the application is there and alive; the URL of its charm.
pub(crate) async fn require_alive(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<String> {
    let sql = "SELECT life, charm_url FROM application WHERE model_uuid = $1 AND name = $2";
    let row = db
        .fetch_optional(sql, params![model, application])
        .await?
        .ok_or_else(|| StoreError::not_found("application", application))?;
    match row.parse(0, "life")? {
        Life::Alive => row.text(1),
        life => Err(StoreError::NotAlive {
            kind: "application",
            name: application.to_string(),
            life,
        }),
    }
}

async fn load(
    db: &mut Session,
    model: &ModelUuid,
    only: Option<&ApplicationName>,
) -> Result<Vec<ApplicationInfo>> {
    let only = only.map_or("", ApplicationName::as_str);
    let sql = "SELECT unit.application, unit.name, status.status, status.message, status.data, status.since FROM unit
        LEFT JOIN status ON status.model_uuid = unit.model_uuid AND status.kind = 'workload'
            AND status.entity = unit.name
        WHERE unit.model_uuid = $1 AND ($2 = '' OR unit.application = $2)
        ORDER BY unit.application, unit.number";
    let mut units = HashMap::new();
    for row in db.fetch(sql, params![model, only]).await? {
        note_unit(&row, &mut units)?;
    }
    let sql = "SELECT application.name, application.charm_url, charm.name, charm.revision, application.life,
            application.exposed, application.workload_version, application.subordinate,
            status.status, status.message, status.data, status.since
        FROM application
        JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
        LEFT JOIN status ON status.model_uuid = application.model_uuid AND status.kind = 'application'
            AND status.entity = application.name
        WHERE application.model_uuid = $1 AND ($2 = '' OR application.name = $2)
        ORDER BY application.name";
    let rows = db.fetch(sql, params![model, only]).await?;
    let mut held_by = HeldBy::default();
    if any_goes(&rows)? {
        held_by.load(db, model).await?;
    }
    rows.iter()
        .map(|row| read(row, &mut units, &mut held_by))
        .collect()
}

/// Units with what they say, by application.
pub(crate) type UnitsOf = HashMap<String, (Vec<UnitName>, Vec<Status<Workload>>)>;

/// Takes note of a unit from the columns application, name and its workload's status.
pub(crate) fn note_unit(row: &Row, units: &mut UnitsOf) -> Result<()> {
    let (names, statuses) = units.entry(row.text(0)?).or_default();
    names.push(row.parse(1, "unit name")?);
    if row.optional_text(2)?.is_some() {
        statuses.push(status::read(row, 2)?);
    }
    Ok(())
}

/// Whether one of the applications, with their life in the fifth column, is not alive.
pub(crate) fn any_goes(rows: &[Row]) -> Result<bool> {
    for row in rows {
        if !row.parse::<Life>(4, "life")?.is_alive() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// An application as shown; `held_by` has what those which go wait for.
pub(crate) fn read(
    row: &Row,
    units: &mut UnitsOf,
    held_by: &mut HeldBy,
) -> Result<ApplicationInfo> {
    let (names, statuses) = units.remove(row.str(0)?).unwrap_or_default();
    let life: Life = row.parse(4, "life")?;
    let waiting_for = match life {
        Life::Alive => Vec::new(),
        Life::Dying | Life::Dead => held_by.take(row.str(0)?, &names),
    };
    Ok(ApplicationInfo {
        name: row.parse(0, "application name")?,
        charm: row.text(1)?,
        charm_name: row.text(2)?,
        charm_revision: row.count(3)?,
        life,
        exposed: row.flag(5)?,
        workload_version: row.text(6)?,
        status: match row.optional_text(8)? {
            Some(_) => status::read(row, 8)?,
            None => derive_application(statuses),
        },
        units: names,
        subordinate: row.flag(7)?,
        waiting_for,
    })
}
