//! The services and checks of one container: takes what happened, asks the state machines of
//! `model::workload` what follows, and says what is to be done outside.
//!
//! A service of kind `http` has no process of its own: it begins by its component being loaded, runs as long as it
//! may be asked, and ends at once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use periapt_model::workload::check::{self, Status};
use periapt_model::workload::desired::{
    CheckSeen, Component, Container, Passed, Request, Seen, ServiceSeen,
};
use periapt_model::workload::layer::{Kind, Level, Probe, Ready, Service, Startup};
use periapt_model::workload::order;
use periapt_model::workload::plan::{Change, Plan};
use periapt_model::workload::service::{self, Action, Current, End, Ending, Event, Passage, Timer};

use super::kept;

/// What one event may lead to, one after the other; a plan that asks for more goes in circles.
const STEPS: usize = 10_000;
/// Of what a service went through, so much is told.
const TOLD: usize = 8;

/// A probe that is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub check: String,
    pub number: u64,
    pub timeout: Duration,
}

pub struct Life {
    plan: Plan,
    components: BTreeMap<String, Component>,
    services: BTreeMap<String, Run>,
    checks: BTreeMap<String, check::State>,
    record: kept::Container,
    /// Numbers of loads are used once, in whatever container.
    loads: u64,
    probes: Vec<Wanted>,
    steps: VecDeque<(String, Event)>,
}

#[derive(Default)]
struct Run {
    state: service::State,
    load: u64,
    loaded: bool,
    /// Whether it was told that it has what it requires.
    met: bool,
}

