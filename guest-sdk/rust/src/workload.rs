//! Containers, and the services that run in them.
//!
//! A charm describes what is to run and the commit of its hook decides: nothing that a failed hook
//! asked for ever runs, and a plan that changed is carried out without being asked for. A web
//! workload is a second component of the charm; see the crate `periapt-http` for writing one.
//!
//! ```
//! use periapt_charm::{Charm, Context, Hook, Layer, PortRange, Result, Service};
//!
//! #[derive(Default)]
//! struct Web;
//!
//! impl Charm for Web {
//!     type Config = ();
//!     const HOOKS: &'static [Hook] = &[Hook::ConfigChanged];
//!
//!     fn config_changed(&mut self, context: &Context<()>) -> Result<()> {
//!         let service = Service::http("server.wasm", 80);
//!         context.container("web").set(&Layer::new("web").service("web", service))?;
//!         context.open_ports(PortRange::tcp(80))
//!     }
//! }
//!
//! let mut harness = periapt_charm::testing::Harness::<Web>::new();
//! harness.add_container("web", &["80/tcp"], &["server.wasm"]);
//! harness.run(Hook::ConfigChanged).expect("the hook succeeds");
//! assert_eq!(harness.plan("web")["services"]["web"]["port"], 80);
//! ```

mod layer;
#[cfg(test)]
mod tests;

use crate::world::World;
use crate::world::bindings::periapt::charm::workload as wit;
use crate::{Context, HostError, Result};

pub use layer::{Check, Layer, OnFailure, Service};

/// Whether a container can be worked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It is being made.
    Waiting,
    /// It is there.
    Ready,
    /// The operator, the policy or the machine does not allow it.
    Refused,
    /// It goes with its unit.
    Stopping,
}

/// A container that the charm declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerInfo {
    /// As in the metadata.
    pub name: String,
    /// Whether it can be worked with.
    pub condition: Condition,
    /// What to do where it cannot.
    pub message: String,
}

/// Where a service is.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Current {
    Inactive,
    Waiting,
    Starting,
    Active,
    Backoff,
    Stopping,
    Finished,
    Failed,
    Fenced,
}

/// A service as it was seen last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceInfo {
    /// As in its layer.
    pub name: String,
    /// Where it is.
    pub current: Current,
    /// How often it was started again.
    pub restarts: u32,
    /// How it last ended, in words.
    pub last_end: Option<String>,
}

/// Where a check is.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckStatus {
    Up,
    Down,
    Inactive,
}

/// A check as it was seen last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckInfo {
    /// As in its layer.
    pub name: String,
    /// Where it is.
    pub status: CheckStatus,
    /// How often it succeeded.
    pub successes: u64,
    /// How often it failed since then.
    pub failures: u32,
    /// At how many failures it is down.
    pub threshold: u32,
    /// What the last failure said.
    pub message: Option<String>,
}

impl CheckInfo {
    /// Whether it is up.
    pub fn is_up(&self) -> bool {
        self.status == CheckStatus::Up
    }
}

/// Something to be done after the commit.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    Replan,
    Start(Vec<String>),
    Stop(Vec<String>),
    Restart(Vec<String>),
    StartChecks(Vec<String>),
    StopChecks(Vec<String>),
}

/// What a charm may ask of the host about its containers.
#[allow(missing_docs)]
pub trait WorkloadHost {
    fn containers(&self) -> Result<Vec<ContainerInfo>, HostError>;
    fn add_layer(&self, container: &str, label: &str, layer: &str) -> Result<(), HostError>;
    fn plan(&self, container: &str) -> Result<String, HostError>;
    fn ask(&self, container: &str, request: &Request) -> Result<(), HostError>;
    fn services(&self, container: &str) -> Result<Vec<ServiceInfo>, HostError>;
    fn checks(&self, container: &str) -> Result<Vec<CheckInfo>, HostError>;
}

impl WorkloadHost for World {
    fn containers(&self) -> Result<Vec<ContainerInfo>, HostError> {
        let infos = wit::containers()?
            .into_iter()
            .map(|container| ContainerInfo {
                name: container.name,
                condition: match container.condition {
                    wit::Condition::Waiting => Condition::Waiting,
                    wit::Condition::Ready => Condition::Ready,
                    wit::Condition::Refused => Condition::Refused,
                    wit::Condition::Stopping => Condition::Stopping,
                },
                message: container.message,
            });
        Ok(infos.collect())
    }

    fn add_layer(&self, container: &str, label: &str, layer: &str) -> Result<(), HostError> {
        Ok(wit::add_layer(container, label, layer, true)?)
    }

    fn plan(&self, container: &str) -> Result<String, HostError> {
        Ok(wit::plan(container)?)
    }

