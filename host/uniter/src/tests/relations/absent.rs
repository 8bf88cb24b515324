//! Hooks that the charm does not have, which end with the commit that they follow.

use periapt_model::status::Workload;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn ten_hooks_that_the_charm_lacks_are_one_commit() {
    let world = related();
    world.add_charm(0, &[]);
    change(&world, |relation| {
        relation.enter(&postgres(1), &[]);
        relation.enter(&postgres(2), &[]);
    });
    let agent = world.start();
    world.settle().await;
    assert_eq!(world.controller.count("CommitHook"), 1);
    assert_eq!(world.controller.count("BeginHook"), 0);
    let record = world.record();
    assert_eq!(record.workload.status, Workload::Unknown);
    assert_eq!((record.runs.len(), record.commits.len()), (0, 1));
    let state = record.state.operation.unwrap();
    assert!(state.installed && state.started, "{state:?}");
    assert_eq!(state.config_hash, Some(record.remote.config_hash));
    assert_eq!(state.leader_settings_version, Some(0));
    assert_eq!(state.relations[&4].members.len(), 3);
    assert!(relation(&world).scope.contains(&unit()));

    world
        .controller
        .change(&unit(), |record| record.remote.life = Life::Dying);
    agent.terminated().await;
    assert_eq!(
        world.controller.count("CommitHook"),
        2,
        "departed, broken, stop and remove"
    );
    assert!(!relation(&world).scope.contains(&unit()));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_charm_lacks_after_a_hook_that_ran_is_in_its_commit() {
    let world = related();
    world.add_charm(0, &["install"]);
    let agent = world.start();
    world.settle().await;
    assert_eq!(world.sandbox.hooks(), ["install"]);
    let calls = world.controller.calls();
    let hooks = calls.iter().filter(|call| call.ends_with("Hook"));
    assert_eq!(hooks.collect::<Vec<_>>(), ["CommitHook"]);
    assert!(relation(&world).scope.contains(&unit()));
    assert_eq!(world.record().runs.len(), 1);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relation_that_cannot_be_entered_yet_holds_up_no_hook_before_it() {
    let world = related();
    world.add_charm(0, &["install", "start"]);
    world.controller.set_not_yet(&unit(), true);
    let agent = world.start();
    world.until(|record| record.runs.len() == 1).await;
    let installed = |record: &UnitRecord| {
        let state = record.state.operation.as_ref();
        state.is_some_and(|state| state.installed)
    };
    assert!(installed(&world.record()));
    assert!(!relation(&world).scope.contains(&unit()));
    world
        .controller
        .until(|controller| controller.count("CommitHook") == 3)
        .await;
    world.controller.set_not_yet(&unit(), false);
    world.settle().await;
    assert_eq!(world.sandbox.hooks(), ["install", "start"]);
    assert!(relation(&world).scope.contains(&unit()));
    agent.stop().await;
}
