//! The worker against a controller that records what it is asked, on the fake clock.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use periapt_engine::{FakeClock, SharedWorker};
use periapt_wire::agent::alerts::{Delivered, WaitingReceiver};
use periapt_wire::rpc::{self, Changes, Json, WATCHER_NEXT, WATCHER_STOP};
use periapt_wire::{CallError, Caller};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::*;

/// What the controller was asked, and what it answers.
#[derive(Default)]
struct Heard {
    evaluated: Vec<Option<u64>>,
    /// The receivers that were sent something, in this order.
    delivered: Vec<String>,
    /// When messages for receivers are due; sent ones go.
    waiting: BTreeMap<String, i64>,
    /// A receiver that does not answer.
    hangs: Option<&'static str>,
    says: Evaluated,
    watchers: u32,
    /// What each watcher that is held is about.
    held: BTreeMap<String, &'static str>,
}

struct Controller {
    heard: Mutex<Heard>,
    /// Bumped to fire the watchers of rules, and of facts.
    rules: watch::Sender<u64>,
    facts: watch::Sender<u64>,
}

impl Controller {
    fn new(says: Evaluated) -> Arc<Self> {
        let heard = Heard {
            says,
            ..Heard::default()
        };
        Arc::new(Self {
            heard: Mutex::new(heard),
            rules: watch::Sender::new(0),
            facts: watch::Sender::new(0),
        })
    }

    fn evaluations(&self) -> usize {
        self.heard.lock().unwrap().evaluated.len()
    }

    fn watches(&self, what: &str) -> bool {
        let heard = self.heard.lock().unwrap();
        heard.held.values().any(|held| *held == what)
    }

    fn delivered(&self, expected: &[&str]) -> bool {
        self.heard.lock().unwrap().delivered == expected
    }

    fn work(self: &Arc<Self>, clock: &FakeClock) -> SharedWorker {
        let api = ApiConnection::new(Arc::clone(self) as Arc<dyn Caller>);
        let clock = clock.shared();
        TaskWorker::spawn(move |worker| async move {
            run(&worker, &api, &clock, PathBuf::from("/")).await
        })
    }

    async fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        for _ in 0..1000 {
            if holds(self) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("not within 5 s: {what}");
    }
}

#[async_trait]
impl Caller for Controller {
    async fn request(
        &self,
        _facade: &str,
        _version: u32,
        method: &str,
        id: Option<String>,
        params: Option<Json>,
    ) -> Result<Json, CallError> {
        let watched = |what: &'static str| {
            let mut heard = self.heard.lock().unwrap();
            heard.watchers += 1;
            let id = heard.watchers.to_string();
            heard.held.insert(id.clone(), what);
            json!({ "watcher-id": id, "changes": [] })
        };
        let answer = match method {
            "WatchRules" => watched("rules"),
            "WatchFacts" => watched("facts"),
            "Evaluate" => {
                let text = params.map_or_else(String::new, |params| params.get().to_owned());
                let call: EvaluateAlerts = serde_json::from_str(&text).unwrap();
                let mut heard = self.heard.lock().unwrap();
                heard.evaluated.push(call.disk);
                json!(heard.says)
            }
            "Waiting" => {
                let heard = self.heard.lock().unwrap();
                let waiting = heard.waiting.iter();
                let waiting: Vec<WaitingReceiver> = waiting
                    .map(|(receiver, next)| WaitingReceiver {
                        receiver: receiver.clone(),
                        next: *next,
                    })
                    .collect();
                json!(waiting)
            }
            "Deliver" => {
                let text = params.map_or_else(String::new, |params| params.get().to_owned());
                let call: DeliverAlerts = serde_json::from_str(&text).unwrap();
                let hangs = {
                    let mut heard = self.heard.lock().unwrap();
                    heard.delivered.push(call.receiver.clone());
                    heard.hangs == Some(call.receiver.as_str())
                };
                if hangs {
                    std::future::pending::<()>().await;
                }
                self.heard.lock().unwrap().waiting.remove(&call.receiver);
                json!(Delivered::default())
            }
            WATCHER_STOP => {
                let mut heard = self.heard.lock().unwrap();
                heard.held.remove(&id.unwrap_or_default());
                json!({})
            }
            WATCHER_NEXT => {
                let what = {
                    let heard = self.heard.lock().unwrap();
                    heard.held.get(&id.unwrap_or_default()).copied()
                };
                let source = match what {
                    Some("facts") => &self.facts,
                    _ => &self.rules,
                };
                let mut events = source.subscribe();
                if events.changed().await.is_err() {
                    return Err(CallError::Disconnected("cut".to_owned()));
                }
                json!(Changes::default())
            }
            other => panic!("{other} is asked"),
        };
        Ok(rpc::json(&answer).unwrap())
    }

    async fn blob(&self, _digest: &str) -> Result<Bytes, CallError> {
        Err(CallError::Disconnected("no blobs".to_owned()))
    }

    fn broken(&self) -> CancellationToken {
        CancellationToken::new()
    }
}