    fn ask(&self, container: &str, request: &Request) -> Result<(), HostError> {
        let request = match request.clone() {
            Request::Replan => wit::Request::Replan,
            Request::Start(names) => wit::Request::Start(names),
            Request::Stop(names) => wit::Request::Stop(names),
            Request::Restart(names) => wit::Request::Restart(names),
            Request::StartChecks(names) => wit::Request::StartChecks(names),
            Request::StopChecks(names) => wit::Request::StopChecks(names),
        };
        Ok(wit::ask(container, &request)?)
    }

    fn services(&self, container: &str) -> Result<Vec<ServiceInfo>, HostError> {
        let infos = wit::services(container)?
            .into_iter()
            .map(|service| ServiceInfo {
                name: service.name,
                current: match service.current {
                    wit::Current::Inactive => Current::Inactive,
                    wit::Current::Waiting => Current::Waiting,
                    wit::Current::Starting => Current::Starting,
                    wit::Current::Active => Current::Active,
                    wit::Current::Backoff => Current::Backoff,
                    wit::Current::Stopping => Current::Stopping,
                    wit::Current::Finished => Current::Finished,
                    wit::Current::Failed => Current::Failed,
                    wit::Current::Fenced => Current::Fenced,
                },
                restarts: service.restarts,
                last_end: service.last_end,
            });
        Ok(infos.collect())
    }

    fn checks(&self, container: &str) -> Result<Vec<CheckInfo>, HostError> {
        let checks = wit::checks(container)?.into_iter().map(|check| CheckInfo {
            name: check.name,
            status: match check.status {
                wit::CheckStatus::Up => CheckStatus::Up,
                wit::CheckStatus::Down => CheckStatus::Down,
                wit::CheckStatus::Inactive => CheckStatus::Inactive,
            },
            successes: check.successes,
            failures: check.failures,
            threshold: check.threshold,
            message: check.message,
        });
        Ok(checks.collect())
    }
}

/// A container of the unit.
pub struct Container<'a, C> {
    context: &'a Context<'a, C>,
    name: String,
}

impl<C> Context<'_, C> {
    /// The containers that the charm declares, by name.
    pub fn containers(&self) -> Result<Vec<ContainerInfo>> {
        Ok(self.host.containers()?)
    }

    /// The container of this name. Whether the charm declares it shows when something is asked of it.
    pub fn container(&self, name: impl Into<String>) -> Container<'_, C> {
        Container {
            context: self,
            name: name.into(),
        }
    }
}

impl<C> Container<'_, C> {
    /// Puts a layer on top of the plan, or changes the one of its label: each service and check that it
    /// names is as it says from then on. What changed is started or restarted once the hook is
    /// committed; setting the same again changes nothing.
    pub fn set(&self, layer: &Layer) -> Result<()> {
        let text = serde_json::to_string(layer).map_err(|error| crate::Error::State {
            key: format!("layer {}", layer.label),
            reason: error.to_string(),
        })?;
        Ok(self
            .context
            .host
            .add_layer(&self.name, &layer.label, &text)?)
    }

    /// All layers in one, as JSON, with those of this hook.
    pub fn plan(&self) -> Result<String> {
        Ok(self.context.host.plan(&self.name)?)
    }

    /// Starts services after the commit.
    pub fn start(&self, services: &[&str]) -> Result<()> {
        self.ask(Request::Start(names(services)))
    }

    /// Stops services after the commit. They stay so until they are started.
    pub fn stop(&self, services: &[&str]) -> Result<()> {
        self.ask(Request::Stop(names(services)))
    }

    /// Stops and starts services after the commit.
    pub fn restart(&self, services: &[&str]) -> Result<()> {
        self.ask(Request::Restart(names(services)))
    }

    /// The services of the plan as they were seen last.
    pub fn services(&self) -> Result<Vec<ServiceInfo>> {
        Ok(self.context.host.services(&self.name)?)
    }

    /// Starts, after the commit, what is enabled and does not run.
    pub fn replan(&self) -> Result<()> {
        self.ask(Request::Replan)
    }

    /// The checks of the plan as they were seen last.
    pub fn checks(&self) -> Result<Vec<CheckInfo>> {
        Ok(self.context.host.checks(&self.name)?)
    }

    /// Starts checks after the commit, whatever their layer says.
    pub fn start_checks(&self, checks: &[&str]) -> Result<()> {
        self.ask(Request::StartChecks(names(checks)))
    }

    /// Stops checks after the commit. They stay so until they are started, and nothing follows from them.
    pub fn stop_checks(&self, checks: &[&str]) -> Result<()> {
        self.ask(Request::StopChecks(names(checks)))
    }

    fn ask(&self, request: Request) -> Result<()> {
        Ok(self.context.host.ask(&self.name, &request)?)
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
