use super::Tomb;
use crate::error::{Kind, WorkerError};
use crate::testing::settle;

fn blocking(tomb: &Tomb) -> bool {
    let dying = tomb.dying().clone();
    tomb.spawn(async move {
        dying.cancelled().await;
        Err(WorkerError::Dying)
    })
}

#[tokio::test(start_paused = true)]
async fn a_plain_kill_is_a_clean_end() {
    let tomb = Tomb::new();
    assert!(blocking(&tomb));
    assert!(!tomb.is_dying());
    tomb.kill(None);
    assert!(tomb.is_dying());
    assert!(!tomb.is_dead());
    assert!(tomb.wait().await.is_ok());
    assert!(tomb.is_dead());
    assert!(!blocking(&tomb));
}

#[tokio::test(start_paused = true)]
async fn the_first_error_given_as_a_reason_wins() {
    let tomb = Tomb::new();
    blocking(&tomb);
    tomb.kill(None);
    tomb.kill(Some(WorkerError::text("first")));
    tomb.kill(Some(WorkerError::text("second")));
    assert_eq!(tomb.wait().await.unwrap_err().to_string(), "first");
    tomb.kill(Some(WorkerError::text("too late")));
    assert_eq!(tomb.wait().await.unwrap_err().to_string(), "first");
}

#[tokio::test(start_paused = true)]
async fn an_error_of_one_task_ends_the_others() {
    let tomb = Tomb::new();
    blocking(&tomb);
    tomb.spawn(async { Err(WorkerError::text("broken")) });
    assert_eq!(tomb.wait().await.unwrap_err().to_string(), "broken");
}

#[tokio::test(start_paused = true)]
async fn the_clean_end_of_one_task_leaves_the_others() {
    let tomb = Tomb::new();
    blocking(&tomb);
    tomb.spawn(async { Ok(()) });
    settle().await;
    assert!(!tomb.is_dying());
    tomb.kill(None);
    tomb.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_last_task_is_death() {
    let tomb = Tomb::new();
    tomb.spawn(async { Ok(()) });
    assert!(tomb.wait().await.is_ok());
    assert!(tomb.is_dying());
}

#[tokio::test(start_paused = true)]
async fn stopping_as_asked_without_being_asked_is_a_mistake() {
    let tomb = Tomb::new();
    tomb.spawn(async { Err(WorkerError::Dying) });
    let error = tomb.wait().await.unwrap_err();
    assert_eq!(error.kind(), Kind::Other);
    assert!(error.to_string().contains("nobody asked"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_an_error_with_its_text() {
    let tomb = Tomb::new();
    let number = 7;
    tomb.spawn(async move { panic!("no such number {number}") });
    let text = tomb.wait().await.unwrap_err().to_string();
    assert_eq!(text, "panicked: no such number 7");
}

#[test]
fn a_task_dropped_by_its_runtime_counts_as_ended() {
    let tomb = Tomb::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        tomb.spawn(std::future::pending());
    });
    drop(runtime);
    assert!(tomb.is_dead());
}
