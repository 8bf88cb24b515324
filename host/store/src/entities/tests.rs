use std::collections::BTreeMap;
use std::time::Duration;

use periapt_model::status::{Agent, Status, Workload};
use periapt_model::{AgentName, UnitName};
use serde_json::Value;

use super::*;
use crate::db::params;
use crate::testing::{Fixture, fixtures};

/// By kind and name.
fn by_name(found: Vec<Found>) -> BTreeMap<(EntityKind, String), Option<Value>> {
    found
        .into_iter()
        .map(|found| {
            let body = found
                .body
                .map(|body| serde_json::from_slice(&body).expect("JSON"));
            ((found.kind, found.name), body)
        })
        .collect()
}

/// What `GET` of single ones and lists say of everything in a model, by kind and name.
async fn by_other_roads(
    fixture: &Fixture,
    model: &ModelUuid,
    present: bool,
) -> BTreeMap<(EntityKind, String), Option<Value>> {
    fn json(entity: impl serde::Serialize) -> Option<Value> {
        Some(serde_json::to_value(entity).expect("JSON"))
    }
    let store = &fixture.store;
    let presence = move |_: &AgentName| present;
    let mut found = BTreeMap::new();
    for unit in store.units(model, &presence).await.expect("units") {
        let alone = store
            .unit(model, &unit.name, &presence)
            .await
            .expect("unit");
        let name = (EntityKind::Unit, unit.name.to_string());
        assert_eq!(json(&alone), json(&unit), "{name:?}");
        found.insert(name, json(unit));
    }
    for machine in store.machines(model, &presence).await.expect("machines") {
        let alone = store.machine(model, &machine.id, &presence).await;
        let name = (EntityKind::Machine, machine.id.to_string());
        assert_eq!(json(alone.expect("machine")), json(&machine), "{name:?}");
        found.insert(name, json(machine));
    }
    for application in store.applications(model).await.expect("applications") {
        let alone = store.application(model, &application.name).await;
        let name = (EntityKind::Application, application.name.to_string());
        assert_eq!(json(alone.expect("application")), json(&application));
        found.insert(name, json(application));
    }
    for relation in store.relations(model).await.expect("relations") {
        let alone = store.relation(model, relation.id).await;
        let name = (EntityKind::Relation, relation.id.to_string());
        assert_eq!(json(alone.expect("relation")), json(&relation), "{name:?}");
        found.insert(name, json(relation));
    }
    for user in store.users().await.expect("users") {
        let alone = store.user(&user.name.parse().expect("name")).await;
        let name = (EntityKind::User, user.name.clone());
        assert_eq!(json(alone.expect("user")), json(&user), "{name:?}");
        found.insert(name, json(user));
    }
    let status = store
        .full_status(model, &[], &presence)
        .await
        .expect("status");
    let status = serde_json::to_value(status).expect("JSON");
    for ((kind, name), entity) in &found {
        let entity = entity.as_ref().expect("there");
        match kind {
            EntityKind::Unit => {
                let application = entity["application"].as_str().expect("name");
                let shown = &status["applications"][application]["units"][name];
                assert_eq!(shown["leader"].as_bool().unwrap_or(false), entity["leader"]);
                assert_eq!(
                    shown["workload-status"]["status"],
                    entity["workload"]["status"]
                );
                assert_eq!(
                    shown["workload-status"]["info"],
                    entity["workload"]["message"]
                );
                assert_eq!(shown["agent-status"]["status"], entity["agent"]["status"]);
            }
            EntityKind::Machine => {
                let shown = &status["machines"][name];
                assert_eq!(shown["instance-id"], entity["instance-id"]);
                assert_eq!(shown["agent-status"]["status"], entity["agent"]["status"]);
                assert_eq!(
                    shown["instance-status"]["status"],
                    entity["instance"]["status"]
                );
            }
            EntityKind::Relation => {
                let shown = status["relations"].as_array().expect("a list");
                let shown = shown.iter().find(|one| one["id"] == entity["id"]);
                let shown = shown.expect("it is in the status");
                assert_eq!(shown["key"], entity["key"]);
                assert_eq!(shown["status"]["status"], entity["status"]["status"]);
            }
            // The status of a model shows nobody.
            EntityKind::User => {}
            _ => {
                let shown = &status["applications"][name]["status"];
                assert_eq!(shown["status"], entity["status"]["status"]);
                assert_eq!(shown["info"], entity["status"]["message"]);
            }
        }
    }
    found
}

