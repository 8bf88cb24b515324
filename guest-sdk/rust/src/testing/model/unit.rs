//! A unit of any charm.

use std::any::Any;
use std::cell::Ref;
use std::path::PathBuf;

use serde_json::Value as Json;

use super::super::host::TestHost;
use super::super::{Answer, Harness, Outcome};
use crate::{Charm, Event, Result, Value};

/// A [`Harness`] whose charm is not known here.
pub(super) trait AnyUnit {
    fn run_event(&mut self, event: &Event) -> Result<Outcome>;
    fn run_action(&mut self, name: &str, parameters: Json) -> Result<Answer>;
    fn run_command(&mut self, name: &str, arguments: &[&str]) -> Result<Answer>;
    fn attach(&mut self, storage: &str) -> Result<Outcome>;
    fn detach(&mut self, storage: &str) -> Result<Outcome>;
    fn add_storage(&mut self, name: &str) -> String;
    /// The value as the option has it.
    fn fitted(&self, key: &str, value: Value) -> Value;
    fn host(&mut self) -> &mut TestHost;
    fn seen(&self) -> Ref<'_, TestHost>;
    /// Where its shared directories are.
    fn shared(&self) -> PathBuf;
    /// Has it share those of another unit.
    fn share(&mut self, directory: PathBuf);
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<C: Charm> AnyUnit for Harness<C> {
    fn run_event(&mut self, event: &Event) -> Result<Outcome> {
        Harness::run_event(self, event)
    }

    fn run_action(&mut self, name: &str, parameters: Json) -> Result<Answer> {
        Harness::run_action(self, name, parameters)
    }

    fn run_command(&mut self, name: &str, arguments: &[&str]) -> Result<Answer> {
        Harness::run_command(self, name, arguments)
    }

    fn attach(&mut self, storage: &str) -> Result<Outcome> {
        self.attach_storage(storage)
    }

    fn detach(&mut self, storage: &str) -> Result<Outcome> {
        self.detach_storage(storage)
    }

    fn add_storage(&mut self, name: &str) -> String {
        Harness::add_storage(self, name)
    }

    fn fitted(&self, key: &str, value: Value) -> Value {
        self.option_value(key, value)
    }

    fn host(&mut self) -> &mut TestHost {
        self.host.get_mut()
    }

    fn seen(&self) -> Ref<'_, TestHost> {
        self.host.borrow()
    }

    fn shared(&self) -> PathBuf {
        self.dirs.shared.clone()
    }

    fn share(&mut self, directory: PathBuf) {
        for name in self
            .host
            .get_mut()
            .declared
            .iter()
            .flat_map(|it| &it.shared)
        {
            super::super::files::make(&directory.join(name));
        }
        self.dirs.shared = directory;
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
