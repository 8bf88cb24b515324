//! **agent**: the identity of the process and its configuration.
//!
//! Trigger: the engine's start. Action: lends the configuration, which others may read, wait on
//! and replace, and reports how far the process is restricted. Effect: every other node names
//! `agent` among its inputs. The file it came from is the provider's and out of reach by now: what
//! is learnt here is learnt for this life of the process, and the controller keeps the file.

use std::sync::Arc;

use periapt_engine::{Manifold, Outputs, TaskWorker};
use periapt_sandbox::lockdown::LockdownReport;
use periapt_uniter::Process;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::apiaddressupdater::Routes;
use super::apicaller::Dial;
use super::diskmanager::Disks;
use super::levels::SharedLevels;
use super::log::LogBuffer;
use crate::agent_config::AgentConfig;

pub const NAME: &str = "agent";

/// The configuration as it is known now.
pub struct AgentConf {
    current: watch::Sender<AgentConfig>,
}

impl AgentConf {
    pub fn new(config: AgentConfig) -> Self {
        Self {
            current: watch::channel(config).0,
        }
    }

    pub fn current(&self) -> AgentConfig {
        self.current.borrow().clone()
    }

    /// A receiver of each replacement.
    pub fn subscribe(&self) -> watch::Receiver<AgentConfig> {
        self.current.subscribe()
    }

    /// Changes it and tells. Nothing happens when nothing changes.
    pub fn update(&self, change: impl FnOnce(&mut AgentConfig)) {
        self.current.send_if_modified(|current| {
            let before = current.clone();
            change(current);
            *current != before
        });
    }
}

/// What the engine of an agent process is given.
#[derive(Clone)]
pub struct AgentContext {
    pub conf: Arc<AgentConf>,
    pub dial: Arc<dyn Dial>,
    pub process: Process,
    pub log: LogBuffer,
    pub levels: SharedLevels,
    /// Addresses at which the machines of this process are reached.
    pub addresses: Vec<String>,
    pub routes: Arc<Routes>,
    pub disks: Arc<Disks>,
    /// How the process is restricted; none when it is not.
    pub walls: Option<Arc<LockdownReport>>,
    /// Cancelled when the process is asked to stop.
    pub stopping: CancellationToken,
}

/// Lends the [`AgentContext`].
#[must_use]
pub fn manifold(context: &AgentContext) -> Manifold {
    let context = context.clone();
    Manifold::new(move |_| {
        let context = context.clone();
        async move {
            let walls = walls(context.walls.as_deref());
            Ok(TaskWorker::lending(
                Outputs::of(context),
                |worker| async move {
                    worker.set_report(json!({ "walls": walls }));
                    worker.dying().cancelled().await;
                    Ok(())
                },
            ))
        }
    })
}

fn walls(report: Option<&LockdownReport>) -> Value {
    report.map_or(Value::Null, |report| {
        json!({
            "user": report.user,
            "landlock": report.reach.version,
            "ports": report.ports,
            "denied-calls": report.denied_calls,
            "missing": report.missing(),
        })
    })
}
