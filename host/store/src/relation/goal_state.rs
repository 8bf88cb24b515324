//! What will be there once the model has settled: the units and applications a unit will have
//! around it, whether or not they have come yet (rules: Juju's goal state).

use std::collections::BTreeMap;

use periapt_model::status::{Agent, Relation as Word, Status, Workload};
use periapt_model::{ApplicationName, Life, ModelUuid, UnitName};
use periapt_wire::agent::uniter::{GoalState, GoalStatus};

use super::{reading, rows};
use crate::db::{Session, columns, params, word};
use crate::{Result, Store, status, views};

impl Store {
    /// What will be there for a unit once the model has settled.
    pub async fn goal_state(&self, model: &ModelUuid, unit: &UnitName) -> Result<GoalState> {
        let mut db = self.snapshot().await?;
        let root = reading::root(&mut db, model, unit).await?;
        let root = root.as_ref().unwrap_or(unit);
        let application = unit.application();
        let mut goal = GoalState {
            units: units(&mut db, model, &application, root).await?,
            relations: BTreeMap::new(),
        };
        let relations = rows::of_application(&mut db, model, &application).await?;
        let statuses = views::relation::statuses(&mut db, model, &relations).await?;
        for relation in relations.iter().filter(|relation| !relation.is_peer()) {
            let Some((mine, other)) = relation.seen_by(&application) else {
                continue;
            };
            let theirs = goal.relations.entry(mine.name.clone()).or_default();
            let state = GoalStatus {
                status: statuses
                    .get(&relation.id)
                    .copied()
                    .unwrap_or(Word::Joining)
                    .to_string(),
                since: relation.created_at,
            };
            theirs.insert(other.application.to_string(), state);
            theirs.extend(units(&mut db, model, &other.application, root).await?);
        }
        Ok(goal)
    }
}

columns! {
    struct UnitRow {
        name: String = "unit.name",
        life: Life = "unit.life" as word,
        workload: Option<Status<Workload>> = [status::list!("workload")] as status::optional,
        agent: Option<Status<Agent>> = [status::list!("agent")] as status::optional,
    }
    const UNITS = "FROM unit
        LEFT JOIN status AS workload ON workload.model_uuid = unit.model_uuid
            AND workload.kind = 'workload' AND workload.entity = unit.name
        LEFT JOIN status AS agent ON agent.model_uuid = unit.model_uuid
            AND agent.kind = 'juju-unit' AND agent.entity = unit.name
        WHERE unit.model_uuid = $1 AND unit.application = $2 AND unit.life <> 'dead'
            AND (unit.principal IS NULL OR unit.principal = $3)";
}

/// Units of an application that are not dead, without those in other containers.
async fn units(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
    root: &UnitName,
) -> Result<BTreeMap<String, GoalStatus>> {
    let mut found = BTreeMap::new();
    for row in db.all(UNITS, params![model, application, root]).await? {
        let workload = row
            .workload
            .unwrap_or_else(|| Status::new(Workload::Unknown, ""));
        let agent = row
            .agent
            .unwrap_or_else(|| Status::new(Agent::Allocating, ""));
        // A failed hook shows as the unit's own error.
        let (word, since) = match agent.status {
            Agent::Error => (agent.status.to_string(), agent.since),
            _ => (workload.status.to_string(), workload.since),
        };
        let state = GoalStatus {
            status: if row.life.is_alive() {
                word
            } else {
                row.life.to_string()
            },
            since,
        };
        found.insert(row.name, state);
    }
    Ok(found)
}
