//! Another revision of the charm is put in place, or cannot be.

use super::*;

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
