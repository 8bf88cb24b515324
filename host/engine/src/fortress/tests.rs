use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Fortress, FortressError, Guest};
use crate::error::WorkerError;
use crate::testing::{ScriptedWorker, settle};
use crate::worker::{Outputs, SharedWorker, Worker};

fn never() -> CancellationToken {
    CancellationToken::new()
}

/// A visit in a task of its own, which stays until it is told, and whether it ever got inside.
struct Visitor {
    inside: Arc<AtomicBool>,
    leave: Option<oneshot::Sender<()>>,
    result: JoinHandle<Result<&'static str, FortressError>>,
}

impl Visitor {
    async fn of(guest: Guest, abort: CancellationToken) -> Self {
        let (leave, left) = oneshot::channel();
        let inside = Arc::new(AtomicBool::new(false));
        let entered = inside.clone();
        let result = tokio::spawn(async move {
            guest
                .visit(&abort, || async {
                    entered.store(true, Ordering::SeqCst);
                    let _ = left.await;
                    "done"
                })
                .await
        });
        settle().await;
        Self {
            inside,
            leave: Some(leave),
            result,
        }
    }

    fn is_inside(&self) -> bool {
        self.inside.load(Ordering::SeqCst)
    }

    fn leave(&mut self) {
        drop(self.leave.take());
    }
}

#[tokio::test(start_paused = true)]
async fn starts_locked_and_lets_guests_in_at_the_unlock() {
    let fortress = Fortress::new();
    let mut visitor = Visitor::of(fortress.guest(), never()).await;
    assert!(!visitor.is_inside());
    fortress.guard().unlock().unwrap();
    fortress.guard().unlock().unwrap();
    settle().await;
    assert!(visitor.is_inside());
    visitor.leave();
    assert_eq!(visitor.result.await.unwrap(), Ok("done"));
}

#[tokio::test(start_paused = true)]
async fn visits_run_in_parallel() {
    let fortress = Fortress::new();
    fortress.guard().unlock().unwrap();
    let one = Visitor::of(fortress.guest(), never()).await;
    let two = Visitor::of(fortress.guest(), never()).await;
    assert!(one.is_inside() && two.is_inside());
    assert_eq!(
        fortress.report(),
        serde_json::json!({ "open": true, "visits": 2 })
    );
}

#[tokio::test(start_paused = true)]
async fn lockdown_keeps_new_guests_out_and_waits_for_those_inside() {
    let fortress = Fortress::new();
    let guard = fortress.guard();
    guard.unlock().unwrap();
    let mut inside = Visitor::of(fortress.guest(), never()).await;
    let lockdown = tokio::spawn({
        let guard = guard.clone();
        async move { guard.lockdown(&never()).await }
    });
    settle().await;
    let outside = Visitor::of(fortress.guest(), never()).await;
    assert!(!outside.is_inside() && !lockdown.is_finished());
    inside.leave();
    assert_eq!(lockdown.await.unwrap(), Ok(()));
    assert_eq!(guard.lockdown(&never()).await, Ok(()));
    assert!(!outside.is_inside());
    guard.unlock().unwrap();
    settle().await;
    assert!(outside.is_inside());
}

#[tokio::test(start_paused = true)]
async fn a_lockdown_called_off_leaves_it_closed_and_visits_running() {
    let fortress = Fortress::new();
    let guard = fortress.guard();
    guard.unlock().unwrap();
    let inside = Visitor::of(fortress.guest(), never()).await;
    let abort = never();
    abort.cancel();
    assert_eq!(guard.lockdown(&abort).await, Err(FortressError::Aborted));
    let outside = Visitor::of(fortress.guest(), never()).await;
    assert!(!outside.is_inside() && !inside.result.is_finished());
}

