//! **agent**: the identity of the process and its configuration.
//!
//! Trigger: the engine's start. Action: lends the configuration, which others may read, wait on
//! and replace, and reports how far the process is restricted. Effect: every other node names
//! `agent` among its inputs. The file it came from is the provider's and out of reach by now: what
//! is learnt here is learnt for this life of the process, and the controller keeps the file.

use std::sync::Arc;

use periapt_engine::{Manifold, Outputs, TaskWorker, supervised};
use periapt_sandbox::lockdown::LockdownReport;
use periapt_uniter::Process;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::apiaddressupdater::Routes;
use super::apicaller::Dial;
use super::diskmanager::Disks;
use super::kernel_file::KernelFile;
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
    /// The cgroup that it is in, which it is put into after it was started.
    pub cgroup: Arc<KernelFile>,
    /// Cancelled when the process is asked to stop.
    pub stopping: CancellationToken,
}

impl AgentContext {
    /// What the machine does not give to a process that is to be restricted, as its status says it; empty
    /// when it gives all.
    pub fn lacks(&self) -> String {
        let Some(walls) = &self.walls else {
            return String::new();
        };
        in_words(walls.lacks(), &self.cgroup.read())
    }
}

/// `cgroup` is what the kernel tells of it: `0::/system.slice/periapt.service/agent-1`.
fn in_words(mut lacks: Vec<String>, cgroup: &str) -> String {
    let own = |line: &str| {
        let name = line
            .strip_prefix("0::")
            .and_then(|path| path.rsplit('/').next());
        name.is_some_and(|name| name.starts_with(supervised::CGROUP))
    };
    if !cgroup.lines().any(own) {
        lacks.push("cgroup of its own".to_owned());
    }
    match lacks.is_empty() {
        true => String::new(),
        false => format!("its agent has no {}", lacks.join(", no ")),
    }
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

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn what_a_machine_does_not_give_is_one_short_sentence() {
        let own = "9:name=systemd:/\n0::/system.slice/periapt-lab.service/agent-0d3a\n";
        assert_eq!(in_words(Vec::new(), own), "");
        let lacks = || vec!["user of its own".to_owned(), "Landlock".to_owned()];
        assert_eq!(
            in_words(lacks(), own),
            "its agent has no user of its own, no Landlock"
        );
        assert_eq!(
            in_words(lacks(), "0::/\n"),
            "its agent has no user of its own, no Landlock, no cgroup of its own"
        );
        let others = "0::/system.slice/periapt-lab.service/controller\n";
        assert_eq!(
            in_words(Vec::new(), others),
            "its agent has no cgroup of its own"
        );
    }
}
