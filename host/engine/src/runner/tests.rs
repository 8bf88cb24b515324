use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Runner, RunnerConfig, RunnerError};
use crate::clock::FakeClock;
use crate::error::{Fatal, WorkerError};
use crate::task::TaskWorker;
use crate::testing::{Script, settle};
use crate::worker::Worker;

const DELAY: Duration = Duration::from_secs(3);

fn runner(change: impl FnOnce(RunnerConfig) -> RunnerConfig) -> (FakeClock, Runner) {
    let clock = FakeClock::new();
    let config = RunnerConfig::new("test", clock.shared());
    (clock, Runner::new(change(config)))
}

fn start(runner: &Runner, id: &str, script: &Script) -> Result<(), RunnerError> {
    let script = script.clone();
    runner.start_worker(id, move || {
        let worker = script.start();
        async move { worker }
    })
}

fn never() -> CancellationToken {
    CancellationToken::new()
}

fn broken() -> WorkerError {
    WorkerError::text("broken")
}

#[tokio::test(start_paused = true)]
async fn an_id_is_in_use_until_its_worker_is_gone() {
    let (clock, runner) = runner(RunnerConfig::never_fatal);
    let script = Script::new();
    let taken = || Err(RunnerError::AlreadyExists("m".into()));
    start(&runner, "m", &script).unwrap();
    assert_eq!(start(&runner, "m", &script), taken());
    settle().await;
    script.end(Err(broken()));
    settle().await;
    assert_eq!(clock.sleepers(), 1);
    assert_eq!(
        start(&runner, "m", &script),
        taken(),
        "it waits for its restart"
    );
    script.on_kill(None);
    clock.advance(DELAY);
    settle().await;
    runner.stop("m").unwrap();
    settle().await;
    assert_eq!(
        start(&runner, "m", &script),
        taken(),
        "it is still stopping"
    );
    script.end(Ok(()));
    settle().await;
    start(&runner, "m", &script).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_ends_cleanly_is_removed() {
    let (clock, runner) = runner(|config| config);
    let script = Script::new();
    start(&runner, "m", &script).unwrap();
    settle().await;
    assert_eq!(runner.worker_ids(), ["m"]);
    script.end(Ok(()));
    settle().await;
    assert!(runner.worker_ids().is_empty());
    assert_eq!((script.starts(), clock.sleepers()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_failed_worker_or_start_comes_back_after_a_constant_delay() {
    let (clock, runner) = runner(RunnerConfig::never_fatal);
    let script = Script::new();
    start(&runner, "m", &script).unwrap();
    settle().await;
    for round in 1..5 {
        script.fail_next_start(broken());
        script.end(Err(broken()));
        settle().await;
        assert_eq!(clock.next_wake(), Some(DELAY));
        clock.advance(DELAY);
        settle().await;
        assert_eq!(clock.next_wake(), Some(DELAY));
        clock.advance(DELAY);
        settle().await;
        assert_eq!(script.starts(), round + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn unless_told_otherwise_every_error_is_fatal() {
    let (_, runner) = runner(|config| config);
    let (one, two) = (Script::new(), Script::new());
    start(&runner, "one", &one).unwrap();
    start(&runner, "two", &two).unwrap();
    settle().await;
    one.end(Err(broken()));
    assert_eq!(runner.wait().await.unwrap_err().to_string(), "broken");
    assert!(two.current().is_none());
    assert_eq!(start(&runner, "three", &one), Err(RunnerError::Dead));
    assert_eq!(runner.stop("one"), Err(RunnerError::Dead));
}

#[tokio::test(start_paused = true)]
async fn the_most_important_fatal_error_is_the_result() {
    let (_, runner) = runner(|config| config.fatal_when(|error| error.code() != "error"));
    let (one, two, three) = (Script::new(), Script::new(), Script::new());
    two.on_kill(Some(Err(Fatal::TerminateAgent.into())));
    three.on_kill(Some(Err(Fatal::RestartAgent.into())));
    for (id, script) in [("1", &one), ("2", &two), ("3", &three)] {
        start(&runner, id, script).unwrap();
    }
    settle().await;
    one.end(Err(Fatal::RebootMachine.into()));
    assert_eq!(runner.wait().await.unwrap_err().code(), "terminate-agent");
}

#[tokio::test(start_paused = true)]
async fn an_error_not_worth_a_restart_removes_the_worker() {
    let (clock, runner) = runner(|config| {
        config
            .never_fatal()
            .restart_when(|error| error.code() != "entity-removed")
    });
    let script = Script::new();
    start(&runner, "m", &script).unwrap();
    settle().await;
    script.end(Err(WorkerError::EntityRemoved));
    settle().await;
    assert!(runner.worker_ids().is_empty());
    assert_eq!(clock.sleepers(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_stop_during_the_delay_removes_without_a_start() {
    let (clock, runner) = runner(RunnerConfig::never_fatal);
    let script = Script::new();
    start(&runner, "m", &script).unwrap();
    settle().await;
    script.end(Err(broken()));
    settle().await;
    runner.stop_and_remove_worker("m", &never()).await.unwrap();
    assert!(runner.worker_ids().is_empty());
    assert_eq!((script.attempts(), clock.sleepers()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn stop_and_remove_waits_until_it_is_gone() {
    let (_, runner) = runner(RunnerConfig::never_fatal);
    let script = Script::new();
    script.on_kill(None);
    start(&runner, "m", &script).unwrap();
    settle().await;
    let aborted = never();
    aborted.cancel();
    let called_off = runner.stop_and_remove_worker("m", &aborted).await;
    assert_eq!(called_off, Err(RunnerError::Aborted("m".into())));
    let removing = tokio::spawn({
        let runner = runner.clone();
        async move { runner.stop_and_remove_worker("m", &never()).await }
    });
    settle().await;
    assert!(!removing.is_finished() && script.current().unwrap().is_killed());
    script.end(Err(broken()));
    removing.await.unwrap().unwrap();
    let gone = runner.stop_and_remove_worker("m", &never()).await;
    assert_eq!(gone, Err(RunnerError::NotFound("m".into())));
}

#[tokio::test(start_paused = true)]
async fn asking_for_a_worker_waits_until_it_runs() {
    let (clock, runner) = runner(RunnerConfig::never_fatal);
    let script = Script::new();
    script.fail_next_start(broken());
    start(&runner, "m", &script).unwrap();
    let asking = tokio::spawn({
        let runner = runner.clone();
        async move { runner.worker("m", &never()).await }
    });
    settle().await;
    assert!(!asking.is_finished());
    let aborted = never();
    aborted.cancel();
    let called_off = runner.worker("m", &aborted).await.err();
    assert_eq!(called_off, Some(RunnerError::Aborted("m".into())));
    clock.advance(DELAY);
    let worker = asking.await.unwrap().unwrap();
    assert_eq!(worker.report(), serde_json::json!({ "serial": 1 }));
    let unknown = runner.worker("x", &never()).await.err();
    assert_eq!(unknown, Some(RunnerError::NotFound("x".into())));
    runner.kill();
    runner.wait().await.unwrap();
    assert_eq!(
        runner.worker("m", &never()).await.err(),
        Some(RunnerError::Dead)
    );
}

#[tokio::test(start_paused = true)]
async fn one_who_waits_for_a_worker_that_is_removed_is_told() {
    let (_, runner) = runner(RunnerConfig::never_fatal);
    let script = Script::new();
    script.fail_next_start(broken());
    start(&runner, "m", &script).unwrap();
    let asking = tokio::spawn({
        let runner = runner.clone();
        async move { runner.worker("m", &never()).await.err() }
    });
    settle().await;
    runner.stop("m").unwrap();
    assert_eq!(
        asking.await.unwrap(),
        Some(RunnerError::NotFound("m".into()))
    );
}

#[tokio::test(start_paused = true)]
async fn while_it_dies_nothing_starts_and_starts_are_ignored() {
    let (clock, runner) = runner(RunnerConfig::never_fatal);
    let (stubborn, failed, late) = (Script::new(), Script::new(), Script::new());
    stubborn.on_kill(None);
    start(&runner, "stubborn", &stubborn).unwrap();
    start(&runner, "failed", &failed).unwrap();
    settle().await;
    failed.end(Err(broken()));
    settle().await;
    runner.kill();
    start(&runner, "late", &late).unwrap();
    settle().await;
    assert_eq!(
        (late.attempts(), failed.attempts(), clock.sleepers()),
        (0, 1, 0)
    );
    assert_eq!(runner.worker_ids(), ["stubborn"]);
    stubborn.end(Err(broken()));
    runner.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_idle_runner_dies_at_once() {
    let (_, runner) = runner(|config| config);
    runner.kill();
    runner.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_an_error_with_its_text() {
    let (_, runner) = runner(|config| config);
    runner
        .start_worker("start", || async { panic!("in start") })
        .unwrap();
    assert_eq!(
        runner.wait().await.unwrap_err().to_string(),
        "panicked: in start"
    );
    let (_, runner) = self::runner(|config| config);
    let work = || async { Ok(TaskWorker::spawn(|_| async { panic!("in work") })) };
    runner.start_worker("work", work).unwrap();
    assert_eq!(
        runner.wait().await.unwrap_err().to_string(),
        "panicked: in work"
    );
}

#[tokio::test(start_paused = true)]
async fn it_reports_each_worker() {
    let (_, runner) = runner(RunnerConfig::never_fatal);
    let (runs, waits) = (Script::new(), Script::new());
    waits.fail_next_start(broken());
    start(&runner, "runs", &runs).unwrap();
    start(&runner, "waits", &waits).unwrap();
    settle().await;
    let report = runner.report();
    assert_eq!(report["workers"]["runs"]["state"], "started");
    assert_eq!(report["workers"]["runs"]["report"]["serial"], 1);
    assert_eq!(report["workers"]["waits"]["state"], "starting");
    assert_eq!(report["workers"]["waits"]["error"], "broken");
}
