//! The unit's own key-value state, kept by the controller.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::host::HostRef;
use crate::world::World;
use crate::world::bindings::periapt::charm::state as wit;
use crate::{Context, Error, HostError, Result};

/// Typed access to state. Values are JSON texts; a key holds 256 bytes at most, a value
/// 64 KiB, all of them 2 MiB.
pub struct State<'a> {
    host: HostRef<'a>,
}

impl<'a> State<'a> {
    pub(crate) fn new(host: HostRef<'a>) -> Self {
        Self { host }
    }

    /// The value of `key`; reads see what this hook wrote.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        let Some(text) = self.host.state_get(key)? else {
            return Ok(None);
        };
        serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| state_error(key, &error))
    }

    /// Sets `key`; true once the hook returns `Ok`.
    pub fn set<T: Serialize + ?Sized>(&self, key: &str, value: &T) -> Result<()> {
        let text = serde_json::to_string(value).map_err(|error| state_error(key, &error))?;
        Ok(self.host.state_set(key, &text)?)
    }

    /// Takes a key away; a key that has no value stays as it is.
    pub fn delete(&self, key: &str) -> Result<()> {
        Ok(self.host.state_delete(key)?)
    }

    /// The keys that have a value.
    pub fn keys(&self) -> Result<Vec<String>> {
        Ok(self
            .host
            .state_all()?
            .into_iter()
            .map(|(key, _)| key)
            .collect())
    }
}

/// What a charm may ask of the host about state.
#[allow(missing_docs)]
pub trait StateHost {
    fn state_get(&self, key: &str) -> Result<Option<String>, HostError>;
    fn state_set(&self, key: &str, value: &str) -> Result<(), HostError>;
    fn state_delete(&self, key: &str) -> Result<(), HostError>;
    fn state_all(&self) -> Result<Vec<(String, String)>, HostError>;
}

impl StateHost for World {
    fn state_get(&self, key: &str) -> Result<Option<String>, HostError> {
        Ok(wit::get(key)?)
    }

    fn state_set(&self, key: &str, value: &str) -> Result<(), HostError> {
        Ok(wit::set(key, value)?)
    }

    fn state_delete(&self, key: &str) -> Result<(), HostError> {
        Ok(wit::delete(key)?)
    }

    fn state_all(&self) -> Result<Vec<(String, String)>, HostError> {
        Ok(wit::all()?)
    }
}

impl<'a, C> Context<'a, C> {
    /// The unit's own key-value state.
    pub fn state(&self) -> State<'a> {
        State::new(self.host)
    }
}

fn state_error(key: &str, error: &serde_json::Error) -> Error {
    Error::State {
        key: key.to_owned(),
        reason: error.to_string(),
    }
}
