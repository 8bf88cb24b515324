//! `show-operation`, `show-task`.

use std::time::Duration;

use clap::Args;
use periapt_client::rest::RestError;
use periapt_model::task::TaskId;
use periapt_wire::rest::TaskInfo;

use super::ended;
use super::follow::Follower;
use super::patience::Until;
use crate::arguments::{Shown, duration};
use crate::commands::Context;
use crate::commands::show::write;
use crate::failure::Outcome;
use crate::output::tasks::{OperationDocument, TaskDocument};
use crate::output::time::Times;
use crate::session::ModelSession;

#[derive(Debug, Args)]
pub struct ShowOperation {
    /// Its number.
    pub id: TaskId,
    #[command(flatten)]
    pub waiting: Waiting,
    #[command(flatten)]
    pub shown: Shown,
}

#[derive(Debug, Args)]
pub struct ShowTask {
    /// Its number.
    pub id: TaskId,
    #[command(flatten)]
    pub waiting: Waiting,
    #[command(flatten)]
    pub shown: Shown,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct Waiting {
    /// Wait this long for it to end; if it has not, show it as it is (exit status 5).
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub wait: Option<Duration>,
    /// Wait until it ends.
    #[arg(long, conflicts_with = "wait")]
    pub watch: bool,
}

impl Waiting {
    fn until(self) -> Until {
        match (self.watch, self.wait) {
            (true, _) => Until::Ended,
            (false, Some(wait)) => Until::within(Some(wait)),
            (false, None) => Until::Now,
        }
    }

    /// The wait ended before the task did.
    fn verdict(self, operation: TaskId, tasks: &[TaskInfo]) -> Outcome {
        let goes_on = tasks.iter().any(|task| !task.status.has_ended());
        match self.wait {
            Some(_) if goes_on => Err(ended::goes_on(operation, tasks)),
            _ => Ok(()),
        }
    }
}

pub async fn operation(context: &Context, arguments: ShowOperation) -> Outcome {
    let (waiting, shown) = (arguments.waiting, &arguments.shown);
    let here = ModelSession::open(&context.files, &shown.model).await?;
    let follower = Follower::new(&here, &context.output, waiting.until());
    let mut operation = follower.operation(arguments.id).await?;
    operation.tasks = in_detail(&here, context, &operation.tasks).await?;
    let times = Times::new(shown.utc);
    write(context, shown, &OperationDocument::of(&operation, &times))?;
    waiting.verdict(operation.id, &operation.tasks)
}

/// These tasks as they are, with results and progress.
async fn in_detail(
    here: &ModelSession,
    context: &Context,
    tasks: &[TaskInfo],
) -> Result<Vec<TaskInfo>, RestError> {
    let ids = tasks.iter().map(|task| task.id).collect();
    let follower = Follower::new(here, &context.output, Until::Now);
    follower.tasks(ids, |_, _| {}).await
}

pub async fn task(context: &Context, arguments: ShowTask) -> Outcome {
    let (waiting, shown) = (arguments.waiting, &arguments.shown);
    let here = ModelSession::open(&context.files, &shown.model).await?;
    let follower = Follower::new(&here, &context.output, waiting.until());
    let times = Times::new(shown.utc);
    for task in follower.tasks(vec![arguments.id], |_, _| {}).await? {
        write(context, shown, &TaskDocument::alone(&task, &times))?;
        waiting.verdict(task.operation, std::slice::from_ref(&task))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::task;
    use super::*;
    use crate::failure::Exit;

    #[test]
    fn only_who_waits_for_a_time_hears_that_it_is_over() {
        let waiting = |wait, watch| Waiting { wait, watch };
        let tasks = [task(2, "site/0", "completed"), task(3, "site/1", "running")];
        let second = Some(Duration::from_secs(1));
        let failure = waiting(second, false).verdict(1, &tasks).unwrap_err();
        assert_eq!(failure.exit, Exit::TimedOut);
        assert_eq!(waiting(None, false).verdict(1, &tasks), Ok(()));
        assert_eq!(waiting(second, false).verdict(1, &tasks[..1]), Ok(()));
        assert!(matches!(waiting(None, true).until(), Until::Ended));
        assert!(matches!(waiting(None, false).until(), Until::Now));
        assert!(matches!(waiting(second, false).until(), Until::Then(_)));
    }
}
