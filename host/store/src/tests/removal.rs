//! Removals that nobody forces end by the model's `removal-deadline`.

use std::time::Duration;

use periapt_model::config::Value;
use periapt_model::removal::Force;
use periapt_model::status::{Agent, Status};
use periapt_model::uniter::{OperationState, Resolved};
use periapt_model::{AgentName, Life, ModelUuid};
use periapt_wire::rest::ConfigChange;

use crate::Setter;
use crate::testing::{Fixture, application, fixtures, machine, present, unit};

const HOUR: Duration = Duration::from_secs(3600);
const MINUTE: Duration = Duration::from_secs(60);

/// A site whose units failed in a hook and whose agents are not there.
async fn stuck(fixture: &Fixture, units: u32) -> ModelUuid {
    let model = fixture.site(units).await;
    fixture.provision(&model).await;
    let store = &fixture.store;
    for number in 0..units {
        let unit = unit(&format!("site/{number}"));
        let state = OperationState::default();
        store
            .set_state(&model, &unit, 0, &state, false)
            .await
            .unwrap();
        let failed = Status::new(Agent::Error, "hook failed: \"start\"");
        store.set_agent_status(&model, &unit, failed).await.unwrap();
    }
    model
}

fn absent(_: &AgentName) -> bool {
    false
}

async fn set(fixture: &Fixture, model: &ModelUuid, deadline: &str) {
    let change = ConfigChange {
        set: [(
            "removal-deadline".to_owned(),
            Value::Text(deadline.to_owned()),
        )]
        .into(),
        reset: Vec::new(),
    };
    let set = fixture
        .store
        .set_model_config(model, change, Setter::Admin)
        .await;
    set.unwrap();
}

async fn count(fixture: &Fixture, model: &ModelUuid, sql: &'static str) -> u64 {
    let mut db = fixture.store.glance().await.unwrap();
    db.count(sql, crate::db::params![model]).await.unwrap()
}

async fn remaining(fixture: &Fixture, model: &ModelUuid) -> u64 {
    let report = fixture.store.cleanup(model).await.unwrap();
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    report.remaining
}

async fn waiting_for(fixture: &Fixture, model: &ModelUuid) -> Vec<String> {
    let shown = fixture.store.unit(model, &unit("site/0"), &absent).await;
    shown.unwrap().waiting_for
}

