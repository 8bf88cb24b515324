//! What the uniter reads: what the controller says of the unit, with what a hook sees of it, and
//! what is stored between hooks.

use std::collections::BTreeMap;

use periapt_contract::ports::Openings;
use periapt_model::bounds::TEXT_BYTES;
use periapt_model::cause::Cause;
use periapt_model::charm::Capability;
use periapt_model::charm::capability::Tools;
use periapt_model::config::{Schema, Values};
use periapt_model::quota::Meter;
use periapt_model::reach::Exposure;
use periapt_model::refusal::Subject;
use periapt_model::secret::DueSecrets;
use periapt_model::status::{Status, Workload};
use periapt_model::task::{Beside, DueTask};
use periapt_model::uniter::{Causes, OperationState, RemoteState, Resolved};
use periapt_model::{AgentName, Life, MachineId, ModelUuid, UnitName};
use periapt_wire::agent::uniter::{CloudAccess, HookView, Told, UnitState};

use crate::changes::namespace;
use crate::db::{
    self, Cells, Column, Session, columns, json, optional_json, optional_word, params, word,
};
use crate::error::StoreError;
use crate::usage::meter::meter;
use crate::views::unit::number;
use crate::{
    DatabaseError, Result, Store, cloud, hook, payload, reach, relation, secret, status, storage,
    views,
};

