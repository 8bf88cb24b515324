use std::time::Duration;

use periapt_model::status::{Agent, Status};
use periapt_model::uniter::{OperationState, Resolved};
use periapt_model::{AgentName, Life};

use crate::lease::{Manager, Namespace};
use crate::testing::{Fixture, application, fixtures, machine, present, unit};
use periapt_model::ModelUuid;

/// A site whose units' agents have started.
async fn started(fixture: &Fixture, units: u32) -> ModelUuid {
    let model = fixture.site(units).await;
    fixture.provision(&model).await;
    for number in 0..units {
        let unit = unit(&format!("site/{number}"));
        fixture
            .store
            .set_state(&model, &unit, 0, &OperationState::default(), false)
            .await
            .expect("state");
        let idle = Status::new(Agent::Idle, "");
        fixture
            .store
            .set_agent_status(&model, &unit, idle)
            .await
            .expect("status");
    }
    model
}

/// What machiner, provisioner and machine undertaker do with a dying machine.
async fn finish_machine(fixture: &Fixture, model: &ModelUuid, id: &str) {
    let (store, id) = (&fixture.store, machine(id));
    store.ensure_machiner_dead(model, &id).await.expect("dead");
    store
        .mark_machine_for_removal(model, &id)
        .await
        .expect("marked");
    assert!(
        store
            .get_machines(model, std::slice::from_ref(&id))
            .await
            .expect("machines")
            .is_empty()
    );
    assert_eq!(
        store.all_machine_removals(model).await.expect("removals"),
        std::slice::from_ref(&id)
    );
    store
        .complete_machine_removals(model, std::slice::from_ref(&id))
        .await
        .expect("removed");
    store
        .complete_machine_removals(model, std::slice::from_ref(&id))
        .await
        .expect("twice is fine");
    assert_eq!(store.machine_life(model, &id).await.expect("life"), None);
}

#[tokio::test]
async fn a_unit_that_never_started_is_gone_at_once() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(2).await;
        store
            .remove_unit(&model, &unit("site/0"), false)
            .await
            .expect("removed");
        assert_eq!(
            store
                .get_remote_state(&model, &unit("site/0"))
                .await
                .expect("state"),
            None
        );
        let machines = store.get_machines(&model, &[]).await.expect("machines");
        assert_eq!(machines[0].life, Life::Dying);
        assert_eq!(machines[1].life, Life::Alive);
        store
            .ensure_machine_dead(&model, &machine("0"))
            .await
            .expect("never provisioned");
        assert_eq!(
            store
                .machine_life(&model, &machine("0"))
                .await
                .expect("life"),
            Some(Life::Dead)
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_unit_goes_through_its_stations() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = started(&fixture, 2).await;
        let leases = Manager::new(store);
        let leadership = Namespace::ApplicationLeadership;
        leases
            .claim(
                leadership,
                &model,
                "site",
                "site/0",
                Duration::from_secs(60),
            )
            .await
            .expect("claimed");
        assert!(
            store
                .unit(&model, &unit("site/0"), &present)
                .await
                .expect("unit")
                .leader
        );

        assert_eq!(
            store
                .ensure_unit_dead(&model, &unit("site/0"))
                .await
                .expect_err("alive")
                .refusal()
                .call_code(),
            "unit-alive"
        );
        let removal = store
            .remove_unit(&model, &unit("site/0"), false)
            .await
            .expect("removed");
        assert_eq!(removal.machines, [machine("0")]);
        let info = store
            .unit(&model, &unit("site/0"), &present)
            .await
            .expect("unit");
        assert_eq!(info.life, Life::Dying);
        assert!(
            info.waiting_for
                .iter()
                .any(|text| text.contains("stop and remove hooks"))
        );
        let early = store
            .remove_dead_unit(&model, &unit("site/0"))
            .await
            .expect_err("not dead");
        assert_eq!(early.refusal().call_code(), "unit-not-dead");
        let early = store
            .ensure_machiner_dead(&model, &machine("0"))
            .await
            .expect_err("alive");
        assert_eq!(early.refusal().call_code(), "machine-alive");

        store
            .ensure_unit_dead(&model, &unit("site/0"))
            .await
            .expect("dead");
        assert_eq!(
            leases
                .holder(leadership, &model, "site")
                .await
                .expect("holder"),
            None
        );
        store
            .remove_dead_unit(&model, &unit("site/0"))
            .await
            .expect("removed");
        store
            .remove_dead_unit(&model, &unit("site/0"))
            .await
            .expect("twice is fine");
        finish_machine(&fixture, &model, "0").await;
        assert_eq!(
            store
                .hosted_machines(&model, &AgentName::Host)
                .await
                .expect("hosted"),
            [machine("1")]
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_machine_with_units_does_not_die() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = started(&fixture, 1).await;
        store
            .write({
                let model = model.clone();
                move |tx| {
                    Box::pin(async move {
                        crate::machine::set_life(tx, &model, &machine("0"), Life::Dying).await
                    })
                }
            })
            .await
            .expect("dying");
        let refused = store
            .ensure_machiner_dead(&model, &machine("0"))
            .await
            .expect_err("units");
        assert_eq!(refused.refusal().call_code(), "machine has assigned units");
        fixture.end().await;
    }
}