#[tokio::test]
async fn a_removal_that_nobody_forces_ends_by_its_deadline() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = stuck(&fixture, 1).await;
        let (site, zero) = (unit("site/0"), machine("0"));
        let begun = store.now();
        store.remove_unit(&model, &site, false).await.unwrap();
        let from = crate::full_status::rfc3339((begun / 1_000_000 + 86_400) * 1_000_000);
        let waits = [
            "the agent of machine 0".to_owned(),
            "an answer to its failed hook: periapt resolved site/0".to_owned(),
            "its agent to run its stop and remove hooks".to_owned(),
            format!("until {from}, then it goes by force"),
        ];
        assert_eq!(waiting_for(&fixture, &model).await, waits);
        // Asked again, nothing is put off.
        fixture.clock.advance(HOUR);
        store.remove_unit(&model, &site, false).await.unwrap();
        assert_eq!(waiting_for(&fixture, &model).await, waits);
        assert_eq!(remaining(&fixture, &model).await, 1);

        fixture.clock.advance(HOUR * 22);
        assert_eq!(remaining(&fixture, &model).await, 1);
        let state = store.get_remote_state(&model, &site).await.unwrap();
        assert_eq!(state.unwrap().resolved, Resolved::None);
        fixture.clock.advance(HOUR);
        assert_eq!(remaining(&fixture, &model).await, 1);
        let state = store.get_remote_state(&model, &site).await.unwrap();
        assert_eq!(state.unwrap().resolved, Resolved::NoHooks);
        let sql = "SELECT COUNT(*) FROM unit WHERE model_uuid = $1 AND forced = 1";
        assert_eq!(count(&fixture, &model, sql).await, 1);
        assert!(
            waiting_for(&fixture, &model)
                .await
                .pop()
                .unwrap()
                .ends_with("then it goes whatever its agent does")
        );
        // Once more, after the deadline: no new one.
        store.remove_unit(&model, &site, false).await.unwrap();
        assert_eq!(remaining(&fixture, &model).await, 1);

        fixture.clock.advance(MINUTE);
        remaining(&fixture, &model).await;
        let state = store.get_remote_state(&model, &site).await.unwrap();
        assert_eq!(state, None);
        let shown = store.machine(&model, &zero, &absent).await.unwrap();
        assert_eq!(shown.waiting_for[0], "the agent of machine 0");
        assert!(shown.waiting_for[1].ends_with("then it goes by force"));
        fixture.clock.advance(MINUTE);
        remaining(&fixture, &model).await;
        let shown = store.machine(&model, &zero, &absent).await.unwrap();
        assert_eq!(shown.life, Life::Dead);
        assert_eq!(shown.waiting_for[0], "the provisioner to stop its instance");
        assert!(shown.waiting_for[1].ends_with("even if its instance was not stopped"));
        let status = store.full_status(&model, &[], &absent).await.unwrap();
        let text = &status.machines["0"].instance_status.info;
        assert_eq!(text, &format!("waits for {}", shown.waiting_for.join(", ")));

        // The provider never manages to stop it.
        fixture.clock.advance(HOUR * 24);
        assert_eq!(remaining(&fixture, &model).await, 0);
        let marked = store.all_machine_removals(&model).await.unwrap();
        assert_eq!(marked, std::slice::from_ref(&zero));
        store
            .complete_machine_removals(&model, std::slice::from_ref(&zero))
            .await
            .unwrap();
        for sql in [
            "SELECT COUNT(*) FROM machine WHERE model_uuid = $1",
            "SELECT COUNT(*) FROM unit WHERE model_uuid = $1",
            "SELECT COUNT(*) FROM cleanup WHERE model_uuid = $1",
        ] {
            assert_eq!(count(&fixture, &model, sql).await, 0, "{sql}");
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn force_brings_the_deadline_forward() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = stuck(&fixture, 3).await;
        let units = ["site/0", "site/1", "site/2"].map(unit);
        for unit in &units {
            store.remove_unit(&model, unit, false).await.unwrap();
        }
        assert_eq!(remaining(&fixture, &model).await, 3);
        store.remove_unit(&model, &units[1], true).await.unwrap();
        store
            .remove_unit(&model, &units[2], Force::AtOnce)
            .await
            .unwrap();
        remaining(&fixture, &model).await;
        let there = |shown: &periapt_wire::rest::UnitInfo| shown.name.clone();
        let left = store.units(&model, &present).await.unwrap();
        assert_eq!(left.iter().map(there).collect::<Vec<_>>(), units[..2]);
        let gone = machine("2");
        let life = store.machine_life(&model, &gone).await.unwrap();
        assert_eq!(life, Some(Life::Dead));
        fixture.clock.advance(MINUTE);
        remaining(&fixture, &model).await;
        let left = store.units(&model, &present).await.unwrap();
        assert_eq!(left.iter().map(there).collect::<Vec<_>>(), units[..1]);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_deadline_of_nothing_is_never() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = stuck(&fixture, 1).await;
        set(&fixture, &model, "0s").await;
        let site = unit("site/0");
        store.remove_unit(&model, &site, false).await.unwrap();
        assert_eq!(remaining(&fixture, &model).await, 0);
        let last = waiting_for(&fixture, &model).await.pop();
        assert_eq!(
            last.as_deref(),
            Some("its agent to run its stop and remove hooks")
        );
        fixture.clock.advance(HOUR * 1_000);
        assert_eq!(remaining(&fixture, &model).await, 0);
        // Asked again once there is one, it holds.
        set(&fixture, &model, "10m").await;
        store.remove_unit(&model, &site, false).await.unwrap();
        for _ in 0..2 {
            fixture.clock.advance(MINUTE * 10);
            remaining(&fixture, &model).await;
        }
        let state = store.get_remote_state(&model, &site).await.unwrap();
        assert_eq!(state, None);
        fixture.end().await;
    }
}

