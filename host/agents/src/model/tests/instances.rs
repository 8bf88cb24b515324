//! instancepoller: "when a provider changes an instance's IP, then status shows the new address within
//! the long poll, and at once for a machine still starting".

use periapt_model::status::Status;
use periapt_providers::InstanceState;
use periapt_wire::rest::MachineInfo;

use super::*;
use crate::model::instancepoller;

const LONG_POLL: Duration = Duration::from_secs(15 * 60);

async fn shown(bench: &Bench) -> MachineInfo {
    let machine = machine("0");
    let shown = bench.store.machine(&bench.model, &machine, &|_| true);
    shown.await.unwrap()
}

fn moves(bench: &Bench, name: &str, address: &str) {
    let addresses = vec![address.to_owned()];
    bench
        .provider
        .change(name, |instance| instance.addresses = addresses);
}

async fn until_shown(bench: &Bench, address: &str) {
    bench
        .until("the new address shows", || async {
            bench.clock.advance(Duration::from_millis(100));
            (shown(bench).await.addresses == [address]).then_some(())
        })
        .await;
}

/// Machines with their instances, whose agents have not said anything yet.
async fn machines(bench: &Bench, units: u32) -> periapt_engine::DependencyEngine {
    let engine = bench.engine();
    bench.until_running(&engine, instancepoller::NAME).await;
    bench.deploy("site", units).await;
    bench
        .until("all have instances", || async {
            let machines = bench.machines().await;
            let all = machines.len() == units as usize;
            (all && machines.iter().all(|machine| machine.instance_id.is_some())).then_some(())
        })
        .await;
    engine
}

async fn all_settle(bench: &Bench, engine: &periapt_engine::DependencyEngine, units: u64) {
    for info in bench.machines().await {
        let started = Status::new(Machine::Started, "");
        let said = bench
            .store
            .set_machine_status(&bench.model, &info.machine, started, None);
        said.await.unwrap();
    }
    bench
        .until("all have settled", || async {
            // Longer than the longest wait of one that is still starting takes too many steps else.
            bench.clock.advance(Duration::from_secs(1));
            let report = engine.report().manifolds[instancepoller::NAME]
                .report
                .clone();
            (report["settled"] == units && report["starting"] == 0).then_some(())
        })
        .await;
}

#[tokio::test]
async fn a_changed_address_shows_within_the_long_poll_and_at_once_for_a_machine_still_starting() {
    let bench = Bench::new().await;
    let engine = machines(&bench, 2).await;
    moves(&bench, "0", "192.0.2.1");
    let before = bench.clock.shared().monotonic();
    until_shown(&bench, "192.0.2.1").await;
    let waited = bench.clock.shared().monotonic() - before;
    assert!(waited < Duration::from_secs(70), "{waited:?}");

    all_settle(&bench, &engine, 2).await;
    moves(&bench, "0", "192.0.2.2");
    let asked = || bench.provider.calls("instances");
    // From one long poll to the next there is one question about all machines, and no more.
    let before = asked();
    let next = |after: usize| {
        let bench = &bench;
        async move {
            bench.clock.advance(Duration::from_secs(2));
            (bench.provider.calls("instances") > after).then_some(())
        }
    };
    let since = bench.clock.shared().monotonic();
    bench.until("the long poll", || next(before)).await;
    let waited = bench.clock.shared().monotonic() - since;
    assert!(waited < LONG_POLL + Duration::from_secs(60), "{waited:?}");
    until_shown(&bench, "192.0.2.2").await;
    let status = bench.store.full_status(&bench.model, &[], &|_| true);
    let status = status.await.unwrap();
    assert_eq!(status.machines["0"].dns_name, "192.0.2.2");
    assert_eq!(status.machines["0"].ip_addresses, ["192.0.2.2"]);
    assert_eq!(asked(), before + 1);
    let since = bench.clock.shared().monotonic();
    bench.until("the next long poll", || next(before + 1)).await;
    let waited = bench.clock.shared().monotonic() - since;
    assert!(waited > LONG_POLL / 2, "{waited:?}");
    assert_eq!(asked(), before + 2);
    bench.close(engine).await;
}

#[tokio::test]
async fn an_instance_that_is_down_or_gone_shows_until_it_is_back() {
    let bench = Bench::new().await;
    let engine = machines(&bench, 1).await;
    all_settle(&bench, &engine, 1).await;
    let says = |word: &'static str, step: u64| {
        let bench = &bench;
        async move {
            bench
                .until(word, || async {
                    bench.clock.advance(Duration::from_secs(step));
                    (shown(bench).await.instance.status.as_str() == word).then_some(())
                })
                .await;
        }
    };
    bench
        .provider
        .change("0", |instance| instance.state = InstanceState::Down);
    says("down", 5).await;
    // It is asked about soon again.
    bench
        .provider
        .change("0", |instance| instance.state = InstanceState::Running);
    let since = bench.clock.shared().monotonic();
    says("running", 1).await;
    assert!(bench.clock.shared().monotonic() - since < LONG_POLL / 3);
    assert_eq!(shown(&bench).await.instance.message, "");
    bench.close(engine).await;
}
