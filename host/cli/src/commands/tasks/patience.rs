//! How long somebody waits for answers that the controller gives when there is something to tell, over
//! however many connections.

use std::cell::Cell;
use std::time::Duration;

use periapt_client::rest::RestError;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::live;
use crate::output::Output;

/// Requests at once.
pub const AT_ONCE: usize = 32;
/// The longest that one request may wait.
pub const LONGEST: Duration = Duration::from_secs(600);
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
    pub fn within(limit: Option<Duration>) -> Self {
        // A time too far away to be told is no limit either.
        let then = limit.and_then(|limit| Instant::now().checked_add(limit));
        then.map_or(Until::Ended, Until::Then)
    }

    pub fn is_over(self) -> bool {
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

/// How long one request may wait, of so many.
pub fn turn(requests: usize) -> Duration {
    if requests > AT_ONCE { TURN } else { LONGEST }
}

/// Who waits.
pub struct Patience<'a> {
    output: &'a Output,
    until: Until,
    places: Semaphore,
    /// Whether it was said that the controller is away.
    away: Cell<bool>,
}

impl<'a> Patience<'a> {
    pub fn new(output: &'a Output, until: Until) -> Self {
        Self {
            output,
            until,
            places: Semaphore::new(AT_ONCE),
            away: Cell::new(false),
        }
    }

    pub fn is_over(&self) -> bool {
        self.until.is_over()
    }

    /// An answer. `ask` is told for how many seconds to have the controller wait, and is called anew
    /// when the connection was lost or the controller restarts.
    pub async fn answer<T>(
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
            if live::is_lasting(&error) || self.is_over() || since.elapsed() >= AWAY {
                return Err(error);
            }
            if !self.away.replace(true) {
                self.output.say("The controller does not answer; retrying.");
            }
            tokio::time::sleep(live::PAUSE).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::future::join_all;
    use periapt_model::Refusal;
    use periapt_model::refusal::Subject;
    use periapt_wire::Problem;

    use super::*;
    use crate::arguments::General;

    fn quiet() -> Output {
        Output::new(&General {
            quiet: true,
            ..General::default()
        })
    }

    fn cut() -> RestError {
        RestError::Interrupted("cut".to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_waits_no_longer_than_it_may_and_than_is_left() {
        assert_eq!(Until::Now.seconds(TURN), None);
        assert!(Until::Now.is_over());
        assert_eq!(Until::Ended.seconds(LONGEST), Some(600));
        assert!(!Until::Ended.is_over());
        let soon = Until::within(Some(Duration::from_millis(2500)));
        assert_eq!((soon.seconds(TURN), soon.is_over()), (Some(3), false));
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(soon.seconds(TURN), Some(1));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!((soon.seconds(TURN), soon.is_over()), (None, true));
        assert_eq!(Until::within(None).seconds(TURN), Some(5));
        let never = Until::within(Some(Duration::MAX));
        assert_eq!(never.seconds(TURN), Some(5));
        assert_eq!((turn(1), turn(AT_ONCE + 1)), (LONGEST, TURN));
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_is_lost_is_not_the_end() {
        let output = quiet();
        let patience = Patience::new(&output, Until::Ended);
        let tries = Cell::new(0);
        let answer = patience.answer(LONGEST, async |wait| {
            assert_eq!(wait, Some(600));
            tries.set(tries.get() + 1);
            match tries.get() {
                1..=3 => Err(cut()),
                tries => Ok(tries),
            }
        });
        assert_eq!(answer.await.unwrap(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_ever_for_a_controller_that_is_away() {
        let output = quiet();
        for (until, seconds) in [
            (Until::within(Some(Duration::from_secs(7))), 7),
            (Until::Ended, 300),
            (Until::Now, 0),
        ] {
            let begun = Instant::now();
            let patience = Patience::new(&output, until);
            let answer = patience.answer(LONGEST, async |_| Err::<(), _>(cut()));
            answer.await.unwrap_err();
            assert_eq!(begun.elapsed().as_secs(), seconds, "{until:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_is_not_asked_for_again() {
        let output = quiet();
        let patience = Patience::new(&output, Until::Ended);
        let tries = Cell::new(0);
        let answer = patience.answer(LONGEST, async |_| {
            tries.set(tries.get() + 1);
            let gone = Problem::new(Refusal::NotFound(Subject::Task));
            Err::<(), _>(RestError::Problem(gone))
        });
        assert_eq!(answer.await.unwrap_err().status(), Some(404));
        assert_eq!(tries.get(), 1);
    }

    /// An answer that takes a second, with how many are asked for at the moment.
    async fn slow(patience: &Patience<'_>, now: &Cell<usize>, most: &Cell<usize>) {
        let answer = patience.answer(TURN, async |_| {
            now.set(now.get() + 1);
            most.set(most.get().max(now.get()));
            tokio::time::sleep(Duration::from_secs(1)).await;
            now.set(now.get() - 1);
            Ok(())
        });
        answer.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn of_many_some_are_asked_for_at_once() {
        let output = quiet();
        let patience = Patience::new(&output, Until::Ended);
        let (now, most) = (Cell::new(0), Cell::new(0));
        join_all((0..AT_ONCE * 3).map(|_| slow(&patience, &now, &most))).await;
        assert_eq!((now.get(), most.get()), (0, AT_ONCE));
    }
}
