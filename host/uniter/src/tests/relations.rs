//! Relations, from the hook's side to the controller's: scopes, settings, and what is left of
//! both when something breaks.

mod absent;
mod recovery;

use std::collections::BTreeMap;
use std::fs;

use periapt_model::charm::Access;
use periapt_model::hook::Effects;
use periapt_model::uniter::Resolved;
use periapt_model::{Life, status};
use periapt_sandbox::{HookContext, HookTxn};

use super::*;
use crate::testing::{Relation, failure};

const HOOKS: &[&str] = &[
    "install",
    "leader-settings-changed",
    "start",
    "stop",
    "db-relation-created",
    "db-relation-joined",
    "db-relation-changed",
    "db-relation-departed",
    "db-relation-broken",
];

fn postgres(number: u32) -> UnitName {
    format!("postgres/{number}").parse().unwrap()
}

/// `site/0` related to `postgres`, which has one unit in scope.
fn related() -> World {
    let world = World::new();
    world.add_charm(0, HOOKS);
    world.controller.relation(4, |relation| {
        let mut made = Relation::new(&[("site", "db"), ("postgres", "server")]);
        made.enter(&postgres(0), &[("host", "10.0.0.5")]);
        *relation = Some(made);
    });
    world
}

fn change(world: &World, change: impl FnOnce(&mut Relation)) {
    world.controller.relation(4, |relation| {
        if let Some(relation) = relation {
            change(relation);
        }
    });
}

fn relation(world: &World) -> Relation {
    world.controller.related(4).expect("the relation is there")
}

fn setting(world: &World, key: &str) -> Option<String> {
    let bag = relation(world).units.get(&unit()).cloned();
    bag.unwrap_or_default().settings.get(key).cloned()
}

/// What a charm does in a hook, through the transaction that a sandbox would keep for it.
fn transaction(
    context: &mut dyn HookContext,
    work: impl FnOnce(&mut HookTxn, &mut dyn HookContext),
) -> Effects {
    let mut txn = HookTxn::default();
    work(&mut txn, context);
    txn.into_effects()
}

