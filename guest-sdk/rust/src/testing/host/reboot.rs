//! Reboots that the unit under test asks for. Its machine is not started afresh: that is the test's to
//! play, by running `start`.

use std::cell::RefCell;

use periapt_contract::{CallError, RebootAnswers, reboot};

use super::TestHost;
use crate::reboot::RebootHost;
use crate::{ErrorCode, HostError};

/// What became of those that were asked for.
#[derive(Default)]
pub struct Reboots {
    /// So many were granted.
    pub granted: u64,
    /// The hook that runs asked for one at once, and has ended by that.
    now: bool,
}

impl TestHost {
    /// Whether the hook that ran asked for a reboot at once; asked once, as it ends.
    pub fn ended_for_reboot(&mut self) -> bool {
        std::mem::take(&mut self.reboots.now)
    }
}

impl RebootAnswers for TestHost {
    fn may_reboot(&mut self) -> Result<(), CallError> {
        match self.runs_a_task() {
            true => Err(reboot::in_a_task()),
            false => Ok(()),
        }
    }
}

pub(super) fn commit(host: &mut TestHost, changes: &reboot::Changes) -> Result<(), CallError> {
    host.reboots.granted += u64::from(changes.wanted);
    Ok(())
}

impl RebootHost for RefCell<TestHost> {
    fn reboot(&self) -> Result<(), HostError> {
        self.borrow_mut().transaction(|txn, host| txn.reboot(host))
    }

    fn reboot_now(&self) -> Result<(), HostError> {
        self.borrow_mut().transaction(|_, host| {
            host.may_reboot()?;
            host.reboots.granted += u64::from(!host.reboots.now);
            host.reboots.now = true;
            Ok(())
        })?;
        // Natively nothing can end the charm's own code, so it has to return.
        Err(HostError::new(
            ErrorCode::Unavailable,
            "the machine reboots: on a unit the hook ends here",
        ))
    }
}
