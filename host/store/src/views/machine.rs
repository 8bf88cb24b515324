//! Machines as shown.

use std::collections::HashMap;

use periapt_model::refusal::Subject;
use periapt_model::status::{Machine, Status, displayed_machine};
use periapt_model::{AgentName, Life, MachineId, ModelUuid, UnitName};
use periapt_wire::rest::MachineInfo;

use crate::db::{Session, Which, columns, json, word};
use crate::error::StoreError;
use crate::waiting::{self, Cleanup};
use crate::{Presence, Result, Store, status};

columns! {
    struct Inhabitant {
        machine: String = "machine_id",
        unit: UnitName = "name" as word,
    }
    const INHABITANTS = which(
        "FROM unit WHERE model_uuid = $1 AND machine_id IS NOT NULL",
        "machine_id",
        "ORDER BY application, number"
    );
}

columns! {
    struct Shown {
        id: MachineId = "machine.id" as word,
        life: Life = "machine.life" as word,
        instance_id: Option<String> = "machine.instance_id",
        hardware: String = "machine.hardware",
        constraints: String = "machine.constraints",
        addresses: Vec<String> = "machine.addresses" as json,
        created_at: i64 = "machine.created_at",
        agent: Option<Status<Machine>> = [status::list!("agent")] as status::optional,
        instance: Option<Status<Machine>> = [status::list!("instance")] as status::optional,
        host: AgentName = "machine.agent" as word,
    }
    const SHOWN = which(
        "FROM machine
            LEFT JOIN status AS agent ON agent.model_uuid = machine.model_uuid
                AND agent.kind = 'juju-machine' AND agent.entity = machine.id
            LEFT JOIN status AS instance ON instance.model_uuid = machine.model_uuid
                AND instance.kind = 'machine' AND instance.entity = machine.id
            WHERE machine.model_uuid = $1",
        "machine.id",
        "ORDER BY machine.created_at, machine.id"
    );
}

columns! {
    struct Own {
        id: MachineId = "id" as word,
        life: Life = "life" as word,
        instance_id: Option<String> = "instance_id",
        hardware: String = "hardware",
        constraints: String = "constraints",
        addresses: Vec<String> = "addresses" as json,
        host: AgentName = "agent" as word,
    }
    const OWN = which("FROM machine WHERE model_uuid = $1", "id", "");
}

columns! {
    struct Said {
        entity: String = "status.entity",
        status: Status<Machine> = [status::list!("status")] as status::whole,
    }
    const INSTANCES = which(
        "FROM status WHERE status.model_uuid = $1 AND status.kind = 'machine'", "status.entity", ""
    );
    const AGENTS = which(
        "FROM status WHERE status.model_uuid = $1 AND status.kind = 'juju-machine'", "status.entity", ""
    );
}

/// What a status has of a machine.
pub(crate) struct MachineRow {
    pub id: MachineId,
    pub life: Life,
    pub instance_id: Option<String>,
    pub hardware: String,
    pub constraints: String,
    pub addresses: Vec<String>,
    pub host: AgentName,
    pub instance: Status<Machine>,
    pub agent: Status<Machine>,
    pub cleanups: Vec<Cleanup>,
}

impl Store {
    /// All machines of a model. Those whose agent is absent show as down.
    pub async fn machines(
        &self,
        model: &ModelUuid,
        presence: Presence<'_>,
    ) -> Result<Vec<MachineInfo>> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        load(&mut db, model, Which::All, presence).await
    }

    /// One machine.
    pub async fn machine(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
        presence: Presence<'_>,
    ) -> Result<MachineInfo> {
        let mut db = self.snapshot().await?;
        load(
            &mut db,
            model,
            Which::Named(&[machine.to_string()]),
            presence,
        )
        .await?
        .pop()
        .ok_or_else(|| StoreError::not_found(Subject::Machine, machine))
    }
}

/// What is shown of an instance that is not there yet, as in Juju.
pub(crate) fn instance_id(found: Option<String>) -> String {
    found.unwrap_or_else(|| "pending".to_owned())
}

fn pending() -> Status<Machine> {
    Status::new(Machine::Pending, "")
}

/// Machines as shown, in the order they were made; of the named those that there are.
pub(crate) async fn load(
    db: &mut Session,
    model: &ModelUuid,
    which: Which<'_>,
    presence: Presence<'_>,
) -> Result<Vec<MachineInfo>> {
    let mut units: HashMap<String, Vec<UnitName>> = HashMap::new();
    for row in db.which(INHABITANTS, model, which).await? {
        units.entry(row.machine).or_default().push(row.unit);
    }
    let mut cleanups = waiting::of_machines(db, model, which).await?;
    let rows = db.which(SHOWN, model, which).await?.into_iter();
    let shown = rows.map(|row| {
        let (id, life) = (row.id, row.life);
        let present = presence(&row.host);
        let agent = displayed_machine(row.agent.unwrap_or_else(pending), present);
        let instance = row.instance.unwrap_or_else(pending);
        let units = units.remove(id.as_str()).unwrap_or_default();
        let cleanups = cleanups.remove(id.as_str()).unwrap_or_default();
        let provisioned = row.instance_id.is_some();
        MachineInfo {
            waiting_for: waiting::machine(&id, life, provisioned, present, &units, &cleanups),
            life,
            instance_id: instance_id(row.instance_id),
            agent,
            instance,
            addresses: row.addresses,
            hardware: row.hardware,
            constraints: row.constraints,
            units,
            created_at: row.created_at,
            id,
        }
    });
    Ok(shown.collect())
}

/// The machines of a status, in no particular order; of the named those that there are.
pub(crate) async fn rows(
    db: &mut Session,
    model: &ModelUuid,
    which: Which<'_>,
) -> Result<Vec<MachineRow>> {
    let mut said: [HashMap<String, Status<Machine>>; 2] = Default::default();
    for (select, said) in [INSTANCES, AGENTS].into_iter().zip(&mut said) {
        let rows = db.which(select, model, which).await?.into_iter();
        *said = rows.map(|row| (row.entity, row.status)).collect();
    }
    let [mut instances, mut agents] = said;
    let mut cleanups = waiting::of_machines(db, model, which).await?;
    let rows = db.which(OWN, model, which).await?.into_iter();
    let rows = rows.map(|own| MachineRow {
        instance: instances.remove(own.id.as_str()).unwrap_or_else(pending),
        agent: agents.remove(own.id.as_str()).unwrap_or_else(pending),
        cleanups: cleanups.remove(own.id.as_str()).unwrap_or_default(),
        id: own.id,
        life: own.life,
        instance_id: own.instance_id,
        hardware: own.hardware,
        constraints: own.constraints,
        addresses: own.addresses,
        host: own.host,
    });
    Ok(rows.collect())
}
