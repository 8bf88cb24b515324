//! Another revision of the charm is put in place, or cannot be.

use periapt_model::status;
use periapt_model::uniter::Resolved;

use super::*;
use crate::testing::failure;

async fn until_in_place(world: &World, charm: &str) {
    world
        .until(|record| is_idle(record) && record.charm_in_place.as_deref() == Some(charm))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_puts_the_new_charm_in_place() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    world.add_charm(1, ALL_HOOKS);
    world.controller.change(&unit(), |record| {
        record.remote.charm_url = "local:site-1".to_owned();
        record.remote.charm_modified_version = 1;
    });
    until_in_place(&world, "local:site-1").await;
    let seen: Vec<(String, String)> = world
        .sandbox
        .seen()
        .into_iter()
        .skip(3)
        .map(|seen| (seen.hook, seen.charm))
        .collect();
    let new = |hook: &str| (hook.to_owned(), "local:site-1".to_owned());
    assert_eq!(seen, [new("upgrade-charm"), new("config-changed")]);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charm_that_is_not_what_it_should_be_waits_for_another_one() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    world.add_charm(1, ALL_HOOKS);
    let digest = charm_info(
        &archive("site", "1"),
        &CharmUrl::new("site", 1).unwrap(),
        &[],
    )
    .unwrap()
    .sha256;
    world
        .controller
        .add_blob(&digest, archive("site", "forged"));
    world.controller.change(&unit(), |record| {
        record.remote.charm_url = "local:site-1".to_owned()
    });
    world
        .until(|record| record.agent.message == "upgrade failed")
        .await;
    world.add_charm(2, ALL_HOOKS);
    world.controller.change(&unit(), |record| {
        record.remote.charm_url = "local:site-2".to_owned();
        record.remote.force_charm_upgrade = true;
    });
    until_in_place(&world, "local:site-2").await;
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charm_whose_code_cannot_be_loaded_is_an_upgrade_that_failed() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    world.add_charm(1, ALL_HOOKS);
    world.sandbox.unfit("local:site-1");
    world.controller.change(&unit(), |record| {
        record.remote.charm_url = "local:site-1".to_owned()
    });
    world
        .until(|record| record.agent.message == "upgrade failed")
        .await;
    let record = world.record();
    assert_eq!(record.agent.status, status::Agent::Error);
    assert_eq!(
        record.agent.data["reason"],
        "charm local:site-1: it does not fit"
    );
    assert_eq!(record.charm_in_place.as_deref(), Some("local:site-0"));
    assert_eq!(
        world.sandbox.hooks(),
        ["install", "config-changed", "start"]
    );
    world.add_charm(2, ALL_HOOKS);
    world.controller.change(&unit(), |record| {
        record.remote.charm_url = "local:site-2".to_owned();
        record.remote.force_charm_upgrade = true;
    });
    until_in_place(&world, "local:site-2").await;
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forced_refresh_in_error_comes_back_to_the_hook_that_failed() {
    let mut world = World::new();
    world.retry.should_retry = false;
    world.sandbox.script(|seen, _| {
        if seen.hook == "start" {
            Err(failure("no"))
        } else {
            Ok(Effects::default())
        }
    });
    let agent = world.start();
    let failed = |record: &UnitRecord| {
        record.agent.status == status::Agent::Error
            && record.agent.message == "hook failed: \"start\""
    };
    world.until(failed).await;
    world.add_charm(1, ALL_HOOKS);
    // Without force it stays with its charm, whatever time passes.
    let asked = world.controller.count("RemoteState");
    world.controller.change(&unit(), |record| {
        record.remote.charm_url = "local:site-1".to_owned();
        record.remote.charm_modified_version = 1;
    });
    let again = world
        .controller
        .until(|controller| controller.count("RemoteState") > asked);
    tokio::time::timeout(LIMIT, again).await.expect("looks");
    assert_eq!(
        world.record().charm_in_place.as_deref(),
        Some("local:site-0")
    );
    world.controller.change(&unit(), |record| {
        record.remote.force_charm_upgrade = true;
    });
    world
        .until(|record| failed(record) && record.charm_in_place.as_deref() == Some("local:site-1"))
        .await;
    world.pass(1, Duration::from_secs(200)).await;
    let before = ["install", "config-changed", "start"];
    assert_eq!(world.sandbox.hooks(), before, "it waits for a person");
    world.sandbox.script(|_, _| Ok(Effects::default()));
    world.controller.change(&unit(), |record| {
        record.remote.resolved = Resolved::RetryHooks
    });
    world.settle().await;
    let seen = world.sandbox.seen();
    assert_eq!(
        (seen[3].hook.as_str(), seen[3].charm.as_str()),
        ("start", "local:site-1"),
        "the pending hook comes first, with the new charm"
    );
    agent.stop().await;
}