#[tokio::test]
async fn without_a_rule_nothing_is_watched_but_rules_and_no_timer_runs() {
    let clock = FakeClock::new();
    let controller = Controller::new(Evaluated::default());
    let worker = controller.work(&clock);
    controller
        .until("the first look", |one| one.evaluations() == 1)
        .await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!controller.watches("facts"));
    assert_eq!(clock.sleepers(), 0);
    assert_eq!(controller.heard.lock().unwrap().evaluated, [None]);
    worker.kill();
    worker.wait().await.unwrap();
}

#[tokio::test]
async fn with_a_rule_facts_are_watched_and_evaluated_once_a_second_at_most() {
    let clock = FakeClock::new();
    let controller = Controller::new(Evaluated {
        rules: 1,
        facts: true,
        ..Evaluated::default()
    });
    let worker = controller.work(&clock);
    controller
        .until("facts are watched", |one| one.watches("facts"))
        .await;
    // However much changes meanwhile.
    clock.wait_sleepers(1).await;
    for _ in 0..10 {
        controller.facts.send_modify(|count| *count += 1);
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(controller.evaluations(), 1);
    clock.advance(PAUSE);
    controller
        .until("the second look", |one| one.evaluations() == 2)
        .await;
    // The rule is gone: facts are let go of.
    controller.heard.lock().unwrap().says = Evaluated::default();
    clock.wait_sleepers(1).await;
    clock.advance(PAUSE);
    tokio::time::sleep(Duration::from_millis(50)).await;
    controller.rules.send_modify(|count| *count += 1);
    controller
        .until("facts are not watched", |one| !one.watches("facts"))
        .await;
    worker.kill();
    worker.wait().await.unwrap();
}

#[tokio::test]
async fn the_next_time_is_waited_for_and_the_disk_is_looked_at_each_minute() {
    let clock = FakeClock::new();
    let controller = Controller::new(Evaluated {
        rules: 1,
        disk: true,
        ..Evaluated::default()
    });
    let worker = controller.work(&clock);
    // At first it is not known that a rule asks for the disk.
    for seen in 1..=2 {
        controller
            .until("a look", |one| one.evaluations() == seen)
            .await;
        clock.wait_sleepers(1).await;
        clock.advance(PAUSE);
    }
    {
        let heard = controller.heard.lock().unwrap();
        assert_eq!(heard.evaluated[0], None);
        let percent = heard.evaluated[1].unwrap();
        assert!((1..=100).contains(&percent), "{percent}");
    }
    clock.wait_sleepers(1).await;
    let wait = clock.next_wake();
    assert!(wait.is_some());
    clock.advance(DISK);
    controller
        .until("the next minute", |one| one.evaluations() == 3)
        .await;
    worker.kill();
    worker.wait().await.unwrap();
}

/// Has messages wait for a receiver from now on.
fn waits(controller: &Controller, clock: &FakeClock, receiver: &str, seconds: i64) {
    let due = clock.shared().now().as_microsecond() + seconds * 1_000_000;
    let mut heard = controller.heard.lock().unwrap();
    heard.waiting.insert(receiver.to_owned(), due);
}

#[tokio::test]
async fn messages_are_sent_when_they_are_due() {
    let clock = FakeClock::new();
    let controller = Controller::new(Evaluated::default());
    waits(&controller, &clock, "ops", 30);
    let worker = controller.work(&clock);
    clock.wait_sleepers(1).await;
    clock.advance(Duration::from_secs(29));
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(controller.delivered(&[]));
    clock.advance(Duration::from_secs(1));
    controller
        .until("the try", |one| one.delivered(&["ops"]))
        .await;
    // Nothing waits any more.
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(controller.delivered(&["ops"]));
    assert_eq!(clock.sleepers(), 0);
    worker.kill();
    worker.wait().await.unwrap();
}

#[tokio::test]
async fn a_receiver_that_hangs_delays_no_other_and_is_asked_no_second_time_meanwhile() {
    let clock = FakeClock::new();
    let controller = Controller::new(Evaluated::default());
    controller.heard.lock().unwrap().hangs = Some("hangs");
    waits(&controller, &clock, "hangs", 0);
    let worker = controller.work(&clock);
    controller
        .until("the first", |one| one.delivered(&["hangs"]))
        .await;
    for expected in [&["hangs", "ops"][..], &["hangs", "ops", "ops"][..]] {
        waits(&controller, &clock, "ops", 0);
        controller.rules.send_modify(|count| *count += 1);
        controller
            .until("the other", |one| one.delivered(expected))
            .await;
    }
    worker.kill();
    worker.wait().await.unwrap();
}

#[test]
fn what_comes_first_is_waited_for() {
    let said = |next, disk| Evaluated {
        rules: 1,
        disk,
        next,
        ..Evaluated::default()
    };
    let second = Duration::from_secs(1);
    assert_eq!(next(&said(None, false), 0), None);
    assert_eq!(next(&said(None, true), 0), Some(DISK));
    assert_eq!(next(&said(Some(1_000_000), true), 0), Some(second));
    assert_eq!(
        next(&said(Some(1_000_000), false), 5_000_000),
        Some(Duration::ZERO)
    );
}

#[test]
fn a_disk_is_as_full_as_df_says() {
    assert_eq!(percent(0, 100), Some(0));
    assert_eq!(percent(901, 99), Some(91));
    assert_eq!(percent(50, 50), Some(50));
    assert_eq!(percent(0, 0), None);
    assert_eq!(percent(u64::MAX, u64::MAX), Some(50));
}
