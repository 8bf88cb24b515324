//! `juju-reboot`: a charm wants the machine of its unit to start afresh.
//!
//! Asked for plainly it is an effect like any other: of a hook that fails nobody hears. With `--now` the
//! hook ends where it asks, which is the sandbox's to do; here is who may ask, which is the same for both.

use serde::{Deserialize, Serialize};

use crate::effects::Effect;
use crate::txn::Share;
use crate::{CallError, HookTxn};

#[cfg(test)]
mod tests;

/// What an agent answers for `reboot`.
pub trait RebootAnswers {
    /// Whether what runs may ask for it; [`in_a_task`] is the answer where an action or a command does.
    fn may_reboot(&mut self) -> Result<(), CallError> {
        Err(CallError::unanswered())
    }
}

/// The answer in an action and in a command, of which a person waits to hear how they ended.
pub fn in_a_task() -> CallError {
    CallError::denied(
        "an action asks for no reboot, and neither does a command: ask for it in a hook, or have an operator say periapt exec --machine N -- reboot",
    )
}

/// What the commit of a hook does about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Changes {
    /// The machine is to start afresh once the hooks on it have ended.
    pub wanted: bool,
}

impl Effect for Changes {
    fn changes_nothing(&self) -> bool {
        !self.wanted
    }

    fn words(&self) -> Vec<String> {
        let wanted = self.wanted.then(|| "reboot of the machine".to_owned());
        Vec::from_iter(wanted)
    }
}

/// What the hook asked for.
#[derive(Debug, Default)]
pub(crate) struct Reboot {
    wanted: bool,
}

impl Share for Reboot {
    type Changes = Changes;

    fn into_changes(self) -> Changes {
        Changes {
            wanted: self.wanted,
        }
    }
}

impl HookTxn {
    /// Asks for a reboot once the hook is committed. To ask twice is to ask once.
    ///
    /// # Errors
    /// `Denied` in an action and in a command, and what the agent answers.
    pub fn reboot(&mut self, agent: &mut (impl RebootAnswers + ?Sized)) -> Result<(), CallError> {
        agent.may_reboot()?;
        self.reboot.wanted = true;
        Ok(())
    }
}