impl Store {
    /// What the controller says of a unit; none when it is gone. Of one without relations, secrets and storage
    /// whose configuration the caller knows, by its digest, in one statement.
    pub async fn unit_told(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        config_known: &str,
    ) -> Result<Option<Told>> {
        let mut db = self.glance().await?;
        let Some(row) = db.one(UNIT, params![model, unit]).await? else {
            return Ok(None);
        };
        let now = self.now();
        let alone = row.relations + row.secrets + row.storage == 0;
        if config_known == row.config_hash && alone {
            return told(&mut db, model, unit, row, config_known, now)
                .await
                .map(Some);
        }
        drop(db);
        let mut db = self.snapshot().await?;
        match db.one(UNIT, params![model, unit]).await? {
            Some(row) => told(&mut db, model, unit, row, config_known, now)
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
        let mut db = self.glance().await?;
        Ok(db.optional_word("agent", sql, params![model, unit]).await?)
    }

    /// What is stored about a unit between hooks.
    pub async fn get_state(&self, model: &ModelUuid, unit: &UnitName) -> Result<UnitState> {
        let mut db = self.snapshot().await?;
        let row = db.one(STATE, params![model, unit]).await?;
        let row = row.ok_or_else(|| StoreError::not_found(Subject::Unit, unit))?;
        let charm_state = charm_state(&mut db, model, unit).await?;
        let agent = status::find(&mut db, model, status::kind::AGENT, unit.as_str()).await?;
        Ok(UnitState {
            operation: row.operation,
            sequence: row.sequence,
            charm_state,
            opened_ports: row.opened_ports,
            containers: hook::containers(&mut db, model, unit).await?,
            payloads: payload::of_unit(&mut db, model, unit).await?,
            agent,
        })
    }

    /// The cloud of a unit's model, with the credential that the model uses there; none unless its
    /// application is trusted and was not denied it.
    pub async fn cloud_access(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
    ) -> Result<Option<CloudAccess>> {
        let mut db = self.snapshot().await?;
        let row = db.one(UNIT, params![model, unit]).await?;
        let row = row.ok_or_else(|| StoreError::not_found(Subject::Unit, unit))?;
        let hash = row.config_hash.clone();
        let told = told(&mut db, model, unit, row, &hash, self.now()).await?;
        let credential = Capability::Tools(Tools::Credential);
        if !told.view.trusted || told.view.withheld.contains(&credential) {
            return Ok(None);
        }
        cloud::access(&mut db, model).await.map(Some)
    }

    /// The status of a unit's application: what its leader set, else the worst of its units.
    pub async fn get_application_status(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
    ) -> Result<Status<Workload>> {
        let mut db = self.snapshot().await?;
        super::require(&mut db, model, unit).await?;
        let application = unit.application();
        let shown = views::application::find(&mut db, model, &application);
        Ok(shown.await?.status)
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
                super::require(&mut tx.db, &model, &unit).await?;
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

columns! {
    struct StateRow {
        opened_ports: Openings = "unit.opened_ports" as json,
        operation: Option<OperationState> = "unit_state.operation" as optional_json,
        sequence: u64 = "COALESCE(unit_state.seq, 0)",
    }
    const STATE = "FROM unit
        LEFT JOIN unit_state ON unit_state.model_uuid = unit.model_uuid AND unit_state.unit = unit.name
        WHERE unit.model_uuid = $1 AND unit.name = $2";
}

columns! {
    struct Entry {
        key: String = "key",
        value: String = "value",
    }
    const CHARM_STATE = "FROM charm_state WHERE model_uuid = $1 AND unit = $2 ORDER BY key";
}

async fn charm_state(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<BTreeMap<String, String>> {
    let entries = db.all(CHARM_STATE, params![model, unit]).await?;
    Ok(entries
        .into_iter()
        .map(|entry| (entry.key, entry.value))
        .collect())
}

/// Of a charm, what its configuration is made with; the rest is not even parsed.
#[derive(serde::Deserialize)]
struct OnlyConfig {
    config: Schema,
}

columns! {
    /// What [`told`] is made of.
    pub(crate) struct UnitRow {
        life: Life = "unit.life" as word,
        resolved: Resolved = "unit.resolved" as resolved,
        charm_url: String = "application.charm_url",
        charm_modified_version: u64 = "application.charm_modified_version",
        force_charm: bool = "application.force_charm",
        config_hash: String = "application.config_hash",
        cause: Cause = "unit.cause" as word,
        resolved_cause: Cause = "unit.resolved_cause" as word,
        charm_cause: Cause = "application.charm_cause" as word,
        config_cause: Cause = "application.config_cause" as word,
        leader_cause: Cause =
            "COALESCE((SELECT cause FROM leader_settings WHERE leader_settings.model_uuid = unit.model_uuid
                AND leader_settings.application = unit.application), '')" as word,
        leader_settings_version: u64 =
            "COALESCE((SELECT version FROM leader_settings WHERE leader_settings.model_uuid = unit.model_uuid
                AND leader_settings.application = unit.application), 0)",
        relations: u64 =
            "(SELECT COUNT(*) FROM relation_endpoint WHERE relation_endpoint.model_uuid = unit.model_uuid
                AND relation_endpoint.application = unit.application)",
        /// The charm whose hooks run now.
        in_place: String = "COALESCE(unit.charm_url, application.charm_url)",
        /// Secrets that it reads, and that it or its application owns.
        secrets: u64 =
            "(SELECT COUNT(*) FROM secret_reader WHERE secret_reader.model_uuid = unit.model_uuid
                AND secret_reader.unit = unit.name)
            + (SELECT COUNT(*) FROM secret WHERE secret.model_uuid = unit.model_uuid
                AND secret.owner_kind = 'unit' AND secret.owner = unit.name)
            + (SELECT COUNT(*) FROM secret WHERE secret.model_uuid = unit.model_uuid
                AND secret.owner_kind = 'application' AND secret.owner = unit.application)",
        storage: u64 =
            "(SELECT COUNT(*) FROM storage_attachment WHERE storage_attachment.model_uuid = unit.model_uuid
                AND storage_attachment.unit = unit.name)",
        principal: Option<UnitName> = "unit.principal" as optional_word,
        machine: Option<MachineId> = "unit.machine_id" as optional_word,
        opened_ports: Openings = "unit.opened_ports" as json,
        addresses: Vec<String> = "COALESCE(machine.addresses, '[]')" as json,
        reboots: u64 = "COALESCE(machine.reboots, 0)",
        reboot_wanted: bool = "COALESCE(machine.reboot_wanted, 0)",
        address: Option<u64> = "unit.address" as number,
        exposure: Exposure = "application.exposure" as json,
        trusted: bool = "application.trusted",
        withheld: Vec<Capability> = "application.withheld" as json,
        meter: Option<Meter> = "unit.meter" as meter,
        workload_version: String = "unit.workload_version",
        application_version: String = "application.workload_version",
        workload: Option<Status<Workload>> = [status::list!("status")] as status::optional,
        application: Option<Status<Workload>> = [status::list!("led")] as status::optional,
        task: Option<DueTask> = ["task.id, task.dispatch, task.status, task.parallel, task.execution_group"] as due,
    }
    const UNIT = "FROM unit
        JOIN application ON application.model_uuid = unit.model_uuid AND application.name = unit.application
        LEFT JOIN machine ON machine.model_uuid = unit.model_uuid AND machine.id = unit.machine_id
        LEFT JOIN status ON status.model_uuid = unit.model_uuid AND status.kind = 'workload'
            AND status.entity = unit.name
        LEFT JOIN status AS led ON led.model_uuid = unit.model_uuid AND led.kind = 'application'
            AND led.entity = unit.application
        LEFT JOIN task ON task.model_uuid = unit.model_uuid AND task.id = (
            SELECT MIN(id) FROM task AS waiting WHERE waiting.model_uuid = unit.model_uuid
                AND waiting.receiver = unit.name AND waiting.ended = 0)
        WHERE unit.model_uuid = $1 AND unit.name = $2";
}