impl Life {
    pub fn new(record: kept::Container) -> Self {
        Self {
            plan: Plan::default(),
            components: BTreeMap::new(),
            services: BTreeMap::new(),
            checks: BTreeMap::new(),
            record,
            loads: 0,
            probes: Vec::new(),
            steps: VecDeque::new(),
        }
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    pub fn record(&self) -> &kept::Container {
        &self.record
    }

    /// Probes that were not made yet.
    pub fn take_probes(&mut self) -> Vec<Wanted> {
        std::mem::take(&mut self.probes)
    }

    /// What the charm committed.
    pub fn desire(
        &mut self,
        container: &Container,
        components: &BTreeMap<String, Component>,
        now: Duration,
    ) {
        // Files are read by each request, so another generation changes nothing that runs.
        let mut changes = self.plan.changes(&container.plan, false);
        for (name, service) in &container.plan.services {
            let component = service.component.as_ref();
            let of = |components: &BTreeMap<String, Component>| {
                Some(components.get(component?)?.digest.clone())
            };
            if self.plan.services.contains_key(name) && of(&self.components) != of(components) {
                changes.insert(name.clone(), Change::Restart);
            }
        }
        let replan = self.plan != container.plan;
        for name in gone(&changes) {
            self.steps
                .push_back((name, Event::Changed(Change::Removed)));
        }
        self.run(now);
        for name in gone(&changes) {
            self.services.remove(&name);
        }
        for check in self.plan.changed_checks(&container.plan) {
            match container.plan.checks.get(&check) {
                Some(definition) => {
                    let state = self.checks.entry(check).or_default();
                    *state = state.step(definition, check::Event::Changed, now).0;
                }
                None => {
                    self.checks.remove(&check);
                }
            }
        }
        self.plan = container.plan.clone();
        self.components = components.clone();
        for (name, change) in changes {
            match change {
                Change::Removed => {}
                Change::Added => {
                    self.services.entry(name).or_default();
                }
                change => self.steps.push_back((name, Event::Changed(change))),
            }
        }
        for (name, service) in &self.plan.services {
            // What was started by hand before the supervisor was, and never since.
            let before = self
                .services
                .get(name)
                .is_some_and(|run| run.state.wanted());
            let enabled = service.startup() == Startup::Enabled;
            let wanted = match self.record.wanted.get(name) {
                Some(wanted) if !before => *wanted,
                _ => enabled && replan,
            };
            if wanted {
                self.steps.push_back((name.clone(), Event::Wanted(true)));
            }
        }
        for asked in &container.requests {
            if asked.id > self.record.requests {
                self.record.requests = asked.id;
                self.ask(&asked.request);
            }
        }
        self.settle(now);
    }

    fn ask(&mut self, request: &Request) {
        let plan = &self.plan;
        let names = |names: &[String]| -> Vec<String> { names.to_vec() };
        let strs = |names: &'_ [String]| -> BTreeSet<String> { names.iter().cloned().collect() };
        match request {
            Request::Replan => {
                for (name, service) in &plan.services {
                    let current = self.services.get(name).map(|run| run.state.current());
                    if service.startup() == Startup::Enabled && current != Some(Current::Finished) {
                        self.steps.push_back((name.clone(), Event::Start));
                    }
                }
            }
            Request::Start(asked) => {
                let asked = strs(asked);
                for name in order::start(plan, asked.iter().map(String::as_str)).concat() {
                    self.steps.push_back((name, Event::Start));
                }
            }
            Request::Stop(asked) => {
                let asked = strs(asked);
                for name in order::stop(plan, asked.iter().map(String::as_str)).concat() {
                    self.steps.push_back((name, Event::Wanted(false)));
                }
            }
            Request::Restart(asked) => {
                for name in names(asked) {
                    self.steps.push_back((name, Event::Restart));
                }
            }
            // There is no process that would get it.
            Request::Signal(..) => {}
            Request::StartChecks(asked) | Request::StopChecks(asked) => {
                let on = matches!(request, Request::StartChecks(_));
                for name in names(asked) {
                    self.record.checks.insert(name, on);
                }
            }
        }
    }

    /// A component was loaded, or why it could not be. Whether it was asked for.
    pub fn loaded(&mut self, service: &str, load: u64, error: Option<String>, now: Duration) {
        let Some(run) = self
            .services
            .get_mut(service)
            .filter(|run| run.load == load)
        else {
            return;
        };
        run.loaded = error.is_none();
        let waits = self.plan.services.get(service);
        let waits = waits.is_some_and(|service| matches!(service.ready(), Ready::Check(_)));
        match error {
            Some(reason) => self
                .steps
                .push_back((service.to_owned(), not_started(reason))),
            None if !waits => self.steps.push_back((service.to_owned(), Event::Ready)),
            None => {}
        }
        self.settle(now);
    }

    pub fn probed(&mut self, check: &str, number: u64, result: Result<(), String>, now: Duration) {
        self.check(check, check::Event::Probed { number, result }, now);
        self.settle(now);
    }

    /// Does what is due.
    pub fn tick(&mut self, now: Duration) {
        let due: Vec<(String, Event)> = self
            .timers()
            .filter(|(_, _, at)| *at <= now)
            .map(|(name, timer, _)| (name.to_owned(), Event::Timer(timer)))
            .collect();
        self.steps.extend(due);
        let checks = self.checks.iter();
        let due = checks.filter(|(_, state)| state.due().is_some_and(|at| at <= now));
        for name in due.map(|(name, _)| name.clone()).collect::<Vec<_>>() {
            self.check(&name, check::Event::Timer, now);
        }
        self.settle(now);
    }

    /// When something is due next.
    pub fn due(&self) -> Option<Duration> {
        let services = self.timers().map(|(_, _, at)| at);
        let checks = self.checks.values().filter_map(check::State::due);
        services.chain(checks).min()
    }

    fn timers(&self) -> impl Iterator<Item = (&str, Timer, Duration)> {
        self.services.iter().flat_map(|(name, run)| {
            // One that is not loaded yet has not begun to run well.
            let timers = run.state.timers();
            let timers = timers.filter(|(timer, _)| *timer != Timer::Okay || run.loaded);
            timers.map(|(timer, at)| (name.as_str(), timer, at))
        })
    }

    /// Steps until nothing follows any more.
    fn settle(&mut self, now: Duration) {
        for _ in 0..STEPS {
            self.run(now);
            let checks: Vec<String> = self.plan.checks.keys().cloned().collect();
            for name in checks {
                let runs = self.check_runs(&name);
                self.check(&name, check::Event::Run(runs), now);
            }
            self.require();
            if self.steps.is_empty() {
                break;
            }
        }
        let wanted = self.services.iter();
        self.record.wanted = wanted
            .map(|(name, run)| (name.clone(), run.state.wanted()))
            .collect();
        self.record
            .checks
            .retain(|name, _| self.plan.checks.contains_key(name));
    }

    fn check_runs(&self, name: &str) -> bool {
        let enabled =
            |check: &periapt_model::workload::layer::Check| check.startup() == Startup::Enabled;
        let enabled = self.plan.checks.get(name).is_some_and(enabled);
        let on = self.record.checks.get(name).copied().unwrap_or(enabled);
        let at = self.plan.looked_at_by(name);
        let runs = |service: &&str| {
            let current = self.services.get(*service).map(|run| run.state.current());
            matches!(current, Some(Current::Starting | Current::Active))
        };
        on && (at.is_empty() || at.iter().any(runs))
    }

    /// Tells services whether they have what they require, where that changed.
    fn require(&mut self) {
        let now = |name: &str| {
            let run = self.services.get(name)?;
            run.state.wanted().then(|| run.state.current())
        };
        let mut changed = Vec::new();
        for (name, run) in &self.services {
            let met = order::waits_for(&self.plan, name, now).is_empty();
            if met != run.met {
                changed.push((name.clone(), met));
            }
        }
        for (name, met) in changed {
            if let Some(run) = self.services.get_mut(&name) {
                run.met = met;
            }
            self.steps.push_back((name, Event::Requirements(met)));
        }
    }

    fn run(&mut self, now: Duration) {
        let mut left = STEPS;
        while let Some((name, event)) = self.steps.pop_front() {
            let definition = self.plan.services.get(&name);
            let (Some(definition), Some(run)) = (definition, self.services.get_mut(&name)) else {
                continue;
            };
            let (state, actions) = run.state.step(definition, event, now);
            run.state = state;
            for action in actions {
                let follows = match action {
                    Action::Spawn if definition.kind() == Kind::Http => {
                        self.loads += 1;
                        (run.load, run.loaded) = (self.loads, false);
                        None
                    }
                    Action::Spawn => Some(not_started(not_offered(definition))),
                    // It has ended as soon as nobody may ask it any more.
                    Action::Signal(_) if run.state.current() == Current::Stopping => {
                        Some(exited(Ending::Exited(0)))
                    }
                    Action::Kill => Some(exited(Ending::Killed("SIGKILL".to_owned()))),
                    Action::StopContainer { .. } => {
                        let all = self.plan.services.keys().cloned();
                        self.steps
                            .extend(all.map(|name| (name, Event::Wanted(false))));
                        None
                    }
                    // Its ports are open as long as it runs; timers are asked for.
                    Action::Signal(_) | Action::CutPorts | Action::Arm { .. } => None,
                    Action::Notice(_) => None,
                };
                self.steps
                    .extend(follows.map(|event| (name.clone(), event)));
            }
            left -= 1;
            if left == 0 {
                tracing::warn!(service = name, "the services of a container go in circles");
                self.steps.clear();
            }
        }
    }

    fn check(&mut self, name: &str, event: check::Event, now: Duration) {
        let Some(definition) = self.plan.checks.get(name) else {
            return;
        };
        let state = self.checks.entry(name.to_owned()).or_default();
        let (after, actions) = state.step(definition, event, now);
        *state = after;
        for action in actions {
            match action {
                check::Action::Probe { number, timeout } => self.probes.push(Wanted {
                    check: name.to_owned(),
                    number,
                    timeout,
                }),
                check::Action::Arm { .. } => {}
                check::Action::Notice(notice) => self.noticed(name, &notice),
            }
        }
    }

    fn noticed(&mut self, check: &str, notice: &check::Notice) {
        for (name, service) in &self.plan.services {
            let event = match notice {
                check::Notice::Failed { .. } => Event::CheckFailed(check.to_owned()),
                _ => Event::CheckSucceeded(check.to_owned()),
            };
            self.steps.push_back((name.clone(), event));
            let waits = service.ready() == Ready::Check(check.to_owned());
            if waits && *notice == check::Notice::Succeeded {
                self.steps.push_back((name.clone(), Event::Ready));
            }
        }
    }

    /// Services that answer requests, with where they are and under which number they are to be loaded.
    pub fn servers(&self) -> impl Iterator<Item = (&str, &Service, Current, u64)> {
        let services = self.plan.services.iter();
        let http = services.filter(|(_, service)| service.kind() == Kind::Http);
        http.filter_map(|(name, service)| {
            let run = self.services.get(name)?;
            Some((name.as_str(), service, run.state.current(), run.load))
        })
    }

    /// Whether no check that decides who gets requests is down.
    pub fn is_ready(&self) -> bool {
        let checks = self.plan.checks.iter();
        let mut deciding = checks.filter(|(_, check)| check.level() == Level::Ready);
        deciding.all(|(name, _)| {
            let state = self.checks.get(name);
            state.is_none_or(|state| state.status() != Status::Down)
        })
    }

    pub fn component(&self, service: &Service) -> Option<&Component> {
        self.components.get(service.component.as_ref()?)
    }

    /// What a probe finds of which nobody was asked.
    pub fn as_before(&self, check: &str) -> Result<(), String> {
        match self.checks.get(check) {
            Some(state) if state.status() == Status::Down => {
                Err(state.message().unwrap_or_default().to_owned())
            }
            _ => Ok(()),
        }
    }

    pub fn probe(&self, check: &str) -> Option<Probe<'_>> {
        self.plan.checks.get(check)?.probe()
    }

