//! What machines are asked, from the request to its end.

use periapt_model::MachineId;

use super::*;
use crate::testing::machine;

fn on(machines: &[&str], command: &str) -> EnqueueOperation {
    EnqueueOperation {
        machines: machines.iter().map(|id| machine(id)).collect(),
        command: vec![command.to_owned()],
        ..EnqueueOperation::default()
    }
}

fn zero() -> MachineId {
    machine("0")
}

fn ended(id: TaskId, status: TaskStatus) -> TaskEnd {
    TaskEnd {
        id,
        status,
        message: String::new(),
        results: Results::from_iter([("stdout".to_owned(), json!("done\n"))]),
    }
}

#[tokio::test]
async fn a_machine_runs_a_task_once_and_it_is_shown_as_the_machines() {
    for fixture in fixtures().await {
        let model = site(&fixture, 1).await;
        let store = &fixture.store;
        let interest = Interest::model(&model).key(namespace::TASK, "machine-0");
        let mut heard = store.changes().subscribe(interest);
        let user = "admin".parse().unwrap();
        let operation = store
            .enqueue_operation(&model, &user, on(&["0", "0"], "df"))
            .await
            .unwrap();
        fixture.settle().await;
        heard.next().await.unwrap();
        assert_eq!(operation.summary, "df run on machine-0");
        let [task] = operation.tasks.as_slice() else {
            panic!("one task: {operation:?}")
        };
        assert_eq!(
            (task.unit.clone(), task.machine.clone()),
            (None, Some(zero()))
        );
        assert_eq!(
            (task.receiver().as_str(), task.command.as_slice()),
            ("machine-0", &["df".to_owned()][..])
        );
        let due = store.machine_tasks(&model, &zero()).await.unwrap();
        assert_eq!((due.len(), due[0].dispatch.as_str()), (1, "commands/df"));
        let zeroth = zero();
        let begin = || store.begin_machine_task(&model, &zeroth, task.id);
        assert!(begin().await.unwrap());
        assert!(!begin().await.unwrap(), "once");
        let end = ended(task.id, TaskStatus::Completed);
        store
            .end_machine_task(&model, &zero(), end.clone(), false)
            .await
            .unwrap();
        store
            .end_machine_task(&model, &zero(), end, true)
            .await
            .unwrap();
        assert!(
            !store
                .reboots(&model, &zero())
                .await
                .unwrap()
                .unwrap()
                .wanted,
            "one that had ended asks for nothing"
        );
        let shown = store.task(&model, task.id, 0).await.unwrap();
        assert_eq!(shown.status, TaskStatus::Completed);
        assert_eq!(shown.results.unwrap()["stdout"], "done\n");
        let query = |machines: &str, units: &str| OperationQuery {
            machines: Some(machines.to_owned()),
            units: Some(units.to_owned()),
            ..OperationQuery::default()
        };
        for (machines, units, found) in [
            ("0", "", 1),
            ("1", "", 0),
            ("0", "site/0", 1),
            ("", "site/0", 0),
        ] {
            let page = store
                .operations(&model, &query(machines, units))
                .await
                .unwrap();
            assert_eq!(page.items.len(), found, "{machines} {units}");
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_end_of_a_task_asks_for_the_reboot() {
    for fixture in fixtures().await {
        let model = site(&fixture, 1).await;
        let store = &fixture.store;
        let user = "admin".parse().unwrap();
        let asked = store.enqueue_operation(&model, &user, on(&["0"], "reboot"));
        let task = asked.await.unwrap().tasks[0].id;
        assert!(
            !store
                .reboots(&model, &zero())
                .await
                .unwrap()
                .unwrap()
                .wanted
        );
        store
            .begin_machine_task(&model, &zero(), task)
            .await
            .unwrap();
        store
            .end_machine_task(&model, &zero(), ended(task, TaskStatus::Completed), true)
            .await
            .unwrap();
        assert!(
            store
                .reboots(&model, &zero())
                .await
                .unwrap()
                .unwrap()
                .wanted
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn one_that_waits_is_taken_back_and_one_of_another_is_nobodys() {
    for fixture in fixtures().await {
        let model = site(&fixture, 2).await;
        let store = &fixture.store;
        let user = "admin".parse().unwrap();
        let asked = store.enqueue_operation(&model, &user, on(&["0"], "report"));
        let task = asked.await.unwrap().tasks[0].id;
        let missing = store.begin_machine_task(&model, &machine("1"), task).await;
        assert_eq!(missing.unwrap_err().refusal().code(), "task-not-found");
        let agent = Status::new(Agent::Executing, "");
        let missing = store.begin_task(&model, &unit("site/0"), task, agent).await;
        assert_eq!(missing.unwrap_err().refusal().code(), "task-not-found");
        let cancelled = store.cancel_task(&model, task).await.unwrap();
        assert_eq!(cancelled.status, TaskStatus::Cancelled);
        assert!(
            !store
                .begin_machine_task(&model, &zero(), task)
                .await
                .unwrap()
        );
        assert!(
            store
                .machine_tasks(&model, &zero())
                .await
                .unwrap()
                .is_empty()
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_with_what_there_is() {
    for fixture in fixtures().await {
        let model = site(&fixture, 1).await;
        let store = &fixture.store;
        let (code, why) = store.refuses(&model, on(&["0"], "rebot")).await;
        assert_eq!(code, "machine-command-not-found");
        assert!(
            why.contains("did you mean \"reboot\"?") && why.contains("df, reboot, report"),
            "{why}"
        );
        assert_eq!(
            store.refuses(&model, on(&["9"], "df")).await.0,
            "machine-not-found"
        );
        for request in [
            EnqueueOperation {
                command: vec!["df".to_owned(), "-h".to_owned()],
                ..on(&["0"], "df")
            },
            EnqueueOperation {
                units: vec!["site/0".to_owned()],
                ..on(&["0"], "df")
            },
            EnqueueOperation {
                action: Some("rebuild".to_owned()),
                command: Vec::new(),
                ..on(&["0"], "df")
            },
            EnqueueOperation {
                timeout: Some(1_000),
                ..on(&["0"], "df")
            },
        ] {
            assert_eq!(store.refuses(&model, request).await.0, "bad-request");
        }
        fixture.end().await;
    }
}
