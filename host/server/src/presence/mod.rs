//! Who is connected: the agents of each model, counted by connection.
//!
//! Status asks here whether a machine's agent is there. The registry outlives the API server, so
//! that a restart of it does not make every agent look lost; for the same reason nobody is
//! called absent in the first seconds after the controller started, when agents that lived
//! through the restart are still on their way back.
//!
//! Where several processes are one controller, each knows its own connections and is told of
//! those to the others.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use periapt_engine::SharedClock;
use periapt_model::ModelUuid;
use tokio::sync::watch;

#[cfg(test)]
mod tests;

/// How long after the start an agent that is not there counts as on its way: the longest
/// reconnect delay of an agent with some room.
pub const GRACE: Duration = Duration::from_secs(30);

/// The registry. Clones share it.
#[derive(Clone)]
pub struct Presence {
    shared: Arc<Shared>,
}

struct Shared {
    clock: SharedClock,
    started: Duration,
    agents: Mutex<HashMap<ModelUuid, AgentPresence>>,
    elsewhere: Mutex<HashSet<ModelUuid>>,
    changed: watch::Sender<()>,
}

/// The agent of one model as seen from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentPresence {
    pub connections: usize,
    /// When the first of the present connections logged in, microseconds UTC.
    pub since: i64,
}

impl Presence {
    pub fn new(clock: SharedClock) -> Self {
        let started = clock.monotonic();
        Self {
            shared: Arc::new(Shared {
                clock,
                started,
                agents: Mutex::default(),
                elsewhere: Mutex::default(),
                changed: watch::Sender::new(()),
            }),
        }
    }

    /// Counts a connection until the guard is dropped.
    pub fn enter(&self, model: &ModelUuid) -> PresenceGuard {
        let since = self.shared.clock.now().as_microsecond();
        let mut agents = self.lock();
        let agent = agents.entry(model.clone()).or_insert(AgentPresence {
            connections: 0,
            since,
        });
        agent.connections += 1;
        let first = agent.connections == 1;
        drop(agents);
        if first {
            self.shared.changed.send_replace(());
        }
        PresenceGuard {
            presence: self.clone(),
            model: model.clone(),
        }
    }

    /// Replaces the models whose agent is connected to another process of the controller.
    pub fn set_elsewhere(&self, models: HashSet<ModelUuid>) {
        let mut elsewhere = self.elsewhere();
        if *elsewhere != models {
            *elsewhere = models;
            drop(elsewhere);
            self.shared.changed.send_replace(());
        }
    }

    /// Whether the model's agent is connected to another process of the controller.
    pub fn is_elsewhere(&self, model: &ModelUuid) -> bool {
        self.elsewhere().contains(model)
    }

    /// None while no agent of the model is connected here.
    pub fn agents(&self, model: &ModelUuid) -> Option<AgentPresence> {
        self.lock().get(model).copied()
    }

    /// Whether the model's agent is connected, or may be on its way.
    pub fn is_present(&self, model: &ModelUuid) -> bool {
        self.agents(model).is_some()
            || self.is_elsewhere(model)
            || self.shared.clock.monotonic() < self.shared.started + GRACE
    }

    /// Changes whenever some model's agent comes or goes.
    pub fn changed(&self) -> watch::Receiver<()> {
        self.shared.changed.subscribe()
    }

    /// Everyone connected, for reports.
    pub fn report(&self) -> Vec<(ModelUuid, AgentPresence)> {
        let mut all: Vec<_> = self
            .lock()
            .iter()
            .map(|(model, agent)| (model.clone(), *agent))
            .collect();
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all
    }

    fn elsewhere(&self) -> MutexGuard<'_, HashSet<ModelUuid>> {
        self.shared
            .elsewhere
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ModelUuid, AgentPresence>> {
        self.shared
            .agents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// One counted connection.
pub struct PresenceGuard {
    presence: Presence,
    model: ModelUuid,
}

impl Drop for PresenceGuard {
    fn drop(&mut self) {
        let mut agents = self.presence.lock();
        if let Some(agent) = agents.get_mut(&self.model) {
            agent.connections -= 1;
            if agent.connections == 0 {
                agents.remove(&self.model);
                self.presence.shared.changed.send_replace(());
            }
        }
    }
}
