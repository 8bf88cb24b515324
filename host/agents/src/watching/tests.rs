use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use periapt_engine::{SharedWorker, TaskWorker};
use periapt_model::UnitName;
use periapt_wire::agent::unit_assigner::WatchUnitAssignments;
use periapt_wire::rpc::{self, Changes, Json, WATCHER_NEXT, WATCHER_STOP};
use periapt_wire::{CallError, Caller};
use serde_json::json;

use tokio::sync::{Mutex as Queue, mpsc};
use tokio_util::sync::CancellationToken;

use super::*;

/// A controller that knows one watcher, whose events the test sends.
struct Events(Queue<mpsc::UnboundedReceiver<Vec<String>>>);

#[async_trait]
impl Caller for Events {
    async fn request(
        &self,
        _facade: &str,
        _version: u32,
        method: &str,
        _id: Option<String>,
        _params: Option<Json>,
    ) -> Result<Json, CallError> {
        let changes = match method {
            WATCHER_STOP => return Ok(rpc::json(&json!({})).unwrap()),
            WATCHER_NEXT => self.0.lock().await.recv().await,
            _ => return Ok(rpc::json(&json!({ "watcher-id": "1", "changes": [] })).unwrap()),
        };
        let changes = changes.ok_or_else(|| CallError::Disconnected("cut".to_owned()))?;
        Ok(rpc::json(&Changes { changes }).unwrap())
    }

    async fn blob(&self, _digest: &str) -> Result<Bytes, CallError> {
        Err(CallError::Disconnected("no blobs".to_owned()))
    }

    fn broken(&self) -> CancellationToken {
        CancellationToken::new()
    }
}

fn connection() -> (mpsc::UnboundedSender<Vec<String>>, ApiConnection) {
    let (events, waiting) = mpsc::unbounded_channel();
    let caller = Events(Queue::new(waiting));
    (events, ApiConnection::new(Arc::new(caller)))
}

fn event(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn each_event_with_names_is_handled_once() {
    let (events, api) = connection();
    let handled = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&handled);
    let worker: SharedWorker = TaskWorker::spawn(move |worker| async move {
        let watch = WatchUnitAssignments {};
        names(&worker, &api, watch, "watching", |units: Vec<UnitName>| {
            heard.lock().unwrap().push(units);
            async { Ok(()) }
        })
        .await
    });
    events.send(event(&["a/0", "no unit", "b/1"])).unwrap();
    events.send(event(&[])).unwrap();
    events.send(event(&["c/2"])).unwrap();
    drop(events);
    let error = worker.wait().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "watching: connection to the controller lost: cut"
    );
    let unit = |name: &str| name.parse::<UnitName>().unwrap();
    assert_eq!(
        *handled.lock().unwrap(),
        [vec![unit("a/0"), unit("b/1")], vec![unit("c/2")]]
    );
}

#[tokio::test]
async fn the_first_event_comes_at_once_and_a_failed_decision_ends_the_worker() {
    let (_events, api) = connection();
    let worker = TaskWorker::spawn(move |worker| async move {
        let watch = WatchUnitAssignments {};
        let fail = || async { Err(WorkerError::text("no")) };
        notify(&worker, &api, watch, "watching", fail).await
    });
    assert_eq!(worker.wait().await.unwrap_err().to_string(), "no");
}

#[tokio::test]
async fn a_worker_that_should_stop_drops_its_decision() {
    let (_events, api) = connection();
    let (begun, mut handling) = mpsc::unbounded_channel();
    let worker = TaskWorker::spawn(move |worker| async move {
        let watch = WatchUnitAssignments {};
        notify(&worker, &api, watch, "watching", || {
            begun.send(()).unwrap();
            std::future::pending()
        })
        .await
    });
    handling.recv().await.unwrap();
    worker.kill();
    worker.wait().await.unwrap();
}
