//! The order of hooks, and what is guaranteed when something goes wrong in between: the uniter's
//! list of acceptance, as far as it needs no process to be killed. Those points are in the suite
//! `crash`; that many changes of the configuration make one hook is in `e2e`; and what becomes of
//! who leads no more is in `leaders.rs`.

use std::time::Duration;

use crate::common::{
    Done, at_endpoint, begun_hooks, charm, hooks, own_bag, until_in_error, until_ran,
};
use periapt_testing::{Scenario, ScenarioError};

/// Two applications of `probe` without units, related.
async fn related(scenario: &Scenario, script: &str) -> Result<u64, ScenarioError> {
    let script = [("script", script)];
    scenario
        .deploy_with(charm("probe"), "up", 0, &script)
        .await?;
    scenario
        .deploy_with(charm("probe"), "down", 0, &script)
        .await?;
    Ok(scenario
        .integrate("up:upstream", "down:downstream")
        .await?
        .id)
}

/// A unit `main/0` with its subordinate `aside/0`, both active; their relation.
async fn with_subordinate(scenario: &Scenario) -> Result<u64, ScenarioError> {
    let script = [("script", "start: status active ready")];
    scenario
        .deploy_with(charm("probe"), "main", 1, &script)
        .await?;
    scenario
        .deploy_with(charm("probe-subordinate"), "aside", 0, &script)
        .await?;
    let relation = scenario.integrate("aside:host", "main:juju-info").await?;
    scenario.until_active("main").await?;
    scenario.until_active("aside").await?;
    Ok(relation.id)
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_of_a_new_unit_come_in_their_order() -> Done {
    let scenario = Scenario::start().await?;
    related(&scenario, "start: status active ready").await?;
    scenario.add_units("down", 1).await?;
    scenario.until_active("down").await?;
    scenario.add_units("up", 2).await?;
    scenario.until_active("up").await?;
    until_ran(&scenario, "up/0", "upstream-relation-changed").await?;
    until_ran(&scenario, "up/0", "ring-relation-changed").await?;
    until_ran(&scenario, "up/1", "upstream-relation-changed").await?;
    let ran = [
        hooks(&scenario, "up/0").await?,
        hooks(&scenario, "up/1").await?,
    ];
    for (index, ran) in ran.iter().enumerate() {
        let leads = ran.iter().any(|hook| hook == "leader-elected");
        let fourth = if leads {
            "leader-elected"
        } else {
            "leader-settings-changed"
        };
        assert_eq!(
            ran[..6],
            [
                "install",
                "ring-relation-created",
                "upstream-relation-created",
                fourth,
                "config-changed",
                "start"
            ],
            "up/{index}: {ran:?}"
        );
        for endpoint in ["ring", "upstream"] {
            let joined = format!("{endpoint}-relation-joined");
            let joined = ran.iter().position(|hook| *hook == joined);
            let changed = format!("{endpoint}-relation-changed");
            let changed = ran.iter().position(|hook| *hook == changed);
            assert!(
                joined.is_some() && changed.is_some() && joined < changed,
                "{ran:?}"
            );
        }
    }
    let leaders = ran
        .iter()
        .flatten()
        .filter(|hook| *hook == "leader-elected");
    assert_eq!(leaders.count(), 1);
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_relation_is_departed_then_broken_on_both_sides() -> Done {
    let scenario = Scenario::start().await?;
    let relation = related(&scenario, "start: status active ready").await?;
    scenario.add_units("down", 1).await?;
    scenario.add_units("up", 1).await?;
    until_ran(&scenario, "up/0", "upstream-relation-changed").await?;
    until_ran(&scenario, "down/0", "downstream-relation-changed").await?;
    scenario.remove_relation(relation, false).await?;
    for (unit, endpoint) in [("up/0", "upstream"), ("down/0", "downstream")] {
        let ran = until_ran(&scenario, unit, &format!("{endpoint}-relation-broken")).await?;
        let own: Vec<&str> = ran
            .iter()
            .filter_map(|hook| hook.strip_prefix(&format!("{endpoint}-relation-")))
            .collect();
        assert_eq!(
            own,
            ["created", "joined", "changed", "departed", "broken"],
            "{unit}"
        );
    }
    scenario
        .until("the relation to be gone", |status| {
            // What remains are the two rings.
            status.relations.len() == 2
        })
        .await?;
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn data_of_a_failed_hook_is_nowhere_and_after_the_retry_there_once() -> Done {
    let scenario = Scenario::start().await?;
    let script = "start: status active ready\n\
        upstream-relation-joined: relation-set colour blue\n\
        upstream-relation-joined: fail 1";
    related(&scenario, script).await?;
    scenario.add_units("down", 1).await?;
    scenario.until_active("down").await?;
    scenario.add_units("up", 1).await?;
    until_in_error(&scenario, "up/0").await?;
    let bag = own_bag(&scenario, "up/0", "upstream").await?;
    assert!(!bag.contains_key("colour"), "{bag:?}");
    scenario.resolved("up/0", true).await?;
    until_ran(&scenario, "up/0", "upstream-relation-changed").await?;
    let bag = own_bag(&scenario, "up/0", "upstream").await?;
    assert_eq!(bag.get("colour").map(String::as_str), Some("blue"));
    let ran = hooks(&scenario, "up/0").await?;
    assert_eq!(
        ran.iter()
            .filter(|hook| *hook == "upstream-relation-joined")
            .count(),
        1
    );
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_and_goes_while_a_unit_is_in_error_is_never_seen() -> Done {
    let scenario = Scenario::start().await?;
    let script = "start: status active ready\nconfig-changed: fail 1";
    scenario
        .deploy_with(charm("probe"), "up", 1, &[("script", script)])
        .await?;
    scenario
        .deploy_with(
            charm("probe"),
            "down",
            0,
            &[("script", "start: status active ready")],
        )
        .await?;
    until_in_error(&scenario, "up/0").await?;
    scenario.integrate("up:upstream", "down:downstream").await?;
    scenario.add_units("down", 1).await?;
    scenario.until_active("down").await?;
    scenario.remove_unit("down/0", true).await?;
    scenario
        .until("the other unit to be gone", |status| {
            status.applications["down"].units.iter().flatten().count() == 0
        })
        .await?;
    scenario.resolved("up/0", true).await.ok();
    until_ran(&scenario, "up/0", "upstream-relation-created").await?;
    scenario.until_active("up").await?;
    let ran = hooks(&scenario, "up/0").await?;
    assert!(
        !ran.iter()
            .any(|hook| hook.contains("upstream-relation-joined")
                || hook.contains("upstream-relation-departed")),
        "{ran:?}"
    );
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_principal_goes_after_its_subordinates_hooks() -> Done {
    let scenario = Scenario::start().await?;
    with_subordinate(&scenario).await?;
    scenario.remove_unit("main/0", false).await?;
    scenario
        .until("both to be gone", |status| {
            status.applications["main"].units.iter().flatten().count() == 0
        })
        .await?;
    assert!(scenario.unit("aside/0").await.is_err());
    let agent = scenario.agent_directory().await?;
    for left in ["units", "shared"] {
        let left: Vec<_> = std::fs::read_dir(agent.join(left))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
    scenario.stop().await
}

const ENDS: [&str; 4] = [
    "host-relation-departed",
    "host-relation-broken",
    "stop",
    "remove",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_subordinate_goes_with_its_relation_alone() -> Done {
    let scenario = Scenario::start().await?;
    let relation = with_subordinate(&scenario).await?;
    let of_principal = hooks(&scenario, "main/0").await?;
    assert!(
        !of_principal.iter().any(|hook| hook.contains("juju-info")),
        "the implicit endpoint has no hooks: {of_principal:?}"
    );
    scenario.remove_relation(relation, false).await?;
    scenario
        .until(
            "the subordinate to be gone and its principal to stay",
            |status| {
                let units: Vec<_> = status.applications["main"].units.iter().flatten().collect();
                units.len() == 1 && units[0].1.subordinates.iter().flatten().count() == 0
            },
        )
        .await?;
    assert!(scenario.unit("aside/0").await.is_err());
    let ran = begun_hooks(&scenario, "aside/0").await?;
    assert_eq!(ran[ran.len() - 4..], ENDS, "{ran:?}");
    scenario.stop().await
}

/// The subordinate's stop hook fails until somebody answers, so that there is time to look.
#[tokio::test(flavor = "multi_thread")]
async fn the_principals_removal_waits_for_the_subordinates_last_hook() -> Done {
    let scenario = Scenario::start().await?;
    let relation = with_subordinate(&scenario).await?;
    let script = "config-changed: status active told\nstop: fail";
    scenario.configure("aside", &[("script", script)]).await?;
    scenario.until_says("aside/0", "active: told").await?;
    scenario.remove_relation(relation, false).await?;
    scenario.remove_unit("main/0", false).await?;
    scenario
        .until("the subordinate to be stuck", |status| {
            let units = status.applications["main"].units.iter().flatten();
            units
                .flat_map(|(_, unit)| unit.subordinates.iter().flatten())
                .any(|(_, unit)| unit.workload_status.status == "error")
        })
        .await?;
    scenario.pass(Duration::from_secs(120)).await?;
    let status = scenario.status().await?;
    assert_eq!(
        status.applications["main"].units.iter().flatten().count(),
        1,
        "the principal waits"
    );
    let waits = scenario.unit("main/0").await?.waiting_for;
    assert!(
        waits.iter().any(|reason| reason.contains("aside/0")),
        "it says for whom: {waits:?}"
    );
    scenario.resolved("aside/0", false).await?;
    scenario
        .until("both to be gone", |status| {
            status.applications["main"].units.iter().flatten().count() == 0
        })
        .await?;
    let ran = begun_hooks(&scenario, "aside/0").await?;
    let mut once: Vec<&String> = ran.iter().collect();
    once.dedup();
    assert_eq!(once[once.len() - 4..], ENDS, "{ran:?}");
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_while_its_joined_fails_is_joined_and_departed_as_a_pair() -> Done {
    let scenario = Scenario::start().await?;
    let script = "start: status active ready\nupstream-relation-joined: fail 1";
    related(&scenario, script).await?;
    scenario.add_units("up", 1).await?;
    scenario.until_active("up").await?;
    scenario
        .set_model_config(&[("automatically-retry-hooks", "false")])
        .await?;
    scenario.add_units("down", 1).await?;
    until_in_error(&scenario, "up/0").await?;
    scenario.remove_unit("down/0", false).await?;
    scenario
        .until("the other unit to be gone", |status| {
            status.applications["down"].units.iter().flatten().count() == 0
        })
        .await?;
    scenario.resolved("up/0", true).await?;
    until_ran(&scenario, "up/0", "upstream-relation-departed").await?;
    assert_eq!(
        at_endpoint(&scenario, "up/0", "upstream").await?,
        ["created", "joined", "changed", "departed"]
    );
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trap_fails_a_hook_as_an_error_does() -> Done {
    let scenario = Scenario::start().await?;
    related(&scenario, "start: status active ready").await?;
    scenario.add_units("down", 1).await?;
    scenario.add_units("up", 1).await?;
    until_ran(&scenario, "up/0", "upstream-relation-changed").await?;
    scenario.until_active("up").await?;
    scenario
        .set_model_config(&[("automatically-retry-hooks", "false")])
        .await?;
    for (deed, code) in [("fail", ""), ("trap", "trap")] {
        let script = format!(
            "config-changed: relation-set {deed} done in upstream\n\
             config-changed: append {deed}\nconfig-changed: {deed}"
        );
        scenario.configure("up", &[("script", &script)]).await?;
        until_in_error(&scenario, "up/0").await?;
        let unit = scenario.unit("up/0").await?;
        assert!(
            unit.workload.message.contains("config-changed"),
            "{}",
            unit.workload.message
        );
        let failed = scenario.hooks(Some("up/0")).await?;
        let failed = failed.iter().rfind(|run| run.result == "failed");
        let failed = failed.map(|run| (run.hook.as_str(), run.code.as_str()));
        assert_eq!(failed.map(|(hook, _)| hook), Some("config-changed"));
        assert!(
            failed.is_some_and(|(_, found)| found.contains(code)),
            "{failed:?}"
        );
        let bag = own_bag(&scenario, "up/0", "upstream").await?;
        assert!(!bag.contains_key(deed), "nothing is written: {bag:?}");
        let before = hooks(&scenario, "up/0").await?.len();
        let script = [("script", "config-changed: status active well")];
        scenario.configure("up", &script).await?;
        scenario.resolved("up/0", true).await?;
        scenario.until_says("up/0", "active: well").await?;
        // What a hook says is seen before it is over.
        scenario.until_active("up").await?;
        assert!(hooks(&scenario, "up/0").await?.len() > before);
    }
    let state = scenario.state_directory("up/0").await?;
    assert!(!state.join("journal").exists(), "{state:?}");
    scenario.stop().await
}
