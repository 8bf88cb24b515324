//! Any course of claims, storms of claims, revocations, sweeps, pins, restarts, kills in the
//! middle of a claim, slow answers and jumps of the clock agrees with the plain model of a lease.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use periapt_model::{ModelUuid, Tag};
use proptest::prelude::*;

use super::slow::{Blocked, Killed, killed_mid_claim};
use super::time::WrongClock;
use super::{LEADERSHIP, Manager, claim, holder, rivals};
use crate::testing::{Fixture, fixtures_with};

/// Rivals of a storm.
const CROWD: u32 = 100;

#[derive(Clone, Debug)]
enum Step {
    Claim(u32),
    /// All of the crowd at once.
    Storm,
    Revoke(u32),
    Advance(u64),
    /// The wall clock goes forward or back beside the time that passes.
    Jump(i64),
    Sweep,
    Pin(bool),
    Restart,
    /// A controller claims for the unit and is killed.
    KilledMidClaim(u32, Killed),
    /// A claim that stands in the queue while others read.
    SlowClaim(u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let killed = prop_oneof![
        Just(Killed::BeforeCommit),
        Just(Killed::AfterCommit),
        Just(Killed::InQueue)
    ];
    let step = prop_oneof![
        12 => (0..4_u32).prop_map(Step::Claim),
        1 => Just(Step::Storm),
        2 => (0..4_u32).prop_map(Step::Revoke),
        8 => (1..90_u64).prop_map(Step::Advance),
        2 => (-200..200_i64).prop_map(Step::Jump),
        6 => Just(Step::Sweep),
        2 => any::<bool>().prop_map(Step::Pin),
        2 => Just(Step::Restart),
        2 => (0..4_u32, killed).prop_map(|(unit, killed)| Step::KilledMidClaim(unit, killed)),
        2 => (0..4_u32).prop_map(Step::SlowClaim),
    ];
    prop::collection::vec(step, 1..30)
}

/// A row, in seconds of the wall clock.
#[derive(Clone, Copy, Debug)]
struct Row {
    unit: u32,
    started: i64,
    expires: i64,
}

/// What the lease must look like, kept by the plainest means.
#[derive(Default)]
struct Expected {
    row: Option<Row>,
    pinned: bool,
}

impl Expected {
    fn over(&self, now: i64) -> bool {
        self.row
            .is_none_or(|row| !self.pinned && row.expires <= now)
    }

    fn may_claim(&self, unit: u32, now: i64) -> bool {
        self.over(now) || self.row.is_some_and(|row| row.unit == unit)
    }

    fn claimed(&mut self, unit: u32, now: i64) {
        self.row = Some(Row {
            unit,
            started: now,
            expires: now + 60,
        });
    }

    /// A store that opens alone gives a holder that is late one more period.
    fn reopened(&mut self, now: i64) {
        if let Some(row) = &mut self.row {
            let period = row.expires - row.started;
            if row.expires - now <= period / 2 {
                (row.started, row.expires) = (now, now + period);
            }
        }
    }

    /// How many rows a sweep removes.
    fn swept(&mut self, now: i64) -> u64 {
        if let Some(row) = &mut self.row
            && row.started > now
        {
            let period = row.expires - row.started;
            (row.started, row.expires) = (now, now + period);
        }
        let removed = self.row.is_some() && self.over(now);
        if removed {
            self.row = None;
        }
        u64::from(removed)
    }
}

struct Course {
    fixture: Fixture,
    wrong: Arc<WrongClock>,
    manager: Manager,
    model: ModelUuid,
    expected: Expected,
    passed: i64,
    ahead: i64,
}

impl Course {
    fn now(&self) -> i64 {
        self.passed + self.ahead
    }

    fn advance(&mut self, seconds: u64) {
        self.passed += i64::try_from(seconds).expect("seconds");
        self.wrong.clock.advance(Duration::from_secs(seconds));
    }

    fn judge(&mut self, unit: u32, won: Result<(), crate::StoreError>) {
        if self.expected.may_claim(unit, self.now()) {
            won.expect("granted");
            self.expected.claimed(unit, self.now());
        } else {
            assert_eq!(
                won.expect_err("denied").refusal().call_code(),
                "leadership claim denied"
            );
        }
    }

    async fn storm(&mut self) {
        let rivals: Vec<_> = (0..CROWD)
            .map(|unit| {
                let (manager, model) = (self.manager.clone(), self.model.clone());
                tokio::spawn(async move { (unit, claim(&manager, &model, unit).await) })
            })
            .collect();
        let mut winners = Vec::new();
        for rival in rivals {
            let (unit, won) = rival.await.expect("joined");
            match won {
                Ok(()) => winners.push(unit),
                Err(error) => assert_eq!(error.refusal().call_code(), "leadership claim denied"),
            }
        }
        assert_eq!(winners.len(), 1, "{winners:?}");
        assert!(self.expected.may_claim(winners[0], self.now()));
        self.expected.claimed(winners[0], self.now());
    }

