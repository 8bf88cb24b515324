//! What the uniter reads: the remote state, what is stored between hooks, and the snapshot a
//! hook begins with.

use std::collections::BTreeMap;

use periapt_model::bounds::TEXT_BYTES;
use periapt_model::config::{Schema, Values};
use periapt_model::hook::Limits;
use periapt_model::status::{Status, Workload};
use periapt_model::uniter::{RemoteState, Resolved};
use periapt_model::{AgentName, ModelUuid, UnitName};
use periapt_wire::agent::uniter::{HookSnapshot, UnitState};

use crate::changes::namespace;
use crate::db::{Row, Session, params};
use crate::error::StoreError;
use crate::{Result, Store, applications, relations, status};

impl Store {
    /// What the controller says of a unit; none when it is gone. Of one without relations, in one
    /// statement.
    pub async fn get_remote_state(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
    ) -> Result<Option<RemoteState>> {
        let sql = "SELECT unit.life, unit.resolved, application.charm_url, application.charm_modified_version,
                application.force_charm, application.config_hash,
                COALESCE((SELECT version FROM leader_settings WHERE leader_settings.model_uuid = unit.model_uuid
                    AND leader_settings.application = unit.application), 0),
                (SELECT COUNT(*) FROM relation_endpoint WHERE relation_endpoint.model_uuid = unit.model_uuid
                    AND relation_endpoint.application = unit.application),
                unit.principal
            FROM unit
            JOIN application ON application.model_uuid = unit.model_uuid AND application.name = unit.application
            WHERE unit.model_uuid = $1 AND unit.name = $2";
        let row = self
            .glance()
            .await?
            .fetch_optional(sql, params![model, unit])
            .await?;
        match row {
            Some(row) if row.count(RELATIONS)? == 0 => read_remote(&row).map(Some),
            None => Ok(None),
            Some(_) => {
                let mut db = self.snapshot().await?;
                let Some(row) = db.fetch_optional(sql, params![model, unit]).await? else {
                    return Ok(None);
                };
                let mut remote = read_remote(&row)?;
                read_surroundings(&mut db, model, unit, &row, &mut remote).await?;
                Ok(Some(remote))
            }
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
        let sql = "SELECT unit.opened_ports, unit_state.operation FROM unit
            LEFT JOIN unit_state ON unit_state.model_uuid = unit.model_uuid AND unit_state.unit = unit.name
            WHERE unit.model_uuid = $1 AND unit.name = $2";
        let row = db.fetch_optional(sql, params![model, unit]).await?;
        let row = row.ok_or_else(|| StoreError::not_found("unit", unit))?;
        let charm_state = charm_state(&mut db, model, unit).await?;
        let agent = status::find(&mut db, model, status::kind::AGENT, unit.as_str()).await?;
        Ok(UnitState {
            agent,
            ..state(&row, 0, charm_state)?
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
        Ok(applications::find(&mut db, model, &unit.application())
            .await?
            .status)
    }

    /// What a hook sees of the model, from one moment.
    pub async fn get_hook_snapshot(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        limits: &Limits,
    ) -> Result<HookSnapshot> {
        let mut db = self.glance().await?;
        let sql = "SELECT unit.opened_ports, unit_state.operation, unit.machine_id, unit.principal,
                application.settings, application.config_hash, charm.info, COALESCE(machine.addresses, '[]'),
                status.status, status.message, status.data, status.since,
                (SELECT COUNT(*) FROM charm_state
                    WHERE charm_state.model_uuid = unit.model_uuid AND charm_state.unit = unit.name),
                unit.workload_version, application.workload_version,
                led.status, led.message, led.data, led.since
            FROM unit
            JOIN application ON application.model_uuid = unit.model_uuid AND application.name = unit.application
            JOIN charm ON charm.model_uuid = unit.model_uuid AND charm.url = application.charm_url
            LEFT JOIN unit_state ON unit_state.model_uuid = unit.model_uuid AND unit_state.unit = unit.name
            LEFT JOIN machine ON machine.model_uuid = unit.model_uuid AND machine.id = unit.machine_id
            LEFT JOIN status ON status.model_uuid = unit.model_uuid AND status.kind = 'workload'
                AND status.entity = unit.name
            LEFT JOIN status AS led ON led.model_uuid = unit.model_uuid AND led.kind = 'application'
                AND led.entity = unit.application
            WHERE unit.model_uuid = $1 AND unit.name = $2";
        let row = db.fetch_optional(sql, params![model, unit]).await?;
        let row = row.ok_or_else(|| StoreError::not_found("unit", unit))?;
        let charm: OnlyConfig = row.json(6, "charm")?;
        // Two reads see the same here: only the unit itself changes its state, and it is waiting.
        let charm_state = match row.count(12)? {
            0 => BTreeMap::new(),
            _ => charm_state(&mut db, model, unit).await?,
        };
        let settings: Values = row.json(4, "settings")?;
        let addresses: Vec<String> = row.json(7, "addresses")?;
        let address = addresses.into_iter().next();
        Ok(HookSnapshot {
            config: charm.config.effective(&settings),
            config_hash: row.text(5)?,
            machine: row.parse_optional(2, "machine")?,
            principal: row.parse_optional(3, "unit name")?,
            private_address: address.clone(),
            public_address: address,
            workload: match row.optional_text(8)? {
                Some(_) => status::read(&row, 8)?,
                None => Status::new(Workload::Unknown, ""),
            },
            application: match row.optional_text(15)? {
                Some(_) => Some(status::read(&row, 15)?),
                None => None,
            },
            workload_version: match row.text(13)? {
                version if version == row.str(14)? => Some(version),
                _ => None,
            },
            state: state(&row, 0, charm_state)?,
            limits: limits.clone(),
        })
    }

    /// The charm now in place for the unit.
    pub async fn set_charm_url(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        charm_url: &str,
    ) -> Result<()> {
        let url: periapt_model::charm::CharmUrl = charm_url.parse()?;
        self.update_unit(
            model,
            unit,
            "UPDATE unit SET charm_url = $3 WHERE model_uuid = $1 AND name = $2
                AND (charm_url IS NULL OR charm_url <> $3)",
            &url.to_string(),
            namespace::UNIT_STATUS,
        )
        .await
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

    async fn update_unit(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        sql: &'static str,
        value: &str,
        namespace: &'static str,
    ) -> Result<()> {
        let (model, unit, value) = (model.clone(), unit.clone(), value.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                require(&mut tx.db, &model, &unit).await?;
                if tx.db.execute(sql, params![&model, &unit, value]).await? > 0 {
                    tx.touch(&model, namespace, unit.as_str());
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

/// The state whose ports and operation stand in `row` from `index` on.
fn state(row: &Row, index: usize, charm_state: BTreeMap<String, String>) -> Result<UnitState> {
    Ok(UnitState {
        operation: match row.optional_text(index + 1)? {
            Some(_) => Some(row.json(index + 1, "operation state")?),
            None => None,
        },
        charm_state,
        opened_ports: row.json(index, "opened ports")?,
        agent: None,
    })
}

/// Of a charm, what a hook's snapshot needs; the rest is not even parsed.
#[derive(serde::Deserialize)]
struct OnlyConfig {
    config: Schema,
}

/// Column with the number of relations of a unit's application.
const RELATIONS: usize = 7;

/// Adds the relations, if there are any, to a remote state from the same moment.
pub(crate) async fn read_surroundings(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
    row: &Row,
    remote: &mut RemoteState,
) -> Result<()> {
    if row.count(RELATIONS)? > 0 {
        let principal: Option<UnitName> = row.parse_optional(RELATIONS + 1, "unit name")?;
        remote.relations = relations::of_unit(db, model, unit, principal.as_ref()).await?;
    }
    Ok(())
}

/// The remote state, but for relations, in the columns `life, resolved, charm_url,
/// charm_modified_version, force_charm, config_hash, leader_settings.version`.
pub(crate) fn read_remote(row: &Row) -> Result<RemoteState> {
    Ok(RemoteState {
        life: row.parse(0, "life")?,
        resolved: read_resolved(row.str(1)?)?,
        charm_url: row.text(2)?,
        charm_modified_version: row.count(3)?,
        force_charm_upgrade: row.flag(4)?,
        config_hash: row.text(5)?,
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
