//! The processes that together are one controller: where each serves, whether it lives, and
//! which agents are connected to it.
//!
//! Each node writes its own rows and reads those of all. A node that was killed takes back
//! nothing; its rows count until it has not been seen for [`NODE_LOST`]. One that is gone for good
//! is removed by a person, and its process does not come back by accident.

use std::collections::HashSet;
use std::time::Duration;

use periapt_model::refusal::Subject;
use periapt_model::{AgentName, ModelUuid, Refusal};

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, params, word};
use crate::error::StoreError;
use crate::{Result, Store, bundle, lease};

#[cfg(test)]
mod tests;

/// After so long without a sign of life a node does not count as alive. Its agents need less to
/// connect to another.
pub const NODE_LOST: Duration = Duration::from_secs(30);

/// What `seen_at` says of a node that was removed. Its row stays, so that nobody is given its
/// number again and its process is told.
const REMOVED: i64 = -1;

/// A process of the controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownNode {
    pub node: u32,
    /// `host:port`; empty until it first served.
    pub address: String,
    /// The same for agents; that of everybody unless they have a port of their own.
    pub agent_address: String,
    /// Microseconds, by the clock of leases; 0 until it first served.
    pub seen_at: i64,
    /// It gave a sign of life lately. Where there is one node only it gives none.
    pub alive: bool,
}

columns! {
    struct NodeRow {
        node: u32 = "node",
        address: String = "address",
        agent_address: String =
            "CASE WHEN agent_address = '' THEN address ELSE agent_address END",
        seen_at: i64 = "seen_at",
    }
    const NODES = "FROM controller_node WHERE seen_at >= 0 ORDER BY node";
    const OF_AGENT = "FROM controller_node
        WHERE node <> $3 AND seen_at > $4 AND EXISTS (SELECT 1 FROM agent_connection
            WHERE agent_connection.node = controller_node.node
                AND agent_connection.model_uuid = $1 AND agent_connection.agent = $2)
        ORDER BY seen_at DESC, node";
}

columns! {
    struct Elsewhere {
        model: ModelUuid = "DISTINCT agent_connection.model_uuid" as word,
        agent: AgentName = "agent_connection.agent" as word,
    }
    const ELSEWHERE = "FROM agent_connection
        JOIN controller_node ON controller_node.node = agent_connection.node
        WHERE agent_connection.node <> $1 AND controller_node.seen_at > $2";
}

impl Store {
    /// Takes a number for a new node; no number is given twice.
    pub async fn add_controller_node(&self) -> Result<u32> {
        self.write(|tx| {
            Box::pin(async move {
                // Node 0 has no row before it first serves.
                let sql = "INSERT INTO controller_node (node, address, seen_at)
                    SELECT COALESCE(MAX(node), 0) + 1, '', 0 FROM controller_node RETURNING node";
                let node = tx.db.count(sql, vec![]).await?;
                Ok(u32::try_from(node).unwrap_or(u32::MAX))
            })
        })
        .await
    }