#[tokio::test(start_paused = true)]
async fn unlocking_during_a_lockdown_reopens_and_strands_it_until_the_visits_drain() {
    let fortress = Fortress::new();
    let guard = fortress.guard();
    guard.unlock().unwrap();
    let mut first = Visitor::of(fortress.guest(), never()).await;
    let lockdown = tokio::spawn({
        let guard = guard.clone();
        async move { guard.lockdown(&never()).await }
    });
    settle().await;
    guard.unlock().unwrap();
    let mut second = Visitor::of(fortress.guest(), never()).await;
    assert!(second.is_inside());
    first.leave();
    settle().await;
    assert!(!lockdown.is_finished());
    second.leave();
    assert_eq!(lockdown.await.unwrap(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_visit_called_off_before_it_is_let_in_never_runs() {
    let fortress = Fortress::new();
    let abort = never();
    let visitor = Visitor::of(fortress.guest(), abort.clone()).await;
    abort.cancel();
    fortress.guard().unlock().unwrap();
    settle().await;
    assert!(!visitor.is_inside());
    assert_eq!(visitor.result.await.unwrap(), Err(FortressError::Aborted));
}

#[tokio::test(start_paused = true)]
async fn once_inside_calling_off_has_no_effect() {
    let fortress = Fortress::new();
    fortress.guard().unlock().unwrap();
    let abort = never();
    let mut visitor = Visitor::of(fortress.guest(), abort.clone()).await;
    abort.cancel();
    settle().await;
    assert!(!visitor.result.is_finished());
    visitor.leave();
    assert_eq!(visitor.result.await.unwrap(), Ok("done"));
}

#[tokio::test(start_paused = true)]
async fn killed_it_turns_away_all_who_wait_and_waits_for_those_inside() {
    let fortress = Arc::new(Fortress::new());
    let guard = fortress.guard();
    guard.unlock().unwrap();
    let mut inside = Visitor::of(fortress.guest(), never()).await;
    let lockdown = tokio::spawn({
        let guard = guard.clone();
        async move { guard.lockdown(&never()).await }
    });
    settle().await;
    let queued = Visitor::of(fortress.guest(), never()).await;
    let dead = tokio::spawn({
        let fortress = fortress.clone();
        async move { fortress.wait().await }
    });
    fortress.kill();
    assert_eq!(lockdown.await.unwrap(), Err(FortressError::Shutdown));
    assert!(!queued.is_inside());
    assert_eq!(queued.result.await.unwrap(), Err(FortressError::Shutdown));
    assert_eq!(guard.unlock(), Err(FortressError::Shutdown));
    assert_eq!(guard.lockdown(&never()).await, Err(FortressError::Shutdown));
    settle().await;
    assert!(!dead.is_finished());
    inside.leave();
    dead.await.unwrap().unwrap();
    assert_eq!(inside.result.await.unwrap(), Ok("done"));
}

#[tokio::test(start_paused = true)]
async fn a_visit_that_panics_is_over() {
    let fortress = Fortress::new();
    fortress.guard().unlock().unwrap();
    let guest = fortress.guest();
    let broken = tokio::spawn(async move { guest.visit(&never(), || async { panic!("x") }).await });
    let _: Result<Result<(), _>, _> = broken.await;
    assert_eq!(fortress.guard().lockdown(&never()).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn an_occupant_keeps_its_visit_until_it_is_dead() {
    let fortress = Fortress::new();
    let guard = fortress.guard();
    guard.unlock().unwrap();
    let worker = ScriptedWorker::with(None, Outputs::default());
    let start = || async { Ok(worker.clone() as SharedWorker) };
    fortress.guest().occupy(&never(), start).await.unwrap();
    let lockdown = tokio::spawn(async move { guard.lockdown(&never()).await });
    settle().await;
    assert!(!lockdown.is_finished());
    assert!(!worker.is_killed(), "a lockdown does not end the occupant");
    worker.end(Err(WorkerError::Bounce));
    assert_eq!(lockdown.await.unwrap(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn an_occupant_that_fails_to_start_ends_the_visit_with_its_error() {
    let fortress = Fortress::new();
    fortress.guard().unlock().unwrap();
    let start = || async { Err(WorkerError::text("no start")) };
    let result = fortress.guest().occupy(&never(), start).await;
    assert_eq!(result.err().unwrap().to_string(), "no start");
    assert_eq!(fortress.guard().lockdown(&never()).await, Ok(()));
}
