//! Machines: what the provisioner, the machiner and the machine undertaker see and say.

use std::collections::{BTreeMap, HashSet};

use periapt_model::refusal::Subject;
use periapt_model::status::{Machine, Status};
use periapt_model::task::Receiver;
use periapt_model::{AgentName, Life, MachineId, ModelUuid, Refusal, UnitName};
use periapt_wire::agent::deployer::DeployedUnit;
use periapt_wire::agent::provisioner::MachineInfo;

use crate::changes::namespace;
use crate::cleanup::{self, Kind};
use crate::db::{PART, Session, Tx, columns, json, names, params, part_params, to_json, word};
use crate::error::StoreError;
use crate::status::{self, kind};
use crate::tables::{self, Table, With, tables};
use crate::{Result, Store, operation, storage};

mod operator;
pub(crate) mod reboot;
mod seen;
mod stopping;

pub(crate) use operator::{make, require_alive};

pub(crate) const TABLES: &[Table] = tables! {
    "machine", Machine "id = $2";
    "machine_removal", Machine "machine_id = $2";
};

columns! {
    struct Provisioned -> MachineInfo {
        machine = "machine.id" as word,
        life = "machine.life" as word,
        instance_id = "machine.instance_id",
        instance_status = [status::list!("status")] as status::whole,
        agent_status = [status::list!("agent")] as status::optional,
        addresses = "machine.addresses" as json,
        constraints = "machine.constraints" as word,
    }
    const PROVISIONED = "FROM machine
        JOIN status ON status.model_uuid = machine.model_uuid AND status.kind = 'machine'
            AND status.entity = machine.id
        LEFT JOIN status AS agent ON agent.model_uuid = machine.model_uuid
            AND agent.kind = 'juju-machine' AND agent.entity = machine.id
        WHERE machine.model_uuid = $1 AND ($2 = '' OR machine.id = $2) AND NOT EXISTS (
            SELECT 1 FROM machine_removal WHERE machine_removal.model_uuid = machine.model_uuid
                AND machine_removal.machine_id = machine.id)
        ORDER BY machine.created_at, machine.id";
}

columns! {
    struct Deployed -> DeployedUnit {
        unit = "name" as word,
        life = "life" as word,
        stopped = "agent_stopped",
    }
    const DEPLOYED = "FROM unit
        WHERE model_uuid = $1 AND machine_id = $2 ORDER BY application, number";
}

columns! {
    /// How far a machine has come.
    struct Standing {
        life: Life = "life" as word,
        instance: Option<String> = "instance_id",
    }
    const STANDING = "FROM machine WHERE model_uuid = $1 AND id = $2";
}

impl Store {
    /// The machines asked for, all for an empty list. Those marked for removal are left out:
    /// their instance is stopped.
    pub async fn get_machines(
        &self,
        model: &ModelUuid,
        machines: &[MachineId],
    ) -> Result<Vec<MachineInfo>> {
        let mut db = self.snapshot().await?;
        // A long list is cheaper as one scan than as one statement each.
        let wanted: Vec<&str> = match machines {
            few if !few.is_empty() && few.len() <= 8 => few.iter().map(MachineId::as_str).collect(),
            _ => vec![""],
        };
        let mut found = Vec::new();
        for id in wanted {
            for info in db.all(PROVISIONED, params![model, id]).await? {
                if machines.is_empty() || machines.contains(&info.machine) {
                    found.push(info);
                }
            }
        }
        Ok(found)
    }

    /// All machines of a model.
    pub async fn machine_ids(&self, model: &ModelUuid) -> Result<Vec<MachineId>> {
        let sql = "SELECT id FROM machine WHERE model_uuid = $1 ORDER BY created_at, id";
        ids(&mut self.glance().await?, sql, model).await
    }

    /// The machines that an agent hosts: provisioned and not dead.
    pub async fn hosted_machines(
        &self,
        model: &ModelUuid,
        agent: &AgentName,
    ) -> Result<Vec<MachineId>> {
        let sql = "SELECT id FROM machine WHERE model_uuid = $1 AND agent = $2
                AND instance_id IS NOT NULL AND life <> 'dead'
            ORDER BY created_at, id";
        let params = params![model, agent.to_string()];
        Ok(self.glance().await?.words("machine", sql, params).await?)
    }

