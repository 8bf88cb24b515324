//! Applications as shown.

use std::collections::HashMap;

use periapt_model::ports::Openings;
use periapt_model::reach::Exposure;
use periapt_model::refusal::Subject;
use periapt_model::status::{Agent, ApplicationParts, Status, Workload};
use periapt_model::workload::with_unwell;
use periapt_model::{ApplicationName, Life, ModelName, ModelUuid, UnitName};
use periapt_wire::rest::ApplicationInfo;

use crate::db::{Session, Which, columns, json, optional_json, word};
use crate::error::StoreError;
use crate::grant::held::Held;
use crate::reach::{Ingress, Reached, shows_a_page};
use crate::waiting::HeldBy;
use crate::{Result, Store, status};

use super::unit::{openings, reached};
use super::workload::Unwell;

columns! {
    /// A unit with what it says; of agents only those matter that failed.
    struct UnitOf {
        application: ApplicationName = "unit.application" as word,
        name: UnitName = "unit.name" as word,
        reached: Reached = "unit.reached" as reached,
        openings: Openings = "unit.opened_ports" as openings,
        workload: Option<Status<Workload>> = [status::list!("workload")] as status::optional,
        agent: Option<Status<Agent>> = [status::list!("agent")] as status::optional,
    }
    const UNITS = which(
        "FROM unit
            LEFT JOIN status AS workload ON workload.model_uuid = unit.model_uuid
                AND workload.kind = 'workload' AND workload.entity = unit.name
            LEFT JOIN status AS agent ON agent.model_uuid = unit.model_uuid
                AND agent.kind = 'juju-unit' AND agent.entity = unit.name AND agent.status = 'error'
            WHERE unit.model_uuid = $1",
        "unit.application",
        "ORDER BY unit.application, unit.number"
    );
}

columns! {
    /// An application but for its units.
    pub(crate) struct ApplicationRow {
        name: ApplicationName = "application.name" as word,
        charm: String = "application.charm_url",
        charm_name: String = "charm.name",
        charm_revision: u64 = "charm.revision",
        channel: String = "application.channel",
        can_upgrade_to: String = "application.can_upgrade_to",
        life: Life = "application.life" as word,
        exposure: Exposure = "application.exposure" as json,
        model: ModelName = "model.name" as word,
        ingress: Ingress = "model.ingress" as json,
        workload_version: String = "application.workload_version",
        subordinate: bool = "application.subordinate",
        min_units: u32 = "application.min_units",
        trusted: bool = "application.trusted",
        constraints: String = "application.constraints",
        set: Option<Status<Workload>> = [status::list!("status")] as status::optional,
        /// What the controller cannot do for it.
        trouble: Option<Status<Workload>> = "application.trouble" as optional_json,
        /// Another revision of its charm that waits to be approved.
        held: Option<Held> = "application.held" as optional_json,
    }
    const APPLICATIONS = which(
        "FROM application
            JOIN model ON model.uuid = application.model_uuid
            JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
            LEFT JOIN status ON status.model_uuid = application.model_uuid AND status.kind = 'application'
                AND status.entity = application.name
            WHERE application.model_uuid = $1",
        "application.name",
        "ORDER BY application.name"
    );
}

impl ApplicationRow {
    /// What an application says, with why nobody finds it by name while it is exposed, and what another revision of
    /// its charm waits for.
    pub fn follow(&self, mut said: Status<Workload>) -> Status<Workload> {
        let unwell = self.ingress.unwell().filter(|_| !self.exposure.is_empty());
        if let Some(unwell) = unwell {
            said.message = with_unwell(&said.message, &[unwell]);
        }
        self.awaits(said)
    }

    /// What it, or one of its units, says, with what another revision of its charm waits for.
    pub fn awaits(&self, said: Status<Workload>) -> Status<Workload> {
        match &self.held {
            Some(held) => held.follow(&self.name, said),
            None => said,
        }
    }
}

impl Store {
    /// All applications of a model, by name.
    pub async fn applications(&self, model: &ModelUuid) -> Result<Vec<ApplicationInfo>> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        load(&mut db, model, Which::All).await
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
    let found = load(db, model, Which::Named(&[application.to_string()])).await?;
    found
        .into_iter()
        .next()
        .ok_or_else(|| StoreError::not_found(Subject::Application, application))
}

/// Units with what they and their agents say.
#[derive(Default)]
struct Units {
    names: Vec<UnitName>,
    /// One of them shows a page.
    answers: bool,
    said: Vec<(Status<Workload>, Status<Agent>)>,
}

/// Applications as shown, by name; of the named those that there are.
pub(crate) async fn load(
    db: &mut Session,
    model: &ModelUuid,
    which: Which<'_>,
) -> Result<Vec<ApplicationInfo>> {
    let rows = rows(db, model, which).await?;
    let exposed = rows.iter().filter(|row| !row.exposure.is_empty());
    let exposed: HashMap<ApplicationName, Exposure> = exposed
        .map(|row| (row.name.clone(), row.exposure.clone()))
        .collect();
    let mut units: HashMap<ApplicationName, Units> = HashMap::new();
    let found = db.which(UNITS, model, which).await?;
    let names: Vec<String> = found.iter().map(|row| row.name.to_string()).collect();
    let unwell = match which {
        Which::All => Unwell::load(db, model, Which::All).await?,
        Which::Named(_) => Unwell::load(db, model, Which::Named(&names)).await?,
    };
    for row in found {
        let exposure = exposed.get(&row.application);
        let own = units.entry(row.application).or_default();
        if let Some(workload) = row.workload {
            let agent = row.agent.unwrap_or_else(|| Status::new(Agent::Idle, ""));
            let workload = unwell.follow(&row.name, workload, &row.reached, exposure.is_some());
            own.said.push((workload, agent));
        }
        own.names.push(row.name);
        own.answers |= exposure.is_some_and(|exposure| shows_a_page(&row.openings, exposure));
    }
    let mut held_by = HeldBy::default();
    if rows.iter().any(|row| !row.life.is_alive()) {
        held_by.load(db, model).await?;
    }
    let shown = rows.into_iter().map(|mut row| {
        let own = units.remove(&row.name).unwrap_or_default();
        let waiting_for = match row.life {
            Life::Alive => Vec::new(),
            Life::Dying | Life::Dead => held_by.take(row.name.as_str(), &own.names),
        };
        let parts = ApplicationParts {
            trouble: row.trouble.take(),
            set: row.set.take(),
            units: own.said,
        };
        let status = row.follow(parts.status());
        let exposed = !row.exposure.is_empty();
        let url = || row.ingress.url(&row.name, &row.model);
        ApplicationInfo {
            // A name behind which no port is open would lead to a page that says so.
            url: own.answers.then(url).flatten(),
            name: row.name,
            charm: row.charm,
            charm_name: row.charm_name,
            charm_revision: row.charm_revision,
            channel: row.channel,
            can_upgrade_to: row.can_upgrade_to,
            life: row.life,
            exposed,
            exposed_endpoints: row.exposure.shown(),
            workload_version: row.workload_version,
            status,
            units: own.names,
            subordinate: row.subordinate,
            min_units: row.min_units,
            trust: row.trusted,
            constraints: row.constraints,
            held: row.held.as_ref().map(Held::shown),
            waiting_for,
        }
    });
    Ok(shown.collect())
}

/// The applications themselves, by name; of the named those that there are.
pub(crate) async fn rows(
    db: &mut Session,
    model: &ModelUuid,
    which: Which<'_>,
) -> Result<Vec<ApplicationRow>> {
    Ok(db.which(APPLICATIONS, model, which).await?)
}
