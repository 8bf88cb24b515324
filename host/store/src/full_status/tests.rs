use bytes::Bytes;
use periapt_model::ModelUuid;
use periapt_model::charm::CharmInfo;
use periapt_model::config::Value;
use periapt_model::status::{Agent, Status};
use periapt_wire::agent::uniter::HookReport;
use periapt_wire::rest::ConfigChange;
use serde_json::json;

use super::pattern::matches;
use crate::HookCommit;
use crate::db::params;
use crate::testing::{Fixture, application, charm, fixtures, present, unit};

mod costs;
pub(crate) mod kept;

#[test]
fn a_star_stands_for_any_text() {
    for (pattern, text) in [
        ("site", "site"),
        ("site/*", "site/10"),
        ("*", ""),
        ("s*e", "site"),
        ("*it*", "site"),
        ("a*b*c", "axxbyyc"),
    ] {
        assert!(matches(pattern, text), "{pattern} {text}");
    }
    for (pattern, text) in [
        ("site", "site2"),
        ("site/*", "site"),
        ("s*x", "site"),
        ("ab*ba", "aba"),
    ] {
        assert!(!matches(pattern, text), "{pattern} {text}");
    }
}

/// `site` with two units, `log-shipper` in the container of the first, and a relation between
/// `site` and itself as a peer.
async fn contained(fixture: &Fixture) -> ModelUuid {
    let model = fixture.site(2).await;
    fixture.provision(&model).await;
    let shipper = CharmInfo {
        subordinate: true,
        ..charm("log-shipper")
    };
    let bytes = Bytes::from_static(b"shipper");
    let added = fixture.store.add_charm(&model, shipper, bytes).await;
    added.unwrap();
    fixture.deploy(&model, "log-shipper", 0).await;
    let of = model.clone();
    let written = fixture.store.write(move |tx| {
        Box::pin(async move {
            let sql = "INSERT INTO unit (model_uuid, name, application, number, life, machine_id, principal, resolved,
                    workload_version, opened_ports, forced, created_at)
                VALUES ($1, 'log-shipper/0', 'log-shipper', 0, 'alive', '0', 'site/0', 'none', '', '[]', 0, 0)";
            tx.db.execute(sql, params![&of]).await?;
            let sql = "INSERT INTO relation (model_uuid, id, key, interface, scope, life, suspended, suspended_reason,
                    forced, created_at) VALUES ($1, $2, $3, $4, $5, 'alive', $6, $7, 0, 0)";
            let (shipper, peers) = ("log-shipper:host site:juju-info", "site:cluster");
            let values = params![&of, 3_i64, shipper, "juju-info", "container", 1_i64, "moving"];
            tx.db.execute(sql, values).await?;
            let values = params![&of, 4_i64, peers, "cluster", "global", 0_i64, ""];
            tx.db.execute(sql, values).await?;
            let sql = "INSERT INTO relation_endpoint (model_uuid, relation_id, application, name, role, settings, version)
                VALUES ($1, $2, $3, $4, $5, '{}', $6)";
            for (id, application, name, role, version) in [
                (3_i64, "log-shipper", "host", "requirer", 2_i64),
                (3, "site", "juju-info", "provider", 0),
                (4, "site", "cluster", "peer", 0),
            ] {
                let values = params![&of, id, application, name, role, version];
                tx.db.execute(sql, values).await?;
            }
            let sql = "INSERT INTO relation_unit (model_uuid, relation_id, unit, application, endpoint, container, in_scope,
                    settings, version) VALUES ($1, $2, $3, $4, $5, $6, $7, '{}', $8)";
            for (id, unit, application, endpoint, container, in_scope, version) in [
                (3_i64, "log-shipper/0", "log-shipper", "host", "site/0", 0_i64, 5_i64),
                (3, "site/0", "site", "juju-info", "site/0", 1, 1),
                (4, "site/0", "site", "cluster", "", 1, 1),
            ] {
                let values = params![&of, id, unit, application, endpoint, container, in_scope, version];
                tx.db.execute(sql, values).await?;
            }
            Ok(())
        })
    });
    written.await.unwrap();
    model
}