    /// Those of the machines that an agent hosts.
    pub async fn hosted_of(
        &self,
        model: &ModelUuid,
        agent: &AgentName,
        machines: &[MachineId],
    ) -> Result<Vec<MachineId>> {
        let sql = names!(
            "SELECT id FROM machine WHERE model_uuid = $1 AND instance_id IS NOT NULL
                AND life <> 'dead' AND id IN",
            "AND agent = $18 ORDER BY created_at, id"
        );
        let mut db = self.glance().await?;
        let mut hosted = Vec::new();
        for part in machines.chunks(PART) {
            let part: Vec<&str> = part.iter().map(MachineId::as_str).collect();
            let mut params = part_params(model, &part);
            params.push(agent.to_string().into());
            hosted.extend(db.words("machine", sql, params).await?);
        }
        Ok(hosted)
    }

    /// Which agent hosts a machine: none of a machine that is gone, nobody while it has no instance.
    pub async fn machine_agent(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
    ) -> Result<Option<Option<AgentName>>> {
        let sql = "SELECT CASE WHEN instance_id IS NULL THEN NULL ELSE agent END
            FROM machine WHERE model_uuid = $1 AND id = $2";
        let mut db = self.glance().await?;
        let key = params![model, machine];
        Ok(db.optional_word("agent", sql, key).await?)
    }

    /// Units of a machine, subordinates included.
    pub async fn machine_units(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
    ) -> Result<Vec<DeployedUnit>> {
        let mut db = self.glance().await?;
        Ok(db.all(DEPLOYED, params![model, machine]).await?)
    }

    /// Those of the named units that the model does not have. A name is never given twice, so
    /// that they will not come again either.
    pub async fn gone_units(
        &self,
        model: &ModelUuid,
        mut units: Vec<UnitName>,
    ) -> Result<Vec<UnitName>> {
        let sql = "SELECT name FROM unit WHERE model_uuid = $1";
        let mut db = self.glance().await?;
        let there: Vec<UnitName> = db.words("unit", sql, params![model]).await?;
        let there: HashSet<UnitName> = there.into_iter().collect();
        units.retain(|unit| !there.contains(unit));
        Ok(units)
    }

    /// The life of a machine; none when it is gone.
    pub async fn machine_life(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
    ) -> Result<Option<Life>> {
        self.get_life(model, &periapt_model::Tag::Machine(machine.clone()))
            .await
    }

    /// Records the instance that a machine runs on, and the agent there: it is running.
    pub async fn set_instance_info(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
        agent: &AgentName,
        instance_id: &str,
        addresses: &[String],
        hardware: &str,
    ) -> Result<()> {
        let (model, machine, agent) = (model.clone(), machine.clone(), agent.clone());
        let values = params![
            &model,
            &machine,
            instance_id,
            to_json(&addresses)?,
            hardware,
            agent.to_string()
        ];
        self.write(move |tx| {
            Box::pin(async move {
                let life = require(&mut tx.db, &model, &machine).await?;
                if life == Life::Dead {
                    return Err(StoreError::NotAlive { kind: Subject::Machine, name: machine.to_string(), life });
                }
                let sql = "UPDATE machine SET instance_id = $3, addresses = $4, hardware = $5, agent = $6
                    WHERE model_uuid = $1 AND id = $2
                    AND (instance_id IS NULL OR instance_id <> $3 OR addresses <> $4 OR hardware <> $5 OR agent <> $6)";
                if tx.db.execute(sql, values).await? > 0 {
                    tx.touch(&model, namespace::MACHINE, machine.as_str());
                    storage::host_known(tx, &model, &machine, &agent).await?;
                }
                let running = Status::new(Machine::Running, "");
                status::put_machine(tx, &model, kind::INSTANCE, &machine, &running).await
            })
        })
        .await
    }

