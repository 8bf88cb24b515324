//! What a model's provider may do, has to do first, and is asked to do again.

use std::sync::atomic::Ordering;

use periapt_model::config::Value;
use periapt_store::Setter;
use periapt_wire::rest::{ConfigChange, Deploy};

use super::*;
use crate::model::{
    charmdownloader, credentialvalidator, firewaller, instancepoller, machineundertaker,
};

/// What asks the provider.
const USERS: [&str; 5] = [
    environ::NAME,
    provisioner::NAME,
    machineundertaker::NAME,
    firewaller::NAME,
    instancepoller::NAME,
];

async fn until_resting(bench: &Bench, engine: &periapt_engine::DependencyEngine) {
    bench
        .until("the provider's users rest", || async {
            let resting = |node: &&str| state(engine, node) == Some(NodeState::Stopped);
            USERS.iter().all(resting).then_some(())
        })
        .await;
}

async fn model_status(bench: &Bench) -> (String, String) {
    let model = bench.store.model_summary(&bench.model).await.unwrap();
    (model.status.status.to_string(), model.status.message)
}

/// credentialvalidator: "when the credential is marked invalid, then environ, provisioner … show
/// stopped; when replaced they start again without manual action"; common: a provider's refusal
/// marks it.
#[tokio::test]
async fn a_refused_credential_suspends_the_model_until_it_is_replaced() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, provisioner::NAME).await;
    bench.provider.refuses.store(true, Ordering::SeqCst);
    bench.deploy("site", 1).await;
    until_resting(&bench, &engine).await;
    let report = engine.report();
    assert_eq!(
        report.manifolds[environ::NAME].waits_for.as_deref(),
        Some(credentialvalidator::NAME)
    );
    assert_eq!(
        report.manifolds[credentialvalidator::NAME].report["valid"],
        false
    );
    let (status, message) = model_status(&bench).await;
    assert_eq!(status, "suspended");
    assert!(message.contains("the door is locked"), "{message}");
    bench
        .until("the machine says what it waits for", || {
            bench.machine_says("waiting for a valid credential (the door is locked)")
        })
        .await;
    assert_eq!(bench.provider.calls("start"), 1, "it costs no attempts");

    // Replaced by one that is refused as well.
    bench.store.update_credential(&bench.model).await.unwrap();
    bench
        .until("it is refused again", || async {
            (bench.provider.calls("check") == 2).then_some(())
        })
        .await;
    bench
        .until("the model is suspended again", || async {
            (model_status(&bench).await.0 == "suspended").then_some(())
        })
        .await;
    until_resting(&bench, &engine).await;

    bench.provider.refuses.store(false, Ordering::SeqCst);
    bench.store.update_credential(&bench.model).await.unwrap();
    bench
        .until("the machine has an instance", || async {
            bench.machines().await[0].instance_id.clone()
        })
        .await;
    assert_eq!(model_status(&bench).await.0, "available");
    bench.close(engine).await;
}

/// Whoever adds a machine after the credential was refused finds it waiting, however late the
/// workers hear of the refusal.
#[tokio::test]
async fn no_machine_starts_that_came_after_its_credential_was_refused() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, provisioner::NAME).await;
    let reason = "a person said so";
    let refused = bench.store.invalidate_credential(&bench.model, reason);
    refused.await.unwrap();
    bench.deploy("site", 1).await;
    until_resting(&bench, &engine).await;
    assert_eq!(bench.provider.calls("start"), 0);
    bench.store.update_credential(&bench.model).await.unwrap();
    let started = || async { (bench.provider.calls("start") == 1).then_some(()) };
    bench.until("the machine starts", started).await;
}

/// An invalid credential holds up what asks the provider and nothing else, also from the start.
#[tokio::test]
async fn an_engine_starts_with_a_credential_that_is_not_valid() {
    let bench = Bench::new().await;
    bench
        .store
        .invalidate_credential(&bench.model, "a person said so")
        .await
        .unwrap();
    let engine = bench.engine();
    for node in [
        unitassigner::NAME,
        cleaner::NAME,
        charmdownloader::NAME,
        statushistorypruner::NAME,
    ] {
        bench.until_running(&engine, node).await;
    }
    until_resting(&bench, &engine).await;
    bench.deploy("site", 1).await;
    bench
        .until("the unit has its machine", || async {
            bench.machines().await.first().map(|_| ())
        })
        .await;
    assert_eq!(bench.provider.calls("start"), 0);
    assert_eq!(model_status(&bench).await.0, "suspended");
    bench.store.update_credential(&bench.model).await.unwrap();
    bench
        .until("the machine has an instance", || async {
            bench.machines().await[0].instance_id.clone()
        })
        .await;
    bench.close(engine).await;
}

