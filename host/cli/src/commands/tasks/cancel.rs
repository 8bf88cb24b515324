//! `cancel-task`.

use clap::Args;
use periapt_model::task::{TaskId, TaskStatus};
use periapt_wire::rest::TaskInfo;

use super::Context;
use crate::arguments::ModelChoice;
use crate::failure::Outcome;
use crate::session::ModelSession;

/// So many tasks are named in a piece of advice.
const NAMED: usize = 5;

#[derive(Debug, Args)]
pub struct CancelTask {
    /// Numbers of the tasks, as shown by `operations`.
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<TaskId>,
    #[command(flatten)]
    pub model: ModelChoice,
}

pub async fn cancel(context: &Context, arguments: CancelTask) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    for id in &arguments.ids {
        let task = here.client().cancel_task(&here.model, *id).await?;
        context.output.say(&became(&task));
    }
    Ok(())
}

fn became(task: &TaskInfo) -> String {
    let what = match task.status {
        TaskStatus::Aborting => "is being stopped",
        TaskStatus::Cancelled => "is cancelled",
        TaskStatus::Aborted => "is stopped",
        status => return format!("task {} on {} is {status}", task.id, task.receiver()),
    };
    format!("task {} on {} {what}", task.id, task.receiver())
}

/// `cancel-task 2 3`
pub(super) fn words(ids: impl Iterator<Item = TaskId>) -> String {
    let ids: Vec<String> = ids.map(|id| id.to_string()).collect();
    let more = if ids.len() > NAMED { " …" } else { "" };
    let some: Vec<&str> = ids.iter().take(NAMED).map(String::as_str).collect();
    format!("cancel-task {}{more}", some.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_a_few_tasks() {
        assert_eq!(words([2].into_iter()), "cancel-task 2");
        assert_eq!(words(2..=6), "cancel-task 2 3 4 5 6");
        assert_eq!(words(2..=7), "cancel-task 2 3 4 5 6 …");
    }
}
