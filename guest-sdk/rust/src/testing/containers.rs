//! The containers of a unit under test: what it has planned for them, and what it sees of them.

use periapt_contract::workload as contract;

use super::Harness;
use super::host::TestContainer;
use crate::Charm;
use crate::workload::{CheckInfo, CheckStatus};

impl<C: Charm> Harness<C> {
    /// Declares a container as the charm's metadata and capabilities do: its ports, such as `80/tcp`,
    /// and the charm's components.
    ///
    /// # Panics
    /// For a port that is none.
    #[allow(clippy::expect_used)]
    pub fn add_container(&mut self, name: &str, ports: &[&str], components: &[&str]) {
        let ports = ports.iter().map(|port| port.parse().expect("a port range"));
        let container = TestContainer {
            ports: ports.collect(),
            components: components.iter().map(|one| (*one).to_owned()).collect(),
            ..TestContainer::default()
        };
        let mut host = self.host.borrow_mut();
        host.containers.insert(name.to_owned(), container);
    }

    /// What hooks see of a check of a container from now on.
    pub fn see_check(&mut self, container: &str, check: CheckInfo) {
        let seen = contract::CheckSeen {
            status: match check.status {
                CheckStatus::Up => contract::Status::Up,
                CheckStatus::Down => contract::Status::Down,
                CheckStatus::Inactive => contract::Status::Inactive,
            },
            successes: check.successes,
            failures: check.failures,
            threshold: check.threshold,
            message: check.message,
        };
        let mut host = self.host.borrow_mut();
        if let Some(found) = host.containers.get_mut(container) {
            found.seen.checks.insert(check.name, seen);
        }
    }

    /// The committed plan of a container, empty where nothing was planned.
    pub fn plan(&self, container: &str) -> serde_json::Value {
        let host = self.host.borrow();
        let found = host.containers.get(container);
        let plan = found.map(|found| found.committed.layers.plan().to_json());
        plan.and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    /// What hooks asked to have done in a container, in words: `restart web`.
    pub fn requests(&self, container: &str) -> Vec<String> {
        let host = self.host.borrow();
        let found = host.containers.get(container).into_iter();
        let asked = found.flat_map(|found| &found.committed.requests);
        asked.map(|asked| asked.request.words()).collect()
    }
}
