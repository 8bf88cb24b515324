//! A reboot of the unit's machine.

use crate::world::World;
use crate::world::bindings::periapt::charm::reboot as wit;
use crate::{Context, HostError, Result};

/// What a charm may ask of the host about its machine.
#[allow(missing_docs)]
pub trait RebootHost {
    fn reboot(&self) -> Result<(), HostError>;
    fn reboot_now(&self) -> Result<(), HostError>;
}

impl RebootHost for World {
    fn reboot(&self) -> Result<(), HostError> {
        Ok(wit::request()?)
    }

    fn reboot_now(&self) -> Result<(), HostError> {
        Ok(wit::now()?)
    }
}

impl<C> Context<'_, C> {
    /// Has the machine of this unit start afresh once this hook is committed and the hooks of the other units
    /// on it have ended (`juju-reboot`). A hook that fails asks for nothing. Afterwards every unit there that
    /// has started runs `start` once more. Denied in an action and in a command.
    pub fn reboot(&self) -> Result<()> {
        Ok(self.host.reboot()?)
    }

    /// The same at once (`juju-reboot --now`): on a unit the hook ends here, nothing of it is committed, and it is run
    /// again after the reboot, so it has to find out by itself whether that has been; a file in the state
    /// directory does not tell, since none is kept. One that asks each time fails after three reboots. Returns where it is refused, and in a test
    /// with the [`Harness`](crate::testing::Harness), where it is an error to be passed on with `?`.
    pub fn reboot_now(&self) -> Result<()> {
        Ok(self.host.reboot_now()?)
    }
}
