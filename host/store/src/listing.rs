//! Lists of what a model holds, each from a handful of indexed statements in one snapshot,
//! however long the list. The order is that of creation or name; who shows a list sorts it.

use std::collections::HashMap;

use periapt_model::status::{Agent, Machine, Status, Workload};
use periapt_model::{MachineId, ModelUuid, UnitName};
use periapt_wire::rest::{MachineInfo, UnitInfo};

use crate::db::{Session, params};
use crate::error::StoreError;
use crate::full_status::load_statuses;
use crate::status::kind;
use crate::{Presence, Result, Store, lease, relations, status, waiting};

impl Store {
    /// All units of a model. Those whose agent is absent show as lost.
    pub async fn units(&self, model: &ModelUuid, presence: Presence<'_>) -> Result<Vec<UnitInfo>> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        let mut workloads = load_statuses::<Workload>(&mut db, model, kind::WORKLOAD).await?;
        let mut agents = load_statuses::<Agent>(&mut db, model, kind::AGENT).await?;
        let leaders = lease::rows::leaders(&mut db, model).await?;
        let mut cleanups = waiting::of_units(&mut db, model).await?;
        let mut neighbours = relations::neighbours(&mut db, model, None).await?;
        let sql = "SELECT unit.name, unit.life, unit.machine_id, unit.opened_ports, unit.workload_version,
                COALESCE(unit.charm_url, application.charm_url), COALESCE(machine.addresses, '[]')
            FROM unit
            JOIN application ON application.model_uuid = unit.model_uuid AND application.name = unit.application
            LEFT JOIN machine ON machine.model_uuid = unit.model_uuid AND machine.id = unit.machine_id
            WHERE unit.model_uuid = $1 ORDER BY unit.application, unit.number";
        let mut units = Vec::new();
        for row in db.fetch(sql, params![model]).await? {
            let name: UnitName = row.parse(0, "unit name")?;
            let unknown = || Status::new(Workload::Unknown, "");
            let workload = workloads.remove(name.as_str()).unwrap_or_else(unknown);
            let allocating = || Status::new(Agent::Allocating, "");
            let agent = agents.remove(name.as_str()).unwrap_or_else(allocating);
            let machine: Option<MachineId> = row.parse_optional(2, "machine")?;
            let present = machine.as_ref().is_some_and(presence);
            let life = row.parse(1, "life")?;
            let cleanups = cleanups.remove(name.as_str()).unwrap_or_default();
            let neighbours = neighbours.remove(name.as_str()).unwrap_or_default();
            let waiting_for = waiting::unit(
                &name,
                life,
                machine.as_ref(),
                &agent,
                present,
                &neighbours,
                &cleanups,
            );
            let (workload, agent) = status::shown(&name, workload, agent, present);
            let application = name.application();
            let addresses: Vec<String> = row.json(6, "addresses")?;
            units.push(UnitInfo {
                leader: leaders
                    .get(&application)
                    .is_some_and(|held| held == name.as_str()),
                application,
                charm: row.text(5)?,
                life,
                machine,
                workload,
                agent,
                opened_ports: row.json(3, "opened ports")?,
                public_address: addresses.into_iter().next(),
                workload_version: row.text(4)?,
                waiting_for,
                principal: neighbours.principal,
                subordinates: neighbours.subordinates,
                relations: Vec::new(),
                name,
            });
        }
        Ok(units)
    }

    /// All machines of a model. Those whose agent is absent show as down.
    pub async fn machines(
        &self,
        model: &ModelUuid,
        presence: Presence<'_>,
    ) -> Result<Vec<MachineInfo>> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        load_machines(&mut db, model, "", presence).await
    }

    /// One machine.
    pub async fn machine(
        &self,
        model: &ModelUuid,
        machine: &MachineId,
        presence: Presence<'_>,
    ) -> Result<MachineInfo> {
        let mut db = self.snapshot().await?;
        load_machines(&mut db, model, machine.as_str(), presence)
            .await?
            .pop()
            .ok_or_else(|| StoreError::not_found("machine", machine))
    }
}

