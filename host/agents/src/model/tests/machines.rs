//! Machines, from asked for to gone.

use std::sync::atomic::Ordering;

use periapt_model::AgentName;

use super::*;

/// provisioner, unitassigner, environ: a deployed unit gets a machine, and it an instance.
#[tokio::test]
async fn a_deployed_unit_gets_a_machine_that_runs() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.deploy("site", 2).await;
    bench
        .until("both machines have instances", || async {
            let machines = bench.machines().await;
            (machines.len() == 2 && machines.iter().all(|machine| machine.instance_id.is_some()))
                .then_some(())
        })
        .await;
    assert_eq!(bench.provider.names(), ["0", "1"]);
    // One password for the model's one agent, whatever the number of machines.
    let config = periapt_providers::SharedAgent::config(bench.provider.as_ref())
        .await
        .unwrap()
        .unwrap();
    let config: AgentConfig = serde_json::from_slice(&config).unwrap();
    assert!(
        bench
            .store
            .check_agent_password(&bench.model, &AgentName::Host, &config.password)
            .await
            .unwrap()
    );
    assert_eq!(config.api_addresses, ["127.0.0.1:17070"]);
    assert!(!format!("{config:?}").contains(&config.password));

    // A restarted engine finds the machines and keeps the password.
    engine.kill();
    engine.wait().await.unwrap();
    let engine = bench.engine();
    let starts = bench.provider.calls("start");
    bench
        .until("the instances are looked after", || async {
            (bench.provider.calls("start") == starts + 2).then_some(())
        })
        .await;
    assert!(
        bench
            .store
            .check_agent_password(&bench.model, &AgentName::Host, &config.password)
            .await
            .unwrap()
    );
    bench.close(engine).await;
}

/// provisioner: "status shows provisioning error text with retries and finally started".
#[tokio::test]
async fn a_provider_that_fails_twice_is_tried_again() {
    let bench = Bench::new().await;
    *bench.provider.failures.lock().unwrap() = 2;
    let engine = bench.engine();
    bench.deploy("site", 1).await;
    bench
        .until("the first failure shows", || {
            bench.machine_says("(no room), retrying in 10s (9 more attempts)")
        })
        .await;
    bench.clock.advance(Duration::from_secs(10));
    bench
        .until("the second failure shows", || {
            bench.machine_says("(8 more attempts)")
        })
        .await;
    bench.clock.advance(Duration::from_secs(10));
    bench
        .until("it starts", || async {
            bench.machines().await[0].instance_id.clone()
        })
        .await;
    bench.close(engine).await;
}

/// provisioner: ten attempts, then an error, until the controller starts again.
#[tokio::test]
async fn a_machine_that_never_starts_shows_a_provisioning_error() {
    let bench = Bench::new().await;
    *bench.provider.failures.lock().unwrap() = 10;
    let engine = bench.engine();
    bench.deploy("site", 1).await;
    bench
        .until("ten attempts failed", || async {
            bench.clock.advance(Duration::from_secs(1));
            let machines = bench.machines().await;
            let status = machines.first()?.instance_status.clone();
            (status.status == Machine::ProvisioningError).then_some(())
        })
        .await;
    assert_eq!(bench.provider.calls("start"), 10);
    bench.clock.advance(Duration::from_secs(60));
    engine.kill();
    engine.wait().await.unwrap();
    assert_eq!(bench.provider.calls("start"), 10, "nothing more was tried");
    let engine = bench.engine();
    bench
        .until("it starts", || async {
            bench.machines().await[0].instance_id.clone()
        })
        .await;
    bench.close(engine).await;
}

/// provisioner: a machine that is killed while it starts is stopped afterwards, not meanwhile.
#[tokio::test]
async fn a_machine_that_dies_while_it_starts_is_stopped_when_the_start_is_over() {
    let bench = Bench::new().await;
    *bench.provider.held.lock().unwrap() = true;
    let engine = bench.engine();
    let application = bench.deploy("site", 1).await;
    bench
        .until("the start is under way", || async {
            (bench.provider.calls("start") == 1).then_some(())
        })
        .await;
    bench
        .store
        .remove_application(&bench.model, &application, false)
        .await
        .unwrap();
    bench
        .until("the machine is on its way out", || async {
            bench
                .machines()
                .await
                .first()
                .is_none_or(|machine| machine.life != Life::Alive)
                .then_some(())
        })
        .await;
    assert_eq!(bench.provider.calls("stop"), 0);
    *bench.provider.held.lock().unwrap() = false;
    bench.provider.released.notify_waiters();
    // The machine's agent would let it die; here nobody does, unless it never had an instance.
    let left = bench.machines().await;
    if let Some(info) = left.first().filter(|info| info.life == Life::Dying) {
        let _ = bench
            .store
            .ensure_machiner_dead(&bench.model, &info.machine)
            .await;
    }
    bench
        .until("the machine is gone", || async {
            bench.machines().await.is_empty().then_some(())
        })
        .await;
    bench
        .until("its instance is gone", || async {
            bench.provider.names().is_empty().then_some(())
        })
        .await;
    bench.close(engine).await;
}

