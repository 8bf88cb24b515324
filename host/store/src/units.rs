//! One unit as shown, and the answer to its failed hook.

use periapt_model::status::{Agent, Status, Workload};
use periapt_model::{Life, MachineId, ModelUuid, UnitName};
use periapt_wire::rest::UnitInfo;

use crate::changes::namespace;
use crate::db::params;
use crate::error::StoreError;
use crate::relations;
use crate::status::{self, kind};
use crate::{Presence, Result, Store, lease, waiting};

impl Store {
    /// One unit, with what it waits for in words.
    pub async fn unit(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        presence: Presence<'_>,
    ) -> Result<UnitInfo> {
        let mut db = self.snapshot().await?;
        let now = self.lease_now(&mut db).await?;
        let sql = "SELECT unit.life, unit.machine_id, unit.opened_ports, unit.workload_version,
                COALESCE(unit.charm_url, application.charm_url), COALESCE(machine.addresses, '[]'),
                COALESCE(machine.instance_id, '')
            FROM unit
            JOIN application ON application.model_uuid = unit.model_uuid AND application.name = unit.application
            LEFT JOIN machine ON machine.model_uuid = unit.model_uuid AND machine.id = unit.machine_id
            WHERE unit.model_uuid = $1 AND unit.name = $2";
        let row = db.fetch_optional(sql, params![model, unit]).await?;
        let row = row.ok_or_else(|| StoreError::not_found("unit", unit))?;
        let workload = status::find(&mut db, model, kind::WORKLOAD, unit.as_str()).await?;
        let agent = status::find(&mut db, model, kind::AGENT, unit.as_str()).await?;
        let workload = workload.unwrap_or_else(|| Status::new(Workload::Unknown, ""));
        let agent: Status<Agent> = agent.unwrap_or_else(|| Status::new(Agent::Allocating, ""));
        let machine: Option<MachineId> = row.parse_optional(1, "machine")?;
        let life: Life = row.parse(0, "life")?;
        let present = machine.as_ref().is_some_and(presence);
        let cleanups = waiting::of_unit(&mut db, model, unit).await?;
        let mut neighbours = relations::neighbours(&mut db, model, Some(unit)).await?;
        let neighbours = neighbours.remove(unit.as_str()).unwrap_or_default();
        let waiting_for = waiting::unit(
            unit,
            life,
            machine.as_ref(),
            &agent,
            present,
            &neighbours,
            &cleanups,
        );
        let namespace = lease::Namespace::ApplicationLeadership;
        let held =
            lease::rows::find(&mut db, namespace, model, unit.application().as_str()).await?;
        let leader = held.is_some_and(|held| held.holder == unit.as_str() && !held.is_over(now));
        let (workload, agent) = status::shown(unit, workload, agent, present);
        let addresses: Vec<String> = row.json(5, "addresses")?;
        Ok(UnitInfo {
            name: unit.clone(),
            application: unit.application(),
            charm: row.text(4)?,
            life,
            machine,
            leader,
            workload,
            agent,
            opened_ports: row.json(2, "opened ports")?,
            public_address: addresses.into_iter().next(),
            workload_version: row.text(3)?,
            waiting_for,
            principal: neighbours.principal,
            subordinates: neighbours.subordinates,
            relations: Vec::new(),
        })
    }

    /// Answers a failed hook: run it again, or go on as if it had succeeded. Refused unless the
    /// unit is in error.
    pub async fn resolved(&self, model: &ModelUuid, unit: &UnitName, retry: bool) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "SELECT resolved FROM unit WHERE model_uuid = $1 AND name = $2";
                let row = tx.db.fetch_optional(sql, params![&model, &unit]).await?;
                let row = row.ok_or_else(|| StoreError::not_found("unit", &unit))?;
                let agent: Option<Status<Agent>> =
                    status::find(&mut tx.db, &model, kind::AGENT, unit.as_str()).await?;
                if agent.is_none_or(|agent| agent.status != Agent::Error) {
                    return Err(StoreError::Invalid {
                        code: "unit-not-in-error",
                        message: format!("unit {unit} is not in an error state"),
                    });
                }
                let wanted = if retry { "retry-hooks" } else { "no-hooks" };
                let found = row.str(0)?;
                if found == wanted {
                    return Ok(());
                }
                if found != "none" {
                    return Err(StoreError::Invalid {
                        code: "already-resolved",
                        message: format!("unit {unit} is already resolved with {found}"),
                    });
                }
                let sql = "UPDATE unit SET resolved = $3 WHERE model_uuid = $1 AND name = $2";
                tx.db.execute(sql, params![&model, &unit, wanted]).await?;
                tx.touch(&model, namespace::RESOLVED, unit.as_str());
                Ok(())
            })
        })
        .await
    }
}
