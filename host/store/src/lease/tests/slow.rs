//! Stores that are slow, that fail for a while, and that are killed in the middle of a claim.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use periapt_model::ModelUuid;
use tokio::sync::oneshot;

use super::{LEADERSHIP, MINUTE, Manager, claim, holder, rivals};
use crate::DatabaseError;
use crate::lease::rows;
use crate::testing::{Fixture, fixtures};
use crate::{Store, StoreError};

/// A writer that is busy until told otherwise.
pub(super) struct Blocked {
    release: oneshot::Sender<()>,
}

impl Blocked {
    pub async fn begin(store: &Store) -> Self {
        let (entered, busy) = oneshot::channel();
        let (release, released) = oneshot::channel();
        let store = store.clone();
        tokio::spawn(async move {
            let job = store.write(|_| {
                Box::pin(async move {
                    let _ = entered.send(());
                    if released.await.is_err() {
                        // The process is being killed: it does not work on.
                        std::future::pending::<()>().await;
                    }
                    Ok(())
                })
            });
            let _ = job.await;
        });
        busy.await.expect("the writer took the job");
        Self { release }
    }

    pub fn end(self) {
        self.release.send(()).expect("the writer waits");
    }
}

/// Where a kill meets a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Killed {
    /// The writer has not begun with it.
    InQueue,
    /// The row is written and not committed.
    BeforeCommit,
    /// The row is committed and nobody was told.
    AfterCommit,
}

/// A controller on the fixture's database, which nobody else uses now, claims and is killed;
/// whether the claimant was told that it won.
pub(super) async fn killed_mid_claim(
    fixture: &Fixture,
    model: &ModelUuid,
    unit: u32,
    killed: Killed,
) -> bool {
    let (options, model) = (fixture.options(), model.clone());
    let told = Arc::new(AtomicBool::new(false));
    let tell = Arc::clone(&told);
    let life = std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("runtime");
        runtime.block_on(async move {
            let store = Store::open(options).await.expect("store");
            match killed {
                Killed::InQueue => {
                    let blocked = Blocked::begin(&store).await;
                    let manager = Manager::new(&store);
                    let claiming = {
                        let manager = manager.clone();
                        tokio::spawn(async move {
                            let won = claim(&manager, &model, unit).await.is_ok();
                            tell.store(won, Ordering::SeqCst);
                        })
                    };
                    while manager.report()["outstanding-claims"] == 0 && !claiming.is_finished() {
                        tokio::task::yield_now().await;
                    }
                    drop(blocked);
                }
                Killed::BeforeCommit | Killed::AfterCommit => {
                    let (reached, here) = oneshot::channel();
                    let job = tokio::spawn(async move {
                        let job = store.write(move |tx| {
                            Box::pin(async move {
                                let name = format!("site/{unit}");
                                let claimed =
                                    rows::claim(tx, LEADERSHIP, &model, "site", &name, MINUTE)
                                        .await;
                                let _ = reached.send(());
                                if killed == Killed::BeforeCommit {
                                    std::future::pending::<()>().await;
                                }
                                claimed
                            })
                        });
                        job.await
                    });
                    here.await.expect("the writer took the job");
                    if killed == Killed::AfterCommit {
                        let _ = job.await;
                    }
                }
            }
        });
        runtime.shutdown_timeout(Duration::from_secs(5));
    });
    tokio::task::spawn_blocking(move || life.join().expect("the controller lived"))
        .await
        .expect("joined");
    told.load(Ordering::SeqCst)
}

#[tokio::test]
async fn a_kill_in_the_middle_of_a_claim_leaves_the_old_or_the_new_holder() {
    for killed in [Killed::InQueue, Killed::BeforeCommit, Killed::AfterCommit] {
        for mut fixture in fixtures().await {
            let model = rivals(&fixture, "default").await;
            claim(&Manager::new(&fixture.store), &model, 0)
                .await
                .expect("won");
            fixture.store.close().await;
            fixture.clock.advance(Duration::from_secs(29));
            // The holder extends.
            assert!(!killed_mid_claim(&fixture, &model, 0, killed).await);
            fixture.reopen().await;
            let manager = Manager::new(&fixture.store);
            assert_eq!(holder(&manager, &model).await.as_deref(), Some("site/0"));
            claim(&manager, &model, 1).await.expect_err("denied");
            fixture.clock.advance(Duration::from_secs(61));
            assert_eq!(manager.expire_due().await.expect("swept"), 1);
            fixture.store.close().await;

            // Another takes it.
            assert!(!killed_mid_claim(&fixture, &model, 1, killed).await);
            fixture.reopen().await;
            let manager = Manager::new(&fixture.store);
            let expected = (killed == Killed::AfterCommit).then_some("site/1");
            assert_eq!(holder(&manager, &model).await.as_deref(), expected);
            claim(&manager, &model, 1).await.expect("its own, or free");
            fixture.end().await;
        }
    }
}

