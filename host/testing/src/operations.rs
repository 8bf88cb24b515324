//! What units are asked to run: actions and commands of their charms, each to its end.

use periapt_model::charm::Parameters;
use periapt_wire::rest::{EnqueueOperation, TaskInfo, TaskWait};

use crate::scenario::{MODEL, doing};
use crate::time::{PATIENCE, Passing};
use crate::{Scenario, ScenarioError};

impl Scenario {
    /// Has a unit, `docs/0` or `docs/leader`, run an action, and waits for its end; time passes
    /// meanwhile as needed. One that failed is an answer too, with the reason as its message.
    ///
    /// # Errors
    /// What the controller refuses: no such unit or action, or parameters that it does not take.
    pub async fn run_action(
        &self,
        unit: &str,
        action: &str,
        parameters: Parameters,
    ) -> Result<TaskInfo, ScenarioError> {
        let request = EnqueueOperation {
            action: Some(action.to_owned()),
            parameters,
            units: vec![unit.to_owned()],
            ..EnqueueOperation::default()
        };
        self.ran(request, &format!("running {action} on {unit}"))
            .await
    }

    /// Has a unit run a command that its charm exports, as [`Scenario::run_action`] does an action. The results are
    /// `return-code`, `stdout` and `stderr`.
    ///
    /// # Errors
    /// What the controller refuses: no such unit or command.
    pub async fn exec(&self, unit: &str, command: &[&str]) -> Result<TaskInfo, ScenarioError> {
        let request = EnqueueOperation {
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            units: vec![unit.to_owned()],
            ..EnqueueOperation::default()
        };
        self.ran(request, &format!("running {} on {unit}", command.join(" ")))
            .await
    }

    async fn ran(&self, request: EnqueueOperation, what: &str) -> Result<TaskInfo, ScenarioError> {
        let never = |model| ScenarioError::Never {
            what: format!("the end of {what}"),
            model,
        };
        let made = self.client.enqueue_operation(MODEL, &request).await;
        let made = made.map_err(doing(what))?;
        let asked = made.tasks.first().ok_or_else(|| never(String::new()))?;
        let mut passing = Passing::new(&self.clock, PATIENCE);
        let mut before = asked.status;
        loop {
            let now = TaskWait::default();
            let task = self.client.task(MODEL, asked.id, &now);
            let task = task.await.map_err(doing(what))?;
            if task.status.has_ended() {
                return Ok(task);
            }
            let changed = task.status != before;
            before = task.status;
            if !passing.pass(changed).await {
                return Err(never(format!("{task:?}")));
            }
        }
    }
}
