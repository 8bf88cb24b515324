//! A harness that runs a charm natively, without a controller.
//!
//! It runs the host's own rules and hook transaction, so a refusal or a limit here is the one that
//! a unit meets, in the same words. It keeps the promises that a charm's tests lean on: a hook that fails
//! leaves no state, no port change and no file behind, only status, workload version and log
//! lines; `/tmp` is empty at the start of each hook; hooks the charm does not list are skipped;
//! only the leader speaks for the application. It knows what the charm's files declare, if its `impl`
//! has `#[charm]`: options have their defaults, and a test that names what is not declared is told so. The other ends of relations, the leader's place
//! the shared directories and storage are the test's to move: see [`Harness::add_relation`],
//! [`Harness::elect`], [`Harness::add_shared`] and [`Harness::attach_storage`]. It is also the operator, who runs actions and
//! commands: see [`Harness::run_action`] and [`Harness::run_command`]. Several units, of one application or of
//! more, are a [`Model`].

use std::cell::{Ref, RefCell};
use std::marker::PhantomData;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;

use periapt_contract::metrics::Kind;
pub use periapt_contract::metrics::Sample;
pub use serde_json::json;

use crate::{Charm, Context, Dirs, Event, Hook, Level, Occasion, Result, Status, Value, dispatch};

mod actions_yaml;
mod containers;
mod declared;
mod files;
mod harness;
mod host;
mod model;
mod relations;
mod schema;
mod secrets;
mod storage;
mod tasks;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod two_ends;

pub use actions_yaml::{actions_yaml, check_actions_yaml};
pub use model::Model;
pub(crate) use schema::schema_of;
pub use tasks::Answer;

use files::Folder;
use harness::must;
use host::TestHost;

/// How a hook that did not fail ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran and was committed.
    Ran,
    /// The charm does not list it, so the host would not start a sandbox.
    Skipped,
    /// It asked for a reboot at once: nothing of it was committed, and a unit runs it again.
    Rebooted,
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
        host.storage_root = folder.sub("storage");
        host.endpoints = C::ENDPOINTS.iter().map(|&name| name.to_owned()).collect();
        let mut harness = Self {
            host: RefCell::new(host),
            folder,
            dirs,
            charm: PhantomData,
        };
        harness.take_declaration();
        harness
    }

    /// Sets an option as an operator would.
    ///
    /// # Panics
    /// Where the charm's files declare no such option, or one of another type.
    pub fn set_config(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        let value = self.option_value(key, value.into());
        self.host.get_mut().config.insert(key.to_owned(), value);
        self
    }

    /// Takes an option's value away: it has its default, or none.
    ///
    /// # Panics
    /// Where the charm's files declare no such option.
    pub fn unset_config(&mut self, key: &str) -> &mut Self {
        let default = self.default_of(key);
        let config = &mut self.host.get_mut().config;
        match default {
            Some(value) => config.insert(key.to_owned(), value),
            None => config.remove(key),
        };
        self
    }

    /// The time that the charm sees: when the harness was made, until the test moves it.
    pub fn now(&self) -> SystemTime {
        self.host.borrow().now
    }

    /// Sets the time that the charm sees.
    pub fn set_now(&mut self, now: SystemTime) -> &mut Self {
        self.host.get_mut().now = now;
        self
    }

    /// Moves the clock on. No hook runs: see [`Model::advance`] for what is due in between.
    pub fn advance(&mut self, time: Duration) -> &mut Self {
        let now = &mut self.host.get_mut().now;
        *now = now.checked_add(time).unwrap_or(*now);
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

    /// As [`Harness::run`], with attributes. An action or a command is run with nothing given.
    pub fn run_event(&mut self, event: &Event) -> Result<Outcome> {
        let listed = match &event.occasion {
            Occasion::Unit(hook) => C::HOOKS.contains(hook),
            Occasion::Relation(event) => {
                C::ENDPOINTS.contains(&event.endpoint.as_str())
                    && C::RELATION_HOOKS.contains(&event.hook)
            }
            Occasion::Storage(event) => {
                C::STORAGE.contains(&event.name.as_str()) && C::STORAGE_HOOKS.contains(&event.hook)
            }
            Occasion::Action(name) => {
                return self.run_action(name, json!({})).map(|_| Outcome::Ran);
            }
            Occasion::Command(name) => {
                return self.run_command(name, &[]).map(|_| Outcome::Ran);
            }
        };
        if !listed {
            return Ok(Outcome::Skipped);
        }
        let restricted = event.hook().filter(|hook| hook.is_restricted());
        self.with_files(|unit| {
            let host = unit.host.get_mut();
            host.begin(restricted);
            host.hook_storage = event.storage().and_then(|event| event.id.parse().ok());
            let mut result = dispatch::<C>(&unit.host, &unit.dirs, event);
            let host = unit.host.get_mut();
            if host.ended_for_reboot() {
                host.discard();
                return (Ok(Outcome::Rebooted), false);
            }
            let commits = result.is_ok() && restricted.is_none();
            if commits {
                // A refused commit is a failed hook.
                result = host.commit().map_err(Into::into);
            }
            let kept = commits && result.is_ok();
            if !kept {
                host.collected(result.is_ok());
                host.discard();
            }
            (result.map(|()| Outcome::Ran), kept)
        })
    }

    /// Has `body` find an empty `/tmp`, and puts the unit's files back unless it says that they are kept.
    fn with_files<T>(&mut self, body: impl FnOnce(&mut Self) -> (T, bool)) -> T {
        files::empty(&self.dirs.tmp);
        let before = self.folder.sub("state-before");
        files::copy(&self.dirs.state, &before);
        let (answer, kept) = body(self);
        if !kept {
            files::empty(&self.dirs.state);
            files::copy(&before, &self.dirs.state);
        }
        files::empty(&before);
        answer
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

    /// How often the unit's machine was asked to reboot: by hooks that were committed, and by those that
    /// ended for it.
    pub fn reboots(&self) -> u64 {
        self.host.borrow().reboots.granted
    }

    /// A committed state value.
    pub fn state<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let host = self.host.borrow();
        host.state
            .get(key)
            .and_then(|text| serde_json::from_str(text).ok())
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
