//! The task that is being run, for the action or command that it is.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::given;
#[cfg(target_family = "wasm")]
use crate::action::ActionHost;
use crate::host::HostRef;
use crate::{Context, Error, Result};

/// The task being run: what it was given, its progress and its results. In a hook, which nobody asked
/// for, each of these calls is denied.
pub struct Task<'a> {
    host: HostRef<'a>,
}

impl Task<'_> {
    /// The number by which operators know it.
    pub fn id(&self) -> Result<String> {
        Ok(self.host.task()?.id)
    }

    /// The name of the action or the command.
    pub fn name(&self) -> Result<String> {
        Ok(self.host.task()?.name)
    }

    /// What the action was given, as another type than its own.
    pub fn parameters<P: DeserializeOwned>(&self) -> Result<P> {
        given::read(&self.host.task()?.parameters)
    }

    /// The words after the command's name.
    pub fn arguments(&self) -> Result<Vec<String>> {
        Ok(self.host.task()?.arguments)
    }

    /// A line of progress for whoever waits, at once. There may be a thousand of them.
    pub fn log(&self, line: &str) -> Result<()> {
        Ok(self.host.action_log(line)?)
    }

    /// Adds results, a struct or a map, before the action returns its own: an object within goes
    /// into the one that is there. Keys are lower-case letters, digits and dashes, 1 MiB in all.
    pub fn set<T: Serialize + ?Sized>(&self, results: &T) -> Result<()> {
        let text = serde_json::to_string(results).map_err(|error| {
            Error::failed(format!("the results cannot be written as JSON: {error}"))
        })?;
        Ok(self.host.action_set(&text)?)
    }

    /// Says that it failed, and why, and goes on. What it changed is committed all the same, with its
    /// results; an action that returns an error changes nothing.
    pub fn fail(&self, message: &str) -> Result<()> {
        Ok(self.host.action_fail(message)?)
    }
}

impl<'a, C> Context<'a, C> {
    /// What an operator asked for, in an action or a command.
    pub fn task(&self) -> Task<'a> {
        Task { host: self.host }
    }
}
