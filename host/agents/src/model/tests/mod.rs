//! The acceptance sentences of the model's workers, each on the whole engine.

pub(crate) mod bench;
mod charm_revisions;
mod double;
mod harvest;
mod instances;
mod machines;
mod metrics;
mod operations;
mod ports;
mod provider;
mod reach;
mod scale;
mod secrets;
mod storage;

use std::time::Duration;

use periapt_engine::{Manifolds, NodeState};
use periapt_model::Life;
use periapt_model::status::{Machine, Workload};
use periapt_wire::agent::cleaner::CleanupReport;
use periapt_wire::agent::undertaker::UndertakerModel;

use super::{
    apiconfigwatcher, cleaner, environ, environupgrader, lifeflag, provisioner, singular,
    statushistorypruner, undertaker, unitassigner,
};
use crate::agent_config::AgentConfig;
use bench::{Bench, CONTROLLER, machine, state};

/// The table as the catalogue's test sees it.
pub(crate) fn table() -> Manifolds {
    let home = tempfile::TempDir::new().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let bench = Bench::new().await;
        drop(home);
        super::manifolds(&bench.context(0))
    })
}

#[tokio::test]
async fn the_table_has_no_loose_ends_and_all_of_it_runs() {
    let bench = Bench::new().await;
    assert_eq!(super::manifolds(&bench.context(0)).unknown_inputs(), []);
    let engine = bench.engine();
    for name in super::manifolds(&bench.context(0))
        .names()
        .filter(|name| *name != undertaker::NAME)
    {
        bench.until_running(&engine, name).await;
    }
    let report = engine.report();
    assert_eq!(report.manifolds[undertaker::NAME].state, NodeState::Stopped);
    assert_eq!(
        report.manifolds[undertaker::NAME].waits_for.as_deref(),
        Some(lifeflag::NOT_ALIVE)
    );
    assert_eq!(report.manifolds["agent"].inputs, [""; 0]);
    assert_eq!(
        bench
            .store
            .model_summary(&bench.model)
            .await
            .unwrap()
            .status
            .status,
        periapt_model::status::Model::Available
    );
    bench.close(engine).await;
}

/// charmdownloader: "with a wrong charm it shows an error and no unit runs install".
#[tokio::test]
async fn a_charm_that_cannot_be_compiled_shows_on_its_application() {
    let bench = Bench::new().await;
    *bench.compiler.refuse.lock().unwrap() = Some("it is not a component".into());
    let engine = bench.engine();
    let application = bench.deploy("site", 1).await;
    bench
        .until("the error shows", || async {
            let status = bench
                .store
                .application(&bench.model, &application)
                .await
                .unwrap()
                .status;
            (status.status == Workload::Error && status.message.contains("not a component"))
                .then_some(())
        })
        .await;
    // It goes with its cause: the next event has the charm compiled.
    *bench.compiler.refuse.lock().unwrap() = None;
    bench.deploy("other", 1).await;
    bench
        .until("the error is gone", || async {
            let shown = bench.store.application(&bench.model, &application).await;
            (shown.unwrap().status.status != Workload::Error).then_some(())
        })
        .await;
    bench.close(engine).await;
}

/// charmdownloader: a charm that was uploaded for another engine is compiled.
#[tokio::test]
async fn a_charm_without_compiled_form_gets_one() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.deploy("site", 1).await;
    let charm = bench.store.charms(&bench.model).await.unwrap().remove(0);
    bench
        .until("it is compiled", || async {
            bench.store.compiled(&charm.sha256, "engine").await.unwrap()
        })
        .await;
    bench.close(engine).await;
}

