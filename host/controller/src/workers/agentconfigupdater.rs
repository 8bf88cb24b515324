//! **agentconfigupdater**: keeps in `controller.json` what a controller needs to know before its
//! store is open.
//!
//! Trigger: start, and changes of the controller's configuration. Action: it writes the option
//! `controller-api-port` into the file and tells the controller's port of it. Effect: a port that
//! is set is served at once, and after a restart from the first moment on. Juju's worker restarts
//! the process for settings of MongoDB; there are none here, and nothing needs that. Agents are
//! told their settings over the API and have no such worker.

use periapt_engine::{Manifold, ResultExt, TaskWorker};
use periapt_model::config::{Value, Values};
use periapt_model::options::CONTROLLER_API_PORT;
use periapt_store::{Interest, Store, namespace};
use serde_json::json;

use super::{agent, changestream, dbaccessor};
use crate::{ControllerConfig, ControllerContext, ControllerError};

pub const NAME: &str = "agent-config-updater";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let store: Store = context.get(dbaccessor::NAME)?;
        context.require(changestream::NAME)?;
        let interest = Interest::any_model().all(namespace::CONTROLLER_CONFIG);
        let mut changes = store.changes().subscribe(interest);
        Ok(TaskWorker::spawn(move |worker| async move {
            loop {
                let values = store.controller_config().await;
                let port = wanted(&values.while_doing("reading the controller's configuration")?);
                write(&controller, port).while_doing("writing controller.json")?;
                controller.controller_api_port.send_if_modified(|known| {
                    let changed = *known != port;
                    *known = port;
                    changed
                });
                worker.set_report(json!({ CONTROLLER_API_PORT: port }));
                worker
                    .or_dying(changes.next())
                    .await?
                    .while_doing("watching the controller's configuration")?;
            }
        }))
    })
    .needs([agent::NAME, dbaccessor::NAME, changestream::NAME])
}

/// The port that is set, if any.
fn wanted(values: &Values) -> Option<u16> {
    match values.get(CONTROLLER_API_PORT) {
        Some(Value::Integer(port)) => u16::try_from(*port).ok().filter(|port| *port > 0),
        _ => None,
    }
}

fn write(controller: &ControllerContext, port: Option<u16>) -> Result<(), ControllerError> {
    let config = ControllerConfig::read(&controller.data_dir)?;
    if config.controller_api_port == port {
        return Ok(());
    }
    let changed = ControllerConfig {
        controller_api_port: port,
        ..config
    };
    changed.write(&controller.data_dir)
}
