use serde_json::json;

use super::TaskWorker;
use crate::error::WorkerError;
use crate::testing::{ScriptedWorker, settle};
use crate::worker::{Outputs, ValueWorker};

#[tokio::test(start_paused = true)]
async fn a_killed_worker_ends_cleanly_and_all_waiters_know() {
    let worker = TaskWorker::spawn(|worker| async move {
        worker.or_dying(std::future::pending::<()>()).await?;
        Ok(())
    });
    let other = tokio::spawn({
        let worker = worker.clone();
        async move { worker.wait().await }
    });
    settle().await;
    assert!(!other.is_finished());
    worker.kill();
    worker.kill();
    worker.wait().await.unwrap();
    other.await.unwrap().unwrap();
    worker.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn its_function_decides_how_it_ends() {
    let worker = TaskWorker::spawn(|_| async { Err(WorkerError::Bounce) });
    assert_eq!(worker.wait().await.unwrap_err().code(), "bounce");
    let worker = TaskWorker::spawn(|_| async { Ok(()) });
    worker.wait().await.unwrap();
    let worker = TaskWorker::spawn(|_| async { panic!("index out of range") });
    assert_eq!(
        worker.wait().await.unwrap_err().to_string(),
        "panicked: index out of range"
    );
}

#[tokio::test(start_paused = true)]
async fn it_reports_and_lends() {
    let worker = TaskWorker::lending(Outputs::of(7_u32).and("seven"), |worker| async move {
        worker.set_report(json!({ "seen": 0 }));
        worker.update_report(|report| report["seen"] = json!(3));
        worker.dying().cancelled().await;
        Ok(())
    });
    assert!(worker.report().is_null());
    settle().await;
    assert_eq!(worker.report(), json!({ "seen": 3 }));
    let outputs = worker.outputs();
    assert_eq!(outputs.get::<u32>(), Some(7));
    assert_eq!(outputs.get::<&str>(), Some("seven"));
    assert_eq!(outputs.get::<String>(), None);
    worker.kill();
    worker.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_report_can_be_asked_for_each_time() {
    let worker = TaskWorker::spawn(|worker| async move {
        let seen = std::sync::atomic::AtomicU64::new(0);
        worker.report_from(move || json!(seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed)));
        worker.dying().cancelled().await;
        worker.update_report(|report| *report = json!([report.clone()]));
        Ok(())
    });
    settle().await;
    assert_eq!((worker.report(), worker.report()), (json!(0), json!(1)));
    worker.kill();
    worker.wait().await.unwrap();
    assert_eq!(worker.report(), json!([2]));
}

#[tokio::test(start_paused = true)]
async fn it_owns_its_children() {
    let watcher = ScriptedWorker::new();
    let child = watcher.clone();
    let worker = TaskWorker::spawn(|worker| async move {
        worker.add(child)?;
        worker.dying().cancelled().await;
        Ok(())
    });
    settle().await;
    watcher.end(Err(WorkerError::text("watcher broke")));
    assert_eq!(
        worker.wait().await.unwrap_err().to_string(),
        "watcher broke"
    );
}

#[tokio::test(start_paused = true)]
async fn a_value_worker_only_lends() {
    let worker = ValueWorker::lend(String::from("conf"));
    assert_eq!(worker.outputs().get::<String>().as_deref(), Some("conf"));
    worker.kill();
    worker.wait().await.unwrap();
}