/// More units than one statement names; machines with an instance and without, agents there and
/// away, units in error, leaders and those whose lease has just ended.
#[tokio::test]
async fn everything_looks_the_same_on_every_road() {
    for fixture in fixtures().await {
        let model = fixture.site(20).await;
        let store = &fixture.store;
        relate(&fixture, &model, 2).await;
        let (owner, guest): (UserName, UserName) =
            ("admin".parse().expect("user"), "eve".parse().expect("user"));
        for user in [&owner, &guest] {
            let set = store.set_password(user, "a long secret").await;
            set.expect("user");
        }
        let read = periapt_wire::rest::ModelPermission::Read;
        let granted = store.grant_model(&model, &guest, read).await;
        granted.expect("granted");
        let compare = async |what: &str| {
            for present in [true, false] {
                let everything = store
                    .every_entity(&move |_, _| present)
                    .await
                    .expect("read");
                let mut all = by_name(everything.entities);
                all.retain(|(kind, _), _| {
                    use EntityKind::{Application, Machine, Relation, Unit, User};
                    [Application, Machine, Relation, Unit, User].contains(kind)
                });
                assert_eq!(all.len(), 45);
                let others = by_other_roads(&fixture, &model, present).await;
                assert_eq!(all, others, "{what}, agents there: {present}");
            }
        };
        compare("nothing is there yet").await;
        fixture.provision(&model).await;
        let unit: UnitName = "site/3".parse().expect("unit");
        let said = Status::new(Workload::Active, "ready");
        store
            .set_unit_status(&model, &unit, said)
            .await
            .expect("status");
        compare("one is ready").await;

        let failed = Status::new(Agent::Error, "hook failed: \"start\"");
        store
            .set_agent_status(&model, &unit, failed)
            .await
            .expect("status");
        compare("one failed").await;
        let application = "site".parse().expect("name");
        let shown = store
            .application(&model, &application)
            .await
            .expect("there");
        assert_eq!(shown.status.status, Workload::Error);
        let seen_by_charm = store.get_application_status(&model, &unit).await;
        assert_eq!(seen_by_charm.expect("status"), shown.status);

        let leases = crate::lease::Manager::new(store);
        let namespace = crate::lease::Namespace::ApplicationLeadership;
        let minute = Duration::from_secs(60);
        leases
            .claim(namespace, &model, "site", "site/3", minute)
            .await
            .expect("leads");
        compare("one leads").await;
        fixture.clock.advance(2 * minute);
        compare("its lease is over, and nobody has taken it away").await;
        store.remove_unit(&model, &unit, false).await.expect("goes");
        compare("the leader goes").await;
        fixture.end().await;
    }
}

#[tokio::test]
async fn every_kind_of_entity_is_read() {
    for fixture in fixtures().await {
        let model = fixture.site(3).await;
        let user: UserName = "admin".parse().expect("user");
        fixture
            .store
            .set_password(&user, "a long secret")
            .await
            .expect("user");
        let everything = fixture
            .store
            .every_entity(&|_, _| true)
            .await
            .expect("read");
        let all = by_name(everything.entities);
        let count = |kind| all.keys().filter(|(found, _)| *found == kind).count();
        let counts: Vec<usize> = EntityKind::ALL.into_iter().map(count).collect();
        assert_eq!(counts, [0, 1, 1, 0, 3, 1, 0, 0, 0, 0, 3, 1]);
        assert!(all.contains_key(&(EntityKind::Model, model.to_string())));
        let user = all[&(EntityKind::User, "admin".to_owned())].clone();
        assert_eq!(user.expect("user")["registered"], true);
        fixture.end().await;
    }
}