#[tokio::test]
async fn removing_an_application_drains_the_queue_and_a_poisoned_item_stops_nobody() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = started(&fixture, 3).await;
        store
            .write({
                let params = crate::db::params![&model];
                move |tx| {
                    Box::pin(async move {
                        let sql = "INSERT INTO cleanup (id, model_uuid, kind, subject, args, due_at, attempts, last_error)
                            VALUES (1, $1, 'application-units', 'not a name', '{}', 0, 0, '')";
                        Ok(tx.db.execute(sql, params).await?)
                    })
                }
            })
            .await
            .expect("poisoned");
        store
            .remove_application(&model, &application("site"), false)
            .await
            .expect("removed");
        let report = store.cleanup(&model).await.expect("cleaned");
        // Beside it the deadlines of three units.
        assert_eq!((report.remaining, report.errors.len()), (4, 1));
        for number in 0..3 {
            let unit = unit(&format!("site/{number}"));
            let state = store
                .get_remote_state(&model, &unit)
                .await
                .expect("state")
                .expect("there");
            assert_eq!(state.life, Life::Dying);
            store.ensure_unit_dead(&model, &unit).await.expect("dead");
            store
                .remove_dead_unit(&model, &unit)
                .await
                .expect("removed");
        }
        assert!(store.applications(&model).await.expect("list").is_empty());
        // And then of three machines.
        assert_eq!(store.cleanup(&model).await.expect("cleaned").remaining, 4);
        fixture.end().await;
    }
}