/// undertaker, lifeflag: destroy-model takes the model to its end, and its engine with it.
#[tokio::test]
async fn a_destroyed_model_goes_and_its_engine_ends_well() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.deploy("site", 1).await;
    bench
        .until("it runs", || async {
            bench.machines().await.first()?.instance_id.clone()
        })
        .await;
    bench
        .until("the undertaker rests", || async {
            (state(&engine, undertaker::NAME) == Some(NodeState::Stopped)).then_some(())
        })
        .await;
    let flag_starts = || engine.report().manifolds[lifeflag::NOT_ALIVE].start_count;
    let before = flag_starts();
    bench
        .store
        .destroy_model(&bench.model, false, None)
        .await
        .unwrap();
    bench
        .until("the model counts down", || async {
            let model = bench.store.model_summary(&bench.model).await.unwrap();
            let status = model.status;
            let counts = status.message.contains("machine(s)");
            (status.status == periapt_model::status::Model::Destroying && counts).then_some(())
        })
        .await;
    assert_eq!(state(&engine, undertaker::NAME), Some(NodeState::Started));
    assert_eq!(flag_starts(), before + 1, "its flag bounced once");
    bench
        .until("the model is gone", || async {
            // The part of the machine's agent.
            for unit in bench
                .store
                .machine_units(&bench.model, &machine("0"))
                .await
                .unwrap_or_default()
            {
                let _ = bench.store.ensure_unit_dead(&bench.model, &unit.unit).await;
                let _ = bench.store.remove_dead_unit(&bench.model, &unit.unit).await;
            }
            let _ = bench
                .store
                .ensure_machiner_dead(&bench.model, &machine("0"))
                .await;
            bench
                .store
                .get_model(&bench.model)
                .await
                .unwrap()
                .is_none()
                .then_some(())
        })
        .await;
    assert_eq!(bench.provider.calls("destroy"), 1);
    bench
        .until("the engine ended", || async {
            matches!(engine.report().state, periapt_engine::EngineState::Stopped).then_some(())
        })
        .await;
    bench.close(engine).await;
}

/// undertaker: the controller's own model keeps its environment.
#[tokio::test]
async fn the_controllers_own_model_keeps_its_environment() {
    let bench = Bench::new().await;
    let mut context = bench.context(0);
    context.is_controller_model = true;
    let engine = super::engine(
        &context,
        periapt_engine::SharedClock::clone(&bench.clock.shared()),
    )
    .unwrap();
    bench
        .store
        .destroy_model(&bench.model, false, None)
        .await
        .unwrap();
    bench
        .until("the model is dead", || async {
            (bench.store.get_model(&bench.model).await.unwrap()?.life == Life::Dead).then_some(())
        })
        .await;
    bench.clock.advance(Duration::from_secs(5));
    assert_eq!(bench.provider.calls("destroy"), 0);
    bench.close(engine).await;
}

/// statushistorypruner, pruner: "when config changes before the tick, then the tick prunes with it".
#[tokio::test]
async fn the_tick_prunes_with_the_configuration_of_that_moment() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench
        .until_running(&engine, statushistorypruner::NAME)
        .await;
    let bounds = || async {
        let report = engine.report().manifolds[statushistorypruner::NAME]
            .report
            .clone();
        report["max-age-s"].as_u64()
    };
    let first = bench.until("the first configuration", bounds).await;
    assert_eq!(first, 336 * 3600);
    let change = periapt_wire::rest::ConfigChange {
        set: [(
            "max-status-history-age".to_owned(),
            periapt_model::config::Value::Text("1h".into()),
        )]
        .into(),
        reset: Vec::new(),
    };
    bench
        .store
        .set_model_config(&bench.model, change, periapt_store::Setter::Superuser)
        .await
        .unwrap();
    bench
        .until("the changed configuration", || async {
            bounds().await.filter(|age| *age == 3600)
        })
        .await;
    let pruned = || async {
        bench.clock.advance(Duration::from_secs(60 * 60));
        let report = engine.report().manifolds[statushistorypruner::NAME]
            .report
            .clone();
        report["pruned"].as_u64().filter(|pruned| *pruned > 0)
    };
    bench.deploy("site", 1).await;
    bench
        .until("it runs", || async {
            bench.machines().await.first()?.instance_id.clone()
        })
        .await;
    bench.until("old entries go", pruned).await;
    let machines = bench.machines().await;
    assert_eq!(
        machines[0].instance_status.status,
        Machine::Running,
        "the current status stays"
    );
    bench.close(engine).await;
}

