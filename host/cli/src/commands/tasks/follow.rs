//! Waiting for tasks: for each one request, which the controller answers when there is more to tell.
//!
//! It is asked anew while the task goes on, and when the controller restarts or the connection is lost.
//! Of many tasks some are asked for at once, and the others in turn.

use std::cell::Cell;
use std::time::Duration;

use futures::future::try_join_all;
use periapt_client::rest::RestError;
use periapt_model::task::TaskId;
use periapt_wire::rest::{OperationInfo, OperationWait, TaskInfo, TaskLine, TaskWait};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::live;
use crate::output::Output;
use crate::output::text::clean_line;
use crate::output::time::Times;
use crate::session::ModelSession;

/// Requests at once.
const AT_ONCE: usize = 32;
/// The longest that one request may wait.
const LONGEST: Duration = Duration::from_secs(600);
/// How long one waits while others wait for its place.
const TURN: Duration = Duration::from_secs(5);
/// How long a controller may be away before nobody waits for it any more.
const AWAY: Duration = Duration::from_secs(300);

/// How long to wait.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// Only for an answer.
    Now,
    Then(Instant),
    Ended,
}

impl Until {
    /// For so long, or without a limit.
    pub fn patience(limit: Option<Duration>) -> Self {
        // A time too far away to be told is no limit either.
        let then = limit.and_then(|limit| Instant::now().checked_add(limit));
        then.map_or(Until::Ended, Until::Then)
    }

    fn is_over(self) -> bool {
        self.left().is_zero()
    }

    fn left(self) -> Duration {
        match self {
            Until::Now => Duration::ZERO,
            Until::Then(then) => then.saturating_duration_since(Instant::now()),
            Until::Ended => Duration::MAX,
        }
    }

    /// Seconds to have one request wait; none where it is to be answered at once.
    fn seconds(self, at_most: Duration) -> Option<u64> {
        let seconds = self.left().min(at_most).as_millis().div_ceil(1000);
        u64::try_from(seconds).ok().filter(|seconds| *seconds > 0)
    }
}

/// Who waits.
pub struct Follower<'a> {
    here: &'a ModelSession,
    output: &'a Output,
    until: Until,
    places: Semaphore,
    /// Whether it was said that the controller is away.
    away: Cell<bool>,
}

impl<'a> Follower<'a> {
    pub fn new(here: &'a ModelSession, output: &'a Output, until: Until) -> Self {
        Self {
            here,
            output,
            until,
            places: Semaphore::new(AT_ONCE),
            away: Cell::new(false),
        }
    }

    /// These tasks with results and progress, when they have ended or the time is over. `tell` is given
    /// each line of their progress as it comes.
    pub async fn tasks(
        &self,
        ids: Vec<TaskId>,
        tell: impl Fn(&TaskInfo, &TaskLine),
    ) -> Result<Vec<TaskInfo>, RestError> {
        let turn = if ids.len() > AT_ONCE { TURN } else { LONGEST };
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
            let task = self.answer(turn, async |wait| {
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
            if task.status.has_ended() || self.until.is_over() {
                task.log = Some(log);
                return Ok(task);
            }
        }
    }

    /// An operation, when its tasks have ended or the time is over.
    pub async fn operation(&self, id: TaskId) -> Result<OperationInfo, RestError> {
        loop {
            let operation = self.answer(LONGEST, async |wait| {
                let client = self.here.client();
                let query = OperationWait { wait };
                client.operation(&self.here.model, id, &query).await
            });
            let operation = operation.await?;
            if operation.status.has_ended() || self.until.is_over() {
                return Ok(operation);
            }
        }
    }

    /// An answer, over however many connections.
    async fn answer<T>(
        &self,
        at_most: Duration,
        ask: impl AsyncFn(Option<u64>) -> Result<T, RestError>,
    ) -> Result<T, RestError> {
        let mut lost = None;
        loop {
            let answer = {
                let _place = self.places.acquire().await;
                ask(self.until.seconds(at_most)).await
            };
            let error = match answer {
                Ok(answer) => {
                    self.away.set(false);
                    return Ok(answer);
                }
                Err(error) => error,
            };
            let since = *lost.get_or_insert_with(Instant::now);
            if live::is_lasting(&error) || self.until.is_over() || since.elapsed() >= AWAY {
                return Err(error);
            }
            if !self.away.replace(true) {
                self.output
                    .say("The controller does not answer; it is asked again.");
            }
            tokio::time::sleep(live::PAUSE).await;
        }
    }
}

/// A line of progress, `10:38:00 half of it`; with its unit where there are several.
pub fn told(task: &TaskInfo, line: &TaskLine, times: &Times, several: bool) -> String {
    let time = times.log(line.time, false, false);
    let text = clean_line(&line.message);
    match several {
        true => format!("{time} {}: {text}", task.unit),
        false => format!("{time} {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_request_waits_no_longer_than_it_may_and_than_is_left() {
        let turn = Duration::from_secs(5);
        assert_eq!(Until::Now.seconds(turn), None);
        assert!(Until::Now.is_over());
        assert_eq!(Until::Ended.seconds(LONGEST), Some(600));
        assert!(!Until::Ended.is_over());
        let soon = Until::patience(Some(Duration::from_millis(2500)));
        assert_eq!((soon.seconds(turn), soon.is_over()), (Some(3), false));
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(soon.seconds(turn), Some(1));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!((soon.seconds(turn), soon.is_over()), (None, true));
        assert_eq!(Until::patience(None).seconds(turn), Some(5));
        let never = Until::patience(Some(Duration::MAX));
        assert_eq!(never.seconds(turn), Some(5));
    }

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
