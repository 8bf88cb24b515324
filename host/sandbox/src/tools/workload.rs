//! Containers and what runs in them. Juju has no hook tool for it: charms there talk to Pebble, whose
//! client in `ops` is `Container`.

pub use periapt_contract::WorkloadAnswers;
use periapt_contract::workload::{self, Condition, Current, Request, Status, layer};

use super::Permission::Everybody;
use super::Tool;
use super::When::{AtCommit, Read};
use crate::world::periapt::charm::workload as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[
    Tool::new("Container", "workload", "containers", Read, Everybody),
    Tool::new(
        "Container.add_layer",
        "workload",
        "add-layer",
        AtCommit,
        Everybody,
    ),
    Tool::new("Container.get_plan", "workload", "plan", Read, Everybody),
    Tool::new(
        "Container.replan, start, stop, restart",
        "workload",
        "ask",
        AtCommit,
        Everybody,
    ),
    Tool::new(
        "Container.get_services",
        "workload",
        "services",
        Read,
        Everybody,
    ),
    Tool::new(
        "Container.get_checks",
        "workload",
        "checks",
        Read,
        Everybody,
    ),
];

impl wit::Host for HookState {
    fn containers(&mut self) -> Answer<Vec<wit::Container>> {
        self.transaction(|txn, context| {
            let containers = txn.containers(context)?.into_iter();
            Ok(containers.map(wit::Container::from).collect())
        })
    }

    fn add_layer(
        &mut self,
        container: String,
        label: String,
        layer: String,
        combine: bool,
    ) -> Answer<()> {
        self.transaction(|txn, context| txn.add_layer(context, &container, &label, &layer, combine))
    }

    fn plan(&mut self, container: String) -> Answer<String> {
        self.transaction(|txn, context| txn.plan(context, &container))
    }

    fn ask(&mut self, container: String, request: wit::Request) -> Answer<()> {
        self.transaction(|txn, context| txn.ask(context, &container, request.into()))
    }

    fn services(&mut self, container: String) -> Answer<Vec<wit::Service>> {
        self.transaction(|txn, context| {
            let services = txn.services(context, &container)?.into_iter();
            Ok(services.map(wit::Service::from).collect())
        })
    }

    fn checks(&mut self, container: String) -> Answer<Vec<wit::Check>> {
        self.transaction(|txn, context| {
            let checks = txn.seen(context, &container)?.checks.into_iter();
            let check = |(name, seen): (String, workload::CheckSeen)| wit::Check {
                name,
                status: match seen.status {
                    Status::Up => wit::CheckStatus::Up,
                    Status::Down => wit::CheckStatus::Down,
                    Status::Inactive => wit::CheckStatus::Inactive,
                },
                successes: seen.successes,
                failures: seen.failures,
                threshold: seen.threshold,
                message: seen.message,
            };
            Ok(checks.map(check).collect())
        })
    }
}

impl From<workload::Container> for wit::Container {
    fn from(container: workload::Container) -> Self {
        Self {
            name: container.name,
            condition: match container.condition {
                Condition::Waiting => wit::Condition::Waiting,
                Condition::Ready => wit::Condition::Ready,
                Condition::Refused => wit::Condition::Refused,
                Condition::Stopping => wit::Condition::Stopping,
            },
            message: container.message,
            boot: container.boot,
        }
    }
}

impl From<wit::Request> for Request {
    fn from(request: wit::Request) -> Self {
        match request {
            wit::Request::Replan => Request::Replan,
            wit::Request::Start(names) => Request::Start(names),
            wit::Request::Stop(names) => Request::Stop(names),
            wit::Request::Restart(names) => Request::Restart(names),
            wit::Request::Signal((signal, names)) => Request::Signal(signal, names),
            wit::Request::StartChecks(names) => Request::StartChecks(names),
            wit::Request::StopChecks(names) => Request::StopChecks(names),
        }
    }
}

impl From<workload::Service> for wit::Service {
    fn from(service: workload::Service) -> Self {
        let workload::Service {
            name,
            startup,
            seen,
        } = service;
        Self {
            name,
            startup: match startup {
                layer::Startup::Enabled => wit::Startup::Enabled,
                layer::Startup::Disabled => wit::Startup::Disabled,
            },
            current: match seen.current {
                Current::Inactive => wit::Current::Inactive,
                Current::Waiting => wit::Current::Waiting,
                Current::Starting => wit::Current::Starting,
                Current::Active => wit::Current::Active,
                Current::Backoff => wit::Current::Backoff,
                Current::Stopping => wit::Current::Stopping,
                Current::Finished => wit::Current::Finished,
                Current::Failed => wit::Current::Failed,
                Current::Fenced => wit::Current::Fenced,
            },
            since: seen.since,
            restarts: seen.restarts,
            last_end: seen.last_end,
        }
    }
}