    /// What the provisioner says of the instances of these machines, all at once. One that is gone
    /// is passed over.
    pub async fn set_instance_statuses(
        &self,
        model: &ModelUuid,
        statuses: BTreeMap<MachineId, Status<Machine>>,
    ) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "SELECT COUNT(*) FROM machine WHERE model_uuid = $1 AND id = $2";
                for (machine, status) in &statuses {
                    if tx.db.count(sql, params![&model, machine]).await? > 0 {
                        status::put_machine(tx, &model, kind::INSTANCE, machine, status).await?;
                    }
                }
                Ok(())
            })
        })
        .await
    }

    /// What the machine's agent says of itself, with the addresses that it found if it looked.
    pub async fn set_machine_status(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
        status: Status<Machine>,
        addresses: Option<&[String]>,
    ) -> Result<()> {
        let addresses = addresses.map(|found| to_json(&found)).transpose()?;
        let (model, machine) = (model.clone(), machine.clone());
        self.write(move |tx| {
            Box::pin(async move {
                require(&mut tx.db, &model, &machine).await?;
                if let Some(addresses) = addresses {
                    let sql = "UPDATE machine SET addresses = $3 WHERE model_uuid = $1 AND id = $2 AND addresses <> $3";
                    let values = params![&model, &machine, addresses];
                    if tx.db.execute(sql, values).await? > 0 {
                        tx.touch(&model, namespace::MACHINE, machine.as_str());
                    }
                }
                status::put_machine(tx, &model, kind::MACHINE, &machine, &status).await
            })
        })
        .await
    }

    /// Of a dying machine that was never provisioned, as the provisioner sees it.
    pub async fn ensure_machine_dead(&self, model: &ModelUuid, machine: &MachineId) -> Result<()> {
        self.machine_dead(model, machine, true).await
    }

    /// Of a dying machine whose units are gone, as its own agent sees it.
    pub async fn ensure_machiner_dead(&self, model: &ModelUuid, machine: &MachineId) -> Result<()> {
        self.machine_dead(model, machine, false).await
    }

    async fn machine_dead(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
        unprovisioned: bool,
    ) -> Result<()> {
        let (model, machine) = (model.clone(), machine.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let found = tx.db.one(STANDING, params![&model, &machine]).await?;
                let found =
                    found.ok_or_else(|| StoreError::not_found(Subject::Machine, &machine))?;
                match found.life {
                    Life::Dead => return Ok(()),
                    Life::Alive => {
                        return Err(StoreError::Refused {
                            refusal: Refusal::MachineAlive,
                            message: format!(
                                "machine {machine} is alive; only a dying one can be made dead"
                            ),
                        });
                    }
                    Life::Dying => {}
                }
                if unprovisioned && found.instance.is_some() {
                    return Err(StoreError::Refused {
                        refusal: Refusal::MachineProvisioned,
                        message: format!(
                            "machine {machine} has an instance; its agent makes it dead"
                        ),
                    });
                }
                require_no_units(&mut tx.db, &model, &machine).await?;
                set_life(tx, &model, &machine, Life::Dead).await
            })
        })
        .await
    }

    /// Of a dead machine whose instance is stopped.
    pub async fn mark_machine_for_removal(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
    ) -> Result<()> {
        let (model, machine) = (model.clone(), machine.clone());
        self.write(move |tx| {
            Box::pin(async move {
                if require(&mut tx.db, &model, &machine).await? != Life::Dead {
                    return Err(StoreError::Refused {
                        refusal: Refusal::MachineNotDead,
                        message: format!("machine {machine} is not dead and cannot be removed"),
                    });
                }
                mark_for_removal(tx, &model, &machine).await?;
                Ok(())
            })
        })
        .await
    }

    /// Machines marked for removal.
    pub async fn all_machine_removals(&self, model: &ModelUuid) -> Result<Vec<MachineId>> {
        let sql =
            "SELECT machine_id FROM machine_removal WHERE model_uuid = $1 ORDER BY machine_id";
        ids(&mut self.glance().await?, sql, model).await
    }

    /// Removes those of these machines that are marked, for good and all at once. One that is
    /// gone already is fine.
    pub async fn complete_machine_removals(
        &self,
        model: &ModelUuid,
        machines: &[MachineId],
    ) -> Result<()> {
        let (model, machines) = (model.clone(), machines.to_vec());
        self.write(move |tx| {
            Box::pin(async move {
                for machine in &machines {
                    complete_removal(tx, &model, machine).await?;
                }
                Ok(())
            })
        })
        .await
    }
}

