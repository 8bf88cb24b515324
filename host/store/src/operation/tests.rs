//! Tasks from the request to their end, on both databases.

use std::time::Duration;

use periapt_contract::action::Outcome;
use periapt_model::bounds::TASKS_WAITING;
use periapt_model::charm::{Action, CharmInfo};
use periapt_model::hook::Effects;
use periapt_model::status::{Agent, Status};
use periapt_model::task::{Results, TaskId, TaskStatus};
use periapt_model::uniter::OperationState;
use periapt_model::{ModelUuid, UnitName};
use periapt_wire::agent::uniter::{TaskEnd, TaskToRun};
use periapt_wire::rest::{EnqueueOperation, OperationQuery};
use serde_json::json;

use crate::testing::{Fixture, charm, fixtures, unit};
use crate::{HookCommit, Interest, Store, StoreError, namespace};

mod machines;
mod remembered;

/// `site` with an action that takes something and one that takes nothing, and a command.
fn acting() -> CharmInfo {
    let rebuild: Action = serde_json::from_value(json!({
        "description": "Builds the pages anew",
        "params": {
            "pages": {"type": "integer", "default": 1, "minimum": 1},
            "title": {"type": "string"},
        },
        "additionalProperties": false,
        "execution-group": "disk",
    }))
    .expect("an action");
    CharmInfo {
        actions: [
            ("rebuild".to_owned(), rebuild),
            ("check".to_owned(), Action::default()),
        ]
        .into(),
        hooks: vec![
            "install".to_owned(),
            "actions/rebuild".to_owned(),
            "actions/check".to_owned(),
            "commands/list".to_owned(),
        ],
        ..charm("site")
    }
}

async fn site(fixture: &Fixture, units: u32) -> ModelUuid {
    let model = fixture.model("acting").await;
    let store = &fixture.store;
    let archive = bytes::Bytes::from_static(b"acting");
    store
        .add_charm(&model, acting(), archive)
        .await
        .expect("a charm");
    fixture.deploy(&model, "site", units).await;
    let staged = store.unit_assignments(&model).await.expect("staged");
    store.assign_units(&model, &staged).await.expect("assigned");
    model
}

fn run(action: &str, units: &[&str]) -> EnqueueOperation {
    EnqueueOperation {
        action: Some(action.to_owned()),
        units: units.iter().map(|unit| (*unit).to_owned()).collect(),
        ..EnqueueOperation::default()
    }
}

impl Store {
    async fn ask(&self, model: &ModelUuid, request: EnqueueOperation) -> Vec<TaskId> {
        let user = "admin".parse().expect("a user");
        let operation = self.enqueue_operation(model, &user, request).await;
        let tasks = operation.expect("enqueued").tasks;
        tasks.into_iter().map(|task| task.id).collect()
    }

    async fn refuses(&self, model: &ModelUuid, request: EnqueueOperation) -> (String, String) {
        let user = "admin".parse().expect("a user");
        let refused = self.enqueue_operation(model, &user, request).await;
        let refused: StoreError = refused.expect_err("refused");
        (refused.refusal().code().to_owned(), refused.to_string())
    }

    async fn begin(&self, model: &ModelUuid, unit: &UnitName, task: TaskId) -> Option<TaskToRun> {
        let agent = Status::new(Agent::Executing, "running action rebuild");
        self.begin_task(model, unit, task, agent)
            .await
            .expect("begun")
    }

    async fn commit(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        task: TaskId,
        outcome: Outcome,
    ) -> Result<(), StoreError> {
        let commit = HookCommit {
            from: self.sequence(model, unit).await,
            effects: Effects {
                action: outcome,
                state: [("ran".to_owned(), Some("yes".to_owned()))].into(),
                ..Effects::default()
            },
            operation: OperationState {
                installed: true,
                ..OperationState::default()
            },
            task: Some(task),
            ..HookCommit::default()
        };
        self.commit_hook_run(model, unit, commit).await.map(|_| ())
    }

    async fn status_of(&self, model: &ModelUuid, task: TaskId) -> TaskStatus {
        self.task(model, task, 0).await.expect("the task").status
    }
}

fn answers(key: &str, value: serde_json::Value) -> Outcome {
    Outcome {
        results: Results::from_iter([(key.to_owned(), value)]),
        ..Outcome::default()
    }
}

