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

use std::collections::BTreeMap;

use serde::Serialize;

use crate::world::World;
use crate::world::bindings::periapt::charm::workload as wit;
use crate::{Context, HostError, Result};

/// A layer of a plan: services and checks, by name. Setting one of the same label again replaces
/// each of those that it names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Layer {
    #[serde(skip)]
    label: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    services: BTreeMap<String, Service>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    checks: BTreeMap<String, Check>,
}

impl Layer {
    /// An empty layer under a label.
    pub fn new(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            services: BTreeMap::new(),
            checks: BTreeMap::new(),
        }
    }

    /// With a service, which is started unless it says otherwise.
    #[must_use]
    pub fn service(mut self, name: impl Into<String>, service: Service) -> Self {
        self.services.insert(name.into(), service);
        self
    }

    /// With a check.
    #[must_use]
    pub fn check(mut self, name: impl Into<String>, check: Check) -> Self {
        self.checks.insert(name.into(), check);
        self
    }
}

/// A service.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Service {
    #[serde(rename = "override")]
    overrides: &'static str,
    startup: &'static str,
    kind: &'static str,
    component: String,
    port: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    environment: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrency: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_timeout: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    on_check_failure: BTreeMap<String, &'static str>,
}

impl Service {
    /// A component of the charm that exports `wasi:http/incoming-handler`, and the port at which it
    /// answers. It has an instance for each request.
    pub fn http(component: impl Into<String>, port: u16) -> Self {
        Self {
            overrides: "replace",
            startup: "enabled",
            kind: "http",
            component: component.into(),
            port,
            summary: None,
            environment: BTreeMap::new(),
            concurrency: None,
            request_timeout: None,
            on_check_failure: BTreeMap::new(),
        }
    }

    /// Not started until the charm asks for it.
    #[must_use]
    pub fn disabled(mut self) -> Self {
        self.startup = "disabled";
        self
    }

    /// What people read of it.
    #[must_use]
    pub fn summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = Some(summary.into());
        self
    }

    /// With a variable; the service has no others.
    #[must_use]
    pub fn environment(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// Requests that are answered at once; others wait. 64 unless it is said.
    #[must_use]
    pub fn concurrency(mut self, requests: u32) -> Self {
        self.concurrency = Some(requests);
        self
    }

    /// How long a request may take, in seconds. 30 unless it is said.
    #[must_use]
    pub fn request_timeout(mut self, seconds: u32) -> Self {
        self.request_timeout = Some(format!("{seconds}s"));
        self
    }

    /// Restarted whenever this check fails; else nothing happens.
    #[must_use]
    pub fn restart_on(mut self, check: impl Into<String>) -> Self {
        self.on_check_failure.insert(check.into(), "restart");
        self
    }
}

/// A check: a request that is made again and again.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Check {
    #[serde(rename = "override")]
    overrides: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    period: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<u32>,
    http: HttpProbe,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct HttpProbe {
    url: String,
}

impl Check {
    /// A request to `http://localhost:PORT/PATH`, up while it is answered well.
    pub fn http(port: u16, path: &str) -> Self {
        Self {
            overrides: "replace",
            level: None,
            period: None,
            threshold: None,
            http: HttpProbe {
                url: format!("http://localhost:{port}/{}", path.trim_start_matches('/')),
            },
        }
    }

    /// Requests of others go to units whose checks of this level are up.
    #[must_use]
    pub fn ready(mut self) -> Self {
        self.level = Some("ready");
        self
    }

    /// Seconds between two requests; 10 unless it is said.
    #[must_use]
    pub fn period(mut self, seconds: u32) -> Self {
        self.period = Some(format!("{seconds}s"));
        self
    }

    /// Failures one after the other until it is down; 3 unless it is said.
    #[must_use]
    pub fn threshold(mut self, failures: u32) -> Self {
        self.threshold = Some(failures);
        self
    }
}

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

/// Something to be done after the commit.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    Start(Vec<String>),
    Stop(Vec<String>),
    Restart(Vec<String>),
}

/// What a charm may ask of the host about its containers.
#[allow(missing_docs)]
pub trait WorkloadHost {
    fn containers(&self) -> Result<Vec<ContainerInfo>, HostError>;
    fn add_layer(&self, container: &str, label: &str, layer: &str) -> Result<(), HostError>;
    fn plan(&self, container: &str) -> Result<String, HostError>;
    fn ask(&self, container: &str, request: &Request) -> Result<(), HostError>;
    fn services(&self, container: &str) -> Result<Vec<ServiceInfo>, HostError>;
    /// By name, whether it is up.
    fn checks(&self, container: &str) -> Result<Vec<(String, bool)>, HostError>;
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
            Request::Start(names) => wit::Request::Start(names),
            Request::Stop(names) => wit::Request::Stop(names),
            Request::Restart(names) => wit::Request::Restart(names),
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

    fn checks(&self, container: &str) -> Result<Vec<(String, bool)>, HostError> {
        let checks = wit::checks(container)?.into_iter();
        let up = |status| matches!(status, wit::CheckStatus::Up);
        Ok(checks.map(|check| (check.name, up(check.status))).collect())
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

    /// The checks of the plan, and whether they are up.
    pub fn checks(&self) -> Result<Vec<(String, bool)>> {
        Ok(self.context.host.checks(&self.name)?)
    }

    fn ask(&self, request: Request) -> Result<()> {
        Ok(self.context.host.ask(&self.name, &request)?)
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
