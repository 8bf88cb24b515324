use super::Catacomb;
use crate::error::{Kind, WorkerError};
use crate::testing::{ScriptedWorker, settle};
use crate::worker::Outputs;

fn invoked() -> Catacomb {
    let catacomb = Catacomb::new();
    let dying = catacomb.dying().clone();
    let work = async move {
        dying.cancelled().await;
        Err(WorkerError::Dying)
    };
    catacomb.invoke([], work).unwrap();
    catacomb
}

#[tokio::test(start_paused = true)]
async fn death_kills_all_children_and_waits_for_them() {
    let catacomb = invoked();
    let (willing, stubborn) = (
        ScriptedWorker::new(),
        ScriptedWorker::with(None, Outputs::default()),
    );
    catacomb.add(willing.clone()).unwrap();
    catacomb.add(stubborn.clone()).unwrap();
    catacomb.kill(None);
    settle().await;
    assert!(willing.has_ended() && stubborn.is_killed());
    let waiting = tokio::spawn({
        let catacomb = catacomb.clone();
        async move { catacomb.wait().await }
    });
    settle().await;
    assert!(!waiting.is_finished());
    stubborn.end(Ok(()));
    waiting.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_error_of_a_child_kills_the_catacomb_with_it() {
    let catacomb = invoked();
    let (broken, other) = (ScriptedWorker::new(), ScriptedWorker::new());
    catacomb.add(broken.clone()).unwrap();
    catacomb.add(other.clone()).unwrap();
    broken.end(Err(WorkerError::text("watcher broke")));
    assert_eq!(
        catacomb.wait().await.unwrap_err().to_string(),
        "watcher broke"
    );
    assert!(other.is_killed());
}

#[tokio::test(start_paused = true)]
async fn a_child_that_ends_cleanly_is_ignored() {
    let catacomb = invoked();
    let child = ScriptedWorker::new();
    catacomb.add(child.clone()).unwrap();
    child.end(Ok(()));
    settle().await;
    assert!(!catacomb.is_dying());
    catacomb.kill(None);
    catacomb.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_child_added_while_dying_is_killed_and_waited_for() {
    let catacomb = invoked();
    let hold = ScriptedWorker::with(None, Outputs::default());
    catacomb.add(hold.clone()).unwrap();
    catacomb.kill(None);
    settle().await;
    let late = ScriptedWorker::with(None, Outputs::default());
    assert_eq!(catacomb.add(late.clone()).unwrap_err().kind(), Kind::Dying);
    assert!(late.is_killed());
    hold.end(Ok(()));
    settle().await;
    let waiting = tokio::spawn({
        let catacomb = catacomb.clone();
        async move { catacomb.wait().await }
    });
    settle().await;
    assert!(!waiting.is_finished());
    late.end(Err(WorkerError::text("late")));
    assert_eq!(waiting.await.unwrap().unwrap_err().to_string(), "late");

    let too_late = ScriptedWorker::new();
    assert_eq!(
        catacomb.add(too_late.clone()).unwrap_err().kind(),
        Kind::Dying
    );
    assert!(too_late.is_killed());
}

#[tokio::test(start_paused = true)]
async fn a_site_is_used_once_and_takes_the_children_of_the_second_attempt_too() {
    let catacomb = invoked();
    let child = ScriptedWorker::new();
    let error = catacomb
        .invoke([child.clone() as _], async { Ok(()) })
        .unwrap_err();
    assert_eq!(error.to_string(), "catacomb already invoked");
    assert!(child.is_killed());
    assert!(!catacomb.is_dying());
    catacomb.kill(None);
    catacomb.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_work_is_the_end_of_the_children() {
    let catacomb = Catacomb::new();
    let child = ScriptedWorker::new();
    catacomb
        .invoke([child.clone() as _], async { Ok(()) })
        .unwrap();
    catacomb.wait().await.unwrap();
    assert!(child.is_killed());
}

#[tokio::test(start_paused = true)]
async fn work_that_says_it_was_asked_to_stop_must_have_been_asked() {
    let asked = invoked();
    asked.kill(None);
    asked.wait().await.unwrap();

    let unasked = Catacomb::new();
    unasked
        .invoke([], async { Err(WorkerError::Dying) })
        .unwrap();
    let error = unasked.wait().await.unwrap_err();
    assert!(error.to_string().contains("nobody asked"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_work_is_an_error_and_ends_the_children() {
    let catacomb = Catacomb::new();
    let child = ScriptedWorker::new();
    catacomb
        .invoke([child.clone() as _], async { panic!("oh no") })
        .unwrap();
    assert_eq!(
        catacomb.wait().await.unwrap_err().to_string(),
        "panicked: oh no"
    );
    assert!(child.is_killed());
}
