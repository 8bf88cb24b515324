//! Containers of the unit under test. Nothing runs in them: what a hook sees of a service is what the
//! test says.

use std::cell::RefCell;

use periapt_contract::ports::PortRange;
use periapt_contract::workload::{self as contract, Committed, Layers, Request, Seen};
use periapt_contract::{CallError, WorkloadAnswers};

use super::TestHost;
use crate::HostError;
use crate::workload::{
    CheckInfo, CheckStatus, Condition, ContainerInfo, Current, ServiceInfo, WorkloadHost,
};

/// A container as the charm's metadata declares it.
#[derive(Default)]
pub struct TestContainer {
    pub ports: Vec<PortRange>,
    pub components: Vec<String>,
    pub committed: Committed,
    pub seen: Seen,
}

impl WorkloadAnswers for TestHost {
    fn containers(&mut self) -> Result<Vec<contract::Container>, CallError> {
        let containers = self.containers.iter();
        let declared = containers.map(|(name, container)| contract::Container {
            name: name.clone(),
            condition: contract::Condition::Ready,
            message: String::new(),
            boot: 1,
            ports: container.ports.clone(),
            components: container.components.clone(),
        });
        Ok(declared.collect())
    }

    fn layers(&mut self, container: &str) -> Result<Layers, CallError> {
        let found = self.containers.get(container);
        Ok(found
            .map(|found| found.committed.layers.clone())
            .unwrap_or_default())
    }

    fn seen(&mut self, container: &str) -> Result<Seen, CallError> {
        let found = self.containers.get(container);
        Ok(found.map(|found| found.seen.clone()).unwrap_or_default())
    }
}

pub(super) fn commit(host: &mut TestHost, changes: &contract::Changes) -> Result<(), CallError> {
    for (name, change) in changes {
        let container = host.containers.entry(name.clone()).or_default();
        container.committed = container.committed.with(change);
    }
    Ok(())
}

impl WorkloadHost for RefCell<TestHost> {
    fn containers(&self) -> Result<Vec<ContainerInfo>, HostError> {
        let found = self
            .borrow_mut()
            .transaction(|txn, host| txn.containers(host))?;
        let infos = found.into_iter().map(|container| ContainerInfo {
            name: container.name,
            condition: match container.condition {
                contract::Condition::Waiting => Condition::Waiting,
                contract::Condition::Ready => Condition::Ready,
                contract::Condition::Refused => Condition::Refused,
                contract::Condition::Stopping => Condition::Stopping,
            },
            message: container.message,
        });
        Ok(infos.collect())
    }

    fn add_layer(&self, container: &str, label: &str, layer: &str) -> Result<(), HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.add_layer(host, container, label, layer, true))
    }

    fn plan(&self, container: &str) -> Result<String, HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.plan(host, container))
    }

    fn ask(&self, container: &str, request: &crate::workload::Request) -> Result<(), HostError> {
        let request = match request.clone() {
            crate::workload::Request::Replan => Request::Replan,
            crate::workload::Request::Start(names) => Request::Start(names),
            crate::workload::Request::Stop(names) => Request::Stop(names),
            crate::workload::Request::Restart(names) => Request::Restart(names),
            crate::workload::Request::StartChecks(names) => Request::StartChecks(names),
            crate::workload::Request::StopChecks(names) => Request::StopChecks(names),
        };
        self.borrow_mut()
            .transaction(|txn, host| txn.ask(host, container, request))
    }

    fn services(&self, container: &str) -> Result<Vec<ServiceInfo>, HostError> {
        let found = self
            .borrow_mut()
            .transaction(|txn, host| txn.services(host, container))?;
        let infos = found.into_iter().map(|service| ServiceInfo {
            name: service.name,
            current: current(service.seen.current),
            restarts: service.seen.restarts,
            last_end: service.seen.last_end,
        });
        Ok(infos.collect())
    }

    fn checks(&self, container: &str) -> Result<Vec<CheckInfo>, HostError> {
        let seen = self
            .borrow_mut()
            .transaction(|txn, host| txn.seen(host, container))?;
        let checks = seen.checks.into_iter().map(|(name, seen)| CheckInfo {
            name,
            status: match seen.status {
                contract::Status::Up => CheckStatus::Up,
                contract::Status::Down => CheckStatus::Down,
                contract::Status::Inactive => CheckStatus::Inactive,
            },
            successes: seen.successes,
            failures: seen.failures,
            threshold: seen.threshold,
            message: seen.message,
        });
        Ok(checks.collect())
    }
}

fn current(current: contract::Current) -> Current {
    match current {
        contract::Current::Inactive => Current::Inactive,
        contract::Current::Waiting => Current::Waiting,
        contract::Current::Starting => Current::Starting,
        contract::Current::Active => Current::Active,
        contract::Current::Backoff => Current::Backoff,
        contract::Current::Stopping => Current::Stopping,
        contract::Current::Finished => Current::Finished,
        contract::Current::Failed => Current::Failed,
        contract::Current::Fenced => Current::Fenced,
    }
}
