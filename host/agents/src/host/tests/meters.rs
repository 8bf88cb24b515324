//! The meterstatus worker in a whole agent process, on virtual time.

use std::collections::BTreeMap;

use periapt_engine::testing::settle;
use periapt_model::quota::{Code, Meter};

use super::*;

const HOOK: &str = "meter-status-changed";

/// A process whose time is the test's, with a unit whose charm has the hook and one whose has not.
struct Stage {
    host: Host,
    clock: FakeClock,
}

impl Stage {
    async fn deployed() -> (
        Self,
        tokio::task::JoinHandle<Result<ExitReason, AgentError>>,
    ) {
        let clock = FakeClock::new();
        let host = Host::on(clock.shared(), false);
        let controller = &host.controller;
        let bytes = archive("site", "second");
        let url = CharmUrl::new("site", 1).unwrap();
        let hooks = [HOOKS, &[HOOK]].concat();
        controller.add_charm(charm_info(&bytes, &url, &hooks).unwrap(), bytes);
        controller.add_machine(&machine());
        controller.add_unit(&unit(0), &machine(), "local:site-1");
        controller.add_unit(&unit(1), &machine(), "local:site-0");
        let running = tokio::spawn(run_engine(host.context.clone(), clock.shared()));
        let stage = Self { host, clock };
        stage
            .pass("deployed", Duration::from_millis(20), |stage| {
                idle(&stage.host.controller, &unit(0)) && idle(&stage.host.controller, &unit(1))
            })
            .await;
        (stage, running)
    }

    /// Lets time pass until something has happened, since timers are set when workers get to it.
    async fn pass(&self, what: &str, step: Duration, condition: impl Fn(&Self) -> bool) {
        let happened = async {
            while !condition(self) {
                self.clock.advance(step);
                settle().await;
            }
        };
        let waited = tokio::time::timeout(LIMIT, happened).await;
        assert!(waited.is_ok(), "{what}: {:?}", self.told());
    }

    /// Lets so much time pass, whatever happens.
    async fn pass_for(&self, time: Duration) {
        let until = self.now() + time;
        let what = format!("{time:?}");
        self.pass(&what, Duration::from_secs(5), |stage| stage.now() >= until)
            .await;
    }

    fn now(&self) -> Duration {
        self.clock.shared().monotonic()
    }

    /// What charms were told, oldest first.
    fn told(&self) -> Vec<(String, String)> {
        let seen = self.host.sandbox.seen().into_iter();
        seen.filter(|seen| seen.hook == HOOK)
            .map(|seen| {
                let environment: BTreeMap<String, String> = seen.environment.into_iter().collect();
                assert_eq!(environment["JUJU_METER_STATUS"], seen.attributes["code"]);
                assert_eq!(environment["JUJU_METER_INFO"], seen.attributes["info"]);
                assert_eq!(
                    seen.unit, "site/0",
                    "the other one's charm has no such hook"
                );
                (
                    seen.attributes["code"].clone(),
                    seen.attributes["info"].clone(),
                )
            })
            .collect()
    }

    fn says(&self, meter: Option<Meter>) {
        for number in [0, 1] {
            let controller = &self.host.controller;
            controller.change(&unit(number), |record| record.meter = meter.clone());
        }
    }

    async fn until_told(&self, times: usize) -> (String, String) {
        self.pass("told", Duration::from_millis(20), |stage| {
            stage.told().len() >= times
        })
        .await;
        self.told()[times - 1].clone()
    }
}

fn meter(code: Code, info: &str) -> Option<Meter> {
    Some(Meter {
        code,
        info: info.to_owned(),
    })
}

/// meterstatus: "When the API is cut for 5 min (fake clock), then hook meter-status-changed runs with code
/// AMBER and at 15 min RED; on reconnect it runs again with the server's value."
#[tokio::test(flavor = "multi_thread")]
async fn when_the_api_is_cut_meter_status_changed_runs_with_amber_and_red_and_on_reconnect_with_the_servers_value()
 {
    let (stage, running) = Stage::deployed().await;
    let minute = Duration::from_secs(60);
    stage.pass_for(20 * minute).await;
    assert_eq!(stage.told(), [], "green is no news");

    stage.host.dial.down(true);
    stage
        .pass("cut", Duration::from_millis(20), |stage| {
            stage.host.dial.refused.load(Ordering::SeqCst) > 0
        })
        .await;
    let cut = stage.now();
    stage.pass_for(5 * minute - minute / 2).await;
    assert_eq!(stage.told(), [], "not yet");
    let (code, info) = stage.until_told(1).await;
    assert_eq!(code, "AMBER");
    assert!(
        info.contains("has not been reached for 5 minutes"),
        "{info}"
    );
    assert!(stage.now() - cut < 6 * minute, "{:?}", stage.now() - cut);
    stage.pass_for(9 * minute).await;
    assert_eq!(stage.told().len(), 1, "said once");
    let (code, info) = stage.until_told(2).await;
    assert_eq!(code, "RED");
    assert!(info.contains("15 minutes"), "{info}");
    assert!(stage.now() - cut < 16 * minute, "{:?}", stage.now() - cut);
    stage.pass_for(20 * minute).await;
    assert_eq!(stage.told().len(), 2, "there is nothing after it");

    stage.says(meter(Code::Amber, "80 % or more of 100 requests"));
    stage.host.dial.down(false);
    let of_server = stage.until_told(3).await;
    let expected = (
        "AMBER".to_owned(),
        "80 % or more of 100 requests".to_owned(),
    );
    assert_eq!(of_server, expected);
    stage.host.context.stopping.cancel();
    assert_eq!(running.await.unwrap().unwrap(), ExitReason::Stopped);
}

/// Another connection is no news, nor is another hook of the unit.
#[tokio::test(flavor = "multi_thread")]
async fn a_charm_hears_each_status_once_and_its_other_hooks_have_it_in_their_variables() {
    let (stage, running) = Stage::deployed().await;
    let red = meter(Code::Red, "more than 10 requests in a minute");
    stage.says(red.clone());
    assert_eq!(stage.until_told(1).await.0, "RED");

    let ran = stage.host.sandbox.hooks().len();
    for number in [0, 1] {
        stage.host.controller.set_title(&unit(number), "other");
    }
    stage
        .pass("followed", Duration::from_millis(20), |stage| {
            stage.host.sandbox.hooks().len() >= ran + 2
        })
        .await;
    for seen in &stage.host.sandbox.seen()[ran..] {
        let status = ("JUJU_METER_STATUS".to_owned(), "RED".to_owned());
        assert_eq!(seen.hook, "config-changed");
        assert!(seen.environment.contains(&status), "{:?}", seen.environment);
    }
    stage.host.dial.down(true);
    stage
        .pass("cut", Duration::from_millis(20), |stage| {
            stage.host.dial.refused.load(Ordering::SeqCst) > 0
        })
        .await;
    stage.host.dial.down(false);
    stage
        .pass("connected", Duration::from_millis(20), |stage| {
            stage.host.dial.dials.load(Ordering::SeqCst) == 2
                && stage.host.controller.count("WatchUnit") > 2
        })
        .await;
    stage.pass_for(Duration::from_secs(60)).await;
    assert_eq!(stage.told().len(), 1, "it knows");

    stage.says(None);
    let green = ("GREEN".to_owned(), String::new());
    assert_eq!(stage.until_told(2).await, green);
    stage.host.context.stopping.cancel();
    assert_eq!(running.await.unwrap().unwrap(), ExitReason::Stopped);
}