#[tokio::test]
async fn force_ends_within_its_waits_whatever_the_agent_does() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = started(&fixture, 1).await;
        let failed = Status::new(Agent::Error, "hook failed: \"stop\"");
        store
            .set_agent_status(&model, &unit("site/0"), failed)
            .await
            .expect("status");
        store
            .remove_unit(&model, &unit("site/0"), true)
            .await
            .expect("removed");
        store
            .remove_unit(&model, &unit("site/0"), true)
            .await
            .expect("again");
        let report = store.cleanup(&model).await.expect("cleaned");
        assert_eq!(report.remaining, 1);
        let due = report.next_due.expect("due");
        let state = store
            .get_remote_state(&model, &unit("site/0"))
            .await
            .expect("state")
            .expect("there");
        assert_eq!(
            (state.life, state.resolved),
            (Life::Dying, Resolved::NoHooks)
        );
        assert_eq!(
            store.cleanup(&model).await.expect("not due").next_due,
            Some(due)
        );

        fixture.clock.advance(Duration::from_secs(60));
        store.cleanup(&model).await.expect("cleaned");
        assert_eq!(
            store
                .get_remote_state(&model, &unit("site/0"))
                .await
                .expect("state"),
            None
        );
        assert_eq!(
            store
                .machine_life(&model, &machine("0"))
                .await
                .expect("life"),
            Some(Life::Dying)
        );
        fixture.clock.advance(Duration::from_secs(60));
        let report = store.cleanup(&model).await.expect("cleaned");
        assert_eq!(
            store
                .machine_life(&model, &machine("0"))
                .await
                .expect("life"),
            Some(Life::Dead)
        );
        // The time by which its instance has to be stopped.
        assert_eq!(report.remaining, 1);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_model_counts_down_and_leaves_nothing() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = started(&fixture, 1).await;
        let info = store
            .application_charm(&model, &application("site"))
            .await
            .expect("charm");
        assert_eq!(
            store
                .process_dying_model(&model)
                .await
                .expect_err("alive")
                .refusal()
                .call_code(),
            "model-alive"
        );
        store
            .destroy_model(&model, false, None)
            .await
            .expect("destroyed");
        store
            .destroy_model(&model, false, None)
            .await
            .expect("again");
        store.cleanup(&model).await.expect("cleaned");
        assert_eq!(
            store
                .process_dying_model(&model)
                .await
                .expect_err("full")
                .refusal()
                .call_code(),
            "model not empty"
        );
        let seen = store
            .get_undertaker_model(&model)
            .await
            .expect("model")
            .expect("there");
        assert_eq!((seen.applications, seen.units, seen.machines), (1, 1, 1));
        store
            .ensure_unit_dead(&model, &unit("site/0"))
            .await
            .expect("dead");
        store
            .remove_dead_unit(&model, &unit("site/0"))
            .await
            .expect("removed");
        finish_machine(&fixture, &model, "0").await;
        assert_eq!(
            store
                .remove_model(&model)
                .await
                .expect_err("dying")
                .refusal()
                .call_code(),
            "model-not-dead"
        );
        store.process_dying_model(&model).await.expect("dead");
        store.remove_model(&model).await.expect("gone");
        store.remove_model(&model).await.expect("twice is fine");
        assert!(store.models().await.expect("models").is_empty());
        assert!(!store.has_blob(&info.sha256).await.expect("asked"));
        assert_eq!(
            store
                .get_model(&model)
                .await
                .expect("asked")
                .map(|model| model.uuid),
            None
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_forced_model_dies_when_its_time_is_over() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = started(&fixture, 1).await;
        store
            .destroy_model(&model, true, Some(5_000))
            .await
            .expect("destroyed");
        store.cleanup(&model).await.expect("cleaned");
        assert_eq!(
            store
                .process_dying_model(&model)
                .await
                .expect_err("early")
                .refusal()
                .call_code(),
            "model not empty"
        );
        fixture.clock.advance(Duration::from_secs(5));
        store.process_dying_model(&model).await.expect("dead");
        store.remove_model(&model).await.expect("gone");
        assert_eq!(
            store
                .model_summary(&model)
                .await
                .expect_err("gone")
                .refusal()
                .code(),
            "model-not-found"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_failed_hook_is_resolved_once() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = started(&fixture, 1).await;
        let site = unit("site/0");
        assert_eq!(
            store
                .resolved(&model, &site, true)
                .await
                .expect_err("idle")
                .refusal()
                .call_code(),
            "unit-not-in-error"
        );
        let failed = Status::new(Agent::Error, "hook failed: \"install\"");
        store
            .set_agent_status(&model, &site, failed)
            .await
            .expect("status");
        store.resolved(&model, &site, true).await.expect("resolved");
        store.resolved(&model, &site, true).await.expect("again");
        assert_eq!(
            store
                .resolved(&model, &site, false)
                .await
                .expect_err("other")
                .refusal()
                .call_code(),
            "already-resolved"
        );
        let state = store
            .get_remote_state(&model, &site)
            .await
            .expect("state")
            .expect("there");
        assert_eq!(state.resolved, Resolved::RetryHooks);
        let (from, state) = (
            store.sequence(&model, &site).await,
            OperationState::default(),
        );
        store
            .set_state(&model, &site, from, &state, true)
            .await
            .expect("taken");
        let state = store
            .get_remote_state(&model, &site)
            .await
            .expect("state")
            .expect("there");
        assert_eq!(state.resolved, Resolved::None);
        fixture.end().await;
    }
}

#[tokio::test]
async fn assigning_makes_a_machine_per_unit_and_is_idempotent() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("default").await;
        fixture.charm(&model, "site", b"archive").await;
        fixture.deploy(&model, "site", 70).await;
        let staged = store.unit_assignments(&model).await.expect("staged");
        assert_eq!(staged.len(), 70);
        for _ in 0..2 {
            let assigned = store.assign_units(&model, &staged).await.expect("assigned");
            assert!(assigned.iter().all(|assigned| assigned.error.is_none()));
        }
        assert_eq!(store.machine_ids(&model).await.expect("machines").len(), 70);
        assert!(
            store
                .unit_assignments(&model)
                .await
                .expect("staged")
                .is_empty()
        );
        let units = store
            .machine_units(&model, &machine("3"))
            .await
            .expect("units");
        assert_eq!(units.len(), 1);
        fixture.end().await;
    }
}
