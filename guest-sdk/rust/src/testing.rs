//! A harness that runs a charm natively, without a controller.
//!
//! It runs the host's own rules and hook transaction, so a refusal or a limit here is the one that
//! a unit meets, in the same words. It keeps the promises that a charm's tests lean on: a hook that fails
//! leaves no state, no port change and no file behind, only status, workload version and log
//! lines; `/tmp` is empty at the start of each hook; hooks the charm does not list are skipped;
//! only the leader speaks for the application. The other ends of relations, the leader's place
//! and the shared directories are the test's to move: see [`Harness::add_relation`],
//! [`Harness::elect`] and [`Harness::add_shared`].

use std::cell::{Ref, RefCell};
use std::marker::PhantomData;
use std::path::Path;

use serde::de::DeserializeOwned;

use periapt_contract::metrics::Kind;
pub use periapt_contract::metrics::Sample;
use periapt_contract::workload as contract;

use crate::workload::{CheckInfo, CheckStatus};
use crate::{Charm, Context, Dirs, Event, Hook, Level, Occasion, Result, Status, Value, dispatch};

mod files;
mod harness;
mod host;
mod relations;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod two_ends;

use files::Folder;
use harness::must;
use host::{TestContainer, TestHost};

/// How a hook that did not fail ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran and was committed.
    Ran,
    /// The charm does not list it, so the host would not start a sandbox.
    Skipped,
}

/// One unit of a charm under test.
pub struct Harness<C> {
    host: RefCell<TestHost>,
    folder: Folder,
    dirs: Dirs,
    charm: PhantomData<fn() -> C>,
}

impl<C: Charm> Default for Harness<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C: Charm> Harness<C> {
    /// A unit `test/0` in the model `test` that ran no hook yet. Its folders are temporary and
    /// go when the harness goes.
    ///
    /// # Panics
    /// Where the system's temporary folder cannot be written.
    pub fn new() -> Self {
        let folder = Folder::create();
        let dirs = Dirs {
            charm: folder.sub("charm"),
            state: folder.sub("state"),
            tmp: folder.sub("tmp"),
            shared: folder.sub("shared"),
        };
        let mut host = TestHost::default();
        host.endpoints = C::ENDPOINTS.iter().map(|&name| name.to_owned()).collect();
        Self {
            host: RefCell::new(host),
            folder,
            dirs,
            charm: PhantomData,
        }
    }

    /// Sets an option as an operator would.
    pub fn set_config(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        self.host
            .get_mut()
            .config
            .insert(key.to_owned(), value.into());
        self
    }

    /// Takes an option's value away.
    pub fn unset_config(&mut self, key: &str) -> &mut Self {
        self.host.get_mut().config.remove(key);
        self
    }

    /// Gives the unit another name than `test/0`.
    pub fn set_unit_name(&mut self, name: &str) -> &mut Self {
        self.host.get_mut().unit = name.to_owned();
        self
    }

    /// Makes the unit the leader, or no longer the leader. No hook runs: see [`Harness::elect`].
    pub fn set_leader(&mut self, leader: bool) -> &mut Self {
        self.host.get_mut().leader = leader;
        self
    }

    /// Puts a file into the charm's own folder.
    ///
    /// # Panics
    /// Where it cannot be written.
    pub fn add_charm_file(&mut self, path: &str, content: impl AsRef<[u8]>) -> &mut Self {
        files::write(&self.dirs.charm.join(path), content.as_ref());
        self
    }

    /// Declares a metric as the charm's `metrics.yaml` does: `gauge` or `absolute`.
    ///
    /// # Panics
    /// For another type.
    #[allow(clippy::expect_used)]
    pub fn add_metric(&mut self, name: &str, kind: &str) -> &mut Self {
        let mut kinds = Kind::ALL.into_iter();
        let kind = kinds.find(|known| known.as_str() == kind);
        let kind = kind.expect("gauge or absolute");
        let host = self.host.get_mut();
        host.metrics.insert(name.to_owned(), kind);
        self
    }

    /// What the last [`Hook::CollectMetrics`] added, by name and labels. It runs in the restricted
    /// context that it has on a unit, and files it changes are not kept.
    pub fn metrics(&self) -> Vec<Sample> {
        self.host.borrow().samples.clone()
    }

    /// Runs a hook and commits or discards what it asked for.
    pub fn run(&mut self, hook: Hook) -> Result<Outcome> {
        self.run_event(&Event::new(hook))
    }

    /// As [`Harness::run`], with attributes.
    pub fn run_event(&mut self, event: &Event) -> Result<Outcome> {
        let listed = match &event.occasion {
            Occasion::Unit(hook) => C::HOOKS.contains(hook),
            Occasion::Relation(event) => {
                C::ENDPOINTS.contains(&event.endpoint.as_str())
                    && C::RELATION_HOOKS.contains(&event.hook)
            }
        };
        if !listed {
            return Ok(Outcome::Skipped);
        }
        files::empty(&self.dirs.tmp);
        let before = self.folder.sub("state-before");
        files::copy(&self.dirs.state, &before);
        let restricted = event.hook().filter(|hook| hook.is_restricted());
        self.host.get_mut().begin(restricted);
        let mut result = dispatch::<C>(&self.host, &self.dirs, event);
        let commits = result.is_ok() && restricted.is_none();
        if commits {
            // A refused commit is a failed hook.
            result = self.host.get_mut().commit().map_err(Into::into);
        }
        match result {
            Ok(()) if commits => {}
            _ => {
                self.host.get_mut().collected(result.is_ok());
                self.host.get_mut().discard();
                files::empty(&self.dirs.state);
                files::copy(&before, &self.dirs.state);
            }
        }
        files::empty(&before);
        result.map(|()| Outcome::Ran)
    }

    /// The context that a hook would have now, to call parts of a charm by themselves.
    pub fn with_context<T>(
        &mut self,
        hook: Hook,
        body: impl FnOnce(&Context<C::Config>) -> T,
    ) -> T {
        let event = Event::new(hook);
        let restricted = hook.is_restricted().then_some(hook);
        self.host.get_mut().begin(restricted);
        let answer = body(&Context::new(&self.host, &self.dirs, &event));
        must(self.host.get_mut().commit(), "the commit is refused");
        answer
    }

    /// The unit's status.
    pub fn status(&self) -> Status {
        self.host.borrow().unit_status.clone()
    }

    /// The application's status.
    pub fn application_status(&self) -> Status {
        self.host.borrow().application_status.clone()
    }

    /// The version that status shows.
    pub fn workload_version(&self) -> Option<String> {
        self.host.borrow().workload_version.clone()
    }

    /// A committed state value.
    pub fn state<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let host = self.host.borrow();
        host.state
            .get(key)
            .and_then(|text| serde_json::from_str(text).ok())
    }

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

    /// Every line logged so far.
    pub fn log(&self) -> Ref<'_, [(Level, String)]> {
        Ref::map(self.host.borrow(), |host| host.log.as_slice())
    }

    /// The unit's files.
    pub fn state_dir(&self) -> &Path {
        &self.dirs.state
    }

    /// The charm's own files.
    pub fn charm_dir(&self) -> &Path {
        &self.dirs.charm
    }
}
