//! A machine that starts afresh, and what people ask it to do.

use periapt_model::hook::Effects;
use periapt_model::task::TaskStatus;
use periapt_uniter::testing::TaskRecord;

use super::*;

fn started(controller: &Controller, reboots: u64) -> bool {
    (0..2).all(|number| {
        let state = controller
            .unit(&unit(number))
            .and_then(|record| record.state.operation);
        state.is_some_and(|state| state.reboots == reboots) && idle(controller, &unit(number))
    })
}

/// Two units on a machine, at rest.
async fn two_units() -> (
    Host,
    tokio::task::JoinHandle<Result<ExitReason, AgentError>>,
) {
    let host = Host::new(false);
    host.controller.add_machine(&machine());
    for number in 0..2 {
        host.controller
            .add_unit(&unit(number), &machine(), "local:site-0");
    }
    let running = host.run();
    host.until("deployed", |controller| started(controller, 0))
        .await;
    (host, running)
}

/// reboot: "when a charm calls juju-reboot and exits 0, then agent reports rebooting, the machine/engine
/// restarts, and exactly one start hook runs afterwards".
#[tokio::test(flavor = "multi_thread")]
async fn when_a_charm_asks_for_a_reboot_the_agent_reports_it_the_machine_restarts_and_exactly_one_start_runs()
 {
    let (host, running) = two_units().await;
    let before = host.sandbox.hooks().len();
    host.sandbox.script(|seen, _| match seen.hook.as_str() {
        "config-changed" => {
            let mut effects = Effects::default();
            effects.reboot.wanted = true;
            Ok(effects)
        }
        _ => Ok(Effects::default()),
    });
    // Held up here, so that it can be seen.
    host.controller.hold("ClearReboot", true);
    host.controller.set_title(&unit(0), "reboot");
    host.until("the agents report it", |controller| {
        (0..2).all(|number| {
            let record = controller.unit(&unit(number)).unwrap();
            record.agent.status.as_str() == "rebooting"
        })
    })
    .await;
    host.until("so does the machine", |controller| {
        let (_, status) = controller.machine(&machine()).unwrap();
        status.is_some_and(|status| status.message == "rebooting")
    })
    .await;
    host.controller.hold("ClearReboot", false);
    host.until("rebooted", |controller| started(controller, 1))
        .await;
    let hooks: Vec<(String, String)> = host.sandbox.seen()[before..]
        .iter()
        .map(|seen| (seen.unit.clone(), seen.hook.clone()))
        .collect();
    let ran = |unit: &str, hook: &str| {
        let wanted = (unit.to_owned(), hook.to_owned());
        hooks.iter().filter(|ran| **ran == wanted).count()
    };
    assert_eq!(hooks.len(), 3, "{hooks:?}");
    assert_eq!(ran("site/0", "config-changed"), 1, "{hooks:?}");
    assert_eq!(
        (ran("site/0", "start"), ran("site/1", "start")),
        (1, 1),
        "{hooks:?}"
    );
    host.until("the machine shows no reboot any more", |controller| {
        let (_, status) = controller.machine(&machine()).unwrap();
        status.is_some_and(|status| status.message.is_empty())
    })
    .await;
    assert_eq!(host.dial.dials.load(Ordering::SeqCst), 1, "one process");
    host.context.stopping.cancel();
    assert_eq!(running.await.unwrap().unwrap(), ExitReason::Stopped);
}

/// The answer is lost that the reboot is counted, alone or with the connection.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_does_not_hear_that_its_reboot_is_counted_reboots_once_all_the_same() {
    for with_connection in [false, true] {
        reboots_without_an_answer(with_connection).await;
    }
}

async fn reboots_without_an_answer(with_connection: bool) {
    let (host, running) = two_units().await;
    let before = host.sandbox.hooks().len();
    host.controller.lose_next("ClearReboot");
    host.controller.ask_for_reboot(&machine());
    host.until("asked", |controller| controller.count("ClearReboot") == 1)
        .await;
    if with_connection {
        for cut in host.dial.cuts.lock().unwrap().drain(..) {
            cut.cancel();
        }
    }
    host.until("rebooted", |controller| started(controller, 1))
        .await;
    assert_eq!(host.sandbox.hooks()[before..], ["start", "start"]);
    assert_eq!(host.controller.reboots(&machine()).count, 1);
    host.context.stopping.cancel();
    assert_eq!(running.await.unwrap().unwrap(), ExitReason::Stopped);
}

/// machineactions: "when exec is queued for machine 0, then operation status goes
/// pending->running->completed with stdout; after agent kill -9 mid-run it becomes failed/cancelled on
/// restart, never stuck running".
#[tokio::test(flavor = "multi_thread")]
async fn what_a_machine_is_asked_goes_from_pending_to_completed_with_its_output_and_is_never_stuck_running()
 {
    let (host, running) = two_units().await;
    let controller = &host.controller;
    let ended = |number: u64| {
        move |controller: &Controller| {
            let task = controller.task_of_machine(&machine(), number);
            task.is_some_and(|task| task.status.has_ended())
        }
    };
    controller.hold("EndMachineTask", true);
    let df = controller.enqueue_on_machine(&machine(), TaskRecord::new("commands/df"));
    host.until("it runs", |controller| {
        controller.held_up("EndMachineTask") > 0
    })
    .await;
    let task = controller.task_of_machine(&machine(), df).unwrap();
    assert_eq!((task.status, task.begun), (TaskStatus::Running, 1));
    controller.hold("EndMachineTask", false);
    host.until("df", ended(df)).await;
    let task = controller.task_of_machine(&machine(), df).unwrap();
    assert_eq!(task.status, TaskStatus::Completed);
    let printed = task.results["stdout"].as_str().unwrap();
    assert!(
        printed.contains("site/0") && printed.contains("site/1"),
        "{printed}"
    );
    let report = controller.enqueue_on_machine(&machine(), TaskRecord::new("commands/report"));
    host.until("report", ended(report)).await;
    let task = controller.task_of_machine(&machine(), report).unwrap();
    let printed = task.results["stdout"].as_str().unwrap();
    let printed: serde_json::Value = serde_json::from_str(printed).unwrap();
    assert!(printed["manifolds"]["deployer"].is_object(), "{printed}");
    assert_eq!(task.results["return-code"], 0);

    let unknown = controller.enqueue_on_machine(&machine(), TaskRecord::new("commands/ls"));
    host.until("refused", ended(unknown)).await;
    let task = controller.task_of_machine(&machine(), unknown).unwrap();
    assert_eq!(task.status, TaskStatus::Failed);
    assert!(
        task.message.contains("df, reboot, report"),
        "{}",
        task.message
    );

    // What an earlier life of the agent left running.
    let mut left = TaskRecord::new("commands/df");
    left.status = TaskStatus::Running;
    let left = controller.enqueue_on_machine(&machine(), left);
    host.until("ended", ended(left)).await;
    let task = controller.task_of_machine(&machine(), left).unwrap();
    assert_eq!((task.status, task.begun), (TaskStatus::Failed, 0));

    let reboot = controller.enqueue_on_machine(&machine(), TaskRecord::new("commands/reboot"));
    host.until("rebooted", |controller| started(controller, 1))
        .await;
    let task = controller.task_of_machine(&machine(), reboot).unwrap();
    assert_eq!((task.status, task.begun), (TaskStatus::Completed, 1));
    host.context.stopping.cancel();
    assert_eq!(running.await.unwrap().unwrap(), ExitReason::Stopped);
}
