//! Hooks that fail: what is left of them, and who tries them again.

use std::fs;

use periapt_model::hook::Effects;
use periapt_model::status;
use periapt_model::uniter::Resolved;

use super::*;
use crate::testing::failure;

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_hook_is_retried_and_leaves_nothing_behind() {
    let world = World::new();
    world.sandbox.script(|seen, context| {
        context.set_workload_version("1.0").unwrap();
        fs::write(seen.state()?.join("half"), "done").unwrap();
        Err(failure("no disk"))
    });
    let agent = world.start();
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    let record = world.record();
    assert_eq!(record.agent.message, "hook failed: \"install\"");
    assert_eq!(record.agent.data["hook"], "install");
    assert_eq!(record.agent.data["reason"], "no disk");
    assert_eq!(record.version, "1.0", "what takes effect at once stays");
    assert_eq!(
        (
            record.commits.len(),
            record.state.operation.unwrap().state_generation
        ),
        (0, 0)
    );

    world.pass(2, Duration::from_secs(6)).await;
    // A hook under way has a timer too: only what is shown tells that the next wait began.
    let first_retry = record.agent.data["next-retry"].clone();
    world
        .until(|record| {
            record.agent.status == status::Agent::Error
                && record.agent.data["next-retry"] != first_retry
        })
        .await;
    assert_eq!(world.sandbox.hooks(), ["install", "install"]);
    world.sandbox.script(|seen, _| {
        assert!(
            !seen.state()?.join("half").exists(),
            "the retry begins afresh"
        );
        Ok(Effects::default())
    });
    // The second wait is twice the first.
    world.pass(2, Duration::from_secs(6)).await;
    tokio::task::yield_now().await;
    assert_eq!(world.sandbox.hooks().len(), 2);
    world.clock.advance(Duration::from_secs(6));
    world.settle().await;
    assert_eq!(
        world.sandbox.hooks(),
        ["install", "install", "install", "config-changed", "start"]
    );
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_hook_is_left_alone_where_hooks_are_not_retried() {
    let mut world = World::new();
    world.retry.should_retry = false;
    world.sandbox.script(|_, _| Err(failure("no disk")));
    let agent = world.start();
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    assert!(!world.record().agent.data.contains_key("next-retry"));
    world.pass(1, Duration::from_secs(200)).await;
    // It looks, and sees that nothing is to be done.
    for title in ["one", "two"] {
        let asked = world.controller.count("RemoteState");
        world.controller.set_title(&unit(), title);
        let looks = world
            .controller
            .until(|controller| controller.count("RemoteState") > asked);
        tokio::time::timeout(LIMIT, looks).await.expect("looks");
    }
    agent.stop().await;
    assert_eq!(world.sandbox.hooks(), ["install"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_can_skip_or_retry_a_failed_hook() {
    let world = World::new();
    world.sandbox.script(|seen, _| {
        if seen.hook == "start" {
            Err(failure("no"))
        } else {
            Ok(Effects::default())
        }
    });
    let agent = world.start();
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    world.controller.change(&unit(), |record| {
        record.remote.resolved = Resolved::RetryHooks
    });
    world
        .until(|_| {
            world
                .sandbox
                .hooks()
                .iter()
                .filter(|hook| *hook == "start")
                .count()
                == 2
        })
        .await;
    world
        .until(|record| record.remote.resolved == Resolved::None)
        .await;
    world
        .controller
        .change(&unit(), |record| record.remote.resolved = Resolved::NoHooks);
    world.settle().await;
    assert_eq!(
        world.sandbox.hooks(),
        ["install", "config-changed", "start", "start"]
    );
    assert_eq!(world.record().remote.resolved, Resolved::None);
    agent.stop().await;
}
