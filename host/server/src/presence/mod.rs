//! Who is connected: each agent of each model, counted by connection.
//!
//! Status asks here whether the agent that hosts a machine is there. The registry outlives the API server, so
//! that a restart of it does not make every agent look lost; for the same reason nobody is
//! called absent in the first seconds after the controller started, when agents that lived
//! through the restart are still on their way back.
//!
//! Where several processes are one controller, each knows its own connections and is told of
//! those to the others.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use periapt_engine::SharedClock;
use periapt_model::{AgentName, ModelUuid};
use tokio::sync::watch;

#[cfg(test)]
mod tests;

/// How long after the start an agent that is not there counts as on its way: the longest
/// reconnect delay of an agent with some room.
pub const GRACE: Duration = Duration::from_secs(30);

/// An agent of a model.
pub type Agent = (ModelUuid, AgentName);

/// The registry. Clones share it.
#[derive(Clone)]
pub struct Presence {
    shared: Arc<Shared>,
}

struct Shared {
    clock: SharedClock,
    started: Duration,
    agents: Mutex<HashMap<Agent, AgentPresence>>,
    elsewhere: Mutex<HashSet<Agent>>,
    changed: watch::Sender<()>,
}

/// An agent as seen from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentPresence {
    pub connections: usize,
    /// When the first of the present connections logged in, microseconds UTC.
    pub since: i64,
}

/// Which agents of one model are there at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresentAgents {
    /// Shortly after the controller's start: those that are not may be on their way.
    all: bool,
    agents: BTreeSet<AgentName>,
}

impl PresentAgents {
    pub fn has(&self, agent: &AgentName) -> bool {
        self.all || self.agents.contains(agent)
    }
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
    pub fn enter(&self, model: &ModelUuid, agent: &AgentName) -> PresenceGuard {
        let since = self.shared.clock.now().as_microsecond();
        let who = (model.clone(), agent.clone());
        let mut agents = self.lock();
        let agent = agents.entry(who.clone()).or_insert(AgentPresence {
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
            who,
        }
    }

    /// Replaces the agents that are connected to another process of the controller.
    pub fn set_elsewhere(&self, agents: HashSet<Agent>) {
        let mut elsewhere = self.elsewhere();
        if *elsewhere != agents {
            *elsewhere = agents;
            drop(elsewhere);
            self.shared.changed.send_replace(());
        }
    }

    /// Whether the agent is connected to another process of the controller.
    pub fn is_elsewhere(&self, agent: &Agent) -> bool {
        self.elsewhere().contains(agent)
    }

    /// None while the agent is not connected here.
    pub fn here(&self, agent: &Agent) -> Option<AgentPresence> {
        self.lock().get(agent).copied()
    }

    /// Whether the agent is connected, or may be on its way.
    pub fn is_present(&self, agent: &Agent) -> bool {
        self.is_expected() || self.here(agent).is_some() || self.is_elsewhere(agent)
    }

    /// The agents of a model that are connected, or may be on their way.
    pub fn of(&self, model: &ModelUuid) -> PresentAgents {
        let own = |(of, _): &&Agent| of == model;
        let mut agents: BTreeSet<AgentName> = BTreeSet::new();
        agents.extend(
            self.lock()
                .keys()
                .filter(own)
                .map(|(_, agent)| agent.clone()),
        );
        agents.extend(
            self.elsewhere()
                .iter()
                .filter(own)
                .map(|(_, agent)| agent.clone()),
        );
        PresentAgents {
            all: self.is_expected(),
            agents,
        }
    }

    fn is_expected(&self) -> bool {
        self.shared.clock.monotonic() < self.shared.started + GRACE
    }

    /// Changes whenever some agent comes or goes.
    pub fn changed(&self) -> watch::Receiver<()> {
        self.shared.changed.subscribe()
    }

    /// Everyone connected, for reports.
    pub fn report(&self) -> Vec<(Agent, AgentPresence)> {
        let mut all: Vec<_> = self
            .lock()
            .iter()
            .map(|(who, agent)| (who.clone(), *agent))
            .collect();
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all
    }

    fn elsewhere(&self) -> MutexGuard<'_, HashSet<Agent>> {
        self.shared
            .elsewhere
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Agent, AgentPresence>> {
        self.shared
            .agents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// One counted connection.
pub struct PresenceGuard {
    presence: Presence,
    who: Agent,
}

impl Drop for PresenceGuard {
    fn drop(&mut self) {
        let mut agents = self.presence.lock();
        if let Some(agent) = agents.get_mut(&self.who) {
            agent.connections -= 1;
            if agent.connections == 0 {
                agents.remove(&self.who);
                self.presence.shared.changed.send_replace(());
            }
        }
    }
}
