//! What a charm writes of a container: services and checks, in layers.
//!
//! The builders offer what this version heeds; whatever else a layer may say is refused by the host, in words.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

/// A layer of a plan: services and checks, by name. Setting one of the same label again replaces
/// each of those that it names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Layer {
    #[serde(skip)]
    pub(super) label: String,
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    before: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    requires: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    requires_ready: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    on_failure: Option<OnFailure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backoff_delay: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backoff_factor: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backoff_limit: Option<String>,
}

/// What follows when a service could not be started, or ended with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// It is started again, after a wait that grows.
    Restart,
    /// It stays as it is until the charm starts it.
    Ignore,
    /// All services of the container are stopped.
    Shutdown,
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
            after: Vec::new(),
            before: Vec::new(),
            requires: Vec::new(),
            requires_ready: Vec::new(),
            on_failure: None,
            backoff_delay: None,
            backoff_factor: None,
            backoff_limit: None,
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

    /// Requests that are answered at once; others wait. 32 unless it is said, which is also the most.
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

    /// Started after this service where both are started, and stopped before it.
    #[must_use]
    pub fn after(mut self, service: impl Into<String>) -> Self {
        self.after.push(service.into());
        self
    }

    /// Started before this service where both are started, and stopped after it.
    #[must_use]
    pub fn before(mut self, service: impl Into<String>) -> Self {
        self.before.push(service.into());
        self
    }

    /// This service is started with it.
    #[must_use]
    pub fn requires(mut self, service: impl Into<String>) -> Self {
        self.requires.push(service.into());
        self
    }

    /// Not started before this service is active.
    #[must_use]
    pub fn requires_ready(mut self, service: impl Into<String>) -> Self {
        self.requires_ready.push(service.into());
        self
    }

    /// What follows a failure; it is started again unless it is said.
    #[must_use]
    pub fn on_failure(mut self, action: OnFailure) -> Self {
        self.on_failure = Some(action);
        self
    }

    /// How long it waits before it is started again: `first`, and `factor` times as long after each further failure, up
    /// to `longest`. From 0.5 s, doubled up to 30 s, unless it is said.
    #[must_use]
    pub fn backoff(mut self, first: Duration, factor: f64, longest: Duration) -> Self {
        self.backoff_delay = Some(written(first));
        self.backoff_factor = Some(factor);
        self.backoff_limit = Some(written(longest));
        self
    }
}

/// As layers have it.
fn written(time: Duration) -> String {
    format!("{}ms", time.as_millis())
}

/// A check, which looks again and again.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    startup: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    http: Option<HttpProbe>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tcp: Option<TcpProbe>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct HttpProbe {
    url: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct TcpProbe {
    port: u16,
}

impl Check {
    /// A request to `http://localhost:PORT/PATH`, up while it is answered well.
    pub fn http(port: u16, path: &str) -> Self {
        let url = format!("http://localhost:{port}/{}", path.trim_start_matches('/'));
        Self {
            http: Some(HttpProbe { url }),
            ..Self::new()
        }
    }

    /// Up while a service of the container listens at this port. It wakes none, as a request does not either.
    pub fn tcp(port: u16) -> Self {
        Self {
            tcp: Some(TcpProbe { port }),
            ..Self::new()
        }
    }

    fn new() -> Self {
        Self {
            overrides: "replace",
            level: None,
            period: None,
            threshold: None,
            startup: None,
            timeout: None,
            http: None,
            tcp: None,
        }
    }

    /// It says whether the unit lives.
    #[must_use]
    pub fn alive(mut self) -> Self {
        self.level = Some("alive");
        self
    }

    /// Not made until the charm asks for it.
    #[must_use]
    pub fn disabled(mut self) -> Self {
        self.startup = Some("disabled");
        self
    }

    /// Seconds after which it has failed; 3 unless it is said, and less than the period.
    #[must_use]
    pub fn timeout(mut self, seconds: u32) -> Self {
        self.timeout = Some(format!("{seconds}s"));
        self
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