    async fn take(&mut self, step: &Step) {
        let site = "site";
        let entity: Tag = "machine-0".parse().expect("tag");
        match step {
            Step::Claim(unit) => {
                let won = claim(&self.manager, &self.model, *unit).await;
                self.judge(*unit, won);
            }
            Step::Storm => self.storm().await,
            Step::Revoke(unit) => {
                let name = format!("site/{unit}");
                let revoked = self.manager.revoke(LEADERSHIP, &self.model, site, &name);
                let revoked = revoked.await;
                match self.expected.row {
                    Some(row) if row.unit != *unit => assert!(revoked.is_err()),
                    _ => {
                        revoked.expect("revoked");
                        self.expected.row = None;
                    }
                }
            }
            Step::Advance(seconds) => self.advance(*seconds),
            Step::Jump(ahead) => {
                self.ahead = *ahead;
                self.wrong.jump(*ahead);
            }
            Step::Sweep => {
                let swept = self.manager.expire_due().await.expect("swept");
                assert_eq!(swept, self.expected.swept(self.now()));
            }
            Step::Pin(true) => {
                let pinned = self.manager.pin_leaders(&entity);
                pinned.await.expect("pinned");
                self.expected.pinned |= !self.expected.over(self.now());
            }
            Step::Pin(false) => {
                let unpinned = self.manager.unpin_leaders(&entity);
                unpinned.await.expect("unpinned");
                if std::mem::take(&mut self.expected.pinned) {
                    self.expected.reopened(self.now());
                }
            }
            Step::Restart => {
                self.fixture.restart().await;
                self.manager = Manager::new(&self.fixture.store);
                self.expected.reopened(self.now());
            }
            Step::KilledMidClaim(unit, killed) => {
                self.fixture.store.close().await;
                self.expected.reopened(self.now());
                let told = killed_mid_claim(&self.fixture, &self.model, *unit, *killed).await;
                assert!(!told, "nobody is told of a claim that a kill cut short");
                if *killed == Killed::AfterCommit && self.expected.may_claim(*unit, self.now()) {
                    self.expected.claimed(*unit, self.now());
                }
                self.fixture.reopen().await;
                self.manager = Manager::new(&self.fixture.store);
                self.expected.reopened(self.now());
            }
            Step::SlowClaim(unit) => {
                let blocked = Blocked::begin(&self.fixture.store).await;
                let claiming = {
                    let (manager, model, unit) = (self.manager.clone(), self.model.clone(), *unit);
                    tokio::spawn(async move { claim(&manager, &model, unit).await })
                };
                while self.manager.report()["outstanding-claims"] == 0 && !claiming.is_finished() {
                    tokio::task::yield_now().await;
                }
                // Readers do not wait for the writer.
                self.seen().await;
                blocked.end();
                let won = claiming.await.expect("joined");
                self.judge(*unit, won);
            }
        }
    }

    /// The rows and their reader agree with what is expected.
    async fn seen(&self) {
        let rows = self.manager.leases().await.expect("leases");
        assert!(rows.len() <= 1, "one row at most");
        let meant = self
            .expected
            .row
            .filter(|_| !self.expected.over(self.now()))
            .map(|row| format!("site/{}", row.unit));
        assert_eq!(holder(&self.manager, &self.model).await, meant);
    }
}

async fn follow(wrong: Arc<WrongClock>, fixture: Fixture, steps: &[Step]) {
    let model = rivals(&fixture, "default").await;
    let mut course = Course {
        manager: Manager::new(&fixture.store),
        fixture,
        wrong,
        model,
        expected: Expected::default(),
        passed: 0,
        ahead: 0,
    };
    for step in steps {
        course.take(step).await;
        course.seen().await;
    }
    course.fixture.end().await;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_lease_follows_its_rules(steps in steps()) {
        let runtime = tokio::runtime::Runtime::new().expect("runtime");
        runtime.block_on(async {
            let clocks = Mutex::new(Vec::new());
            let fixtures = fixtures_with(|options| {
                let wrong = WrongClock::new();
                options.clock = wrong.clone();
                clocks.lock().expect("lock").push(wrong);
            });
            let fixtures = fixtures.await;
            let clocks = clocks.into_inner().expect("lock");
            for (fixture, wrong) in fixtures.into_iter().zip(clocks) {
                follow(wrong, fixture, &steps).await;
            }
        });
    }
}