#[tokio::test]
async fn a_claim_on_a_store_that_does_not_answer_times_out_and_keeps_nobody_else_waiting() {
    for fixture in fixtures().await {
        let model = rivals(&fixture, "default").await;
        let manager = Manager::new(&fixture.store);
        let blocked = Blocked::begin(&fixture.store).await;
        let claiming = {
            let (manager, model) = (manager.clone(), model.clone());
            tokio::spawn(async move { claim(&manager, &model, 0).await })
        };
        let began = periapt_engine::Clock::monotonic(&fixture.clock);
        while !claiming.is_finished() {
            assert_eq!(holder(&manager, &model).await, None, "reads are answered");
            manager
                .wait_until_expired(LEADERSHIP, &model, "site")
                .await
                .expect("and waits");
            fixture.clock.advance_to_next();
            tokio::task::yield_now().await;
        }
        let took = periapt_engine::Clock::monotonic(&fixture.clock) - began;
        assert!(took < Duration::from_secs(30), "{took:?}");
        let answer = claiming.await.expect("joined").expect_err("no answer");
        assert_eq!(
            answer,
            StoreError::LeaseTimedOut {
                lease: "site".to_owned()
            }
        );
        assert_eq!(answer.refusal().call_code(), "try again");
        let report = manager.report();
        assert_eq!(
            (&report["retried"], &report["timed-out"]),
            (&9.into(), &1.into())
        );
        assert_eq!(report["outstanding-claims"], 1, "the store may still do it");
        blocked.end();
        claim(&manager, &model, 0).await.expect("extended or won");
        claim(&manager, &model, 1).await.expect_err("denied");
        assert_eq!(manager.report()["outstanding-claims"], 0);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_claim_survives_a_store_that_fails_for_a_while() {
    for fixture in fixtures().await {
        let model = rivals(&fixture, "default").await;
        let manager = Manager::new(&fixture.store);
        let rename = |sql: &'static str| {
            fixture
                .store
                .write(move |tx| Box::pin(async move { Ok(tx.db.raw(sql).await?) }))
        };
        rename("ALTER TABLE lease RENAME TO lease_away")
            .await
            .expect("renamed");
        let claiming = {
            let (manager, model) = (manager.clone(), model.clone());
            tokio::spawn(async move { claim(&manager, &model, 0).await })
        };
        // Only pauses pass: a try, which waits for two seconds, has all the time it needs.
        let pause = || async {
            let next = fixture.clock.next_wake();
            if next.is_some_and(|wake| wake < Duration::from_secs(1)) {
                fixture.clock.advance_to_next();
            }
            tokio::task::yield_now().await;
        };
        while manager.report()["retried"].as_u64() < Some(3) {
            pause().await;
        }
        rename("ALTER TABLE lease_away RENAME TO lease")
            .await
            .expect("renamed");
        while !claiming.is_finished() {
            pause().await;
        }
        claiming.await.expect("joined").expect("won at last");
        assert_eq!(holder(&manager, &model).await.as_deref(), Some("site/0"));
        fixture.schema_changed();
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_shutdown_waits_for_claims_under_way_and_not_for_ever() {
    const BOUND: Duration = Duration::from_millis(1_500);
    for fixture in fixtures().await {
        for in_time in [true, false] {
            let model = rivals(&fixture, if in_time { "one" } else { "two" }).await;
            let manager = Manager::new(&fixture.store);
            let blocked = Blocked::begin(&fixture.store).await;
            let claiming = {
                let (manager, model) = (manager.clone(), model.clone());
                tokio::spawn(async move { claim(&manager, &model, 0).await })
            };
            // The claim's own timer and the shutdown's.
            fixture.clock.wait_sleepers(1).await;
            let stopping = {
                let manager = manager.clone();
                tokio::spawn(async move { manager.shut_down(BOUND).await })
            };
            fixture.clock.wait_sleepers(2).await;
            assert!(!manager.is_running());
            assert_eq!(manager.report()["outstanding-claims"], 1);
            assert_eq!(
                claim(&manager, &model, 1).await,
                Err(DatabaseError::Stopped.into()),
                "nothing new is taken"
            );
            if in_time {
                blocked.end();
                assert!(stopping.await.expect("joined"));
                claiming.await.expect("joined").expect("told that it won");
            } else {
                fixture.clock.advance(BOUND);
                assert!(!stopping.await.expect("joined"));
                assert_eq!(
                    claiming.await.expect("joined"),
                    Err(DatabaseError::Stopped.into())
                );
                blocked.end();
            }
        }
        fixture.end().await;
    }
}
