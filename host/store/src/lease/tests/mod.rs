//! The calls one by one. What holds for any course of them is in `properties`, a slow or killed
//! store in `slow`, several controllers in `shared`.

use std::time::Duration;

use periapt_model::refusal::Subject;

use super::{Manager, Namespace};
use crate::DatabaseError;
use crate::StoreError;
use crate::db::params;
use crate::testing::{Fixture, fixtures};
use periapt_model::{Life, ModelUuid, Tag};

mod properties;
mod shared;
mod slow;
mod time;

const LEADERSHIP: Namespace = Namespace::ApplicationLeadership;
const MINUTE: Duration = Duration::from_secs(60);

/// A model with `site/0` to `site/120`.
async fn rivals(fixture: &Fixture, name: &str) -> ModelUuid {
    let model = fixture.model(name).await;
    let uuid = model.clone();
    let units = fixture.store.write(move |tx| {
        Box::pin(async move {
            let sql = "WITH RECURSIVE rival (number) AS
                    (SELECT 0 UNION ALL SELECT number + 1 FROM rival WHERE number < 120)
                INSERT INTO unit (model_uuid, name, application, number, life, resolved,
                    workload_version, opened_ports, forced, created_at)
                SELECT $1, 'site/' || number, 'site', number, 'alive', 'none', '', '[]', 0, 0 FROM rival";
            tx.db.execute(sql, params![&uuid]).await?;
Ok(())
        })
    });
    units.await.expect("units");
    model
}

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
        let model = rivals(&fixture, "default").await;
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
                Err(error) => assert_eq!(error.refusal().call_code(), "leadership claim denied"),
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
        let model = rivals(&fixture, "default").await;
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
        let model = rivals(&fixture, "default").await;
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
        let model = rivals(&fixture, "default").await;
        let manager = Manager::new(&fixture.store);
        let entity: Tag = "machine-0".parse().expect("tag");
        claim(&manager, &model, 0).await.expect("won");
        for _ in 0..2 {
            manager.pin_leaders(&entity).await.expect("pinned");
        }
        fixture.clock.advance(Duration::from_secs(600));
        assert_eq!(manager.expire_due().await.expect("swept"), 0);
        claim(&manager, &model, 1).await.expect_err("pinned");
        assert_eq!(manager.pinned().await.expect("pinned").len(), 1);
        for _ in 0..2 {
            manager.unpin_leaders(&entity).await.expect("unpinned");
        }
        // It could not renew: it has a period to do so.
        fixture.clock.advance(Duration::from_secs(59));
        assert_eq!(manager.expire_due().await.expect("swept"), 0);
        claim(&manager, &model, 1).await.expect_err("held back");
        fixture.clock.advance(Duration::from_secs(1));
        assert_eq!(manager.expire_due().await.expect("swept"), 1);
        assert_eq!(holder(&manager, &model).await, None);

        // What nobody leads any more is not pinned.
        claim(&manager, &model, 0).await.expect("won");
        fixture.clock.advance(Duration::from_secs(60));
        manager.pin_leaders(&entity).await.expect("pinned");
        claim(&manager, &model, 1).await.expect("over");
        fixture.end().await;
    }
}

