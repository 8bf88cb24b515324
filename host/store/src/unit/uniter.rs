//! What the uniter reads: what the controller says of the unit, with what a hook sees of it, and
//! what is stored between hooks.

use std::collections::BTreeMap;

use periapt_model::bounds::TEXT_BYTES;
use periapt_model::config::{Schema, Values};
use periapt_model::status::{Status, Workload};
use periapt_model::uniter::{RemoteState, Resolved};
use periapt_model::{AgentName, ModelUuid, UnitName};
use periapt_wire::agent::uniter::{HookView, Told, UnitState};

use crate::changes::namespace;
use crate::db::{Row, Session, params};
use crate::error::StoreError;
use crate::{Result, Store, application, relation, status};

impl Store {
    /// What the controller says of a unit; none when it is gone. Of one without relations whose
    /// configuration the caller has, by its digest, in one statement.
    pub async fn unit_told(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        config_hash: Option<&str>,
    ) -> Result<Option<Told>> {
        let mut db = self.glance().await?;
        let Some(row) = db.fetch_optional(TOLD, params![model, unit]).await? else {
            return Ok(None);
        };
        let known = config_hash == Some(row.str(CONFIG_HASH)?);
        if known && row.count(RELATIONS)? == 0 {
            return told(&mut db, model, unit, &row, config_hash)
                .await
                .map(Some);
        }
        drop(db);
        let mut db = self.snapshot().await?;
        match db.fetch_optional(TOLD, params![model, unit]).await? {
            Some(row) => told(&mut db, model, unit, &row, config_hash)
                .await
                .map(Some),
            None => Ok(None),
        }
    }

    /// Which agent hosts the unit: none of a unit that is gone, nobody while it has no machine.
    pub async fn unit_agent(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
    ) -> Result<Option<Option<AgentName>>> {
        let sql = "SELECT machine.agent FROM unit LEFT JOIN machine
                ON machine.model_uuid = unit.model_uuid AND machine.id = unit.machine_id
            WHERE unit.model_uuid = $1 AND unit.name = $2";
        let row = self
            .glance()
            .await?
            .fetch_optional(sql, params![model, unit])
            .await?;
        row.map(|row| Ok(row.parse_optional(0, "agent")?))
            .transpose()
    }

    /// What is stored about a unit between hooks.
    pub async fn get_state(&self, model: &ModelUuid, unit: &UnitName) -> Result<UnitState> {
        let mut db = self.snapshot().await?;
        let sql = "SELECT unit.opened_ports, unit_state.operation, COALESCE(unit_state.seq, 0) FROM unit
            LEFT JOIN unit_state ON unit_state.model_uuid = unit.model_uuid AND unit_state.unit = unit.name
            WHERE unit.model_uuid = $1 AND unit.name = $2";
        let row = db.fetch_optional(sql, params![model, unit]).await?;
        let row = row.ok_or_else(|| StoreError::not_found("unit", unit))?;
        let charm_state = charm_state(&mut db, model, unit).await?;
        let agent = status::find(&mut db, model, status::kind::AGENT, unit.as_str()).await?;
        Ok(UnitState {
            operation: match row.optional_str(1)? {
                Some(_) => Some(row.json(1, "operation state")?),
                None => None,
            },
            sequence: row.count(2)?,
            charm_state,
            opened_ports: row.json(0, "opened ports")?,
            agent,
        })
    }

    /// The status of a unit's application: what its leader set, else the worst of its units.
    pub async fn get_application_status(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
    ) -> Result<Status<Workload>> {
        let mut db = self.snapshot().await?;
        require(&mut db, model, unit).await?;
        Ok(application::find(&mut db, model, &unit.application())
            .await?
            .status)
    }

    /// The version of what the charm runs, for the unit and, as the last one heard, for its
    /// application.
    pub async fn set_workload_version(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        version: &str,
    ) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        let version = TEXT_BYTES.cut(version).into_owned();
        self.write(move |tx| {
            Box::pin(async move {
                require(&mut tx.db, &model, &unit).await?;
                let sql = "UPDATE unit SET workload_version = $3
                    WHERE model_uuid = $1 AND name = $2 AND workload_version <> $3";
                if tx.db.execute(sql, params![&model, &unit, &version]).await? > 0 {
                    tx.touch(&model, namespace::UNIT_STATUS, unit.as_str());
                }
                let application = unit.application();
                let sql = "UPDATE application SET workload_version = $3
                    WHERE model_uuid = $1 AND name = $2 AND workload_version <> $3";
                if tx
                    .db
                    .execute(sql, params![&model, &application, &version])
                    .await?
                    > 0
                {
                    tx.touch(&model, namespace::APPLICATION_STATUS, application.as_str());
                }
                Ok(())
            })
        })
        .await
    }
}

async fn require(db: &mut Session, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let sql = "SELECT COUNT(*) FROM unit WHERE model_uuid = $1 AND name = $2";
    match db.count(sql, params![model, unit]).await? {
        0 => Err(StoreError::not_found("unit", unit)),
        _ => Ok(()),
    }
}