    /// Says where a node serves from now on, clients and agents, with no agent connected yet and no bundle being applied.
    /// [`StoreError::NodeRemoved`] if it does not belong to the controller any more.
    pub async fn announce_controller_node(
        &self,
        node: u32,
        address: &str,
        agent_address: &str,
    ) -> Result<()> {
        let (address, agent_address) = (address.to_owned(), agent_address.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                let now = tx.lease_now().await?;
                require_not_removed(&mut tx.db, node).await?;
                let sql = "INSERT INTO controller_node (node, address, agent_address, seen_at)
                    VALUES ($1, $2, $3, $4)
                    ON CONFLICT (node) DO UPDATE SET address = excluded.address,
                        agent_address = excluded.agent_address, seen_at = excluded.seen_at";
                let params = params![node, address, agent_address, now];
                tx.db.execute(sql, params).await?;
                let sql = "DELETE FROM agent_connection WHERE node = $1";
                tx.db.execute(sql, params![node]).await?;
                bundle::node_began(tx, node).await?;
                // Also with the address it had: it may have counted as lost.
                tx.touch_controller(namespace::CONTROLLER_NODE, node.to_string());
                Ok(())
            })
        })
        .await
    }

    /// A node's sign of life. Whoever listens hears of the nodes that were lost since its last
    /// one, and of itself if it counted as lost. [`StoreError::NodeRemoved`] if it was removed.
    pub async fn see_controller_node(&self, node: u32) -> Result<()> {
        self.write(move |tx| {
            Box::pin(async move {
                let now = tx.lease_now().await?;
                let Some(seen) = require_not_removed(&mut tx.db, node).await? else {
                    return Ok(());
                };
                let (before, lost) = (alive_since(seen), alive_since(now));
                if seen <= lost {
                    tx.touch_controller(namespace::CONTROLLER_NODE, node.to_string());
                }
                let sql = "SELECT node FROM controller_node
                    WHERE node <> $1 AND seen_at > $2 AND seen_at <= $3";
                let lost: Vec<i64> = tx.db.scalars(sql, params![node, before, lost]).await?;
                for node in lost {
                    tx.touch_controller(namespace::CONTROLLER_NODE, node.to_string());
                }
                let sql = "UPDATE controller_node SET seen_at = $2 WHERE node = $1";
                tx.db.execute(sql, params![node, now]).await?;
                Ok(())
            })
        })
        .await
    }

    /// [`StoreError::NodeRemoved`] if the node does not belong to the controller any more.
    pub async fn require_controller_node(&self, node: u32) -> Result<()> {
        let mut db = self.glance().await?;
        require_not_removed(&mut db, node).await?;
        Ok(())
    }

    /// The nodes there are, in the order of their numbers.
    pub async fn controller_nodes(&self) -> Result<Vec<KnownNode>> {
        let mut db = self.snapshot().await?;
        let now = self.lease_now(&mut db).await?;
        known(&mut db, now).await
    }

    /// Removes a node that is gone for good: where it served, who was connected to it, and its
    /// leases, which others can take at once. One that lives is removed by force only, and then
    /// ends by itself; the last one is not.
    pub async fn remove_controller_node(&self, node: u32, force: bool) -> Result<KnownNode> {
        self.write(move |tx| {
            Box::pin(async move {
                let now = tx.lease_now().await?;
                let all = known(&mut tx.db, now).await?;
                let found = all.iter().find(|known| known.node == node).cloned();
                let found =
                    found.ok_or_else(|| StoreError::not_found(Subject::ControllerNode, node))?;
                if all.len() == 1 {
                    return Err(StoreError::Refused {
                        refusal: Refusal::ControllerNodeLast,
                        message: format!("process {node} is the only one of the controller"),
                    });
                }
                if found.alive && !force {
                    return Err(StoreError::Refused {
                        refusal: Refusal::ControllerNodeRunning,
                        message: format!("process {node} runs, at {}", found.address),
                    });
                }
                let sql =
                    "UPDATE controller_node SET address = '', agent_address = '', seen_at = $2
                    WHERE node = $1";
                tx.db.execute(sql, params![node, REMOVED]).await?;
                tx.touch_controller(namespace::CONTROLLER_NODE, node.to_string());
                let sql = "DELETE FROM agent_connection WHERE node = $1 RETURNING model_uuid";
                let models: Vec<ModelUuid> = tx.db.words("model UUID", sql, params![node]).await?;
                for model in models {
                    tx.touch(&model, namespace::PRESENCE, "");
                }
                lease::rows::release_all(tx, &holder(node)).await?;
                Ok(found)
            })
        })
        .await
    }

    /// `host:port` of every node that lives, in the order of their numbers, so that everybody who
    /// is told of them is told the same. Of every node if none seems to live: an address too many
    /// costs a try, one too few may cost the way back.
    pub async fn controller_addresses(&self) -> Result<Vec<String>> {
        let serving = self.serving_nodes().await?;
        Ok(serving.into_iter().map(|known| known.address).collect())
    }

    /// The same, as agents are told it.
    pub async fn agent_addresses(&self) -> Result<Vec<String>> {
        let serving = self.serving_nodes().await?;
        Ok(serving
            .into_iter()
            .map(|known| known.agent_address)
            .collect())
    }

    async fn serving_nodes(&self) -> Result<Vec<KnownNode>> {
        let mut all = self.controller_nodes().await?;
        all.retain(|known| !known.address.is_empty());
        if all.iter().any(|known| known.alive) {
            all.retain(|known| known.alive);
        }
        Ok(all)
    }

    /// Notes that an agent is connected to a node, or is no more.
    pub async fn set_agent_connected(
        &self,
        node: u32,
        model: &ModelUuid,
        agent: &AgentName,
        connected: bool,
    ) -> Result<()> {
        let (model, agent) = (model.clone(), agent.to_string());
        self.write(move |tx| {
            Box::pin(async move {
                let sql = if connected {
                    "INSERT INTO agent_connection (node, model_uuid, agent)
                        SELECT $1, uuid, $3 FROM model WHERE uuid = $2 ON CONFLICT DO NOTHING"
                } else {
                    "DELETE FROM agent_connection WHERE node = $1 AND model_uuid = $2 AND agent = $3"
                };
                if tx.db.execute(sql, params![node, &model, agent]).await? > 0 {
                    tx.touch(&model, namespace::PRESENCE, "");
                }
                Ok(())
            })
        })
        .await
    }

    /// Agents that are connected to a living node other than this.
    pub async fn agents_elsewhere(&self, node: u32) -> Result<HashSet<(ModelUuid, AgentName)>> {
        let mut db = self.glance().await?;
        let alive_since = alive_since(self.lease_now(&mut db).await?);
        let agents = db.all(ELSEWHERE, params![node, alive_since]).await?;
        let agents = agents.into_iter().map(|agent| (agent.model, agent.agent));
        Ok(agents.collect())
    }

    /// The living nodes other than this to which an agent is connected, the one seen last first. It is connected to
    /// one; another that was killed lately may still be among them.
    pub async fn nodes_of_agent(
        &self,
        node: u32,
        model: &ModelUuid,
        agent: &AgentName,
    ) -> Result<Vec<KnownNode>> {
        let mut db = self.glance().await?;
        let since = alive_since(self.lease_now(&mut db).await?);
        let params = params![model, agent.to_string(), node, since];
        let rows = db.all(OF_AGENT, params).await?;
        Ok(rows.into_iter().map(|row| row.known(since)).collect())
    }
}

