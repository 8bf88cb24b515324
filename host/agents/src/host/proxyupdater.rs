//! **proxyupdater** (`proxy-config-updater`): the proxies that hooks find in their environment.
//!
//! Trigger: its start, changes of the model's configuration, and of the controller's addresses. Action:
//! it asks for the proxies and publishes them. Effect: the next hook of each unit of this process has
//! them among its variables, with the controller's hosts among those that are reached without a proxy. A
//! question that fails is a line of the log, and the next change asks again.
//!
//! What it never does: it changes no connection of this process, which reaches the controller and
//! nobody else, and that always directly. It runs once in a process and not once for each machine, since
//! the answer is the same for all. Files for apt, snap and LXD have no place here.

use periapt_engine::{Manifold, Outputs, TaskWorker, WorkerContext, WorkerResult};
use periapt_model::proxy::ProxySettings;
use periapt_wire::ApiConnection;
use periapt_wire::agent::host::WatchApiAddresses;
use periapt_wire::agent::model_config::WatchModelConfig;
use periapt_wire::agent::proxy_updater::GetProxyConfig;
use serde_json::json;
use tokio::sync::watch;

use super::apicaller;
use crate::watching::Watching;

pub const NAME: &str = "proxy-config-updater";

/// Lends a `watch::Receiver<ProxySettings>`, once they were asked for: the first hook has them too.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        let first = context.or_abort(read(&connection)).await?;
        let in_force = watch::Sender::new(first.unwrap_or_default());
        let lent = Outputs::of(in_force.subscribe());
        Ok(TaskWorker::lending(lent, |worker| async move {
            follow(&worker, &connection, &in_force).await
        }))
    })
    .needs([apicaller::NAME])
}

async fn follow(
    worker: &WorkerContext,
    connection: &ApiConnection,
    in_force: &watch::Sender<ProxySettings>,
) -> WorkerResult {
    let doing = "watching the model's configuration";
    let mut options = Watching::begin(worker, connection, &WatchModelConfig {}, doing).await?;
    let doing = "watching the controller's addresses";
    let mut addresses = Watching::begin(worker, connection, &WatchApiAddresses {}, doing).await?;
    loop {
        tokio::select! {
            changed = options.changed() => changed?,
            changed = addresses.changed() => changed?,
        }
        if let Some(now) = worker.or_dying(read(connection)).await? {
            in_force.send_if_modified(|before| {
                let changed = *before != now;
                *before = now;
                changed
            });
        }
        // A proxy may be written with a password, so the report names no value.
        let names: Vec<String> = in_force
            .borrow()
            .variables()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        worker.set_report(json!({ "variables": names }));
    }
}

async fn read(connection: &ApiConnection) -> Option<ProxySettings> {
    match connection.call(&GetProxyConfig {}).await {
        Ok(settings) => Some(settings),
        Err(error) => {
            tracing::warn!(%error, "the model's proxies are not known");
            None
        }
    }
}