async fn charm_state(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<BTreeMap<String, String>> {
    let sql = "SELECT key, value FROM charm_state WHERE model_uuid = $1 AND unit = $2 ORDER BY key";
    let mut charm_state = BTreeMap::new();
    for pair in db.fetch(sql, params![model, unit]).await? {
        charm_state.insert(pair.text(0)?, pair.text(1)?);
    }
    Ok(charm_state)
}

/// Of a charm, what its configuration is made with; the rest is not even parsed.
#[derive(serde::Deserialize)]
struct OnlyConfig {
    config: Schema,
}

/// What [`told`] reads.
pub(crate) const TOLD: &str = "SELECT unit.life, unit.resolved, application.charm_url,
        application.charm_modified_version, application.force_charm, application.config_hash,
        COALESCE((SELECT version FROM leader_settings WHERE leader_settings.model_uuid = unit.model_uuid
            AND leader_settings.application = unit.application), 0),
        (SELECT COUNT(*) FROM relation_endpoint WHERE relation_endpoint.model_uuid = unit.model_uuid
            AND relation_endpoint.application = unit.application),
        unit.principal, unit.machine_id, unit.opened_ports, COALESCE(machine.addresses, '[]'),
        unit.workload_version, application.workload_version,
        status.status, status.message, status.data, status.since,
        led.status, led.message, led.data, led.since
    FROM unit
    JOIN application ON application.model_uuid = unit.model_uuid AND application.name = unit.application
    LEFT JOIN machine ON machine.model_uuid = unit.model_uuid AND machine.id = unit.machine_id
    LEFT JOIN status ON status.model_uuid = unit.model_uuid AND status.kind = 'workload'
        AND status.entity = unit.name
    LEFT JOIN status AS led ON led.model_uuid = unit.model_uuid AND led.kind = 'application'
        AND led.entity = unit.application
    WHERE unit.model_uuid = $1 AND unit.name = $2";

/// Columns of it.
const CONFIG_HASH: usize = 5;
const RELATIONS: usize = 7;
const PRINCIPAL: usize = 8;
pub(crate) const MACHINE: usize = 9;
pub(crate) const OPENED_PORTS: usize = 10;
const ADDRESSES: usize = 11;
const VERSION: usize = 12;
const APPLICATION_VERSION: usize = 13;
const WORKLOAD: usize = 14;
const APPLICATION: usize = 18;

/// What the controller says of the unit in a row of [`TOLD`], as it is for this session now; with
/// the configuration unless the caller has it.
pub(crate) async fn told(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
    row: &Row,
    config_hash: Option<&str>,
) -> Result<Told> {
    let mut remote = read_remote(row)?;
    if row.count(RELATIONS)? > 0 {
        let principal: Option<UnitName> = row.parse_optional(PRINCIPAL, "unit name")?;
        remote.relations = relation::of_unit(db, model, unit, principal.as_ref()).await?;
    }
    let config = match config_hash == Some(&remote.config_hash) {
        true => None,
        false => Some(effective_config(db, model, unit).await?),
    };
    let addresses: Vec<String> = row.json(ADDRESSES, "addresses")?;
    let address = addresses.into_iter().next();
    let version = row.str(VERSION)?;
    let view = HookView {
        machine: row.parse_optional(MACHINE, "machine")?,
        principal: row.parse_optional(PRINCIPAL, "unit name")?,
        private_address: address.clone(),
        public_address: address,
        workload: status::read_optional(row, WORKLOAD)?
            .unwrap_or_else(|| Status::new(Workload::Unknown, "")),
        application: status::read_optional(row, APPLICATION)?,
        workload_version: (version == row.str(APPLICATION_VERSION)?).then(|| version.to_owned()),
    };
    Ok(Told {
        remote,
        view,
        config,
    })
}

async fn effective_config(db: &mut Session, model: &ModelUuid, unit: &UnitName) -> Result<Values> {
    let sql = "SELECT application.settings, charm.info FROM application
        JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
        WHERE application.model_uuid = $1 AND application.name = $2";
    let application = unit.application();
    let row = db.fetch_optional(sql, params![model, &application]).await?;
    let row = row.ok_or_else(|| StoreError::not_found("application", &application))?;
    let charm: OnlyConfig = row.json(1, "charm")?;
    let settings: Values = row.json(0, "settings")?;
    Ok(charm.config.effective(&settings))
}

/// The remote state, but for relations.
fn read_remote(row: &Row) -> Result<RemoteState> {
    Ok(RemoteState {
        life: row.parse(0, "life")?,
        resolved: read_resolved(row.str(1)?)?,
        charm_url: row.text(2)?,
        charm_modified_version: row.count(3)?,
        force_charm_upgrade: row.flag(4)?,
        config_hash: row.text(CONFIG_HASH)?,
        relations: BTreeMap::new(),
        leader_settings_version: row.count(6)?,
        leader: false,
        retry_hook_version: 0,
        update_status_version: 0,
    })
}

pub(crate) fn read_resolved(text: &str) -> Result<Resolved> {
    match text {
        "none" => Ok(Resolved::None),
        "retry-hooks" => Ok(Resolved::RetryHooks),
        "no-hooks" => Ok(Resolved::NoHooks),
        other => Err(StoreError::corrupt("resolved mode", other)),
    }
}