#[tokio::test]
async fn an_application_and_a_model_end_by_the_deadline_of_what_is_in_them() {
    for fixture in fixtures().await {
        for whole_model in [false, true] {
            let store = &fixture.store;
            let model = match whole_model {
                false => stuck(&fixture, 2).await,
                true => {
                    let lab = fixture.model("lab").await;
                    fixture.charm(&lab, "site", b"archive").await;
                    fixture.deploy(&lab, "site", 1).await;
                    let staged = store.unit_assignments(&lab).await.unwrap();
                    store.assign_units(&lab, &staged).await.unwrap();
                    store.add_machines(&lab, 1).await.unwrap();
                    fixture.provision(&lab).await;
                    lab
                }
            };
            set(&fixture, &model, "1h").await;
            let site = application("site");
            match whole_model {
                false => drop(
                    store
                        .remove_application(&model, &site, false)
                        .await
                        .unwrap(),
                ),
                true => drop(store.destroy_model(&model, false, None).await.unwrap()),
            }
            remaining(&fixture, &model).await;
            let shown = store.application(&model, &site).await.unwrap().waiting_for;
            assert!(shown[0].starts_with("its units site/0"), "{shown:?}");
            assert!(
                shown[1].ends_with("then what is left goes by force"),
                "{shown:?}"
            );
            if whole_model {
                let seen = store.get_undertaker_model(&model).await.unwrap().unwrap();
                assert!(seen.forced_from.unwrap() > store.now());
                assert_eq!(seen.deadline_ms, Some(3_600_000));
            }
            // The units, by two steps; the machines they leave, as with force.
            for wait in [HOUR, MINUTE, MINUTE] {
                fixture.clock.advance(wait);
                remaining(&fixture, &model).await;
            }
            assert!(store.applications(&model).await.unwrap().is_empty());
            for id in store.machine_ids(&model).await.unwrap() {
                let life = store.machine_life(&model, &id).await.unwrap();
                assert_eq!(life, Some(Life::Dead), "machine {id}");
                store.mark_machine_for_removal(&model, &id).await.unwrap();
                store
                    .complete_machine_removals(&model, std::slice::from_ref(&id))
                    .await
                    .unwrap();
            }
            let sql = "SELECT COUNT(*) FROM cleanup WHERE model_uuid = $1";
            assert_eq!(count(&fixture, &model, sql).await, 0);
            if whole_model {
                store.process_dying_model(&model).await.unwrap();
            }
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn units_that_are_gone_are_told_from_those_that_have_no_machine_yet() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(2).await;
        let added = store
            .add_units(&model, &application("site"), 1)
            .await
            .unwrap();
        store
            .remove_unit(&model, &unit("site/0"), false)
            .await
            .unwrap();
        let asked = ["site/0", "site/1", "site/2", "other/7"].map(unit);
        assert_eq!(added.len(), 1);
        let gone = store.gone_units(&model, asked.to_vec()).await.unwrap();
        assert_eq!(gone, [unit("site/0"), unit("other/7")]);
        fixture.end().await;
    }
}

#[tokio::test]
async fn machines_that_are_marked_go_at_once_and_others_stay() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        store.add_machines(&model, 3).await.unwrap();
        for name in ["0", "1"] {
            let marked = machine(name);
            store.remove_machine(&model, &marked, false).await.unwrap();
            store.ensure_machine_dead(&model, &marked).await.unwrap();
            store
                .mark_machine_for_removal(&model, &marked)
                .await
                .unwrap();
        }
        // Machine 2 is not marked, and machine 7 never was.
        let asked = ["0", "1", "2", "7"].map(machine);
        store
            .complete_machine_removals(&model, &asked)
            .await
            .unwrap();
        assert!(store.all_machine_removals(&model).await.unwrap().is_empty());
        assert_eq!(store.machine_ids(&model).await.unwrap(), [machine("2")]);
        fixture.end().await;
    }
}
