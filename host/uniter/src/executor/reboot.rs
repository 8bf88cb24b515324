//! A hook that asked for a reboot at once: queued again, and the reboot asked for, in one write. So whatever
//! dies afterwards, the machine reboots and the hook is run again.

use periapt_engine::failpoint;
use periapt_model::hook::Info;
use periapt_model::uniter::{Operation, OperationState, agent_rebooting};
use periapt_wire::agent::uniter::RequestReboot;

use super::Executor;
use crate::error::UniterError;

impl Executor {
    pub(super) async fn reboot_now(
        &mut self,
        info: &Info,
        status_set: bool,
    ) -> Result<(), UniterError> {
        self.log(
            "INFO",
            &format!(
                "hook \"{}\" asked for a reboot at once; nothing of it is kept, and it is run again afterwards",
                info.name()
            ),
        );
        let queued = Operation::hook_interrupted(&self.local.operation);
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