#[tokio::test]
async fn relations_are_shown_with_their_ends_and_subordinates_within_their_principals() {
    for fixture in fixtures().await {
        let model = contained(&fixture).await;
        let status = fixture
            .store
            .full_status(&model, &[], &present)
            .await
            .unwrap();
        let ids: Vec<(u64, &str, &str)> = status
            .relations
            .iter()
            .map(|relation| {
                let status = &relation.status;
                (relation.id, status.status.as_str(), status.info.as_str())
            })
            .collect();
        assert_eq!(ids, [(3, "suspending", "moving"), (4, "joined", "")]);
        assert_eq!(
            status.relations[0].endpoints,
            [
                json!({ "application": "log-shipper", "name": "host", "role": "requirer", "subordinate": true }),
                json!({ "application": "site", "name": "juju-info", "role": "provider", "subordinate": false }),
            ]
        );
        let (site, shipper) = (
            &status.applications["site"],
            &status.applications["log-shipper"],
        );
        let related = |endpoint: &str, other: &str| (endpoint.to_owned(), vec![other.to_owned()]);
        assert_eq!(
            site.relations,
            [
                related("cluster", "site"),
                related("juju-info", "log-shipper")
            ]
            .into()
        );
        assert_eq!(shipper.relations, [related("host", "site")].into());
        assert_eq!(shipper.subordinate_to, ["site"]);
        assert!(shipper.units.is_none() && site.subordinate_to.is_empty());
        let units = site.units.as_ref().unwrap();
        let inside = units["site/0"].subordinates.as_ref().unwrap();
        assert_eq!(inside.keys().collect::<Vec<_>>(), ["log-shipper/0"]);
        assert_eq!(inside["log-shipper/0"].machine, "");
        assert_eq!(
            inside["log-shipper/0"].public_address, units["site/0"].public_address,
            "a subordinate is where its principal is"
        );
        assert_ne!(units["site/0"].public_address, "");
        assert!(units["site/1"].subordinates.is_none());

        // What is named brings along what it stands or falls with.
        for (pattern, applications, units, machines) in [
            (
                "log-shipper",
                vec!["log-shipper", "site"],
                vec!["site/0"],
                vec!["0"],
            ),
            (
                "log-shipper/0",
                vec!["log-shipper", "site"],
                vec!["site/0"],
                vec!["0"],
            ),
            (
                "site/0",
                vec!["log-shipper", "site"],
                vec!["site/0"],
                vec!["0"],
            ),
            ("site/1", vec!["site"], vec!["site/1"], vec!["1"]),
            ("1", vec!["site"], vec!["site/1"], vec!["1"]),
        ] {
            let patterns = [pattern.to_owned()];
            let part = fixture
                .store
                .full_status(&model, &patterns, &present)
                .await
                .unwrap();
            assert_eq!(
                part.applications.keys().collect::<Vec<_>>(),
                applications,
                "{pattern}"
            );
            let shown = part.applications["site"].units.as_ref().unwrap();
            assert_eq!(shown.keys().collect::<Vec<_>>(), units, "{pattern}");
            assert_eq!(
                part.machines.keys().collect::<Vec<_>>(),
                machines,
                "{pattern}"
            );
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn lists_and_single_views_tell_of_relations_and_containers() {
    for fixture in fixtures().await {
        let model = contained(&fixture).await;
        let store = &fixture.store;
        let all = store.relations(&model).await.unwrap();
        assert_eq!(all.len(), 2);
        let relation = store.relation(&model, 3).await.unwrap();
        assert_eq!(relation, all[0]);
        assert_eq!(relation.key, "log-shipper:host site:juju-info");
        assert_eq!(
            (relation.status.status.as_str(), relation.settings_version),
            ("suspending", 8)
        );
        assert_eq!(relation.waiting_for, ["site/0 to leave"]);
        assert!(all[1].waiting_for.is_empty());
        let missing = store.relation(&model, 9).await.unwrap_err();
        assert_eq!(missing.refusal().code(), "relation-not-found");

        let principal = store.unit(&model, &unit("site/0"), &present).await.unwrap();
        assert_eq!(principal.subordinates, [unit("log-shipper/0")]);
        let inside = store
            .unit(&model, &unit("log-shipper/0"), &present)
            .await
            .unwrap();
        assert_eq!(inside.principal, Some(unit("site/0")));
        let shipper = store
            .application(&model, &application("log-shipper"))
            .await
            .unwrap();
        assert!(shipper.subordinate && shipper.waiting_for.is_empty());
        for shown in store.units(&model, &present).await.unwrap() {
            let alone = store.unit(&model, &shown.name, &present).await.unwrap();
            assert_eq!(
                serde_json::to_value(&shown).unwrap(),
                serde_json::to_value(&alone).unwrap()
            );
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_pattern_may_be_a_status_that_is_shown() {
    for fixture in fixtures().await {
        let model = fixture.site(2).await;
        fixture.provision(&model).await;
        let store = &fixture.store;
        // A unit that is still allocated never had an agent, which cannot be lost.
        for name in ["site/0", "site/1"] {
            let idle = Status::new(Agent::Idle, "");
            let name = unit(name);
            let set = store.set_agent_status(&model, &name, idle);
            set.await.unwrap();
        }
        let all = store.full_status(&model, &[], &present).await.unwrap();
        let of = |status: &periapt_wire::status::FullStatus| {
            let units = status
                .applications
                .get("site")
                .and_then(|site| site.units.clone());
            units.unwrap_or_default().into_keys().collect::<Vec<_>>()
        };
        let shown = &all.applications["site"].units.as_ref().unwrap()["site/0"];
        for word in [&shown.workload_status.status, &shown.agent_status.status] {
            let part = store.full_status(&model, std::slice::from_ref(word), &present);
            assert_eq!(of(&part.await.unwrap()), ["site/0", "site/1"], "{word}");
        }
        // Lost is shown where the agent is away, whatever the unit said last.
        let away: crate::full_status::Presence<'_> = &|_| false;
        let (lost, terminated) = (["lost".to_owned()], ["terminated".to_owned()]);
        let lost = store.full_status(&model, &lost, away).await.unwrap();
        assert_eq!(of(&lost).len(), 2);
        let none = store.full_status(&model, &terminated, &present);
        let none = none.await.unwrap();
        assert!(none.applications.is_empty() && none.machines.is_empty());
        fixture.end().await;
    }
}

/// A setting, and a hook after which everything is as it was, leave the position of the status
/// where it is; and then the status is the same.
#[tokio::test]
async fn a_commit_that_does_not_show_in_the_status_is_none_to_it() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = contained(&fixture).await;
        let site = unit("site/0");
        let shown = async || {
            let status = store.full_status(&model, &[], &present).await.unwrap();
            (
                store.last_commit(&model),
                serde_json::to_value(&status).unwrap(),
            )
        };
        let before = shown().await;
        let change = ConfigChange {
            set: [("title".to_owned(), Value::Text("hello".to_owned()))].into(),
            reset: Vec::new(),
        };
        let name = application("site");
        let set = store.set_application_config(&model, &name, change);
        set.await.unwrap();
        let run = HookReport {
            hook: "config-changed".to_owned(),
            charm: "local:site-0".to_owned(),
            started_at: 1,
            duration: 1,
            ..HookReport::default()
        };
        let commit = HookCommit {
            from: store.sequence(&model, &site).await,
            run: Some(run),
            ..HookCommit::default()
        };
        store.commit_hook_run(&model, &site, commit).await.unwrap();
        fixture.settle().await;
        assert_eq!(shown().await, before);
        let idle = Status::new(Agent::Idle, "");
        let set = store.set_agent_status(&model, &site, idle);
        set.await.unwrap();
        let after = shown().await;
        assert!(after.0 > before.0 && after.1 != before.1);
        fixture.end().await;
    }
}
