//! What the manager says of itself.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::Manager;
use crate::Result;

impl Manager {
    /// Numbers of this manager: calls since its start, and those under way.
    pub fn report(&self) -> Value {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        json!({
            "claims": read(&self.counters.claims),
            "denied": read(&self.counters.denied),
            "retried": read(&self.counters.retried),
            "timed-out": read(&self.counters.timed_out),
            "waiting": read(&self.counters.waiting),
            "outstanding-claims": self.claiming.len(),
            "outstanding-revokes": self.revoking.len(),
        })
    }

    /// The same with what the database holds, whichever controller granted it: how many leases
    /// of each namespace, and each pinned one with who pins it.
    pub async fn full_report(&self) -> Result<Value> {
        let mut held: BTreeMap<&str, u64> = BTreeMap::new();
        let leases = self.leases_and_pins().await?;
        for (lease, _) in &leases {
            *held.entry(lease.namespace.as_str()).or_default() += 1;
        }
        let pinned: Vec<Value> = leases
            .iter()
            .filter(|(_, entities)| !entities.is_empty())
            .map(|(lease, entities)| {
                json!({
                    "lease": format!("{}/{}/{}", lease.namespace, lease.model, lease.name),
                    "holder": lease.holder,
                    "pinned-by": entities,
                })
            })
            .collect();
        let mut report = self.report();
        report["held"] = json!(held);
        report["pinned"] = json!(pinned);
        Ok(report)
    }
}
