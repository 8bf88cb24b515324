use std::time::Duration;

use proptest::prelude::*;

use super::{Manager, Namespace};
use crate::StoreError;
use crate::testing::{Fixture, fixtures};
use periapt_model::{ModelUuid, Tag};

const LEADERSHIP: Namespace = Namespace::ApplicationLeadership;
const MINUTE: Duration = Duration::from_secs(60);

async fn claim(manager: &Manager, model: &ModelUuid, unit: u32) -> Result<(), StoreError> {
    manager
        .claim(LEADERSHIP, model, "site", &format!("site/{unit}"), MINUTE)
        .await
}

async fn holder(manager: &Manager, model: &ModelUuid) -> Option<String> {
    manager
        .holder(LEADERSHIP, model, "site")
        .await
        .expect("holder")
}

#[tokio::test]
async fn of_a_hundred_rivals_one_wins() {
    for fixture in fixtures().await {
        let model = fixture.model("default").await;
        let manager = Manager::new(&fixture.store);
        let rivals: Vec<_> = (0..100)
            .map(|unit| {
                let (manager, model) = (manager.clone(), model.clone());
                tokio::spawn(async move { claim(&manager, &model, unit).await })
            })
            .collect();
        let mut won = 0;
        for rival in rivals {
            match rival.await.expect("joined") {
                Ok(()) => won += 1,
                Err(error) => assert_eq!(error.code(), "leadership claim denied"),
            }
        }
        assert_eq!(won, 1);
        assert_eq!(manager.leases().await.expect("leases").len(), 1);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_denied_rival_that_waits_is_woken_when_the_time_is_over() {
    for fixture in fixtures().await {
        let model = fixture.model("default").await;
        let manager = Manager::new(&fixture.store);
        manager
            .wait_until_expired(LEADERSHIP, &model, "site")
            .await
            .expect("free at once");
        claim(&manager, &model, 0).await.expect("won");
        claim(&manager, &model, 1).await.expect_err("denied");
        let waiter = {
            let (manager, model) = (manager.clone(), model.clone());
            tokio::spawn(
                async move { manager.wait_until_expired(LEADERSHIP, &model, "site").await },
            )
        };
        fixture.clock.wait_sleepers(1).await;
        fixture.clock.advance(Duration::from_secs(30));
        claim(&manager, &model, 0).await.expect("extended");
        fixture.clock.advance(Duration::from_secs(30));
        fixture.clock.wait_sleepers(1).await;
        assert!(!waiter.is_finished());
        fixture.clock.advance(Duration::from_secs(31));
        waiter.await.expect("joined").expect("free");
        claim(&manager, &model, 1)
            .await
            .expect("taken over without a sweep");
        assert_eq!(holder(&manager, &model).await.as_deref(), Some("site/1"));
        fixture.end().await;
    }
}

#[tokio::test]
async fn revoking_wakes_at_once_and_only_the_holder_may() {
    for fixture in fixtures().await {
        let model = fixture.model("default").await;
        let manager = Manager::new(&fixture.store);
        manager
            .revoke(LEADERSHIP, &model, "site", "site/0")
            .await
            .expect("absent is fine");
        claim(&manager, &model, 0).await.expect("won");
        let refused = manager
            .revoke(LEADERSHIP, &model, "site", "site/1")
            .await
            .expect_err("not held");
        assert_eq!(
            refused,
            StoreError::LeaseDenied {
                lease: "site".to_owned()
            }
        );
        let waiter = {
            let (manager, model) = (manager.clone(), model.clone());
            tokio::spawn(
                async move { manager.wait_until_expired(LEADERSHIP, &model, "site").await },
            )
        };
        fixture.clock.wait_sleepers(1).await;
        manager
            .revoke(LEADERSHIP, &model, "site", "site/0")
            .await
            .expect("revoked");
        waiter.await.expect("joined").expect("free");
        assert!(
            manager
                .check(LEADERSHIP, &model, "site", "site/0")
                .await
                .is_err()
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_pin_keeps_the_holder_past_the_time() {
    for fixture in fixtures().await {
        let model = fixture.model("default").await;
        let manager = Manager::new(&fixture.store);
        let entity: Tag = "machine-0".parse().expect("tag");
        claim(&manager, &model, 0).await.expect("won");
        for _ in 0..2 {
            manager
                .pin(LEADERSHIP, &model, "site", &entity)
                .await
                .expect("pinned");
        }
        fixture.clock.advance(Duration::from_secs(600));
        assert_eq!(manager.expire_due().await.expect("swept"), 0);
        claim(&manager, &model, 1).await.expect_err("pinned");
        assert_eq!(manager.pinned().await.expect("pinned").len(), 1);
        for _ in 0..2 {
            manager
                .unpin(LEADERSHIP, &model, "site", &entity)
                .await
                .expect("unpinned");
        }
        assert_eq!(manager.expire_due().await.expect("swept"), 1);
        assert_eq!(holder(&manager, &model).await, None);
        fixture.end().await;
    }
}

#[tokio::test]
async fn after_an_outage_the_holder_has_a_period_to_come_back() {
    for mut fixture in fixtures().await {
        let model = fixture.model("default").await;
        claim(&Manager::new(&fixture.store), &model, 0)
            .await
            .expect("won");
        fixture.clock.advance(Duration::from_secs(3_600));
        fixture.reopen().await;
        let manager = Manager::new(&fixture.store);
        assert_eq!(manager.expire_due().await.expect("swept"), 0);
        claim(&manager, &model, 1).await.expect_err("held back");
        fixture.clock.advance(Duration::from_secs(59));
        assert_eq!(holder(&manager, &model).await.as_deref(), Some("site/0"));
        fixture.clock.advance(Duration::from_secs(1));
        assert_eq!(manager.expire_due().await.expect("swept"), 1);
        claim(&manager, &model, 1).await.expect("free");
        fixture.clock.advance(Duration::from_secs(60));
        assert_eq!(manager.expire_due().await.expect("swept"), 1, "only once");
        fixture.end().await;
    }
}

#[tokio::test]
async fn stopping_ends_waits_and_calls() {
    for fixture in fixtures().await {
        let model = fixture.model("default").await;
        let manager = Manager::new(&fixture.store);
        claim(&manager, &model, 0).await.expect("won");
        let waiter = {
            let (manager, model) = (manager.clone(), model.clone());
            tokio::spawn(
                async move { manager.wait_until_expired(LEADERSHIP, &model, "site").await },
            )
        };
        fixture.clock.wait_sleepers(1).await;
        manager.stop();
        assert_eq!(waiter.await.expect("joined"), Err(StoreError::Stopped));
        assert_eq!(claim(&manager, &model, 0).await, Err(StoreError::Stopped));
        claim(&Manager::new(&fixture.store), &model, 0)
            .await
            .expect("the row outlives the manager");
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_secretary_refuses_what_cannot_be() {
    for fixture in fixtures().await {
        let model = fixture.model("default").await;
        let manager = Manager::new(&fixture.store);
        let singular = Namespace::SingularController;
        let agent = Tag::Controller(model.clone()).to_string();
        for (namespace, name, holder, duration) in [
            (LEADERSHIP, "Site", "site/0", MINUTE),
            (LEADERSHIP, "site", "site", MINUTE),
            (LEADERSHIP, "site", "other/0", MINUTE),
            (LEADERSHIP, "site", "site/0", Duration::ZERO),
            (singular, "default", agent.as_str(), MINUTE),
            (singular, model.as_str(), "user-admin", MINUTE),
        ] {
            let refused = manager
                .claim(namespace, &model, name, holder, duration)
                .await
                .expect_err(name);
            assert_eq!(refused.code(), "bad request");
        }
        manager
            .claim(singular, &model, model.as_str(), &agent, MINUTE)
            .await
            .expect("granted");
        fixture.end().await;
    }
}

/// A wall clock that can be put forward and back beside the time that passes.
struct WrongClock {
    clock: periapt_engine::FakeClock,
    ahead: std::sync::atomic::AtomicI64,
}

impl periapt_engine::Clock for WrongClock {
    fn now(&self) -> jiff::Timestamp {
        let ahead = self.ahead.load(std::sync::atomic::Ordering::SeqCst);
        self.clock.now() + jiff::SignedDuration::from_secs(ahead)
    }

    fn monotonic(&self) -> Duration {
        self.clock.monotonic()
    }

    fn sleep(&self, duration: Duration) -> futures::future::BoxFuture<'static, ()> {
        self.clock.sleep(duration)
    }
}

#[tokio::test]
async fn a_clock_that_jumps_never_makes_two_holders_and_heals_within_a_period() {
    let clock = periapt_engine::FakeClock::new();
    let wrong = std::sync::Arc::new(WrongClock {
        clock: clock.clone(),
        ahead: 0.into(),
    });
    let jump = |seconds: i64| {
        wrong
            .ahead
            .store(seconds, std::sync::atomic::Ordering::SeqCst)
    };
    for fixture in crate::testing::fixtures_with(|options| options.clock = wrong.clone()).await {
        jump(0);
        let model = fixture.model("default").await;
        let manager = Manager::new(&fixture.store);
        claim(&manager, &model, 0).await.expect("won");
        jump(3_600);
        claim(&manager, &model, 1)
            .await
            .expect("over by the clock that counts");
        assert!(
            manager
                .check(LEADERSHIP, &model, "site", "site/0")
                .await
                .is_err()
        );
        jump(0);
        claim(&manager, &model, 0)
            .await
            .expect_err("held by the other");
        assert_eq!(manager.expire_due().await.expect("swept"), 0);
        clock.advance(Duration::from_secs(59));
        claim(&manager, &model, 0).await.expect_err("still held");
        clock.advance(Duration::from_secs(1));
        assert_eq!(manager.expire_due().await.expect("swept"), 1);
        claim(&manager, &model, 0).await.expect("free");
        fixture.end().await;
    }
}

#[derive(Clone, Debug)]
enum Step {
    Claim(u32),
    Revoke(u32),
    Advance(u64),
    Sweep,
    Pin(bool),
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..4_u32).prop_map(Step::Claim),
        1 => (0..4_u32).prop_map(Step::Revoke),
        4 => (1..90_u64).prop_map(Step::Advance),
        3 => Just(Step::Sweep),
        1 => any::<bool>().prop_map(Step::Pin),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..30)
}

/// What the lease must look like, kept by the plainest means.
#[derive(Default)]
struct Expected {
    /// Unit and end.
    holder: Option<(u32, u64)>,
    pinned: bool,
}

impl Expected {
    fn over(&self, now: u64) -> bool {
        match self.holder {
            None => true,
            Some(_) if self.pinned => false,
            Some((_, expires)) => expires <= now,
        }
    }
}

async fn follow(mut fixture: Fixture, steps: &[Step]) {
    let model = fixture.model("default").await;
    let entity: Tag = "machine-0".parse().expect("tag");
    let mut manager = Manager::new(&fixture.store);
    let mut expected = Expected::default();
    let mut now = 0_u64;
    for step in steps {
        match step {
            Step::Claim(unit) => {
                let won = claim(&manager, &model, *unit).await;
                let own = expected.holder.is_some_and(|(holder, _)| holder == *unit);
                if own || expected.over(now) {
                    won.expect("granted");
                    expected.holder = Some((*unit, now + 60));
                } else {
                    assert_eq!(won.expect_err("denied").code(), "leadership claim denied");
                }
            }
            Step::Revoke(unit) => {
                let name = format!("site/{unit}");
                let revoked = manager.revoke(LEADERSHIP, &model, "site", &name).await;
                match expected.holder {
                    Some((holder, _)) if holder != *unit => assert!(revoked.is_err()),
                    _ => {
                        revoked.expect("revoked");
                        expected.holder = None;
                    }
                }
            }
            Step::Advance(seconds) => {
                now += seconds;
                fixture.clock.advance(Duration::from_secs(*seconds));
            }
            Step::Sweep => {
                let swept = manager.expire_due().await.expect("swept");
                let due = expected.holder.is_some() && expected.over(now);
                assert_eq!(swept, u64::from(due));
                if due {
                    expected.holder = None;
                }
            }
            Step::Pin(true) => {
                manager
                    .pin(LEADERSHIP, &model, "site", &entity)
                    .await
                    .expect("pinned");
                expected.pinned = true;
            }
            Step::Pin(false) => {
                manager
                    .unpin(LEADERSHIP, &model, "site", &entity)
                    .await
                    .expect("unpinned");
                expected.pinned = false;
            }
            Step::Restart => {
                fixture.reopen().await;
                manager = Manager::new(&fixture.store);
                expected.holder = expected.holder.map(|(unit, expires)| {
                    (
                        unit,
                        if expires <= now + 30 {
                            now + 60
                        } else {
                            expires
                        },
                    )
                });
            }
        }
        assert!(
            manager.leases().await.expect("leases").len() <= 1,
            "one row at most"
        );
        let seen = holder(&manager, &model).await;
        let meant = expected
            .holder
            .filter(|_| !expected.over(now))
            .map(|(unit, _)| format!("site/{unit}"));
        assert_eq!(seen, meant);
    }
    fixture.end().await;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Claims, revocations, sweeps, pins, restarts and jumps of time in any order agree with
    /// the plain model of a lease.
    #[test]
    fn a_lease_follows_its_rules(steps in steps()) {
        let runtime = tokio::runtime::Runtime::new().expect("runtime");
        runtime.block_on(async {
            for fixture in fixtures().await {
                follow(fixture, &steps).await;
            }
        });
    }
}
