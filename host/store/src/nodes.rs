//! The processes that together are one controller: where each serves, whether it lives, and
//! which agents are connected to it.
//!
//! Each node writes its own rows and reads those of all. A node that was killed takes back
//! nothing; its rows count until it has not been seen for [`NODE_LOST`].

use std::collections::HashSet;
use std::time::Duration;

use periapt_model::ModelUuid;

use crate::changes::namespace;
use crate::db::params;
use crate::{Result, Store};

#[cfg(test)]
mod tests;

/// After so long without a sign of life a node does not count as alive. Its agents need less to
/// connect to another.
pub const NODE_LOST: Duration = Duration::from_secs(30);

impl Store {
    /// Takes a number for a new node; no number is given twice while the node is known.
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

    /// Says where a node serves from now on, with no agent connected yet.
    pub async fn announce_controller_node(&self, node: u32, address: &str) -> Result<()> {
        let address = address.to_owned();
        self.write(move |tx| {
            Box::pin(async move {
                let now = tx.lease_now().await?;
                let sql = "SELECT address FROM controller_node WHERE node = $1";
                let known = tx.db.fetch_optional(sql, params![node]).await?;
                let same = known.map_or(Ok(false), |row| row.str(0).map(|known| known == address))?;
                let sql = "INSERT INTO controller_node (node, address, seen_at) VALUES ($1, $2, $3)
                    ON CONFLICT (node) DO UPDATE SET address = excluded.address, seen_at = excluded.seen_at";
                tx.db.execute(sql, params![node, address, now]).await?;
                let sql = "DELETE FROM agent_connection WHERE node = $1";
                tx.db.execute(sql, params![node]).await?;
                if !same {
                    tx.touch_controller(namespace::CONTROLLER_NODE, node.to_string());
                }
                Ok(())
            })
        })
        .await
    }

    /// A node's sign of life.
    pub async fn see_controller_node(&self, node: u32) -> Result<()> {
        self.write(move |tx| {
            Box::pin(async move {
                let now = tx.lease_now().await?;
                let sql = "UPDATE controller_node SET seen_at = $2 WHERE node = $1";
                tx.db.execute(sql, params![node, now]).await.map(|_| ())
            })
        })
        .await
    }

    /// `host:port` of every node, in the order of their numbers, so that everybody who is told
    /// of them is told the same.
    pub async fn controller_addresses(&self) -> Result<Vec<String>> {
        let sql = "SELECT address FROM controller_node WHERE address <> '' ORDER BY node";
        let rows = self.glance().await?.fetch(sql, vec![]).await?;
        rows.iter().map(|row| row.text(0)).collect()
    }

    /// Notes that the agent of a model is connected to a node, or is no more.
    pub async fn set_agent_connected(
        &self,
        node: u32,
        model: &ModelUuid,
        connected: bool,
    ) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let sql = if connected {
                    "INSERT INTO agent_connection (node, model_uuid)
                        SELECT $1, uuid FROM model WHERE uuid = $2 ON CONFLICT DO NOTHING"
                } else {
                    "DELETE FROM agent_connection WHERE node = $1 AND model_uuid = $2"
                };
                if tx.db.execute(sql, params![node, &model]).await? > 0 {
                    tx.touch(&model, namespace::PRESENCE, "");
                }
                Ok(())
            })
        })
        .await
    }

    /// Models whose agent is connected to a living node other than this.
    pub async fn agents_elsewhere(&self, node: u32) -> Result<HashSet<ModelUuid>> {
        let mut db = self.glance().await?;
        let lost = i64::try_from(NODE_LOST.as_micros()).unwrap_or(i64::MAX);
        let alive_since = self.lease_now(&mut db).await?.saturating_sub(lost);
        let sql = "SELECT DISTINCT agent_connection.model_uuid FROM agent_connection
            JOIN controller_node ON controller_node.node = agent_connection.node
            WHERE agent_connection.node <> $1 AND controller_node.seen_at > $2";
        let rows = db.fetch(sql, params![node, alive_since]).await?;
        rows.iter().map(|row| row.parse(0, "model UUID")).collect()
    }
}