#[tokio::test]
async fn a_task_is_shown_from_its_request_to_its_results() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = site(&fixture, 2).await;
        let request = EnqueueOperation {
            parameters: json!({"title": "x"})
                .as_object()
                .cloned()
                .expect("an object"),
            ..run("rebuild", &["site/1", "site/0", "site/1"])
        };
        let tasks = store.ask(&model, request).await;
        let operation = store.operation(&model, 1).await.expect("the operation");
        assert_eq!((tasks.as_slice(), operation.id), ([2, 3].as_slice(), 1));
        assert_eq!(operation.summary, "rebuild run on site/1, site/0");
        assert_eq!(
            (operation.status, operation.user.as_str()),
            (TaskStatus::Pending, "admin")
        );
        let first = &operation.tasks[0];
        assert_eq!(first.unit, Some(unit("site/1")));
        assert_eq!(
            serde_json::Value::Object(first.parameters.clone()),
            json!({"title": "x", "pages": 1}),
            "with defaults"
        );
        assert_eq!(
            (first.action.as_str(), first.execution_group.as_str()),
            ("rebuild", "disk")
        );
        assert!(first.results.is_none() && first.log.is_none());

        let site = unit("site/1");
        let told = store
            .unit_told(&model, &site, "")
            .await
            .expect("told")
            .expect("a unit");
        let due = told.remote.task.expect("a task is due");
        assert_eq!((due.id, due.dispatch.as_str()), (2, "actions/rebuild"));
        let to_run = store.begin(&model, &site, 2).await.expect("to run");
        assert_eq!(to_run.parameters["pages"], 1);
        store
            .log_task(&model, &site, 2, "half")
            .await
            .expect("logged");
        store
            .log_task(&model, &site, 2, "done")
            .await
            .expect("logged");
        assert_eq!(
            store.operation(&model, 1).await.expect("shown").status,
            TaskStatus::Running
        );
        store
            .commit(&model, &site, 2, answers("pages", json!(1)))
            .await
            .expect("committed");
        let task = store.task(&model, 2, 1).await.expect("the task");
        assert_eq!(task.status, TaskStatus::Completed);
        assert_eq!(task.results.expect("results")["pages"], 1);
        let log: Vec<String> = task
            .log
            .expect("lines")
            .into_iter()
            .map(|line| line.message)
            .collect();
        assert_eq!(log, ["done"], "beyond those that are known");
        let told = store
            .unit_told(&model, &site, "")
            .await
            .expect("told")
            .expect("a unit");
        assert_eq!(told.remote.task, None);
        let state = store.get_state(&model, &site).await.expect("state");
        assert_eq!(state.charm_state["ran"], "yes", "in the same commit");
        assert_eq!(
            store
                .operation(&model, 1)
                .await
                .expect("shown")
                .completed_at,
            None
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_cannot_be_run_is_refused_with_what_could() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = site(&fixture, 1).await;
        let (code, text) = store.refuses(&model, run("rebuidl", &["site/0"])).await;
        assert_eq!(code, "action-not-found");
        assert!(text.ends_with("did you mean \"rebuild\"?"), "{text}");
        let wrong = EnqueueOperation {
            parameters: json!({"pages": 0, "titel": "x"})
                .as_object()
                .cloned()
                .expect("an object"),
            ..run("rebuild", &["site/0"])
        };
        let (code, text) = store.refuses(&model, wrong).await;
        assert_eq!(code, "action-parameters-invalid");
        assert!(
            text.contains("pages: 0 is less than") && text.contains("titel"),
            "{text}"
        );
        let command = |words: &[&str]| EnqueueOperation {
            command: words.iter().map(|word| (*word).to_owned()).collect(),
            units: vec!["site/0".to_owned()],
            ..EnqueueOperation::default()
        };
        let (code, text) = store.refuses(&model, command(&["lst"])).await;
        assert_eq!(code, "command-not-found");
        assert!(text.ends_with("did you mean \"list\"?"), "{text}");
        let listed = store.ask(&model, command(&["list", "--all"])).await;
        let shown = store.task(&model, listed[0], 0).await.expect("the task");
        assert_eq!(shown.command, ["list", "--all"]);
        assert_eq!(
            store.refuses(&model, run("check", &["site/7"])).await.0,
            "unit-not-found"
        );
        let nobody_leads = store.refuses(&model, run("check", &["site/leader"])).await;
        assert_eq!(nobody_leads.0, "bad-request");
        for neither in [
            EnqueueOperation::default(),
            run("check", &[]),
            EnqueueOperation {
                command: vec!["list".to_owned()],
                ..run("check", &["site/0"])
            },
            EnqueueOperation {
                timeout: Some(0),
                ..run("check", &["site/0"])
            },
        ] {
            assert_eq!(store.refuses(&model, neither).await.0, "bad-request");
        }
        let waiting = store
            .unit_told(&model, &unit("site/0"), "")
            .await
            .expect("told");
        assert_eq!(
            waiting.expect("a unit").remote.task.expect("due").id,
            listed[0]
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_task_begins_once_and_what_has_ended_stays_as_it_ended() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = site(&fixture, 1).await;
        let site = unit("site/0");
        let tasks = store.ask(&model, run("check", &["site/0"])).await;
        let task = tasks[0];
        let early = store.commit(&model, &site, task, Outcome::default()).await;
        early.expect_err("it does not run yet");
        assert!(store.begin(&model, &site, task).await.is_some());
        assert!(
            store.begin(&model, &site, task).await.is_none(),
            "never again"
        );
        let ended = |status| TaskEnd {
            id: task,
            status,
            message: "the disk is full".to_owned(),
            results: Results::new(),
        };
        store
            .end_task(&model, &site, ended(TaskStatus::Failed), None)
            .await
            .expect("ended");
        store
            .end_task(&model, &site, ended(TaskStatus::Aborted), None)
            .await
            .expect("again");
        assert_eq!(store.status_of(&model, task).await, TaskStatus::Failed);
        let late = store
            .commit(&model, &site, task, answers("late", json!(1)))
            .await;
        late.expect_err("it has ended");
        let state = store.get_state(&model, &site).await.expect("state");
        assert!(
            state.charm_state.is_empty(),
            "a refused commit leaves nothing"
        );
        let refused = store
            .cancel_task(&model, task)
            .await
            .expect_err("it has ended");
        assert_eq!(refused.refusal().code(), "task-has-ended");
        let of_nobody = store.begin_task(&model, &site, 99, Status::new(Agent::Idle, ""));
        assert_eq!(
            of_nobody.await.expect_err("no task").refusal().code(),
            "task-not-found"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_waits_is_taken_back_and_what_runs_is_told_to_stop() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = site(&fixture, 1).await;
        let site = unit("site/0");
        let first = store.ask(&model, run("check", &["site/0"])).await[0];
        let second = store.ask(&model, run("check", &["site/0"])).await[0];
        store.begin(&model, &site, first).await.expect("to run");
        let mut heard = store
            .changes()
            .subscribe(Interest::model(&model).key(namespace::TASK, &site));
        assert_eq!(
            store.cancel_task(&model, first).await.expect("told").status,
            TaskStatus::Aborting
        );
        assert_eq!(
            store
                .cancel_task(&model, first)
                .await
                .expect("again")
                .status,
            TaskStatus::Aborting
        );
        assert_eq!(
            store
                .cancel_task(&model, second)
                .await
                .expect("back")
                .status,
            TaskStatus::Cancelled
        );
        fixture.settle().await;
        assert!(!heard.next().await.expect("changes").is_empty());
        let status = store
            .task_status(&model, &site, first)
            .await
            .expect("known");
        assert_eq!(status, Some(TaskStatus::Aborting));
        assert!(store.begin(&model, &site, second).await.is_none());
        // It was done before it heard of that.
        store
            .commit(&model, &site, first, Outcome::default())
            .await
            .expect("committed");
        assert_eq!(store.status_of(&model, first).await, TaskStatus::Completed);
        fixture.end().await;
    }
}

#[tokio::test]
async fn tasks_of_a_unit_that_goes_end_with_it() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = site(&fixture, 2).await;
        let (leaves, stays) = (unit("site/0"), unit("site/1"));
        let tasks = store.ask(&model, run("check", &["site/0", "site/1"])).await;
        let later = store.ask(&model, run("check", &["site/0"])).await[0];
        store
            .begin(&model, &leaves, tasks[0])
            .await
            .expect("to run");
        store
            .remove_unit(&model, &leaves, periapt_model::removal::Force::AtOnce)
            .await
            .expect("removed");
        store.clean_up_until_gone(&fixture, &model, &leaves).await;
        assert_eq!(store.status_of(&model, tasks[0]).await, TaskStatus::Failed);
        assert_eq!(store.status_of(&model, later).await, TaskStatus::Cancelled);
        assert_eq!(store.status_of(&model, tasks[1]).await, TaskStatus::Pending);
        let of_gone = store.refuses(&model, run("check", &["site/0"])).await;
        assert_eq!(of_gone.0, "unit-not-found");
        assert!(store.begin(&model, &stays, tasks[1]).await.is_some());
        fixture.end().await;
    }
}

impl Store {
    /// Runs the clean-ups that are due until the unit is gone.
    async fn clean_up_until_gone(&self, fixture: &Fixture, model: &ModelUuid, unit: &UnitName) {
        for _ in 0..20 {
            if self
                .unit_told(model, unit, "")
                .await
                .expect("told")
                .is_none()
            {
                return;
            }
            fixture.clock.advance(Duration::from_secs(120));
            self.cleanup(model).await.expect("cleaned up");
        }
        panic!("the unit is still there");
    }
}

#[tokio::test]
async fn a_unit_lets_so_many_tasks_wait() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = site(&fixture, 1).await;
        for _ in 0..TASKS_WAITING.most {
            store.ask(&model, run("check", &["site/0"])).await;
        }
        let (code, _) = store.refuses(&model, run("check", &["site/0"])).await;
        assert_eq!(code, "tasks-exceeded");
        let page = OperationQuery {
            limit: Some(1_000),
            ..OperationQuery::default()
        };
        let kept = store.operations(&model, &page).await.expect("operations");
        assert_eq!(
            kept.items.len() as u64,
            TASKS_WAITING.most,
            "what was refused left nothing"
        );
        fixture.end().await;
    }
}
