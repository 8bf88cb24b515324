//! Who may ask for a reboot of the machine: a hook, and no task.

use periapt_contract::reboot;
use periapt_sandbox::{CallError, RebootAnswers};

use super::UnitContext;

impl RebootAnswers for UnitContext {
    fn may_reboot(&mut self) -> Result<(), CallError> {
        match self.task {
            Some(_) => Err(reboot::in_a_task()),
            None => Ok(()),
        }
    }
}