async fn complete_removal(tx: &mut Tx, model: &ModelUuid, machine: &MachineId) -> Result<()> {
    let sql = "SELECT COUNT(*) FROM machine_removal
        WHERE model_uuid = $1 AND machine_id = $2";
    if tx.db.count(sql, params![model, machine]).await? == 0 {
        return Ok(());
    }
    operation::gone(tx, model, &Receiver::Machine(machine.clone())).await?;
    tables::remove(tx, model, With::Machine, machine).await?;
    tx.touch(model, namespace::MACHINE_REMOVAL, machine.as_str());
    tx.touch(model, namespace::MACHINE, machine.as_str());
    tx.touch(model, namespace::MACHINE_STATUS, machine.as_str());
    Ok(())
}

async fn ids(db: &mut Session, sql: &'static str, model: &ModelUuid) -> Result<Vec<MachineId>> {
    Ok(db.words("machine", sql, params![model]).await?)
}

pub(crate) async fn require(
    db: &mut Session,
    model: &ModelUuid,
    machine: &MachineId,
) -> Result<Life> {
    let sql = "SELECT life FROM machine WHERE model_uuid = $1 AND id = $2";
    let life = db.word("life", sql, params![model, machine]).await?;
    life.ok_or_else(|| StoreError::not_found(Subject::Machine, machine))
}

async fn require_no_units(db: &mut Session, model: &ModelUuid, machine: &MachineId) -> Result<()> {
    let sql = "SELECT name FROM unit WHERE model_uuid = $1 AND machine_id = $2 ORDER BY name";
    let names: Vec<String> = db.scalars(sql, params![model, machine]).await?;
    if names.is_empty() {
        return Ok(());
    }
    Err(StoreError::HasAssignedUnits {
        machine: machine.to_string(),
        units: names.join(", "),
    })
}

/// Begins to remove a machine. Its agent makes it dead; if that does not happen, the model's
/// `removal-deadline` does.
pub(crate) async fn destroy(tx: &mut Tx, model: &ModelUuid, machine: &MachineId) -> Result<()> {
    set_life(tx, model, machine, Life::Dying).await?;
    cleanup::enqueue_deadline(tx, model, Kind::ForceDeadMachine, machine.as_str()).await
}

/// Moves a machine on in life; never back. A dead one waits for its instance to be stopped, and
/// for that no longer than the model's `removal-deadline`.
pub(crate) async fn set_life(
    tx: &mut Tx,
    model: &ModelUuid,
    machine: &MachineId,
    life: Life,
) -> Result<()> {
    let sql = "UPDATE machine SET life = $3 WHERE model_uuid = $1 AND id = $2 AND life <> $3 AND life <> 'dead'";
    if tx
        .db
        .execute(sql, params![model, machine, life.as_str()])
        .await?
        == 0
    {
        return Ok(());
    }
    tx.touch(model, namespace::MACHINE, machine.as_str());
    match life {
        Life::Dead => {
            let kind = Kind::ForceRemoveMachine;
            cleanup::enqueue_deadline(tx, model, kind, machine.as_str()).await
        }
        _ => Ok(()),
    }
}

/// Marks a dead machine, so that its undertaker removes it; whether that is news.
pub(crate) async fn mark_for_removal(
    tx: &mut Tx,
    model: &ModelUuid,
    machine: &MachineId,
) -> Result<bool> {
    let sql = "INSERT INTO machine_removal (model_uuid, machine_id)
        SELECT model_uuid, id FROM machine WHERE model_uuid = $1 AND id = $2 AND life = 'dead'
        ON CONFLICT DO NOTHING";
    let marked = tx.db.execute(sql, params![model, machine]).await? > 0;
    if marked {
        tx.touch(model, namespace::MACHINE_REMOVAL, machine.as_str());
        tx.touch(model, namespace::MACHINE, machine.as_str());
    }
    Ok(marked)
}
