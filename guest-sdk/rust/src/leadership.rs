//! Who leads the application, and what the leader tells its units.

use std::collections::BTreeMap;

use crate::host::Changes;
use crate::world::World;
use crate::world::bindings::periapt::charm::leadership as wit;
use crate::{Context, HostError, Result};

/// What a charm may ask of the host about leadership.
#[allow(missing_docs)]
pub trait LeadershipHost {
    fn is_leader(&self) -> Result<bool, HostError>;
    fn leader_settings(&self) -> Result<Vec<(String, String)>, HostError>;
    fn set_leader_settings(&self, changes: &Changes) -> Result<(), HostError>;
}

impl LeadershipHost for World {
    fn is_leader(&self) -> Result<bool, HostError> {
        Ok(wit::is_leader()?)
    }

    fn leader_settings(&self) -> Result<Vec<(String, String)>, HostError> {
        Ok(wit::settings()?)
    }

    fn set_leader_settings(&self, changes: &Changes) -> Result<(), HostError> {
        Ok(wit::set(changes)?)
    }
}

impl<C> Context<'_, C> {
    /// Whether this unit is the leader. True promises it for at least 30 seconds.
    pub fn is_leader(&self) -> Result<bool> {
        Ok(self.host.is_leader()?)
    }

    /// What the leader of the application told its units. The leader reads its own writes.
    pub fn leader_settings(&self) -> Result<BTreeMap<String, String>> {
        Ok(self.host.leader_settings()?.into_iter().collect())
    }

    /// Tells the other units of the application, which get `leader_settings_changed`; none
    /// deletes a key. Leader only.
    pub fn set_leader_settings(&self, settings: &[(&str, Option<&str>)]) -> Result<()> {
        let owned: Vec<(String, Option<String>)> = settings
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned)))
            .collect();
        Ok(self.host.set_leader_settings(&owned)?)
    }
}