/// Machines, or the one with the id `only`.
pub(crate) async fn load_machines(
    db: &mut Session,
    model: &ModelUuid,
    only: &str,
    presence: Presence<'_>,
) -> Result<Vec<MachineInfo>> {
    let sql = "SELECT entity, status, message, data, since, kind FROM status
        WHERE model_uuid = $1 AND kind IN ('machine', 'juju-machine') AND ($2 = '' OR entity = $2)";
    let mut statuses: HashMap<(String, String), Status<Machine>> = HashMap::new();
    for row in db.fetch(sql, params![model, only]).await? {
        statuses.insert((row.text(5)?, row.text(0)?), status::read(&row, 1)?);
    }
    let sql = "SELECT machine_id, name FROM unit WHERE model_uuid = $1 AND machine_id IS NOT NULL
        AND ($2 = '' OR machine_id = $2) ORDER BY application, number";
    let mut units: HashMap<String, Vec<UnitName>> = HashMap::new();
    for row in db.fetch(sql, params![model, only]).await? {
        let unit = row.parse(1, "unit name")?;
        units.entry(row.text(0)?).or_default().push(unit);
    }
    let mut cleanups = waiting::of_machines(db, model).await?;
    let sql = "SELECT id, life, instance_id, hardware, addresses, created_at FROM machine
        WHERE model_uuid = $1 AND ($2 = '' OR id = $2) ORDER BY created_at, id";
    let rows = db.fetch(sql, params![model, only]).await?;
    rows.iter()
        .map(|row| {
            let id: MachineId = row.parse(0, "machine")?;
            let mut take = |kind: &str| {
                statuses
                    .remove(&(kind.to_owned(), id.to_string()))
                    .unwrap_or_else(|| Status::new(Machine::Pending, ""))
            };
            let instance = take(kind::INSTANCE);
            let present = presence(&id);
            let agent = status::shown_machine(take(kind::MACHINE), present);
            let instance_id = row.optional_text(2)?;
            let units = units.remove(id.as_str()).unwrap_or_default();
            let life = row.parse(1, "life")?;
            let cleanups = cleanups.remove(id.as_str()).unwrap_or_default();
            let provisioned = instance_id.is_some();
            Ok(MachineInfo {
                waiting_for: waiting::machine(&id, life, provisioned, present, &units, &cleanups),
                life,
                instance_id: instance_id.unwrap_or_default(),
                agent_status: agent.status.to_string(),
                agent_message: agent.message,
                instance_status: instance.status.to_string(),
                instance_message: instance.message,
                addresses: row.json(4, "addresses")?,
                hardware: row.text(3)?,
                units,
                created_at: row.int(5)?,
                id,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{fixtures, machine, present, unit};

    #[tokio::test]
    async fn a_list_shows_each_as_it_shows_alone() {
        for fixture in fixtures().await {
            let model = fixture.site(3).await;
            fixture.provision(&model).await;
            let store = &fixture.store;
            let removed = unit("site/2");
            store.remove_unit(&model, &removed, false).await.unwrap();
            for presence in [&present as Presence<'_>, &|_: &MachineId| false] {
                let units = store.units(&model, presence).await.unwrap();
                assert_eq!(units.len(), 3);
                for shown in units {
                    let alone = store.unit(&model, &shown.name, presence).await.unwrap();
                    assert_eq!(
                        serde_json::to_value(&shown).unwrap(),
                        serde_json::to_value(&alone).unwrap()
                    );
                }
                let machines = store.machines(&model, presence).await.unwrap();
                assert_eq!(machines.len(), 3);
                for shown in machines {
                    let alone = store.machine(&model, &shown.id, presence).await.unwrap();
                    assert_eq!(
                        serde_json::to_value(&shown).unwrap(),
                        serde_json::to_value(&alone).unwrap()
                    );
                    let agent = if presence(&shown.id) {
                        "started"
                    } else {
                        "down"
                    };
                    assert_eq!(shown.agent_status, agent);
                    assert_eq!(shown.units.len(), 1);
                }
            }
            let missing = store.machine(&model, &machine("9"), &present).await;
            assert_eq!(missing.unwrap_err().kind_code(), "machine-not-found");
            assert!(store.relations(&model).await.unwrap().is_empty());
            let missing = store.relation(&model, 1).await;
            assert_eq!(missing.unwrap_err().kind_code(), "relation-not-found");
            fixture.end().await;
        }
    }
}
