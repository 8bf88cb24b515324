//! The controller itself: its processes, its configuration, and the agents that it answers.

use crate::db::params;
use crate::tables::{Table, tables};
use crate::{Result, Store};

mod agents;
pub(crate) mod config;
pub(crate) mod nodes;
mod questions;

pub(crate) const TABLES: &[Table] = tables! {
    "agent_connection";
    "agent_credential", Machine "agent = 'machine-' || REPLACE($2, '/', '-')";
};

impl Store {
    /// A value that belongs to the controller itself.
    pub async fn controller_value(&self, key: &str) -> Result<Option<String>> {
        let sql = "SELECT value FROM controller_value WHERE key = $1";
        Ok(self.glance().await?.scalar(sql, params![key]).await?)
    }

    /// Sets a value that belongs to the controller itself.
    pub async fn set_controller_value(&self, key: &str, value: &str) -> Result<()> {
        let params = params![key, value];
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "INSERT INTO controller_value (key, value) VALUES ($1, $2)
                    ON CONFLICT (key) DO UPDATE SET value = excluded.value
                    WHERE controller_value.value <> excluded.value";
                tx.db.execute(sql, params).await?;
                Ok(())
            })
        })
        .await
    }
}