/// machineundertaker and provisioner: a dead machine's instance goes, then its row.
#[tokio::test]
async fn a_dead_machine_leaves_nothing_behind() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    let application = bench.deploy("site", 1).await;
    bench
        .until("it runs", || async {
            bench.machines().await.first()?.instance_id.clone()
        })
        .await;
    bench
        .store
        .remove_application(&bench.model, &application, true)
        .await
        .unwrap();
    bench
        .until("the machine is gone", || async {
            bench.clock.advance(Duration::from_secs(5));
            let _ = bench
                .store
                .ensure_machiner_dead(&bench.model, &machine("0"))
                .await;
            bench
                .store
                .machine_ids(&bench.model)
                .await
                .unwrap()
                .is_empty()
                .then_some(())
        })
        .await;
    assert_eq!(bench.provider.calls("stop double-0"), 1);
    assert!(
        bench
            .store
            .all_machine_removals(&bench.model)
            .await
            .unwrap()
            .is_empty()
    );
    bench.close(engine).await;
}

/// A provider whose instances have agents of their own: each has a password, and the machine knows
/// its agent; a controller that comes back makes no new ones.
#[tokio::test]
async fn each_machine_has_an_agent_of_its_own_where_the_provider_has_none_for_all() {
    let bench = Bench::new().await;
    bench.provider.apart.store(true, Ordering::SeqCst);
    let engine = bench.engine();
    bench.deploy("site", 2).await;
    let provisioned = || async {
        let machines = bench.machines().await;
        (machines.len() == 2 && machines.iter().all(|machine| machine.instance_id.is_some()))
            .then_some(())
    };
    bench
        .until("both machines have instances", provisioned)
        .await;
    let config = |id: &str| -> AgentConfig {
        let configs = bench.provider.configs.lock().unwrap();
        serde_json::from_slice(&configs[id]).unwrap()
    };
    let before = [config("0"), config("1")];
    assert_ne!(before[0].directory, before[1].directory);
    let passwords_fit = || async {
        for (id, config) in ["0", "1"].iter().zip(&before) {
            let agent = AgentName::Machine(machine(id));
            assert_eq!(
                config.tag.to_string(),
                format!("agent-{}-{agent}", bench.model)
            );
            let check = bench
                .store
                .check_agent_password(&bench.model, &agent, &config.password);
            assert!(check.await.unwrap(), "{agent}");
            let hosted = bench
                .store
                .hosted_machines(&bench.model, &agent)
                .await
                .unwrap();
            assert_eq!(hosted, [machine(id)]);
        }
    };
    passwords_fit().await;

    engine.kill();
    engine.wait().await.unwrap();
    let starts = bench.provider.calls("start");
    let engine = bench.engine();
    bench.until_running(&engine, provisioner::NAME).await;
    bench
        .until("the instances are looked after", || async {
            let report = engine.report().manifolds[provisioner::NAME].report.clone();
            (report["running"] == 0 && report["waiting"] == serde_json::json!([])).then_some(())
        })
        .await;
    assert_eq!(bench.provider.calls("start"), starts);
    passwords_fit().await;
    bench.close(engine).await;
}

/// An agent that runs goes on with its password; one that ended for good is started with another, since
/// its login may be what was refused.
#[tokio::test]
async fn an_agent_that_ended_for_good_is_started_with_another_password() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.deploy("site", 2).await;
    bench
        .until("both machines have instances", || async {
            let machines = bench.machines().await;
            (machines.len() == 2 && machines.iter().all(|machine| machine.instance_id.is_some()))
                .then_some(())
        })
        .await;
    let config = || async {
        let config = periapt_providers::SharedAgent::config(bench.provider.as_ref()).await;
        serde_json::from_slice::<AgentConfig>(&config.unwrap().unwrap()).unwrap()
    };
    let fits = async |config: &AgentConfig| {
        let password = &config.password;
        let check = bench
            .store
            .check_agent_password(&bench.model, &AgentName::Host, password);
        check.await.unwrap()
    };
    let before = config().await;
    bench
        .provider
        .ended
        .send_replace(Some("its login was refused".to_owned()));
    bench
        .until("it shows", || bench.machine_says("its login was refused"))
        .await;
    assert!(config().await == before && fits(&before).await);

    bench.store.start_agent(&bench.model).await.unwrap();
    bench
        .until("it is started", || async {
            (bench.provider.calls("again") > 0).then_some(())
        })
        .await;
    let after = config().await;
    assert_ne!(after.password, before.password);
    assert!(!fits(&before).await && fits(&after).await);
    let same = AgentConfig {
        password: before.password.clone(),
        ..after.clone()
    };
    assert!(same == before, "nothing else is another");
    // The machine that comes next finds an agent that runs.
    bench
        .until("both run", || async {
            let machines = bench.machines().await;
            let waits = |status| matches!(status, Machine::Stopped | Machine::Pending);
            machines
                .iter()
                .all(|machine| !waits(machine.instance_status.status))
                .then_some(())
        })
        .await;
    assert!(config().await == after && fits(&after).await);
    bench.close(engine).await;
}