#[tokio::test]
async fn after_an_outage_the_holder_has_a_period_to_come_back() {
    for mut fixture in fixtures().await {
        let model = rivals(&fixture, "default").await;
        claim(&Manager::new(&fixture.store), &model, 0)
            .await
            .expect("won");
        fixture.clock.advance(Duration::from_secs(3_600));
        fixture.restart().await;
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
        let model = rivals(&fixture, "default").await;
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
        assert_eq!(
            waiter.await.expect("joined"),
            Err(DatabaseError::Stopped.into())
        );
        let entity: Tag = "machine-0".parse().expect("tag");
        let all = [
            claim(&manager, &model, 0).await,
            manager.revoke(LEADERSHIP, &model, "site", "site/0").await,
            manager.pin_leaders(&entity).await,
            manager.unpin_leaders(&entity).await,
            manager.check(LEADERSHIP, &model, "site", "site/0").await,
            manager.wait_until_expired(LEADERSHIP, &model, "site").await,
        ];
        assert!(
            all.iter()
                .all(|answer| *answer == Err(DatabaseError::Stopped.into())),
            "{all:?}"
        );
        claim(&Manager::new(&fixture.store), &model, 0)
            .await
            .expect("the row outlives the manager");
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_secretary_refuses_what_cannot_be() {
    for fixture in fixtures().await {
        let model = rivals(&fixture, "default").await;
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
            (singular, model.as_str(), &format!("agent-{model}"), MINUTE),
        ] {
            let refused = manager
                .claim(namespace, &model, name, holder, duration)
                .await
                .expect_err(name);
            assert_eq!(refused.refusal().call_code(), "bad request");
        }
        let refused = [
            manager.revoke(LEADERSHIP, &model, "site", "other/0").await,
            manager.check(LEADERSHIP, &model, "site", "other/0").await,
            manager.wait_until_expired(singular, &model, "site").await,
        ];
        for refused in refused {
            assert_eq!(
                refused.expect_err("refused").refusal().call_code(),
                "bad request"
            );
        }
        manager
            .claim(singular, &model, model.as_str(), &agent, MINUTE)
            .await
            .expect("granted");
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_report_tells_what_is_held_and_pinned_and_under_way() {
    for fixture in fixtures().await {
        let model = rivals(&fixture, "default").await;
        let manager = Manager::new(&fixture.store);
        let mut changed = manager.changed();
        claim(&manager, &model, 0).await.expect("won");
        claim(&manager, &model, 1).await.expect_err("denied");
        let entity: Tag = "machine-0".parse().expect("tag");
        manager.pin_leaders(&entity).await.expect("pinned");
        assert!(changed.has_changed().expect("the manager lives"));
        changed.mark_unchanged();
        let report = manager.full_report().await.expect("report");
        assert_eq!(report["claims"], 2);
        assert_eq!(report["denied"], 1);
        assert_eq!(report["outstanding-claims"], 0);
        assert_eq!(report["outstanding-revokes"], 0);
        assert_eq!(report["held"]["application-leadership"], 1);
        assert_eq!(report["pinned"][0]["holder"], "site/0");
        assert_eq!(report["pinned"][0]["pinned-by"][0], "machine-0");
        fixture.end().await;
    }
}

/// Sets the life of `site/0`.
async fn live(fixture: &Fixture, model: &ModelUuid, life: Life) {
    let model = model.clone();
    let set = fixture.store.write(move |tx| {
        Box::pin(async move {
            let sql = "UPDATE unit SET life = $2 WHERE model_uuid = $1 AND name = 'site/0'";
            tx.db.execute(sql, params![&model, life.as_str()]).await?;
            Ok(())
        })
    });
    set.await.expect("set");
}

#[tokio::test]
async fn only_a_unit_that_is_there_and_not_dead_leads() {
    for fixture in fixtures().await {
        let model = fixture.site(3).await;
        let manager = Manager::new(&fixture.store);
        let refused = claim(&manager, &model, 3).await.expect_err("no such unit");
        assert_eq!(refused, StoreError::not_found(Subject::Unit, "site/3"));
        claim(&manager, &model, 0).await.expect("won");

        // Dying it leads on, until it is dead; then it gets nothing back.
        live(&fixture, &model, Life::Dying).await;
        claim(&manager, &model, 0).await.expect("extended");
        live(&fixture, &model, Life::Dead).await;
        let refused = claim(&manager, &model, 0).await.expect_err("dead");
        assert_eq!(refused.refusal().code(), "unit-dead");
        fixture.clock.advance(MINUTE);
        let refused = claim(&manager, &model, 0).await.expect_err("dead");
        assert_eq!(refused.refusal().code(), "unit-dead");
        assert_eq!(holder(&manager, &model).await, None);
        claim(&manager, &model, 1)
            .await
            .expect("free for the living");

        // The same number in another model is another unit.
        let other = fixture.model("other").await;
        let refused = claim(&manager, &other, 1).await.expect_err("not there");
        assert_eq!(refused.refusal().code(), "unit-not-found");
        fixture.end().await;
    }
}