async fn set(bench: &Bench, key: &str, value: &str) {
    let change = ConfigChange {
        set: [(key.to_owned(), Value::Text(value.to_owned()))].into(),
        reset: Vec::new(),
    };
    bench
        .store
        .set_model_config(&bench.model, change, Setter::Superuser)
        .await
        .unwrap();
}

/// environ: "when a model config key is changed, then the tracker's report shows the new config
/// version and dependents' start-count does not change".
#[tokio::test]
async fn a_changed_option_is_a_new_version_and_restarts_nobody() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, provisioner::NAME).await;
    let shown = |key: &str| engine.report().manifolds[environ::NAME].report[key].clone();
    let starts = || {
        let report = engine.report();
        USERS.map(|node| report.manifolds[node].start_count)
    };
    let before = starts();
    assert_eq!(shown("config-version"), 1);
    assert_eq!(shown("config")["provisioner-harvest-mode"], "destroyed");

    // An option that the provider's users do not follow.
    set(&bench, "logging-config", "<root>=DEBUG").await;
    // One that they do: what the model does not know is harvested from now on.
    bench.provider.stray("stray");
    set(&bench, "provisioner-harvest-mode", "all").await;
    bench
        .until("the change is in force", || async {
            bench.provider.names().is_empty().then_some(())
        })
        .await;
    assert_eq!(shown("config-version"), 2);
    assert_eq!(shown("config")["provisioner-harvest-mode"], "all");
    assert_eq!(starts(), before);
    // The rest of the report is of this moment.
    bench.provider.stray("0");
    assert_eq!(shown("environment")["instances"][0], "0");

    // No more at once than the option says.
    set(&bench, "num-provision-workers", "1").await;
    bench
        .until("the change is in force", || async {
            (shown("config-version") == 3).then_some(())
        })
        .await;
    *bench.provider.held.lock().unwrap() = true;
    bench.deploy("site", 3).await;
    let busy = || {
        let report = engine.report().manifolds[provisioner::NAME].report.clone();
        let waiting = report["waiting"].as_array().map_or(0, Vec::len);
        (waiting == 2 && report["running"] == 1).then_some(())
    };
    bench
        .until("one starts and two wait", || async { busy() })
        .await;
    *bench.provider.held.lock().unwrap() = false;
    bench.provider.released.notify_waiters();
    bench.close(engine).await;
}

/// environupgrader: "when an upgrade op fails, then model status is error with the text, and
/// uniter-facing workers for that model stay stopped; fixing it lets them start by themselves".
#[tokio::test]
async fn a_failing_step_of_the_environment_holds_its_model_up_and_shows() {
    let bench = Bench::new().await;
    bench.provider.cannot_upgrade.store(true, Ordering::SeqCst);
    let engine = bench.engine();
    bench
        .until("the model says so", || async {
            let (status, message) = model_status(&bench).await;
            let says = "upgrade step \"second\" failed: the wall is too thick";
            (status == "error" && message == says).then_some(())
        })
        .await;
    let held_up = [unitassigner::NAME, provisioner::NAME, cleaner::NAME];
    // The step may have failed before they tried to start at all, or while they try anew because
    // another input came: where they come to rest is told, not each moment on the way.
    bench
        .until("the ordinary workers rest on the flag", || async {
            let report = engine.report();
            let rests = |node: &&str| {
                let node = &report.manifolds[*node];
                node.state == NodeState::Stopped
                    && node.waits_for.as_deref() == Some(environupgrader::FLAG)
            };
            held_up.iter().all(rests).then_some(())
        })
        .await;
    let report = engine.report();
    for node in held_up {
        assert_eq!(report.manifolds[node].start_count, 0, "{node}");
    }
    assert_eq!(bench.store.environ_version(&bench.model).await.unwrap(), 1);

    bench.provider.cannot_upgrade.store(false, Ordering::SeqCst);
    bench.until_running(&engine, provisioner::NAME).await;
    assert_eq!(model_status(&bench).await.0, "available");
    assert_eq!(bench.store.environ_version(&bench.model).await.unwrap(), 2);
    assert_eq!(bench.provider.calls("upgrade first"), 1, "done is done");

    // Nothing is left to do for the next engine.
    let upgrades = bench.provider.calls("upgrade");
    engine.kill();
    engine.wait().await.unwrap();
    let engine = bench.engine();
    bench.until_running(&engine, provisioner::NAME).await;
    assert_eq!(bench.provider.calls("upgrade"), upgrades);

    // What a later program has done is not touched.
    bench
        .store
        .set_environ_version(&bench.model, 3)
        .await
        .unwrap();
    engine.kill();
    engine.wait().await.unwrap();
    let engine = bench.engine();
    bench
        .until("the model says so", || async {
            let (status, message) = model_status(&bench).await;
            (status == "error" && message.contains("at version 3")).then_some(())
        })
        .await;
    bench.close(engine).await;
}

