//! **charmdownloader**: makes the charms of new applications ready to run.
//!
//! Trigger: an application whose charm is recorded but not ready for this controller's engine.
//! Action: it asks the controller to check and compile it, one after the other, since compiling
//! takes all the processor it can get. Effect: units go on to install; a charm that fails shows
//! an error on its application and is tried again with the next event. It never runs a charm.

use periapt_engine::{Manifold, ResultExt, TaskWorker, WorkerResult};
use periapt_model::ApplicationName;
use periapt_wire::agent::charm_downloader::{
    DownloadCharm, SetApplicationError, WatchPendingCharms,
};
use periapt_wire::rpc::code;
use periapt_wire::{ApiConnection, CallError};

use super::apicaller;
use crate::watching;

pub const NAME: &str = "charm-downloader";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let (watch, doing) = (WatchPendingCharms {}, "watching pending charms");
            watching::names(&worker, &api, watch, doing, |names| download(&api, names)).await
        }))
    })
    .needs([apicaller::NAME])
}

async fn download(api: &ApiConnection, applications: Vec<ApplicationName>) -> WorkerResult {
    for application in applications {
        let call = DownloadCharm {
            application: application.clone(),
        };
        let reason = match api.call(&call).await {
            Ok(_) => continue,
            Err(CallError::Refused { code, .. }) if passing(&code) => continue,
            Err(CallError::Refused { message, .. }) => message,
            Err(error) => return Err(error).while_doing("preparing a charm"),
        };
        tracing::warn!(%application, %reason, "charm cannot be made ready");
        let call = SetApplicationError {
            application,
            message: reason,
        };
        match api.call(&call).await {
            Err(error) if !error.is(code::NOT_FOUND) => {
                return Err(error).while_doing("setting the application's status");
            }
            _ => {}
        }
    }
    Ok(())
}

/// The application went away meanwhile, or the API is going away: no fault of the charm.
fn passing(error: &str) -> bool {
    [code::NOT_FOUND, code::DEAD, code::STOPPED].contains(&error)
}
