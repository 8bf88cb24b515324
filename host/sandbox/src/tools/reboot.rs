//! `juju-reboot`: the machine of a unit is to start afresh, after the hook or at once.

pub use periapt_contract::RebootAnswers;

use super::Permission::InHook;
use super::Tool;
use super::When::{AtCommit, AtOnce};
use crate::failure::HookFailure;
use crate::world::periapt::charm::reboot as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[
    Tool::new("juju-reboot", "reboot", "request", AtCommit, InHook),
    Tool::new("juju-reboot --now", "reboot", "now", AtOnce, InHook),
];

impl wit::Host for HookState {
    fn request(&mut self) -> Answer<()> {
        self.transaction(|txn, context| txn.reboot(context))
    }

    /// Where it is granted nothing is answered: the guest is stopped.
    fn now(&mut self) -> Answer<()> {
        match self.transaction(|_, context| context.may_reboot())? {
            Ok(()) => Err(self.stop(HookFailure::Reboot)),
            Err(refused) => Ok(Err(refused)),
        }
    }
}