/// provisioner: "after all retries fail `retry-provisioning` starts again".
#[tokio::test]
async fn a_machine_that_was_given_up_is_tried_again_when_a_person_says_so() {
    let bench = Bench::new().await;
    *bench.provider.failures.lock().unwrap() = 12;
    let engine = bench.engine();
    bench.deploy("site", 1).await;
    bench
        .until("the first failure shows", || bench.machine_says("no room"))
        .await;
    let retry = || async {
        bench
            .store
            .retry_provisioning(&bench.model, &machine("0"), |_| false)
            .await
    };
    let early = retry().await.unwrap_err();
    assert_eq!(
        early.refusal().code(),
        "machine-not-in-error",
        "it is tried anyway"
    );
    let given_up = || async {
        bench.clock.advance(Duration::from_secs(1));
        let machines = bench.machines().await;
        let status = machines.first()?.instance_status.clone();
        (status.status == Machine::ProvisioningError).then_some(())
    };
    bench.until("it is given up", given_up).await;
    assert_eq!(bench.provider.calls("start"), 10);
    retry().await.unwrap();
    bench
        .until("the next failure shows", || {
            bench.machine_says("(9 more attempts)")
        })
        .await;
    bench
        .until("it starts", || async {
            bench.clock.advance(Duration::from_secs(1));
            bench.machines().await[0].instance_id.clone()
        })
        .await;
    assert_eq!(bench.provider.calls("start"), 13);
    let late = retry().await.unwrap_err();
    assert_eq!(late.refusal().code(), "machine-not-in-error");
    bench.close(engine).await;
}

/// unitassigner: "when a unit is placed on missing machine 9, then status shows unit in error with
/// the reason, others are assigned".
#[tokio::test]
async fn a_unit_whose_machine_is_gone_shows_why_and_the_others_are_assigned() {
    let bench = Bench::new().await;
    let made = bench.store.add_machines(&bench.model, 1).await.unwrap();
    let placement = vec![made[0].id.clone()];
    let charm = bench.charm().await;
    let deploy = Deploy {
        channel: None,
        resources: Default::default(),
        trust: false,
        constraints: String::new(),
        placement,
        application: "site".parse().unwrap(),
        charm,
        units: 3,
        config: Default::default(),
        storage: Default::default(),
        attach_storage: Vec::new(),
        capabilities: Default::default(),
    };
    bench.store.deploy(&bench.model, deploy).await.unwrap();
    // It goes before anybody was assigned to it.
    bench
        .store
        .remove_machine(&bench.model, &made[0].id, false)
        .await
        .unwrap();
    let engine = bench.engine();
    let unit = |number: u32| {
        let store = bench.store.clone();
        let model = bench.model.clone();
        let name = format!("site/{number}").parse().unwrap();
        async move { store.unit(&model, &name, &|_| true).await.unwrap() }
    };
    bench
        .until("the first shows why", || async {
            // The error of an agent is displayed as its workload's, as in Juju.
            let shown = unit(0).await.workload;
            (shown.status == Workload::Error && shown.message.contains("machine")).then_some(())
        })
        .await;
    for number in [1, 2] {
        bench
            .until("the others are assigned", || async {
                unit(number).await.machine
            })
            .await;
    }
    assert_eq!(unit(0).await.machine, None);
    assert_eq!(state(&engine, unitassigner::NAME), Some(NodeState::Started));
    bench.close(engine).await;
}