columns! {
    struct Due {
        task: Option<DueTask> = ["id, dispatch, status, parallel, execution_group"] as due,
    }
    const DUE = "FROM task WHERE model_uuid = $1 AND receiver = $2 AND ended = 0 ORDER BY id LIMIT 1";
}

/// The unit's oldest task that has not ended.
pub(crate) async fn due_task(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<Option<DueTask>> {
    let found = db.one(DUE, params![model, unit]).await?;
    Ok(found.and_then(|due| due.task))
}

fn due(cells: &mut Cells<'_>) -> std::result::Result<Option<DueTask>, DatabaseError> {
    db::optional(cells, 5, |cells| {
        let id = Column::read(cells)?;
        let dispatch = Column::read(cells)?;
        let status = word(cells)?;
        let parallel = Column::read(cells)?;
        Ok(DueTask {
            id,
            dispatch,
            status,
            beside: Beside::of(parallel, cells.str()?),
        })
    })
}

/// What the controller says of the unit in a row of [`UNIT`], as it is for this session now; with
/// the configuration unless the caller has it.
pub(crate) async fn told(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
    row: UnitRow,
    config_known: &str,
    now: i64,
) -> Result<Told> {
    let mut causes = Causes {
        unit: row.cause,
        // Of an answer that was taken there is nothing more to say.
        resolved: match row.resolved {
            Resolved::None => Cause::Unknown,
            _ => row.resolved_cause,
        },
        charm: row.charm_cause,
        config: row.config_cause,
        leader_settings: row.leader_cause,
        ..Causes::default()
    };
    let secrets = match row.secrets {
        0 => DueSecrets::default(),
        _ => secret::due(db, model, unit, &row.in_place, now, &mut causes.secrets).await?,
    };
    let relations = match row.relations {
        0 => BTreeMap::new(),
        _ => {
            let principal = row.principal.as_ref();
            relation::of_unit(db, model, unit, principal, &mut causes.relations).await?
        }
    };
    let storage = match row.storage {
        0 => BTreeMap::new(),
        _ => storage::of_unit(db, model, unit, &mut causes.storage).await?,
    };
    let config = match config_known == row.config_hash {
        true => None,
        false => Some(effective_config(db, model, unit).await?),
    };
    let address = row.addresses.into_iter().next();
    let shown = reach::public_address(row.address, &row.opened_ports, &row.exposure);
    let own_version = row.workload_version == row.application_version;
    Ok(Told {
        remote: RemoteState {
            life: row.life,
            resolved: row.resolved,
            charm_url: row.charm_url,
            charm_modified_version: row.charm_modified_version,
            force_charm_upgrade: row.force_charm,
            config_hash: row.config_hash,
            relations,
            leader_settings_version: row.leader_settings_version,
            leader: false,
            retry_hook_version: 0,
            update_status_version: 0,
            task: row.task,
            secrets,
            reboots: row.reboots,
            reboot_wanted: row.reboot_wanted,
            storage,
            causes,
        },
        view: HookView {
            machine: row.machine,
            principal: row.principal,
            public_address: shown.or_else(|| address.clone()),
            private_address: address,
            workload: row
                .workload
                .unwrap_or_else(|| Status::new(Workload::Unknown, "")),
            application: row.application,
            workload_version: own_version.then_some(row.workload_version),
            meter: row.meter,
            trusted: row.trusted,
            withheld: row.withheld,
        },
        config,
    })
}

columns! {
    struct Configured {
        settings: Values = "application.settings" as json,
        charm: OnlyConfig = "charm.info" as json,
    }
    const CONFIGURED = "FROM application
        JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
        WHERE application.model_uuid = $1 AND application.name = $2";
}

async fn effective_config(db: &mut Session, model: &ModelUuid, unit: &UnitName) -> Result<Values> {
    let application = unit.application();
    let found = db.one(CONFIGURED, params![model, &application]).await?;
    let found = found.ok_or_else(|| StoreError::not_found(Subject::Application, &application))?;
    Ok(found.charm.config.effective(&found.settings))
}

/// A person's answer to a failed hook.
pub(crate) fn resolved(cells: &mut Cells<'_>) -> std::result::Result<Resolved, DatabaseError> {
    match cells.str()? {
        "none" => Ok(Resolved::None),
        "retry-hooks" => Ok(Resolved::RetryHooks),
        "no-hooks" => Ok(Resolved::NoHooks),
        other => Err(cells.unfit(other)),
    }
}