    pub fn seen(&self, unix: impl Fn(Duration) -> i64) -> Seen {
        let services = self.services.iter().map(|(name, run)| {
            let state = &run.state;
            let seen = ServiceSeen {
                current: state.current(),
                since: unix(state.since()),
                restarts: state.restarts(),
                last_end: state.last_end().map(End::to_string),
                history: lately(state.history(), &unix),
            };
            (name.clone(), seen)
        });
        let checks = self.plan.checks.iter().map(|(name, check)| {
            let state = self.checks.get(name);
            let seen = CheckSeen {
                status: state.map_or(Status::Inactive, check::State::status),
                successes: state.map_or(0, check::State::successes),
                failures: state.map_or(0, check::State::failures),
                threshold: check.threshold(),
                message: state.and_then(|state| state.message()).map(str::to_owned),
            };
            (name.clone(), seen)
        });
        Seen {
            services: services.collect(),
            checks: checks.collect(),
            requests: self.record.requests,
        }
    }
}

/// The last passages of a service.
fn lately(history: &[Passage], unix: impl Fn(Duration) -> i64) -> Vec<Passed> {
    let told = history.len().saturating_sub(TOLD);
    let passed = history.iter().skip(told).map(|passage| Passed {
        at: unix(passage.at),
        current: passage.current,
        end: passage.end.clone(),
    });
    passed.collect()
}

fn gone(changes: &BTreeMap<String, Change>) -> Vec<String> {
    let gone = changes
        .iter()
        .filter(|(_, change)| **change == Change::Removed);
    gone.map(|(name, _)| name.clone()).collect()
}

fn exited(ending: Ending) -> Event {
    Event::Exited {
        end: End {
            ending,
            out_of_memory: false,
        },
        jitter: rand::random(),
    }
}

fn not_started(reason: String) -> Event {
    exited(Ending::NotStarted(reason))
}

fn not_offered(service: &Service) -> String {
    let kind = match service.kind() {
        Kind::Http => "http",
        Kind::Command => "command",
        Kind::Native => "native",
    };
    format!("services of kind {kind} are not offered on this machine")
}

#[cfg(test)]
mod tests;
