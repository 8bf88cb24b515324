//! Several controllers on one database, each with a manager of its own.

use std::time::Duration;

use periapt_model::Tag;
use tokio_util::sync::CancellationToken;

use super::{LEADERSHIP, MINUTE, Manager, Namespace, claim, holder, rivals};
use crate::testing::fixtures;

#[tokio::test]
async fn a_hundred_rivals_over_two_managers_have_one_winner() {
    for fixture in fixtures().await {
        let model = rivals(&fixture, "default").await;
        let second = fixture.second().await;
        let managers = [Manager::new(&fixture.store), Manager::new(&second)];
        for round in 0..3 {
            let rivals: Vec<_> = (0..100)
                .map(|unit| {
                    let manager = managers[unit as usize % 2].clone();
                    let model = model.clone();
                    tokio::spawn(async move { (unit, claim(&manager, &model, unit).await) })
                })
                .collect();
            let mut winners = Vec::new();
            for rival in rivals {
                let (unit, won) = rival.await.expect("joined");
                match won {
                    Ok(()) => winners.push(format!("site/{unit}")),
                    Err(error) => {
                        assert_eq!(error.refusal().call_code(), "leadership claim denied")
                    }
                }
            }
            assert_eq!(winners.len(), 1, "round {round}: {winners:?}");
            for manager in &managers {
                assert_eq!(holder(manager, &model).await.as_ref(), winners.first());
            }
            managers[round % 2]
                .revoke(LEADERSHIP, &model, "site", &winners[0])
                .await
                .expect("revoked, wherever it was granted");
        }
        second.close().await;
        fixture.end().await;
    }
}

#[tokio::test]
async fn two_controllers_that_want_one_singular_lease_see_the_same_holder() {
    for fixture in fixtures().await {
        let model = rivals(&fixture, "default").await;
        let second = fixture.second().await;
        let managers = [Manager::new(&fixture.store), Manager::new(&second)];
        let singular = Namespace::SingularController;
        let want = |node: usize| {
            let (manager, model) = (managers[node].clone(), model.clone());
            tokio::spawn(async move {
                let claimant = format!("machine-{node}");
                manager
                    .claim(singular, &model, model.as_str(), &claimant, MINUTE)
                    .await
            })
        };
        let (one, other) = (want(0), want(1));
        let won = [
            one.await.expect("joined").is_ok(),
            other.await.expect("joined").is_ok(),
        ];
        assert_eq!(won.iter().filter(|won| **won).count(), 1);
        let expected = if won[0] { "machine-0" } else { "machine-1" };
        for manager in &managers {
            let seen = manager.holder(singular, &model, model.as_str()).await;
            assert_eq!(seen.expect("holder").as_deref(), Some(expected));
        }
        second.close().await;
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_controller_that_joins_lengthens_no_lease_and_the_first_after_an_outage_does() {
    for mut fixture in fixtures().await {
        if !fixture.is_postgres() {
            // A file serves one controller.
            fixture.end().await;
            continue;
        }
        let model = rivals(&fixture, "default").await;
        let manager = Manager::new(&fixture.store);
        claim(&manager, &model, 0).await.expect("won");
        fixture.clock.advance(Duration::from_secs(50));
        let before = manager.leases().await.expect("leases");
        let second = fixture.second().await;
        let other = Manager::new(&second);
        assert_eq!(other.leases().await.expect("leases"), before);

        // The first goes and comes back: the second served all the time.
        fixture.restart().await;
        assert_eq!(other.leases().await.expect("leases"), before);

        // All go.
        second.close().await;
        fixture.restart().await;
        let manager = Manager::new(&fixture.store);
        let after = manager.leases().await.expect("leases");
        assert_eq!(after[0].expires_at, before[0].expires_at + 50_000_000);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_revocation_at_one_controller_wakes_who_waits_at_another_and_its_pins_hold_there() {
    for fixture in fixtures().await {
        if !fixture.is_postgres() {
            fixture.end().await;
            continue;
        }
        let model = rivals(&fixture, "default").await;
        let second = fixture.second().await;
        let (one, other) = (Manager::new(&fixture.store), Manager::new(&second));
        let stop = CancellationToken::new();
        let stream = {
            let (changes, stop) = (second.changes(), stop.clone());
            tokio::spawn(async move { changes.run(stop).await })
        };
        claim(&one, &model, 0).await.expect("won");
        let waiter = {
            let (manager, model) = (other.clone(), model.clone());
            tokio::spawn(
                async move { manager.wait_until_expired(LEADERSHIP, &model, "site").await },
            )
        };
        fixture.clock.wait_sleepers(1).await;
        one.revoke(LEADERSHIP, &model, "site", "site/0")
            .await
            .expect("revoked");
        waiter.await.expect("joined").expect("free");

        let entity: Tag = "machine-0".parse().expect("tag");
        claim(&one, &model, 0).await.expect("won");
        one.pin_leaders(&entity).await.expect("pinned");
        fixture.clock.advance(Duration::from_secs(600));
        assert_eq!(other.expire_due().await.expect("swept"), 0);
        claim(&other, &model, 1).await.expect_err("pinned");
        stop.cancel();
        stream.await.expect("joined").expect("ended");
        second.close().await;
        fixture.end().await;
    }
}
