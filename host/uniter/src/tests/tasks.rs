//! Actions and commands: run once, in a turn, beside a failed hook, and ended whatever happens.

use std::fs;

use periapt_contract::action::Outcome;
use periapt_model::Life;
use periapt_model::task::{Beside, TaskStatus};
use periapt_model::{hook, status};
use periapt_sandbox::{HookFailure, Output};
use periapt_wire::CallError;
use serde_json::json;

use super::*;
use crate::testing::{TaskRecord, failure};

const HOOKS: &[&str] = &[
    "install",
    "config-changed",
    "start",
    "actions/rebuild",
    "commands/list",
];

/// A unit at rest whose charm has an action and a command.
async fn at_rest() -> (World, Agent) {
    let world = World::new();
    world.add_charm(0, HOOKS);
    let agent = world.start();
    world.settle().await;
    (world, agent)
}

fn answer(key: &str, value: &str) -> Effects {
    let mut outcome = Outcome::default();
    outcome.results.insert(key.to_owned(), value.into());
    Effects {
        action: outcome,
        ..Effects::default()
    }
}

impl World {
    async fn ends(&self, task: u64) -> TaskRecord {
        self.until(|record| record.tasks[&task].status.has_ended())
            .await;
        self.record().tasks[&task].clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_gets_what_it_was_given_and_its_answer_is_committed_with_what_it_changed() {
    let (world, _agent) = at_rest().await;
    world.sandbox.script(|seen, context| {
        let task = context.task().unwrap();
        assert_eq!((task.id.as_str(), task.name.as_str()), ("1", "rebuild"));
        assert_eq!(task.parameters["pages"], 3);
        context.log_task("half").unwrap();
        fs::write(seen.state()?.join("page"), "new").unwrap();
        Ok(Effects {
            state: [("built".to_owned(), Some("3".to_owned()))].into(),
            ..answer("built", "3")
        })
    });
    let mut task = TaskRecord::new("actions/rebuild");
    task.to_run.parameters = json!({"pages": 3}).as_object().unwrap().clone();
    let before = world.record().state.operation.unwrap();
    let number = world.controller.enqueue(&unit(), task);
    let task = world.ends(number).await;
    assert_eq!(
        (task.status, task.results["built"].as_str()),
        (TaskStatus::Completed, Some("3"))
    );
    assert_eq!(task.log, ["half"]);
    world.settle().await;
    let record = world.record();
    assert_eq!(record.state.charm_state["built"], "3");
    let after = record.state.operation.unwrap();
    assert_eq!(after.state_generation, before.state_generation + 1);
    assert_eq!((after.kind, after.installed), (before.kind, true));
    let run = record.runs.last().unwrap();
    assert_eq!(
        (run.hook.as_str(), run.code.as_str()),
        ("actions/rebuild", "")
    );
    let seen = world.sandbox.seen().pop().unwrap();
    assert_eq!(seen.attributes["task-id"], "1");
    let variable = |name: &str| {
        seen.environment
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    };
    assert_eq!(variable("JUJU_ACTION_NAME"), Some("rebuild"));
    assert_eq!(variable("JUJU_ACTION_TAG"), Some("action-1"));
    assert_eq!(variable("JUJU_DISPATCH_PATH"), Some("actions/rebuild"));
    assert_eq!(variable("JUJU_HOOK_NAME"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_that_fails_puts_no_unit_in_error_and_leaves_nothing() {
    let (world, _agent) = at_rest().await;
    world.sandbox.script(|seen, _| {
        fs::write(seen.state()?.join("half"), "done").unwrap();
        Err(failure("no disk"))
    });
    let before = world.record().state.operation;
    let first = world
        .controller
        .enqueue(&unit(), TaskRecord::new("actions/rebuild"));
    let task = world.ends(first).await;
    assert_eq!(
        (task.status, task.message.as_str()),
        (TaskStatus::Failed, "no disk")
    );
    assert_eq!(
        serde_json::Value::Object(task.results),
        json!({"return-code": 1, "stderr": "no disk\n"})
    );
    // One that says that it failed has its changes committed.
    world.sandbox.script(|_, _| {
        let mut effects = answer("found", "nothing");
        effects.action.failure = Some("nothing to build".to_owned());
        Ok(effects)
    });
    let second = world
        .controller
        .enqueue(&unit(), TaskRecord::new("actions/rebuild"));
    let task = world.ends(second).await;
    assert_eq!(
        (task.status, task.message.as_str()),
        (TaskStatus::Failed, "nothing to build")
    );
    assert_eq!(
        serde_json::Value::Object(task.results),
        json!({"found": "nothing"})
    );
    // One that the charm does not have.
    let third = world
        .controller
        .enqueue(&unit(), TaskRecord::new("actions/other"));
    let task = world.ends(third).await;
    assert_eq!(task.message, "the charm does not implement actions/other");
    world.settle().await;
    let record = world.record();
    assert_eq!(
        record.state.operation, before,
        "the recorded operation is as it was"
    );
    assert!(record.runs.iter().any(|run| run.code == "charm-error"));
    assert!(!record.runs.iter().any(|run| run.hook == "actions/other"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_has_its_arguments_and_what_it_prints_is_its_result() {
    let (world, _agent) = at_rest().await;
    world.sandbox.script(|_, context| {
        let task = context.task().unwrap();
        assert_eq!(
            (task.name.as_str(), task.arguments.as_slice()),
            ("list", ["--all".to_owned()].as_slice())
        );
        context.output(Output::Stdout, "one");
        context.output(Output::Stderr, "beware");
        context.output(Output::Stdout, "two");
        Ok(Effects {
            state: [("listed".to_owned(), Some("yes".to_owned()))].into(),
            ..Effects::default()
        })
    });
    let list = || {
        let mut task = TaskRecord::new("commands/list");
        task.to_run.arguments = vec!["--all".to_owned()];
        task
    };
    let number = world.controller.enqueue(&unit(), list());
    let task = world.ends(number).await;
    assert_eq!(task.status, TaskStatus::Completed);
    assert_eq!(
        serde_json::Value::Object(task.results),
        json!({"return-code": 0, "stdout": "one\ntwo\n", "stderr": "beware\n"})
    );
    assert!(
        !world
            .controller
            .logs()
            .iter()
            .any(|line| line.message == "one")
    );
    // One that ends with another code changes nothing.
    world.sandbox.script(|_, context| {
        context.output(Output::Stderr, "no such thing");
        let mut effects = Effects {
            state: [("listed".to_owned(), Some("no".to_owned()))].into(),
            ..Effects::default()
        };
        effects.action.return_code = 3;
        Ok(effects)
    });
    let number = world.controller.enqueue(&unit(), list());
    let task = world.ends(number).await;
    assert_eq!(
        (task.status, task.message.as_str()),
        (TaskStatus::Failed, "the command ended with return code 3")
    );
    assert_eq!(
        serde_json::Value::Object(task.results),
        json!({"return-code": 3, "stderr": "no such thing\n"})
    );
    world.settle().await;
    assert_eq!(world.record().state.charm_state["listed"], "yes");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_runs_while_a_hook_is_in_error_which_is_gone_back_to() {
    let (world, _agent) = at_rest().await;
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "config-changed" => Err(failure("no disk")),
        _ => Ok(answer("done", "yes")),
    });
    world.controller.set_title(&unit(), "new");
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    let failed = world.record();
    let number = world
        .controller
        .enqueue(&unit(), TaskRecord::new("actions/rebuild"));
    assert_eq!(world.ends(number).await.status, TaskStatus::Completed);
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    let record = world.record();
    let hook = |record: &UnitRecord| {
        record
            .state
            .operation
            .clone()
            .unwrap()
            .failed_hook()
            .cloned()
    };
    assert_eq!(hook(&record), hook(&failed));
    assert_eq!(hook(&record).unwrap().kind, hook::Kind::ConfigChanged);
    assert_eq!(record.agent.data["reason"], "no disk");
    assert_eq!(
        record.agent.data["next-retry"], failed.agent.data["next-retry"],
        "no later for it"
    );
    world.sandbox.script(|_, _| Ok(Effects::default()));
    world.pass(2, Duration::from_secs(6)).await;
    world.settle().await;
}

/// actions against kill -9: "run at most once, always ended".
#[tokio::test(flavor = "multi_thread")]
async fn an_action_whose_agent_dies_is_failed_by_the_next_and_never_run_again() {
    let (mut world, agent) = at_rest().await;
    let (mut barrier, pass) = Barrier::new();
    world.sandbox.script(move |seen, _| {
        if seen.hook == "actions/rebuild" {
            pass();
        }
        Ok(answer("done", "yes"))
    });
    let number = world
        .controller
        .enqueue(&unit(), TaskRecord::new("actions/rebuild"));
    barrier.entered().await;
    assert_eq!(world.record().tasks[&number].status, TaskStatus::Running);
    agent.killed();
    barrier.open();
    world.kill_process();
    let _agent = world.start();
    let task = world.ends(number).await;
    assert_eq!((task.status, task.begun), (TaskStatus::Failed, 1));
    assert!(
        task.message.starts_with("the agent stopped while it ran"),
        "{}",
        task.message
    );
    world.settle().await;
    let ran = world.sandbox.hooks();
    assert_eq!(
        ran.iter().filter(|hook| *hook == "actions/rebuild").count(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_whose_answer_was_lost_is_one_and_the_task_is_as_it_ended() {
    let (mut world, agent) = at_rest().await;
    let (mut barrier, pass) = Barrier::new();
    world.sandbox.script(move |_, _| {
        pass();
        Ok(answer("done", "yes"))
    });
    let number = world
        .controller
        .enqueue(&unit(), TaskRecord::new("actions/rebuild"));
    barrier.entered().await;
    world.controller.lose_next("CommitHook");
    barrier.open();
    world.ends(number).await;
    agent.killed();
    world.kill_process();
    let _agent = world.start();
    world.settle().await;
    let task = &world.record().tasks[&number];
    assert_eq!((task.status, task.begun), (TaskStatus::Completed, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_is_cancelled_while_it_runs_is_stopped() {
    let (world, _agent) = at_rest().await;
    let (mut barrier, pass) = Barrier::new();
    world.sandbox.script(move |_, context| {
        pass();
        // As the sandbox does at each call and tick.
        let waits = std::time::Instant::now();
        while !context.is_cancelled() && waits.elapsed() < LIMIT {
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(HookFailure::Cancelled)
    });
    let number = world
        .controller
        .enqueue(&unit(), TaskRecord::new("actions/rebuild"));
    barrier.entered().await;
    barrier.open();
    // From then on somebody listens who may stop it.
    world.clock.wait_sleepers(2).await;
    world.clock.advance(Duration::from_millis(200));
    world
        .controller
        .until(|controller| controller.count("WatchTasks") > 0)
        .await;
    world.controller.cancel(&unit(), number);
    let task = world.ends(number).await;
    assert_eq!(
        (task.status, task.message.as_str()),
        (TaskStatus::Aborted, "it was cancelled while it ran")
    );
    world.settle().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_of_a_unit_that_leaves_or_was_taken_back_is_not_run() {
    let (world, agent) = at_rest().await;
    world.controller.refuse_next(
        "BeginTask",
        CallError::Refused {
            code: "try again".to_owned(),
            message: "not now".to_owned(),
        },
    );
    agent.stop().await;
    let taken_back = world
        .controller
        .enqueue(&unit(), TaskRecord::new("actions/rebuild"));
    let leaves = world
        .controller
        .enqueue(&unit(), TaskRecord::new("actions/rebuild"));
    world.controller.change(&unit(), |record| {
        record.tasks.get_mut(&taken_back).unwrap().status = TaskStatus::Cancelled;
        record.remote.life = Life::Dying;
    });
    let agent = world.start();
    agent
        .worker
        .wait()
        .await
        .expect_err("the first call was refused");
    let agent = world.start();
    agent.terminated().await;
    assert!(
        !world
            .sandbox
            .hooks()
            .contains(&"actions/rebuild".to_owned())
    );
    let tasks = world.controller.unit(&unit()).map(|record| record.tasks);
    assert_eq!(tasks.unwrap()[&leaves].status, TaskStatus::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parallel_task_does_not_wait_for_its_machine() {
    let (world, _agent) = at_rest().await;
    let lock = periapt_model::turns::Lock::Machine(machine());
    let held = world
        .process
        .turns()
        .line_up(&"other/0".parse().unwrap(), lock, "install");
    held.comes().await;
    let waits = world
        .controller
        .enqueue(&unit(), TaskRecord::new("actions/rebuild"));
    world.clock.wait_sleepers(2).await;
    world.clock.advance(Duration::from_secs(2));
    world
        .until(|record| record.agent.message.contains("held by other/0 install"))
        .await;
    world.controller.cancel(&unit(), waits);
    let mut parallel = TaskRecord::new("actions/rebuild");
    parallel.beside = Beside::Anything;
    let number = world.controller.enqueue(&unit(), parallel);
    assert_eq!(world.ends(number).await.status, TaskStatus::Completed);
    assert_eq!(world.record().tasks[&waits].begun, 0);
    drop(held);
}
