//! Hooks of relations at the points where an agent or its connection can be lost.

use super::*;

/// Sets a key in joined; everything else does nothing.
fn greet(world: &World) {
    world.sandbox.script(|seen, context| {
        if seen.hook != "db-relation-joined" {
            return Ok(Effects::default());
        }
        Ok(transaction(context, |txn, context| {
            let own = periapt_sandbox::OwnBag::Unit;
            txn.relation_set(context, "4", own, pairs(&[("hello", "1")]))
                .unwrap();
        }))
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_killed_in_the_middle_leaves_nothing_and_its_retry_once() {
    let mut world = related();
    let (mut barrier, pass) = Barrier::new();
    world.sandbox.script(move |seen, _| {
        if seen.hook == "db-relation-joined" {
            pass();
        }
        Ok(Effects::default())
    });
    let agent = world.start();
    barrier.entered().await;
    agent.killed();
    barrier.open();
    assert_eq!(setting(&world, "hello"), None);
    greet(&world);
    world.kill_process();
    let agent = world.start();
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    let before = relation(&world).units[&unit()].version;
    world.pass(2, Duration::from_secs(6)).await;
    world.settle().await;
    assert_eq!(setting(&world, "hello").as_deref(), Some("1"));
    assert_eq!(relation(&world).units[&unit()].version, before + 1);
    assert_eq!(
        world.sandbox.hooks()[4..],
        [
            "db-relation-joined",
            "db-relation-joined",
            "db-relation-changed"
        ]
    );
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_whose_answer_is_lost_is_not_made_twice() {
    for hook in [
        "db-relation-created",
        "db-relation-joined",
        "db-relation-broken",
    ] {
        let mut world = related();
        let controller = world.controller.clone();
        world.sandbox.script(move |seen, context| {
            if seen.hook == hook {
                controller.lose_next("CommitHook");
            }
            if seen.hook != "db-relation-joined" {
                return Ok(Effects::default());
            }
            Ok(transaction(context, |txn, context| {
                let own = periapt_sandbox::OwnBag::Unit;
                txn.relation_set(context, "4", own, pairs(&[("hello", "1")]))
                    .unwrap();
            }))
        });
        let agent = world.start();
        if hook == "db-relation-broken" {
            world
                .until(|record| is_idle(record) && world.sandbox.hooks().len() == 6)
                .await;
            change(&world, |relation| relation.suspended = true);
        }
        let ended = tokio::time::timeout(LIMIT, agent.worker.wait()).await;
        assert!(ended.expect("ends").is_err());
        world.kill_process();
        let agent = world.start();
        let count = if hook == "db-relation-broken" { 8 } else { 6 };
        world
            .until(|record| is_idle(record) && world.sandbox.hooks().len() == count)
            .await;
        let ran = world.sandbox.hooks();
        assert_eq!(ran.iter().filter(|ran| *ran == hook).count(), 1, "{ran:?}");
        assert_eq!(setting(&world, "hello").as_deref(), Some("1"));
        agent.stop().await;
    }
}
