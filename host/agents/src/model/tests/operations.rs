//! actionpruner.

use std::time::Duration;

use periapt_model::config::Value;
use periapt_model::task::{TaskId, TaskStatus};
use periapt_wire::rest::{ConfigChange, EnqueueOperation};

use super::bench::Bench;
use crate::model::actionpruner;

impl Bench {
    /// Has the unit run the command of the charm; the number of the task.
    async fn ask(&self) -> TaskId {
        let request = EnqueueOperation {
            command: vec!["list".to_owned()],
            units: vec!["site/0".to_owned()],
            ..EnqueueOperation::default()
        };
        let user = "admin".parse().unwrap();
        let operation = self.store.enqueue_operation(&self.model, &user, request);
        operation.await.unwrap().tasks[0].id
    }
}

/// actionpruner: "when age is set to 1 min and one interval passes, then a task finished 2 min ago is
/// missing from the operations API while a pending task remains".
#[tokio::test]
async fn a_task_that_ended_long_ago_is_missing_after_a_day_while_a_pending_one_remains() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, actionpruner::NAME).await;
    bench.deploy("site", 1).await;
    let ended = bench.ask().await;
    let cancelled = bench.store.cancel_task(&bench.model, ended).await.unwrap();
    assert_eq!(cancelled.status, TaskStatus::Cancelled);
    let waits = bench.ask().await;
    let age = Value::Text("1m".to_owned());
    let change = ConfigChange {
        set: [("max-action-results-age".to_owned(), age)].into(),
        reset: Vec::new(),
    };
    bench
        .store
        .set_model_config(&bench.model, change, periapt_store::Setter::Superuser)
        .await
        .unwrap();
    bench
        .until("the changed configuration", || async {
            let report = engine.report().manifolds[actionpruner::NAME].report.clone();
            (report["max-age-s"] == 60).then_some(())
        })
        .await;
    bench.clock.advance(Duration::from_secs(24 * 60 * 60));
    bench
        .until("the old task to be forgotten", || async {
            let found = bench.store.task(&bench.model, ended, 0).await;
            found.is_err().then_some(())
        })
        .await;
    let task = bench.store.task(&bench.model, waits, 0).await.unwrap();
    assert_eq!(task.status, TaskStatus::Pending);
    bench.close(engine).await;
}
