//! What runs in the containers of this process's units, told to the controller.
//!
//! Trigger: the supervisor of the machine puts a file beside the others in `workloads/observed`.
//! Action: reads it, and tells the controller what the services and checks of the unit are, where that
//! is any news. Effect: `services` and `checks` show them. With each connection everything is told anew,
//! so whatever died in between, the controller ends up with what there is; files come at most once a
//! second from each unit, and are told no oftener.

use std::collections::BTreeMap;
use std::time::Duration;

use periapt_engine::{Manifold, ResultExt, TaskWorker, WorkerResult};
use periapt_model::UnitName;
use periapt_model::workload::desired::{Observed, Seen};
use periapt_uniter::Process;
use periapt_wire::agent::workloads::SetContainersSeen;
use periapt_wire::rpc::code;
use periapt_wire::{ApiConnection, CallError};

use super::notices::Notices;
use super::{AgentContext, agent, apicaller};

pub const NAME: &str = "workloads";

/// Between two rounds.
const PAUSE: Duration = Duration::from_secs(1);

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let AgentContext { process, .. } = context.get(agent::NAME)?;
        let clock = context.clock();
        Ok(TaskWorker::spawn(move |worker| async move {
            let notices = Notices::of_files_put_into(&process.observed());
            let notices = notices.while_doing("watching its containers")?;
            let mut told = BTreeMap::new();
            loop {
                worker.or_dying(tell(&api, &process, &mut told)).await??;
                worker.or_dying(notices.happened()).await?;
                worker.or_dying(clock.sleep(PAUSE)).await?;
            }
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}

type Told = BTreeMap<UnitName, BTreeMap<String, Seen>>;

async fn tell(api: &ApiConnection, process: &Process, told: &mut Told) -> WorkerResult {
    let asked = process.clone();
    let all = tokio::task::spawn_blocking(move || asked.all_observed());
    let all = all.await.while_doing("reading what its containers are")?;
    told.retain(|unit, _| all.iter().any(|seen| seen.unit == unit.as_str()));
    for Observed {
        unit, containers, ..
    } in all
    {
        let Ok(unit) = unit.parse::<UnitName>() else {
            continue;
        };
        let news = worth_telling(&containers);
        if told.get(&unit) == Some(&news) {
            continue;
        }
        let call = SetContainersSeen {
            unit: unit.clone(),
            containers,
        };
        match api.call(&call).await {
            // The unit has gone, or is not this agent's any more.
            Err(CallError::Refused { code, message })
                if [code::NOT_FOUND, code::UNAUTHORIZED].contains(&code.as_str()) =>
            {
                tracing::debug!(%unit, code, message, "what its containers are is not wanted");
            }
            said => {
                said.while_doing("telling what its containers are")?;
            }
        }
        told.insert(unit, news);
    }
    Ok(())
}

/// Without what changes with each check that goes well, which is no news.
fn worth_telling(containers: &BTreeMap<String, Seen>) -> BTreeMap<String, Seen> {
    let mut news = containers.clone();
    for check in news.values_mut().flat_map(|seen| seen.checks.values_mut()) {
        check.successes = 0;
    }
    news
}
