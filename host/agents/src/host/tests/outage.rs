//! What an agent does while its controller cannot be reached, and what it changes without a
//! restart.

use periapt_model::bounds::LOG_WAITING_LINES;
use periapt_model::hook::Effects;
use periapt_sandbox::LogLevel;

use super::*;

fn state(engine: &DependencyEngine, node: &str) -> String {
    serde_json::to_value(engine.report()).unwrap()["manifolds"][node]["state"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// apicaller: "when the controller process is killed, then the report shows api-caller in error
/// and all its dependents stopped; when it returns all restart without the agent pid changing".
#[tokio::test(flavor = "multi_thread")]
async fn while_the_controller_is_away_the_report_shows_the_connection_in_error_and_nothing_on_it() {
    let host = Host::new(false);
    let clock = SystemClock::shared();
    let engine = DependencyEngine::new(EngineConfig::new("agent", clock).delays(DELAYS));
    let table = manifolds(&host.context, &engine);
    table.install(&engine).unwrap();
    let on_it = [
        apiaddressupdater::NAME,
        settings::NAME,
        logger::NAME,
        logsender::NAME,
        introspection::NAME,
        machines::NAME,
    ];
    let all_are = async |wanted: &str| {
        let reached = async {
            while !on_it.iter().all(|node| state(&engine, node) == wanted) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let reached = tokio::time::timeout(LIMIT, reached).await;
        assert!(reached.is_ok(), "{wanted}: {:#?}", engine.report());
    };
    all_are("started").await;

    host.dial.down(true);
    all_are("stopped").await;
    let report = serde_json::to_value(engine.report()).unwrap();
    let error = report["manifolds"][apicaller::NAME]["error"].to_string();
    assert!(error.contains("connect"), "{error}");
    assert_eq!(state(&engine, agent::NAME), "started", "the process stays");

    host.dial.down(false);
    all_are("started").await;
    engine.kill();
    engine.wait().await.unwrap();
}

/// logsender: "when the API is down while 2x buffer lines are logged, then after reconnect
/// debug-log has the newest ones plus one line with the dropped count". A writer's buffer is its
/// share.
#[tokio::test(flavor = "multi_thread")]
async fn an_outage_too_long_for_the_buffer_costs_the_oldest_lines_and_says_how_many() {
    let host = Host::new(false);
    let running = host.run();
    let line = |number: usize| LogRecord {
        time: 0,
        entity: Tag::Unit(unit(0)),
        level: "INFO".to_owned(),
        module: "unit.site/0.juju-log".to_owned(),
        message: format!("line {number}"),
    };
    host.context.log.write(line(0));
    host.until("connected", |controller| {
        controller
            .logs()
            .iter()
            .any(|line| line.message == "line 0")
    })
    .await;
    // The answer to it arrives as well, or it would be sent again.
    tokio::time::sleep(Duration::from_millis(200)).await;
    host.dial.down(true);
    let refused = async {
        while host.dial.refused.load(Ordering::SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LIMIT, refused)
        .await
        .expect("it is away");
    let share = LOG_WAITING_LINES.length();
    let lines = 2 * share;
    (1..=lines).for_each(|number| host.context.log.write(line(number)));
    host.dial.down(false);
    let last = format!("line {lines}");
    host.until("the newest line arrives", |controller| {
        controller.logs().iter().any(|line| line.message == last)
    })
    .await;
    let logs = host.controller.logs();
    let dropped: Vec<&str> = logs
        .iter()
        .map(|line| line.message.as_str())
        .filter(|message| message.contains(" dropped: "))
        .collect();
    assert_eq!(
        dropped,
        [format!(
            "{share} lines of unit.site/0.juju-log dropped: it writes more than can be kept until it is sent"
        )]
    );
    let numbers: Vec<usize> = logs
        .iter()
        .filter_map(|line| line.message.strip_prefix("line ")?.parse().ok())
        .collect();
    let newest: Vec<usize> = std::iter::once(0)
        .chain(lines - share + 1..=lines)
        .collect();
    assert_eq!(numbers, newest);
    host.context.stopping.cancel();
    assert_eq!(running.await.unwrap().unwrap(), ExitReason::Stopped);
}

/// logger: "when logging-config sets unit=DEBUG, then the next hook emits debug lines in
/// debug-log without agent restart".
#[tokio::test(flavor = "multi_thread")]
async fn the_next_hook_after_a_change_of_the_levels_writes_debug_lines() {
    let host = Host::new(false);
    let controller = &host.controller;
    host.sandbox.script(|seen, context| {
        context.log(LogLevel::Debug, &format!("in detail: {}", seen.config));
        context.log(LogLevel::Info, &format!("in short: {}", seen.config));
        Ok(Effects::default())
    });
    controller.add_machine(&machine());
    controller.add_unit(&unit(0), &machine(), "local:site-0");
    let running = host.run();
    let logged = |controller: &Controller, text: &str| {
        controller.logs().iter().any(|line| line.message == text)
    };
    host.until("deployed", |controller| {
        idle(controller, &unit(0)) && logged(controller, "in short: title=none")
    })
    .await;
    assert!(!logged(controller, "in detail: title=none"));
    controller.set_model_config("logging-config", Value::Text("unit=DEBUG".to_owned()));
    let applied = async {
        while !host.context.levels.wants("unit.site/0", Level::Debug) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LIMIT, applied).await.expect("applied");
    controller.set_title(&unit(0), "other");
    host.until("the debug line arrives", |controller| {
        logged(controller, "in detail: title=other")
    })
    .await;
    assert_eq!(host.dial.dials.load(Ordering::SeqCst), 1);
    host.context.stopping.cancel();
    assert_eq!(running.await.unwrap().unwrap(), ExitReason::Stopped);
}

/// deployer: what a person stopped runs nothing until it is started, also over a new connection.
#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_unit_has_no_engine_until_it_is_started() {
    let host = Host::new(false);
    let controller = &host.controller;
    controller.add_machine(&machine());
    for number in [0, 1] {
        controller.add_unit(&unit(number), &machine(), "local:site-0");
    }
    let running = host.run();
    host.until("deployed", |controller| {
        idle(controller, &unit(0)) && idle(controller, &unit(1))
    })
    .await;
    controller.change(&unit(0), |record| record.stopped = true);
    let stopped = |controller: &Controller| {
        let record = controller.unit(&unit(0)).unwrap();
        record.agent.status.as_str() == "stopped"
    };
    host.until("stopped", stopped).await;
    let ran = host.sandbox.hooks().len();
    controller.set_title(&unit(0), "unseen");
    host.dial.down(true);
    host.dial.down(false);
    controller.set_title(&unit(1), "seen");
    host.until("the other unit follows", |controller| {
        let record = controller.unit(&unit(1)).unwrap();
        record.state.operation.unwrap().config_hash.as_ref() == Some(&record.remote.config_hash)
    })
    .await;
    assert_eq!(host.sandbox.hooks().len(), ran + 1);
    controller.change(&unit(0), |record| record.stopped = false);
    host.until("started again", |controller| {
        let record = controller.unit(&unit(0)).unwrap();
        record.agent.status.as_str() == "idle"
            && record.state.operation.unwrap().config_hash.as_ref()
                == Some(&record.remote.config_hash)
    })
    .await;
    host.context.stopping.cancel();
    assert_eq!(running.await.unwrap().unwrap(), ExitReason::Stopped);
}
