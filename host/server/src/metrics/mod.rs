//! What the controller counts: one registry, read by `/metrics`, by the introspection socket and
//! by the figures of the last hour.
//!
//! Counting is a few atomic additions. What others know already (the store, the process, who is
//! connected) is not counted twice but read when somebody asks, in [`expose`]. The number of
//! series is bounded: labels are routes and calls that exist, and applications; those of an
//! application that is removed drop out at the next reading.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use periapt_engine::SharedClock;
use periapt_model::{ModelUuid, UnitName};
use periapt_store::{SECONDS, Spread};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

mod charms;
pub mod expose;
pub mod figures;
mod process;
#[cfg(test)]
mod tests;
mod workloads;

use figures::History;

/// Label sets of hooks at most; more are counted under one name, and a log line says so.
const HOOK_SERIES: usize = 20_000;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Request {
    method: String,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Route {
    method: String,
    route: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Call {
    facade: String,
    method: String,
    result: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Facade {
    facade: String,
    method: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Hook {
    model: String,
    application: String,
    hook: String,
    result: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Application {
    model: String,
    application: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Kind {
    kind: String,
}

/// The counters of a process. Clones are the same ones.
#[derive(Clone)]
pub struct Metrics {
    inner: Arc<Inner>,
}

struct Inner {
    registry: Registry,
    clock: SharedClock,
    /// Microseconds UTC.
    started_at: i64,
    requests: Family<Request, Counter>,
    request_seconds: Family<Route, Histogram>,
    calls: Family<Call, Counter>,
    call_seconds: Family<Facade, Histogram>,
    hooks: Family<Hook, Counter>,
    hook_seconds: Family<Application, Histogram>,
    sessions: Family<Kind, Gauge>,
    connections: Gauge,
    watchers: Gauge,
    uploads_waiting: Gauge,
    hook_labels: Mutex<HashSet<Hook>>,
    totals: Totals,
    history: Mutex<History>,
}

/// The same over everything, for the figures.
struct Totals {
    request_seconds: Spread,
    failed_requests: AtomicU64,
    call_seconds: Spread,
    hook_seconds: Spread,
}

fn seconds() -> Histogram {
    Histogram::new(SECONDS.iter().copied())
}

impl Metrics {
    pub fn new(clock: SharedClock) -> Self {
        let requests = Family::default();
        let request_seconds = Family::new_with_constructor(seconds as fn() -> Histogram);
        let calls = Family::default();
        let call_seconds = Family::new_with_constructor(seconds as fn() -> Histogram);
        let hooks = Family::default();
        let hook_seconds = Family::new_with_constructor(seconds as fn() -> Histogram);
        let sessions = Family::default();
        let (connections, watchers, uploads_waiting) =
            (Gauge::default(), Gauge::default(), Gauge::default());
        let mut registry = Registry::with_prefix("periapt");
        let mut add = |name: &str, help: &str, metric: Box<dyn Registered>| {
            metric.register(&mut registry, name, help);
        };
        add(
            "http_requests",
            "Requests of the HTTP API",
            Box::new(Family::clone(&requests)),
        );
        add(
            "http_request_seconds",
            "Time until the headers of the answer",
            Box::new(Family::clone(&request_seconds)),
        );
        add(
            "rpc_calls",
            "Calls of agents and clients on websockets",
            Box::new(Family::clone(&calls)),
        );
        add(
            "rpc_call_seconds",
            "Time of calls that do not wait by nature",
            Box::new(Family::clone(&call_seconds)),
        );
        add("hooks", "Hooks that ran", Box::new(Family::clone(&hooks)));
        add(
            "hook_seconds",
            "Time of hooks, from chosen to committed or failed",
            Box::new(Family::clone(&hook_seconds)),
        );
        add(
            "sessions",
            "Logged-in websockets and connections within the process",
            Box::new(Family::clone(&sessions)),
        );
        add(
            "connections",
            "Open connections to the API's port",
            Box::new(Gauge::clone(&connections)),
        );
        add(
            "watchers",
            "Watchers of all sessions",
            Box::new(Gauge::clone(&watchers)),
        );
        add(
            "uploads_waiting",
            "Charm uploads that wait for their turn",
            Box::new(Gauge::clone(&uploads_waiting)),
        );
        let started_at = clock.now().as_microsecond();
        Self {
            inner: Arc::new(Inner {
                registry,
                started_at,
                requests,
                request_seconds,
                calls,
                call_seconds,
                hooks,
                hook_seconds,
                sessions,
                connections,
                watchers,
                uploads_waiting,
                hook_labels: Mutex::default(),
                totals: Totals {
                    request_seconds: Spread::new(SECONDS),
                    failed_requests: AtomicU64::new(0),
                    call_seconds: Spread::new(SECONDS),
                    hook_seconds: Spread::new(SECONDS),
                },
                history: Mutex::default(),
                clock,
            }),
        }
    }

    /// A request of the HTTP API was answered. `route` is the pattern, never the path.
    pub fn request(&self, method: &str, route: &str, status: u16, took: Duration) {
        let (method, route) = (method.to_owned(), route.to_owned());
        let request = Request {
            method: method.clone(),
            route: route.clone(),
            status,
        };
        self.inner.requests.get_or_create(&request).inc();
        self.inner
            .request_seconds
            .get_or_create(&Route { method, route })
            .observe(took.as_secs_f64());
        self.inner.totals.request_seconds.add_time(took);
        if status >= 500 {
            self.inner
                .totals
                .failed_requests
                .fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A call of a facade was answered: `result` is `ok` or a code of the wire. A call that
    /// waits by nature has no time.
    pub fn call(&self, facade: &str, method: &str, result: &str, took: Option<Duration>) {
        let (facade, method) = (facade.to_owned(), method.to_owned());
        let call = Call {
            facade: facade.clone(),
            method: method.clone(),
            result: result.to_owned(),
        };
        self.inner.calls.get_or_create(&call).inc();
        if let Some(took) = took {
            self.inner
                .call_seconds
                .get_or_create(&Facade { facade, method })
                .observe(took.as_secs_f64());
            self.inner.totals.call_seconds.add_time(took);
        }
    }

    /// A hook of a unit ended.
    pub fn hook(&self, model: &ModelUuid, unit: &UnitName, hook: &str, took: Duration, ok: bool) {
        let (model, application) = (model.to_string(), unit.application().to_string());
        let mut labels = Hook {
            model: model.clone(),
            application: application.clone(),
            hook: hook.to_owned(),
            result: if ok { "ok" } else { "failed" }.to_owned(),
        };
        {
            let mut known = lock(&self.inner.hook_labels);
            if known.len() >= HOOK_SERIES && !known.contains(&labels) {
                tracing::warn!(%unit, hook, "too many kinds of hooks are counted; this one is counted as \"other\"");
                labels.hook = "other".to_owned();
            }
            known.insert(labels.clone());
        }
        self.inner.hooks.get_or_create(&labels).inc();
        self.inner
            .hook_seconds
            .get_or_create(&Application { model, application })
            .observe(took.as_secs_f64());
        self.inner.totals.hook_seconds.add_time(took);
    }

    /// Counts a session of a kind (`user`, `agent`, `controller`) until the guard is dropped.
    pub fn session(&self, kind: &str) -> Counted {
        let kind = Kind {
            kind: kind.to_owned(),
        };
        Counted::new(self.inner.sessions.get_or_create_owned(&kind))
    }

    /// Counts a connection until the guard is dropped.
    pub fn connection(&self) -> Counted {
        Counted::new(self.inner.connections.clone())
    }

    /// Counts a watcher until the guard is dropped.
    pub fn watcher(&self) -> Counted {
        Counted::new(self.inner.watchers.clone())
    }

    /// Counts an upload that waits until the guard is dropped.
    pub fn upload_waits(&self) -> Counted {
        Counted::new(self.inner.uploads_waiting.clone())
    }

    /// Forgets the series of applications that are not among these.
    fn retain(&self, applications: &HashSet<(String, String)>) {
        let gone = |model: &str, application: &str| {
            !applications.contains(&(model.to_owned(), application.to_owned()))
        };
        let mut known = lock(&self.inner.hook_labels);
        known.retain(|hook| {
            let gone = gone(&hook.model, &hook.application);
            if gone {
                self.inner.hooks.remove(hook);
                self.inner.hook_seconds.remove(&Application {
                    model: hook.model.clone(),
                    application: hook.application.clone(),
                });
            }
            !gone
        });
    }
}

/// One of something that is counted while it is there.
pub struct Counted(Gauge);

impl Counted {
    fn new(gauge: Gauge) -> Self {
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// A metric that knows how to be put into a registry.
trait Registered {
    fn register(self: Box<Self>, registry: &mut Registry, name: &str, help: &str);
}

impl<M: prometheus_client::registry::Metric> Registered for M {
    fn register(self: Box<Self>, registry: &mut Registry, name: &str, help: &str) {
        registry.register(name, help, *self);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
