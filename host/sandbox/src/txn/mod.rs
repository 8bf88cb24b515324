//! The hook transaction: what a hook asked for and what becomes true only at the commit.
//!
//! Reads see the hook's own writes; nobody else does. The state and ports of the last commit
//! are fetched from the [`HookContext`] on first use, so that a hook which touches neither costs
//! neither. Nothing here talks to anybody else; dropping a transaction is how it is undone. What a
//! commit would refuse because it is too much is refused here already, while the hook runs.

use periapt_model::bounds::EFFECTS_BYTES;
use periapt_model::hook::Effects;
use periapt_model::ports::PortRange;

use crate::context::{CallError, HookContext};

mod bag;
mod ports;
mod settings;
mod state;
#[cfg(test)]
mod tests;

pub use settings::OwnBag;
pub(crate) use settings::find;

/// Effects of one hook, buffered.
#[derive(Debug, Default)]
pub struct HookTxn {
    state: state::State,
    ports: ports::Ports,
    settings: settings::Settings,
}

impl HookTxn {
    pub fn state_get(
        &mut self,
        context: &mut dyn HookContext,
        key: &str,
    ) -> Result<Option<String>, CallError> {
        self.state.get(context, key)
    }

    pub fn state_set(
        &mut self,
        context: &mut dyn HookContext,
        key: String,
        value: String,
    ) -> Result<(), CallError> {
        let room = self.room_for_state();
        self.state.set(context, key, value, room)
    }

    pub fn state_delete(
        &mut self,
        context: &mut dyn HookContext,
        key: String,
    ) -> Result<(), CallError> {
        let room = self.room_for_state();
        self.state.delete(context, key, room)
    }

    fn room_for_state(&self) -> usize {
        EFFECTS_BYTES
            .length()
            .saturating_sub(self.settings.written())
    }

    pub fn state_all(
        &mut self,
        context: &mut dyn HookContext,
    ) -> Result<Vec<(String, String)>, CallError> {
        self.state.all(context)
    }

    /// Opens a range. Opening it twice is no error; overlapping another open range is.
    pub fn open_port(
        &mut self,
        context: &mut dyn HookContext,
        range: PortRange,
    ) -> Result<(), CallError> {
        self.ports.open(context, range)
    }

    /// Closes a range. Closing one that is not open is no error; a part of one is.
    pub fn close_port(
        &mut self,
        context: &mut dyn HookContext,
        range: PortRange,
    ) -> Result<(), CallError> {
        self.ports.close(context, range)
    }

    /// The ranges the hook sees as open, in order.
    pub fn opened_ports(
        &mut self,
        context: &mut dyn HookContext,
    ) -> Result<Vec<PortRange>, CallError> {
        self.ports.opened(context)
    }

    /// What the commit has to do; writes that change nothing are left out.
    pub fn into_effects(self) -> Effects {
        let (relations, leader) = self.settings.into_effects();
        let (open_ports, close_ports) = self.ports.into_changes();
        Effects {
            relations,
            leader,
            state: self.state.into_writes(),
            open_ports,
            close_ports,
        }
    }
}

/// Refuses writes that one commit does not hold.
fn require_room(written: usize, room: usize) -> Result<(), CallError> {
    if written <= room {
        return Ok(());
    }
    Err(CallError::limit(format!(
        "the hook would change more than the {} bytes of state and settings that one hook may; change the rest in a later one",
        EFFECTS_BYTES.most
    )))
}