impl NodeRow {
    fn known(self, alive_since: i64) -> KnownNode {
        KnownNode {
            node: self.node,
            address: self.address,
            agent_address: self.agent_address,
            seen_at: self.seen_at,
            alive: self.seen_at > alive_since,
        }
    }
}

/// Who was seen later than this counts as alive at `now`.
fn alive_since(now: i64) -> i64 {
    let lost = i64::try_from(NODE_LOST.as_micros()).unwrap_or(i64::MAX);
    now.saturating_sub(lost)
}

/// The tag under which a node holds leases: like Juju's controllers, that of a machine.
fn holder(node: u32) -> String {
    format!("machine-{node}")
}

async fn known(db: &mut Session, now: i64) -> Result<Vec<KnownNode>> {
    let since = alive_since(now);
    let rows = db.all(NODES, vec![]).await?;
    Ok(rows.into_iter().map(|row| row.known(since)).collect())
}

/// When a node was last seen; none for one that has no row. An error for one that was removed.
async fn require_not_removed(db: &mut Session, node: u32) -> Result<Option<i64>> {
    let sql = "SELECT seen_at FROM controller_node WHERE node = $1";
    match db.scalar(sql, params![node]).await? {
        Some(REMOVED) => Err(StoreError::NodeRemoved { node }),
        seen => Ok(seen),
    }
}

/// Fails for the tag of a node that was removed, within the caller's transaction.
pub(crate) async fn require_known(tx: &mut Tx, tag: &str) -> Result<()> {
    let number = tag.strip_prefix("machine-").map(str::parse);
    match number {
        Some(Ok(node)) => require_not_removed(&mut tx.db, node).await.map(|_| ()),
        _ => Ok(()),
    }
}