/// singular: "the other node's engine shows provisioner etc. started, never both".
#[tokio::test]
async fn one_controller_acts_for_a_model() {
    let bench = Bench::new().await;
    let first = bench.engine();
    bench.until_running(&first, environ::NAME).await;
    let other = bench.context(1);
    let second = super::engine(&other, bench.clock.shared()).unwrap();
    bench.until_running(&second, singular::NAME).await;
    bench
        .until("it rests", || async {
            (state(&second, environ::NAME) == Some(NodeState::Stopped)).then_some(())
        })
        .await;
    assert_eq!(
        second.report().manifolds[unitassigner::NAME]
            .waits_for
            .as_deref(),
        Some(environupgrader::FLAG)
    );
    first.kill();
    first.wait().await.unwrap();
    let _ = bench
        .until("the lease runs out", || async {
            bench.clock.advance(Duration::from_secs(2));
            let _ = bench.leases.expire_due().await;
            (state(&second, environ::NAME) == Some(NodeState::Started)).then_some(())
        })
        .await;
    bench.close(second).await;
}

/// apiconfigwatcher: "api-caller's start-count grows by one".
#[tokio::test]
async fn changed_addresses_make_the_connection_new() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, provisioner::NAME).await;
    let starts = |node: &str| engine.report().manifolds[node].start_count;
    let before = starts("api-caller");
    bench.addresses.send_replace(vec!["127.0.0.1:17071".into()]);
    bench
        .until("it connects anew", || async {
            (starts("api-caller") == before + 1).then_some(())
        })
        .await;
    bench.until_running(&engine, provisioner::NAME).await;
    assert_eq!(
        engine.report().manifolds[apiconfigwatcher::NAME].report["addresses"][0],
        "127.0.0.1:17071"
    );
    bench.close(engine).await;
}

/// apicaller: when the API goes, every worker of the model stops.
#[tokio::test]
async fn the_workers_stop_with_the_api() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, provisioner::NAME).await;
    bench.state.shut_down();
    bench
        .until("all but the first rest", || async {
            let report = engine.report();
            let resting = [
                "api-caller",
                environ::NAME,
                provisioner::NAME,
                cleaner::NAME,
            ]
            .iter()
            .all(|node| report.manifolds[*node].state != NodeState::Started);
            resting.then_some(())
        })
        .await;
    bench.close(engine).await;
}

#[test]
fn the_cleaners_next_round() {
    let report = |remaining, next_due| CleanupReport {
        remaining,
        next_due,
        errors: Vec::new(),
    };
    assert_eq!(cleaner::next_round(&report(0, None), 5), None);
    assert_eq!(
        cleaner::next_round(&report(1, None), 5),
        Some(cleaner::PERIOD)
    );
    assert_eq!(
        cleaner::next_round(&report(1, Some(3)), 5),
        Some(cleaner::PERIOD)
    );
    assert_eq!(
        cleaner::next_round(&report(1, Some(1_000_005)), 5),
        Some(Duration::from_secs(1))
    );
    assert_eq!(
        cleaner::next_round(&report(1, Some(86_400_000_005)), 5),
        Some(Duration::from_secs(86_400))
    );
}

#[test]
fn the_undertaker_says_what_remains() {
    let mut model = UndertakerModel {
        uuid: CONTROLLER.parse().unwrap(),
        name: "lab".parse().unwrap(),
        life: Life::Dying,
        force: false,
        timeout_ms: None,
        applications: 1,
        machines: 2,
        units: 0,
        storage: 0,
        deadline_ms: None,
        forced_from: None,
    };
    assert_eq!(
        undertaker::left(&model),
        "still there: 2 machine(s), 1 application(s)"
    );
    model.forced_from = Some(1_795_384_200_000_007);
    assert_eq!(
        undertaker::left(&model),
        "still there: 2 machine(s), 1 application(s); by force from 2026-11-22T21:50:00Z"
    );
    (model.applications, model.machines) = (0, 0);
    assert_eq!(undertaker::left(&model), "");
}
