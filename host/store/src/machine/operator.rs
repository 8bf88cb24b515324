//! Machines that people add and remove.

use periapt_model::bounds;
use periapt_model::constraints::Constraints;
use periapt_model::refusal::Subject;
use periapt_model::removal::Going;
use periapt_model::status::{Machine, Status};
use periapt_model::{AgentName, Life, MachineId, ModelUuid, Refusal, UnitName};
use periapt_wire::rest::{MachineInfo, Removal};

use crate::changes::namespace;
use crate::cleanup::{self, Kind};
use crate::db::{Session, Tx, Which, params};
use crate::error::StoreError;
use crate::status::{self, kind};
use crate::storage::{self, Departing};
use crate::{Result, Store, model, unit, views};

/// Machines made by one call at most, so that one call cannot hold the writer for long.
const MACHINES_AT_ONCE: u32 = bounds::MACHINES_AT_ONCE.most as u32;

impl Store {
    /// Adds machines without units. They stay until they are removed.
    pub async fn add_machines(&self, model: &ModelUuid, count: u32) -> Result<Vec<MachineInfo>> {
        self.add_machines_like(model, count, "").await
    }

    /// The same with constraints, over those of the model.
    pub async fn add_machines_like(
        &self,
        model: &ModelUuid,
        count: u32,
        constraints: &str,
    ) -> Result<Vec<MachineInfo>> {
        if count == 0 || count > MACHINES_AT_ONCE {
            return Err(StoreError::bad_request(format!(
                "add 1 to {MACHINES_AT_ONCE} machines at once"
            )));
        }
        let constraints = Constraints::said(constraints)?;
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_alive_model(&mut tx.db, &model).await?;
                let of_model = model::constraints::find(&mut tx.db, &model).await?;
                let wanted = vec![constraints.over(&of_model); count as usize];
                let made = make(tx, &model, &wanted, false).await?;
                let made: Vec<String> = made.iter().map(MachineId::to_string).collect();
                views::machine::load(&mut tx.db, &model, Which::Named(&made), &|_| false).await
            })
        })
        .await
    }

    /// Has the provisioner try again to start a machine that it gave up.
    pub async fn retry_provisioning(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
        presence: impl Fn(&AgentName) -> bool + Send + Sync + 'static,
    ) -> Result<MachineInfo> {
        let (model, machine) = (model.clone(), machine.clone());
        self.write(move |tx| {
            Box::pin(async move {
                require_alive(&mut tx.db, &model, &machine).await?;
                let sql = "SELECT status FROM status
                    WHERE model_uuid = $1 AND kind = $2 AND entity = $3";
                let params = params![&model, kind::INSTANCE, &machine];
                let found = tx.db.word("machine status", sql, params).await?;
                let found: Machine =
                    found.ok_or_else(|| StoreError::not_found(Subject::Machine, &machine))?;
                if found != Machine::ProvisioningError {
                    return Err(StoreError::Refused {
                        refusal: Refusal::MachineNotInError,
                        message: format!(
                            "machine {machine} is {found}; only one with a provisioning error can be tried again"
                        ),
                    });
                }
                let status = Status::new(Machine::Pending, "to be tried again");
                status::put_machine(tx, &model, kind::INSTANCE, &machine, &status).await?;
                tx.touch(&model, namespace::MACHINE, machine.as_str());
                let which = Which::Named(&[machine.to_string()]);
                let shown = views::machine::load(&mut tx.db, &model, which, &presence).await?;
                shown
                    .into_iter()
                    .next()
                    .ok_or_else(|| StoreError::not_found(Subject::Machine, &machine))
            })
        })
        .await
    }

    /// Begins to remove a machine. One with units is refused, unless by `force`: then they are
    /// removed by force first.
    pub async fn remove_machine(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
        going: impl Into<Going>,
    ) -> Result<Removal> {
        let (model, machine, going) = (model.clone(), machine.clone(), going.into());
        self.write(move |tx| {
            Box::pin(async move {
                let force = unit::removal::begin(tx, going.force);
                super::require(&mut tx.db, &model, &machine).await?;
                if !force {
                    super::require_no_units(&mut tx.db, &model, &machine).await?;
                }
                let sql = "SELECT name FROM unit WHERE model_uuid = $1 AND machine_id = $2
                    ORDER BY application, number";
                let key = params![&model, &machine];
                let units: Vec<UnitName> = tx.db.words("unit", sql, key).await?;
                let mut removal = Removal {
                    units: Vec::new(),
                    machines: vec![machine.clone()],
                    destroyed_storage: Vec::new(),
                    detached_storage: Vec::new(),
                };
                let of = Departing {
                    units: &units,
                    application: None,
                    destroy: going.destroy_storage,
                };
                storage::departing(tx, &model, of, &mut removal).await?;
                super::destroy(tx, &model, &machine).await?;
                for unit in &units {
                    unit::removal::destroy_unit(tx, &model, unit, true).await?;
                }
                if force {
                    let due = cleanup::next_step(tx, &model).await?;
                    let kind = Kind::ForceDeadMachine;
                    cleanup::enqueue(tx, &model, kind, machine.as_str(), true, due).await?;
                }
                Ok(Removal { units, ..removal })
            })
        })
        .await
    }
}

/// Makes machines that are like this, for units or to stay.
pub(crate) async fn make(
    tx: &mut Tx,
    model: &ModelUuid,
    wanted: &[Constraints],
    for_unit: bool,
) -> Result<Vec<MachineId>> {
    let count = wanted.len();
    let first = tx.take_numbers(model, "machine", count as u64).await?;
    let machines: Vec<MachineId> = (first..)
        .take(count)
        .map(|number| number.to_string().parse())
        .collect::<std::result::Result<_, _>>()?;
    let rows = machines
        .iter()
        .zip(wanted)
        .map(|(id, constraints)| {
            params![
                model,
                id,
                Life::Alive.as_str(),
                "",
                "[]",
                for_unit,
                tx.now,
                constraints.to_string()
            ]
        })
        .collect();
    let head =
        "INSERT INTO machine (model_uuid, id, life, hardware, addresses, for_unit, created_at,
            constraints)";
    tx.db.insert_many(head, "", rows).await?;
    let mut statuses = Vec::with_capacity(machines.len() * 2);
    for machine in &machines {
        statuses.push((kind::INSTANCE, machine.to_string(), "pending", ""));
        statuses.push((kind::MACHINE, machine.to_string(), "pending", ""));
        tx.touch(model, namespace::MACHINE, machine.as_str());
    }
    status::put_first(tx, model, &statuses).await?;
    Ok(machines)
}

/// Fails unless the machine is there and alive.
pub(crate) async fn require_alive(
    db: &mut Session,
    model: &ModelUuid,
    machine: &MachineId,
) -> Result<()> {
    match super::require(db, model, machine).await? {
        Life::Alive => Ok(()),
        life => Err(StoreError::NotAlive {
            kind: Subject::Machine,
            name: machine.to_string(),
            life,
        }),
    }
}
