//! **applicationscaler**: keeps applications at the number of units that they have at the least.
//!
//! Trigger: applications with fewer units alive than their minimum. Action: it asks the controller to add
//! exactly those that are missing. Effect: a unit that is removed below the minimum goes, and another is
//! added without anybody's doing. It never removes a unit, and never chooses its machine.

use periapt_engine::{Manifold, ResultExt, TaskWorker, WorkerResult};
use periapt_model::ApplicationName;
use periapt_wire::ApiConnection;
use periapt_wire::agent::application_scaler::{Rescale, WatchApplications};

use super::apicaller;
use crate::watching;

pub const NAME: &str = "application-scaler";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let (watch, doing) = (WatchApplications {}, "watching applications");
            watching::names(&worker, &api, watch, doing, |below| rescale(&api, below)).await
        }))
    })
    .needs([apicaller::NAME])
}

async fn rescale(api: &ApiConnection, below: Vec<ApplicationName>) -> WorkerResult {
    for application in below {
        let call = Rescale { application };
        let added = api.call(&call).await.while_doing("adding units")?;
        for unit in added {
            tracing::info!(%unit, "unit is added: its application was below its minimum");
        }
    }
    Ok(())
}