fn pairs(settings: &[(&str, &str)]) -> Vec<(String, Option<String>)> {
    let pairs = settings.iter();
    pairs
        .map(|(key, value)| ((*key).to_owned(), Some((*value).to_owned())))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_enters_reads_writes_and_leaves() {
    let world = related();
    world.sandbox.script(|seen, context| {
        if !seen.hook.starts_with("db-relation") {
            return Ok(Effects::default());
        }
        Ok(transaction(context, |txn, context| {
            let own = periapt_sandbox::OwnBag::Unit;
            let told = context.relations().remove(0);
            assert_eq!(
                (told.name().as_str(), told.remote_application.as_str()),
                ("db:4", "postgres")
            );
            let here = match seen.hook.as_str() {
                "db-relation-joined" | "db-relation-changed" => vec!["postgres/0".to_owned()],
                _ => Vec::new(),
            };
            assert_eq!(told.members, here, "{}", seen.hook);
            if seen.hook == "db-relation-created" {
                assert_eq!(
                    txn.relation_get(context, "db:4", "site/0").unwrap()["private-address"],
                    "127.0.0.1"
                );
                txn.relation_set(context, "db:4", own, pairs(&[("database", "site")]))
                    .unwrap();
            } else if seen.hook != "db-relation-broken" {
                let theirs = txn.relation_get(context, "db:4", "postgres/0").unwrap();
                assert_eq!(theirs["host"], "10.0.0.5", "settings outlive who left");
                txn.relation_set(context, "db:4", own, pairs(&[("last", &seen.hook)]))
                    .unwrap();
                assert_eq!(
                    txn.relation_get(context, "db:4", "site/0").unwrap()["last"],
                    seen.hook
                );
            }
        }))
    });
    let agent = world.start();
    world
        .until(|record| is_idle(record) && world.sandbox.hooks().len() == 6)
        .await;
    assert_eq!(
        world.sandbox.hooks(),
        [
            "install",
            "db-relation-created",
            "leader-settings-changed",
            "start",
            "db-relation-joined",
            "db-relation-changed"
        ]
    );
    assert_eq!(setting(&world, "database").as_deref(), Some("site"));
    assert_eq!(
        setting(&world, "last").as_deref(),
        Some("db-relation-changed")
    );
    assert!(relation(&world).scope.contains(&unit()));
    let joined = &world.sandbox.seen()[4];
    let attributes = [
        ("relation", "JUJU_RELATION", "db"),
        ("relation-id", "JUJU_RELATION_ID", "db:4"),
        ("remote-unit", "JUJU_REMOTE_UNIT", "postgres/0"),
        ("remote-application", "JUJU_REMOTE_APP", "postgres"),
    ];
    assert_eq!(joined.attributes.len(), attributes.len());
    for (attribute, variable, value) in attributes {
        assert_eq!(joined.attributes[attribute], value);
        let given = (variable.to_owned(), value.to_owned());
        assert!(joined.environment.contains(&given), "{variable}");
    }

    change(&world, |relation| relation.leave(&postgres(0)));
    world.until(|_| world.sandbox.hooks().len() == 7).await;
    world.settle().await;
    let departed = &world.sandbox.seen()[6];
    assert_eq!(departed.hook, "db-relation-departed");
    assert_eq!(departed.attributes["departing-unit"], "postgres/0");
    change(&world, |relation| relation.life = Life::Dying);
    world.until(|_| world.controller.related(4).is_none()).await;
    assert_eq!(
        world.sandbox.hooks().last().map(String::as_str),
        Some("db-relation-broken")
    );
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charm_without_the_hooks_is_in_scope_all_the_same() {
    let world = related();
    world.add_charm(0, &["start"]);
    let agent = world.start();
    world.settle().await;
    world
        .until(|_| relation(&world).scope.contains(&unit()))
        .await;
    assert_eq!(world.sandbox.hooks(), ["start"]);
    change(&world, |relation| relation.suspended = true);
    world
        .until(|_| !relation(&world).scope.contains(&unit()))
        .await;
    change(&world, |relation| relation.suspended = false);
    world
        .until(|_| relation(&world).scope.contains(&unit()))
        .await;
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dying_unit_leaves_before_it_stops() {
    let world = related();
    let agent = world.start();
    world
        .until(|record| is_idle(record) && world.sandbox.hooks().len() == 6)
        .await;
    world
        .controller
        .change(&unit(), |record| record.remote.life = Life::Dying);
    agent.terminated().await;
    assert_eq!(
        world.sandbox.hooks()[6..],
        ["db-relation-departed", "db-relation-broken", "stop"]
    );
    let departed = &world.sandbox.seen()[6];
    assert_eq!(departed.attributes["departing-unit"], "site/0");
    assert!(!relation(&world).scope.contains(&unit()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_that_cannot_enter_yet_waits_and_holds_nothing_up() {
    let world = related();
    world.controller.set_not_yet(&unit(), true);
    let agent = world.start();
    world
        .until(|_| world.controller.count("BeginHook") == 1)
        .await;
    assert_eq!(world.sandbox.hooks(), ["install"]);
    assert_ne!(world.record().agent.status, status::Agent::Error);
    // The machine's lock is free meanwhile.
    let other: UnitName = "other/0".parse().unwrap();
    world
        .controller
        .add_unit(&other, &machine(), "local:site-0");
    let neighbour = world.start_unit(&other);
    tokio::time::timeout(LIMIT, world.controller.until_unit(&other, is_idle))
        .await
        .expect("comes to rest");
    neighbour.stop().await;
    let asked = world.controller.count("BeginHook");
    world.pass(2, Duration::from_secs(61)).await;
    world
        .until(|_| world.controller.count("BeginHook") > asked)
        .await;
    world.controller.set_not_yet(&unit(), false);
    world.settle().await;
    assert!(relation(&world).scope.contains(&unit()));
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_hook_says_what_it_was_about_and_can_be_skipped() {
    let world = related();
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "db-relation-joined" | "db-relation-broken" => Err(failure("no")),
        _ => Ok(Effects::default()),
    });
    let agent = world.start();
    let failed = |record: &UnitRecord| record.agent.status == status::Agent::Error;
    world.until(failed).await;
    let record = world.record();
    assert_eq!(record.agent.message, "hook failed: \"db-relation-joined\"");
    assert_eq!(record.agent.data["relation-id"], 4);
    assert_eq!(record.agent.data["remote-unit"], "postgres/0");
    assert_eq!(record.runs.last().unwrap().hook, "db-relation-joined");
    // The unit it was about goes before anybody answers: the pair stays whole.
    change(&world, |relation| {
        relation.leave(&postgres(0));
        relation.life = Life::Dying;
    });
    let skip = |record: &mut UnitRecord| record.remote.resolved = Resolved::NoHooks;
    world.controller.change(&unit(), skip);
    world
        .until(|record| failed(record) && record.agent.message.contains("broken"))
        .await;
    assert_eq!(
        world.sandbox.hooks()[4..],
        [
            "db-relation-joined",
            "db-relation-changed",
            "db-relation-departed",
            "db-relation-broken"
        ]
    );
    assert!(relation(&world).scope.contains(&unit()));
    world.controller.change(&unit(), skip);
    world.until(|_| world.controller.related(4).is_none()).await;
    world.settle().await;
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relation_removed_by_force_is_ended_without_the_controller() {
    let world = related();
    let agent = world.start();
    world
        .until(|record| is_idle(record) && world.sandbox.hooks().len() == 6)
        .await;
    world.controller.relation(4, |relation| *relation = None);
    world.until(|_| world.sandbox.hooks().len() == 8).await;
    world.settle().await;
    assert_eq!(
        world.sandbox.hooks()[6..],
        ["db-relation-departed", "db-relation-broken"]
    );
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_leader_tells_is_committed_only_while_it_leads() {
    let world = related();
    world.controller.set_leader("site", Some(unit()));
    world.sandbox.script(|seen, context| {
        if seen.hook != "start" {
            return Ok(Effects::default());
        }
        Ok(transaction(context, |txn, context| {
            txn.leader_set(context, pairs(&[("token", "1")])).unwrap();
            assert_eq!(txn.leader_get(context).unwrap()["token"], "1");
            let own = periapt_sandbox::OwnBag::Application;
            txn.relation_set(context, "4", own, pairs(&[("url", "x")]))
                .unwrap();
        }))
    });
    let agent = world.start();
    agent.lead();
    world.until(is_idle).await;
    assert_eq!(world.controller.leader_settings("site")["token"], "1");
    let application = "site".parse().unwrap();
    assert_eq!(
        relation(&world).applications[&application].settings["url"],
        "x"
    );
    agent.stop().await;

    // The lease was taken while the hook ran: nothing of it is written.
    let world = related();
    let controller = world.controller.clone();
    world.sandbox.script(move |seen, context| {
        if seen.hook != "start" {
            return Ok(Effects::default());
        }
        Ok(transaction(context, |txn, context| {
            txn.leader_set(context, pairs(&[("token", "1")])).unwrap();
            let own = periapt_sandbox::OwnBag::Unit;
            txn.relation_set(context, "4", own, pairs(&[("half", "1")]))
                .unwrap();
            controller.set_leader("site", Some("site/9".parse().unwrap()));
        }))
    });
    let agent = world.start();
    agent.lead();
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    assert_eq!(world.record().runs.last().unwrap().code, "commit-refused");
    assert!(world.controller.leader_settings("site").is_empty());
    assert_eq!(setting(&world, "half"), None);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn goals_networks_and_settings_are_asked_for_once() {
    let world = related();
    world.sandbox.script(|seen, context| {
        if seen.hook == "db-relation-joined" {
            let member = periapt_sandbox::Member::Unit("postgres/0".to_owned());
            for _ in 0..3 {
                assert_eq!(
                    context.relation_settings(4, &member).unwrap()["host"],
                    "10.0.0.5"
                );
                let goals = context.goal_state().unwrap();
                assert_eq!(goals.units[0].since, 1_700_000_000);
                assert_eq!(goals.relations[0].1[0].name, "postgres");
            }
            let network = context.network("db").unwrap();
            assert_eq!(network.bind_addresses, ["127.0.0.1"]);
            assert_eq!(network.egress_subnets, ["127.0.0.1/32"]);
            assert_eq!(context.network("web").unwrap_err().code(), "not-found");
            assert!(context.knows_endpoint("cluster") && !context.knows_endpoint("web"));
        }
        Ok(Effects::default())
    });
    let agent = world.start();
    world.until(|_| world.sandbox.hooks().len() == 6).await;
    world.settle().await;
    assert_eq!(world.controller.count("ReadRelationSettings"), 1);
    assert_eq!(world.controller.count("GoalState"), 1);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn shared_directories_are_one_place_and_go_with_the_principal() {
    let world = World::new();
    let bytes = archive("site", "0");
    let url = CharmUrl::new("site", 0).unwrap();
    let mut info = charm_info(&bytes, &url, &["install"]).unwrap();
    info.shared = BTreeMap::from([
        ("logs".to_owned(), Access::ReadWrite),
        ("../escape".to_owned(), Access::ReadWrite),
    ]);
    world.controller.add_charm(info, bytes);
    world.sandbox.script(|seen, _| {
        let shared = &seen.shared[0];
        assert_eq!(
            (shared.name.as_str(), shared.access),
            ("logs", Access::ReadWrite)
        );
        assert_eq!(seen.shared.len(), 1, "a name that is a path is none");
        fs::write(shared.path.join("line"), "x").unwrap();
        Ok(Effects::default())
    });
    let agent = world.start();
    world.settle().await;
    let directory = world.process.shared_directory(&unit());
    assert!(directory.starts_with(world.directory.path()));
    assert!(directory.join("logs/line").exists());
    world
        .controller
        .change(&unit(), |record| record.remote.life = Life::Dying);
    agent.terminated().await;
    assert!(!directory.exists());
}
