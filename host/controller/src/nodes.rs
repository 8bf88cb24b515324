//! What the processes of one controller know of each other: where each serves and which agents
//! are connected to it. The API server's worker runs this.
//!
//! Every process tells its agents of the addresses of all that live, in the same order, so that an agent whose
//! controller dies finds another, and so that no agent is restarted because two processes write
//! its configuration differently. An agent connected to another process is not lost here.
//!
//! A process that was removed from the controller notices here, and ends.
//!
//! With SQLite there is one process, and nothing is written but its address.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use periapt_engine::{SharedClock, WorkerError};
use periapt_server::Presence;
use periapt_server::presence::Agent;
use periapt_store::{Interest, NODE_LOST, Store, StoreError, namespace};
use tokio::sync::watch;

use crate::verdict::Verdict;
use crate::workers::controllerport::Reached;
use crate::{ControllerContext, ControllerError};

/// Between two signs of life: as often as the store is pinged, and three fit into the time after
/// which a process counts as dead.
const BEAT: Duration = Duration::from_secs(10);
const _: () = assert!(BEAT.as_secs() * 3 <= NODE_LOST.as_secs());

/// Before what failed is tried again.
const PAUSE: Duration = Duration::from_secs(1);

pub struct Nodes {
    node: u32,
    own: Reached,
    all: Arc<watch::Sender<Vec<String>>>,
    store: Store,
    presence: Presence,
    clock: SharedClock,
    /// Several processes may share the database.
    shared: bool,
    verdict: Verdict,
    directory: PathBuf,
}

impl Nodes {
    pub fn new(
        controller: &ControllerContext,
        own: Reached,
        store: &Store,
        presence: &Presence,
    ) -> Self {
        Self {
            node: controller.config.node,
            own,
            all: Arc::clone(&controller.agent_addresses),
            store: store.clone(),
            presence: presence.clone(),
            clock: Arc::clone(&controller.clock),
            shared: controller.config.database.is_some(),
            verdict: controller.verdict.clone(),
            directory: controller.data_dir.clone(),
        }
    }

    /// Writes where this process serves, and reads where all do, for clients.
    ///
    /// # Errors
    /// What the store says.
    pub async fn announce(&self) -> Result<Vec<String>, StoreError> {
        let Reached {
            by_clients,
            by_agents,
        } = &self.own;
        self.store
            .announce_controller_node(self.node, by_clients, by_agents)
            .await?;
        self.all.send_replace(self.store.agent_addresses().await?);
        self.store.controller_addresses().await
    }

    /// Keeps both up to date, and tells `told` of the addresses of clients. Ends only when this process was
    /// removed from the controller; what fails otherwise is tried again.
    pub async fn keep(&self, told: impl Fn(Vec<String>)) -> WorkerError {
        let mut written = HashSet::new();
        loop {
            match self.follow(&told, &mut written).await {
                Err(error @ StoreError::NodeRemoved { .. }) => return self.refused(error),
                Err(error) => {
                    tracing::debug!(%error, "could not read the other controller nodes; will retry");
                }
                Ok(()) => {}
            }
            self.clock.sleep(PAUSE).await;
        }
    }

    /// A process that was removed ends, and says so; everything else may pass.
    pub fn refused(&self, error: StoreError) -> WorkerError {
        match error {
            StoreError::NodeRemoved { node } => self.verdict.end(ControllerError::Removed {
                node,
                directory: self.directory.clone(),
            }),
            error => WorkerError::other(error).during("announcing this node"),
        }
    }

    async fn follow(
        &self,
        told: &impl Fn(Vec<String>),
        written: &mut HashSet<Agent>,
    ) -> Result<(), StoreError> {
        let interest = Interest::any_model()
            .all(namespace::CONTROLLER_NODE)
            .all(namespace::PRESENCE);
        let mut changes = self.store.changes().subscribe(interest);
        let mut connected = self.presence.changed();
        let mut beat = self.clock.sleep(BEAT);
        loop {
            self.store.require_controller_node(self.node).await?;
            let for_agents = self.store.agent_addresses().await?;
            if *self.all.borrow() != for_agents {
                self.all.send_replace(for_agents);
            }
            told(self.store.controller_addresses().await?);
            if !self.shared {
                changes.next().await?;
                continue;
            }
            connected.mark_unchanged();
            self.write(written).await?;
            let elsewhere = self.store.agents_elsewhere(self.node).await?;
            self.presence.set_elsewhere(elsewhere);
            tokio::select! {
                changed = changes.next() => { changed?; }
                _ = connected.changed() => {}
                () = &mut beat => {
                    self.store.see_controller_node(self.node).await?;
                    beat = self.clock.sleep(BEAT);
                }
            }
        }
    }

    /// Writes which agents came and went here since the last time.
    async fn write(&self, written: &mut HashSet<Agent>) -> Result<(), StoreError> {
        let here: HashSet<Agent> = self
            .presence
            .report()
            .into_iter()
            .map(|(agent, _)| agent)
            .collect();
        for agent in here.symmetric_difference(&written.clone()) {
            let connected = here.contains(agent);
            let (model, name) = agent;
            self.store
                .set_agent_connected(self.node, model, name, connected)
                .await?;
            if connected {
                written.insert(agent.clone());
            } else {
                written.remove(agent);
            }
        }
        Ok(())
    }
}
