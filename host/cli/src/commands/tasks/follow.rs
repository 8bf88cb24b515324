//! Waiting for tasks: for each one request, which the controller answers when there is more to tell, and
//! which is made anew while the task goes on. Of many tasks some are asked for at once, the others in
//! turn.

use std::time::Duration;

use futures::future::try_join_all;
use periapt_client::rest::RestError;
use periapt_model::task::TaskId;
use periapt_wire::rest::{OperationInfo, OperationWait, TaskInfo, TaskLine, TaskWait};

use super::patience::{LONGEST, Patience, Until, turn};
use crate::output::Output;
use crate::output::text::clean_line;
use crate::output::time::Times;
use crate::session::ModelSession;

/// Who waits for tasks of a model.
pub struct Follower<'a> {
    here: &'a ModelSession,
    patience: Patience<'a>,
}

impl<'a> Follower<'a> {
    pub fn new(here: &'a ModelSession, output: &'a Output, until: Until) -> Self {
        Self {
            here,
            patience: Patience::new(output, until),
        }
    }

    /// These tasks with results and progress, when they have ended or the time is over. `tell` is given
    /// each line of their progress as it comes.
    pub async fn tasks(
        &self,
        ids: Vec<TaskId>,
        tell: impl Fn(&TaskInfo, &TaskLine),
    ) -> Result<Vec<TaskInfo>, RestError> {
        let turn = turn(ids.len());
        let tell = &tell;
        try_join_all(ids.into_iter().map(|id| self.task(id, turn, tell))).await
    }

    async fn task(
        &self,
        id: TaskId,
        turn: Duration,
        tell: &impl Fn(&TaskInfo, &TaskLine),
    ) -> Result<TaskInfo, RestError> {
        let mut log: Vec<TaskLine> = Vec::new();
        loop {
            let known = log.len() as u64;
            let task = self.patience.answer(turn, async |wait| {
                let lines = Some(known);
                let client = self.here.client();
                let query = TaskWait { wait, lines };
                client.task(&self.here.model, id, &query).await
            });
            let mut task = task.await?;
            let told = task.log.take().unwrap_or_default();
            for line in &told {
                tell(&task, line);
            }
            log.extend(told);
            if task.status.has_ended() || self.patience.is_over() {
                task.log = Some(log);
                return Ok(task);
            }
        }
    }

    /// An operation, when its tasks have ended or the time is over.
    pub async fn operation(&self, id: TaskId) -> Result<OperationInfo, RestError> {
        loop {
            let operation = self.patience.answer(LONGEST, async |wait| {
                let client = self.here.client();
                let query = OperationWait { wait };
                client.operation(&self.here.model, id, &query).await
            });
            let operation = operation.await?;
            if operation.status.has_ended() || self.patience.is_over() {
                return Ok(operation);
            }
        }
    }
}

/// A line of progress, `10:38:00 half of it`; with its unit where there are several.
pub fn told(task: &TaskInfo, line: &TaskLine, times: &Times, several: bool) -> String {
    let time = times.log(line.time, false, false);
    let text = clean_line(&line.message);
    match several {
        true => format!("{time} {}: {text}", task.receiver()),
        false => format!("{time} {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_progress_stays_one_line() {
        let task = super::super::tests::task(2, "site/0", "running");
        let line = TaskLine {
            time: 1_795_257_480_000_000,
            message: "half\u{1b}[2J of\nit\u{202e}".to_owned(),
        };
        let times = Times::new(true);
        assert_eq!(told(&task, &line, &times, false), "10:38:00 half of it");
        assert_eq!(
            told(&task, &line, &times, true),
            "10:38:00 site/0: half of it"
        );
    }
}
