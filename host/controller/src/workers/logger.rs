//! **logger**: applies the log levels of the model's `logging-config` to this process.
//!
//! Trigger: the configuration changes. Action: it replaces the process's log filter. Effect: the
//! next line follows the new levels without a restart. A specification that makes no sense is
//! logged and the old levels stay. It follows the controller's own model.

use std::sync::Arc;

use periapt_agents::model::apicaller::Connect;
use periapt_agents::watching;
use periapt_engine::{Manifold, ResultExt, TaskWorker};
use periapt_model::config::Value;
use periapt_server::ServerState;
use periapt_wire::ApiConnection;
use periapt_wire::agent::model_config::{GetModelConfig, WatchModelConfig};
use serde_json::json;

use super::apiserver::InProcess;
use super::{agent, apicaller, apiserver};
use crate::ControllerContext;

pub const NAME: &str = "logging-config-updater";

/// Replaces the filter of the process's log; the text is a filter as [`filter`] makes it.
pub type SetLevels = Arc<dyn Fn(&str) -> Result<(), String> + Send + Sync>;

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let state: ServerState = context.get(apiserver::NAME)?;
        context.require(apicaller::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let connected = InProcess(state)
                .connect(Some(&controller.config.controller_model))
                .await;
            let api: ApiConnection = connected?;
            let (watch, doing) = (WatchModelConfig {}, "watching logging-config");
            watching::notify(&worker, &api, watch, doing, || async {
                let config = api.call(&GetModelConfig {}).await;
                let config = config.while_doing("reading logging-config")?;
                if let Some(Value::Text(levels)) = config.get("logging-config") {
                    // The same levels once more change nothing.
                    match (controller.set_levels)(&filter(levels)) {
                        Ok(()) => worker.set_report(json!({ "logging-config": levels })),
                        Err(error) => {
                            tracing::warn!(%levels, %error, "logging-config is not usable");
                        }
                    }
                }
                Ok(())
            })
            .await
        }))
    })
    .needs([agent::NAME, apiserver::NAME, apicaller::NAME])
}

/// Juju's `<root>=INFO;module.part=DEBUG` as a filter of `tracing`: `info,module::part=debug`.
pub fn filter(levels: &str) -> String {
    let directives = levels
        .split([';', ','])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (module, level) = part.split_once('=').unwrap_or(("<root>", part));
            let level = match level.trim().to_ascii_uppercase().as_str() {
                "WARNING" => "warn".to_owned(),
                "CRITICAL" => "error".to_owned(),
                other => other.to_ascii_lowercase(),
            };
            match module.trim() {
                "<root>" | "" => level,
                module => format!("{}={level}", module.replace('.', "::")),
            }
        });
    directives.collect::<Vec<_>>().join(",")
}