#[tokio::test]
async fn names_lead_to_their_units_and_what_is_gone_is_told() {
    for fixture in fixtures().await {
        let model = fixture.site(3).await;
        let mut names = WantedOfModel::default();
        names.add(EntityKind::Unit, "site/9", 7);
        names.add(EntityKind::Unit, "no such name", 7);
        names.add(EntityKind::Hook, "123", 7);
        names.units_of.insert("site".to_owned(), 8);
        names.units_on.insert("1".to_owned(), 9);
        let wanted = Wanted::from([(model.to_string(), names)]);
        let found = fixture
            .store
            .entities(wanted, &|_, _| true)
            .await
            .expect("read");
        let positions: BTreeMap<&str, (i64, bool)> = found
            .iter()
            .map(|found| (found.name.as_str(), (found.position, found.body.is_some())))
            .collect();
        let expected = BTreeMap::from([
            ("no such name", (7, false)),
            ("site/0", (8, true)),
            ("site/1", (9, true)),
            ("site/2", (8, true)),
            ("site/9", (7, false)),
        ]);
        assert_eq!(positions, expected);
        fixture.end().await;
    }
}

#[tokio::test]
async fn people_reach_what_they_own_or_were_given() {
    for fixture in fixtures().await {
        let (model, other) = (fixture.model("default").await, fixture.model("other").await);
        let user: UserName = "eve".parse().expect("user");
        assert_eq!(
            fixture.store.reach(&user).await.expect("read"),
            Reach::Nothing
        );
        fixture
            .store
            .set_password(&user, "a long secret")
            .await
            .expect("user");
        assert_eq!(
            fixture.store.reach(&user).await.expect("read"),
            Reach::Everything
        );
        let (uuid, name) = (model.clone(), user.clone());
        fixture
            .store
            .write(move |tx| {
                Box::pin(async move {
                    let sql = "UPDATE account SET access = 'login' WHERE name = $1";
                    tx.db.execute(sql, params![&name]).await?;
                    let sql = "INSERT INTO model_access (model_uuid, account, access) VALUES ($1, $2, 'read')";
                    tx.db.execute(sql, params![&uuid, &name]).await?;
Ok(())
                })
            })
            .await
            .expect("written");
        let reach = fixture.store.reach(&user).await.expect("read");
        assert!(
            reach.includes(&model) && !reach.includes(&other),
            "{reach:?}"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_commit_is_known_before_it_is_answered_and_lines_of_log_are_none() {
    for fixture in fixtures().await {
        let model = fixture.model("default").await;
        let before = fixture.store.last_commit(&model);
        assert!(before > 0);
        fixture.store.note_presence(&model).await.expect("noted");
        let after = fixture.store.last_commit(&model);
        assert!(after > before);
        let line = periapt_wire::agent::log_sink::LogRecord {
            time: 1,
            entity: "unit-site-0".parse().expect("tag"),
            level: "INFO".to_owned(),
            module: String::new(),
            message: String::new(),
        };
        fixture
            .store
            .write_logs(&model, vec![line])
            .await
            .expect("written");
        assert_eq!(fixture.store.last_commit(&model), after);
        // Dispatching own commits is no news either.
        fixture.settle().await;
        assert_eq!(fixture.store.last_commit(&model), after);
        let recent = fixture.store.recent_changes(1).await.expect("read");
        assert_eq!((recent.after, recent.changes.len()), (after, 0));
        let recent = fixture.store.recent_changes(100).await.expect("read");
        assert_eq!(recent.after, 0);
        assert!(
            recent.position > after
                && recent
                    .changes
                    .iter()
                    .all(|change| change.namespace != "log")
        );
        fixture.end().await;
    }
}

/// A name stands for another model as soon as the first is gone.
#[tokio::test]
async fn a_remembered_name_is_forgotten_with_its_model() {
    for fixture in fixtures().await {
        let model = fixture.model("default").await;
        let found = || fixture.store.model_by_name_or_uuid("default");
        assert_eq!(found().await.expect("found"), model);
        let uuid = model.clone();
        fixture
            .store
            .write(move |tx| {
                Box::pin(async move {
                    tx.db
                        .execute("DELETE FROM model WHERE uuid = $1", params![&uuid])
                        .await?;
                    tx.db
                        .execute("DELETE FROM cloud_credential", params![])
                        .await?;
                    tx.touch(&uuid, crate::changes::namespace::MODEL, uuid.as_str());
                    Ok(())
                })
            })
            .await
            .expect("removed");
        assert!(found().await.is_err());
        let second = fixture.model("default").await;
        assert_eq!(found().await.expect("found"), second);
        fixture.end().await;
    }
}

/// Relations of `site` with applications that are elsewhere; in the second one it has a unit.
async fn relate(fixture: &Fixture, model: &ModelUuid, count: i64) {
    let of = model.clone();
    let written = fixture.store.write(move |tx| {
        Box::pin(async move {
            let sql = "INSERT INTO relation (model_uuid, id, key, interface, scope, life, suspended,
                    suspended_reason, forced, created_at)
                VALUES ($1, $2, $3, 'http', 'global', 'alive', 0, '', 0, 0)";
            let end = "INSERT INTO relation_endpoint (model_uuid, relation_id, application, name, role, settings,
                    version) VALUES ($1, $2, $3, 'website', $4, '{}', 0)";
            for id in 1..=count {
                let key = format!("front{id}:website site:website");
                tx.db.execute(sql, params![&of, id, key]).await?;
                let other = format!("front{id}");
                tx.db.execute(end, params![&of, id, other, "requirer"]).await?;
                tx.db.execute(end, params![&of, id, "site", "provider"]).await?;
            }
            let sql = "INSERT INTO relation_unit (model_uuid, relation_id, unit, application, endpoint, container,
                    in_scope, settings, version) VALUES ($1, 2, 'site/0', 'site', 'website', '', 1, '{}', 1)";
            tx.db.execute(sql, params![&of]).await?;
            Ok(())
        })
    });
    written.await.expect("written");
}

