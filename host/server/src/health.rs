//! Is this process alive, and can it do its work: the checks behind `/health` and `/ready`.
//!
//! Alive means that starting it again would not help: its engine answers, runs, and no worker
//! has hung in its end. Ready means that a request would be served now: the store takes a write,
//! changes are handed out, leases are given, and the API is open. Each check has a bound of its
//! own, so that a probe always answers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use periapt_engine::clock::timeout;
use periapt_engine::{Clock, EngineReport, EngineState, NodeState, SharedClock};
use periapt_store::{Store, lease};
use periapt_wire::rest::{Check, Probe};

use crate::reports::Reports;

#[cfg(test)]
mod tests;

/// How long a check may take.
pub const BOUND: Duration = Duration::from_secs(5);
/// How long a worker may take to end before it counts as hung: longer than any worker's own
/// bound for its end.
pub const ENDING: Duration = Duration::from_secs(60);

/// Remembers since when workers are ending. Clones share it.
#[derive(Clone)]
pub struct Health {
    clock: SharedClock,
    ending: Arc<Mutex<HashMap<String, Duration>>>,
}

impl Health {
    pub fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            ending: Arc::default(),
        }
    }

    /// Whether the process lives.
    pub async fn alive(&self, reports: Arc<dyn Reports>) -> Probe {
        // A worker that hangs in its own report blocks a thread, never the probe.
        let asked = tokio::task::spawn_blocking(move || reports.controller_engine());
        let engine = match self.within(asked).await {
            None => check(
                "engine",
                Err(format!("it has not answered for {} s", BOUND.as_secs())),
            ),
            Some(Err(error)) => check("engine", Err(format!("it cannot be asked: {error}"))),
            // A server without an engine around it, as in a test, has none to be stuck.
            Some(Ok(None)) => check("engine", Ok("there is none".to_owned())),
            Some(Ok(Some(report))) => check("engine", self.judge(&report)),
        };
        probe(vec![engine])
    }

    /// What the engine's report says of its life.
    pub fn judge(&self, report: &EngineReport) -> Result<String, String> {
        if let Some(error) = &report.error {
            return Err(format!("it ends: {error}"));
        }
        if report.state != EngineState::Started {
            return Err("it is not running".to_owned());
        }
        let now = self.clock.monotonic();
        let mut ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
        let is_ending = |name: &str| {
            let node = report.manifolds.get(name);
            node.is_some_and(|node| node.state == NodeState::Stopping)
        };
        ending.retain(|name, _| is_ending(name));
        for name in report.manifolds.keys().filter(|name| is_ending(name)) {
            let since = *ending.entry(name.clone()).or_insert(now);
            let time = now.saturating_sub(since);
            if time >= ENDING {
                return Err(format!("{name} has been stopping for {} s", time.as_secs()));
            }
        }
        let running = report
            .manifolds
            .values()
            .filter(|node| node.state == NodeState::Started);
        Ok(match running.count() {
            1 => "1 worker running".to_owned(),
            count => format!("{count} workers running"),
        })
    }

    /// Whether requests can be served. `open` says whether the API is.
    pub async fn ready(&self, open: bool, store: &Store, leases: &lease::Manager) -> Probe {
        let (store_check, changes, lease_check) = futures::join!(
            self.store(store),
            self.change_stream(store),
            self.leases(leases)
        );
        let api = if open {
            Ok("serving".to_owned())
        } else {
            Err("it is stopping".to_owned())
        };
        probe(vec![
            check("api", api),
            check("store", store_check),
            check("change-stream", changes),
            check("lease-manager", lease_check),
        ])
    }

    async fn store(&self, store: &Store) -> Result<String, String> {
        let began = self.clock.monotonic();
        match self.within(store.ping()).await {
            None => Err(format!("no answer within {} s", BOUND.as_secs())),
            Some(Err(error)) => Err(error.to_string()),
            Some(Ok(())) => {
                let took = self.clock.monotonic().saturating_sub(began);
                Ok(format!("write and read took {} ms", took.as_millis()))
            }
        }
    }

    async fn change_stream(&self, store: &Store) -> Result<String, String> {
        let changes = store.changes();
        if !changes.is_running() {
            return Err("nothing hands changes out".to_owned());
        }
        let before = store.measures();
        if before.position >= before.written {
            return Ok("no backlog".to_owned());
        }
        // There is always something on its way in a busy controller; it has to move.
        let moved = async {
            while changes.position() <= before.position {
                self.clock.sleep(Duration::from_millis(20)).await;
            }
        };
        match self.within(moved).await {
            Some(()) => Ok("working off the backlog".to_owned()),
            None => Err(format!(
                "{} places of the change log wait and none was handed out for {} s",
                before.written - before.position,
                BOUND.as_secs()
            )),
        }
    }

    async fn leases(&self, leases: &lease::Manager) -> Result<String, String> {
        if !leases.is_running() {
            return Err("it has stopped".to_owned());
        }
        match self.within(leases.leases()).await {
            None => Err(format!("no answer within {} s", BOUND.as_secs())),
            Some(Err(error)) => Err(error.to_string()),
            Some(Ok(held)) => Ok(format!("{} leases", held.len())),
        }
    }

    async fn within<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        timeout(&*self.clock as &dyn Clock, BOUND, work).await
    }
}

fn check(name: &str, found: Result<String, String>) -> Check {
    Check {
        name: name.to_owned(),
        ok: found.is_ok(),
        reason: found.unwrap_or_else(|reason| reason),
    }
}

fn probe(checks: Vec<Check>) -> Probe {
    let ok = checks.iter().all(|check| check.ok);
    Probe {
        status: if ok { "ok" } else { "failing" }.to_owned(),
        checks,
    }
}
