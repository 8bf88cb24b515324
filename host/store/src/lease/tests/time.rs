//! Clocks: those that jump, the database server's, and when who waits is woken.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use periapt_engine::{Clock, FakeClock};

use super::{LEADERSHIP, Manager, claim, holder, rivals};
use crate::LeaseTime;
use crate::testing::{fixtures, fixtures_with};

/// A wall clock that can be put forward and back beside the time that passes.
pub(super) struct WrongClock {
    pub clock: FakeClock,
    ahead: AtomicI64,
}

impl WrongClock {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            clock: FakeClock::new(),
            ahead: 0.into(),
        })
    }

    /// How far the wall clock is ahead of the time that passed, in seconds.
    pub fn jump(&self, ahead: i64) {
        self.ahead.store(ahead, Ordering::SeqCst);
    }
}

impl Clock for WrongClock {
    fn now(&self) -> jiff::Timestamp {
        let ahead = self.ahead.load(Ordering::SeqCst);
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
    let wrong = WrongClock::new();
    let clock = wrong.clock.clone();
    for fixture in fixtures_with(|options| options.clock = wrong.clone()).await {
        wrong.jump(0);
        let model = rivals(&fixture, "default").await;
        let manager = Manager::new(&fixture.store);
        claim(&manager, &model, 0).await.expect("won");
        wrong.jump(3_600);
        claim(&manager, &model, 1)
            .await
            .expect("over by the clock that counts");
        assert!(
            manager
                .check(LEADERSHIP, &model, "site", "site/0")
                .await
                .is_err()
        );
        wrong.jump(0);
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

#[tokio::test]
async fn a_denied_rival_that_waits_is_woken_within_two_seconds_of_the_end() {
    for fixture in fixtures().await {
        let model = rivals(&fixture, "default").await;
        let manager = Manager::new(&fixture.store);
        claim(&manager, &model, 0).await.expect("won");
        let (tell, mut winners) = tokio::sync::mpsc::unbounded_channel();
        let rivals: Vec<_> = (1..=100)
            .map(|unit| {
                let (manager, model, tell) = (manager.clone(), model.clone(), tell.clone());
                tokio::spawn(async move {
                    claim(&manager, &model, unit).await.expect_err("denied");
                    let wait = manager.wait_until_expired(LEADERSHIP, &model, "site");
                    wait.await.expect("free");
                    if claim(&manager, &model, unit).await.is_ok() {
                        tell.send(unit).expect("somebody listens");
                    }
                })
            })
            .collect();
        // The claims of the hundred may still hold their own timers.
        while manager.report()["waiting"] != 100 || manager.report()["outstanding-claims"] != 0 {
            tokio::task::yield_now().await;
        }
        fixture.clock.wait_sleepers(100).await;
        fixture.clock.advance(Duration::from_secs(59));
        assert_eq!(manager.report()["waiting"], 100, "held for a whole minute");
        fixture.clock.advance(Duration::from_secs(3));
        // Whoever looks only after one has won waits on, for the new holder.
        let winner = winners.recv().await.expect("one wins");
        assert_eq!(
            holder(&manager, &model).await,
            Some(format!("site/{winner}"))
        );
        for rival in rivals {
            rival.abort();
            let _ = rival.await;
        }
        assert!(winners.try_recv().is_err(), "one only");
        fixture.end().await;
    }
}

#[tokio::test]
async fn on_postgresql_the_servers_clock_decides_whatever_the_controllers_think() {
    for fixture in fixtures_with(|options| options.lease_time = LeaseTime::Auto).await {
        if !fixture.is_postgres() {
            fixture.end().await;
            continue;
        }
        let model = rivals(&fixture, "default").await;
        let second = fixture.second().await;
        let (one, other) = (Manager::new(&fixture.store), Manager::new(&second));
        let short = Duration::from_millis(1_100);
        let began = std::time::Instant::now();
        one.claim(LEADERSHIP, &model, "site", "site/0", short)
            .await
            .expect("won");
        // The controllers' clocks stand at the start of a year; an hour more changes nothing.
        fixture.clock.advance(Duration::from_secs(3_600));
        claim(&other, &model, 1).await.expect_err("denied");
        assert_eq!(other.expire_due().await.expect("swept"), 0);
        let lease = &other.leases().await.expect("leases")[0];
        assert_eq!(
            lease.expires_at - lease.started_at,
            2_000_000,
            "whole seconds, rounded up"
        );
        assert!(
            lease.started_at > fixture.store.now() + 3_600_000_000,
            "the server's time, not that of the controllers"
        );
        while claim(&other, &model, 1).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
            assert!(began.elapsed() < Duration::from_secs(60), "never free");
        }
        assert!(began.elapsed() >= Duration::from_secs(2), "taken early");
        assert_eq!(holder(&one, &model).await.as_deref(), Some("site/1"));
        second.close().await;
        fixture.end().await;
    }
}
