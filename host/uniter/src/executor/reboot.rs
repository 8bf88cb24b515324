//! A hook that asked for a reboot at once: queued again, and the reboot asked for, in one write. So whatever
//! dies afterwards, the machine reboots and the hook is run again.

use periapt_engine::failpoint;
use periapt_model::hook::Info;
use periapt_model::uniter::{OperationState, REBOOTS_NOW, agent_rebooting};
use periapt_wire::agent::uniter::RequestReboot;

use super::Executor;
use crate::error::UniterError;

/// The code of a hook that asks for a reboot at once whenever it is run.
pub(super) const CODE: &str = "reboot";

/// Why it failed, to a person.
pub(super) fn asks_for_ever() -> String {
    format!(
        "it asked for a reboot at once after {REBOOTS_NOW} reboots that it had asked for, each time as it was run again; it has to find out whether the machine has rebooted, and go on then"
    )
}

impl Executor {
    /// `queued` is the state in which the hook is to be run again.
    pub(super) async fn reboot_now(
        &mut self,
        info: &Info,
        queued: OperationState,
        status_set: bool,
    ) -> Result<(), UniterError> {
        self.log(
            "INFO",
            &format!(
                "hook \"{}\" asked for a reboot at once; nothing of it is kept, and it is run again afterwards",
                info.name()
            ),
        );
        let request = RequestReboot {
            unit: self.config.unit.clone(),
            from: self.sequence,
            operation: OperationState {
                status_set: status_set || queued.status_set,
                ..queued
            },
            agent: agent_rebooting(),
        };
        failpoint::reach("uniter-before-reboot-now");
        self.call(&request, "asking for a reboot").await?;
        self.recorded();
        self.config.process.intents().withdraw(&self.config.unit);
        self.local.operation = request.operation;
        self.shown = Some(request.agent);
        Ok(())
    }

    /// Shows that the unit waits for its machine to reboot.
    pub async fn show_rebooting(&mut self) -> Result<(), UniterError> {
        self.show(agent_rebooting()).await
    }
}