#[tokio::test]
async fn relations_are_as_they_are_shown_alone() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        relate(&fixture, &model, 12).await;
        let read = async |names: WantedOfModel| {
            let wanted = Wanted::from([(model.to_string(), names)]);
            let found = fixture
                .store
                .entities(wanted, &|_, _| true)
                .await
                .expect("read");
            by_name(found)
        };
        let mut names = WantedOfModel::default();
        names.add_shown(EntityKind::Relation, "7", 5);
        names.add_shown(EntityKind::Relation, "2", 6);
        names.add(EntityKind::Relation, "99", 7);
        let found = read(names).await;
        let keys: Vec<&str> = found.keys().map(|(_, name)| name.as_str()).collect();
        assert_eq!(keys, ["2", "7", "99"]);
        let seven = &found[&(EntityKind::Relation, "7".to_owned())];
        let alone = fixture.store.relation(&model, 7).await.expect("relation");
        assert_eq!(*seven, Some(serde_json::to_value(alone).expect("JSON")));
        assert_eq!(found[&(EntityKind::Relation, "99".to_owned())], None);

        let everything = fixture
            .store
            .every_entity(&|_, _| true)
            .await
            .expect("read");
        let relations = by_name(everything.entities);
        let count = relations
            .keys()
            .filter(|(kind, _)| *kind == EntityKind::Relation);
        assert_eq!(count.count(), 12);
        fixture.end().await;
    }
}
