//! The order of hooks, and what is guaranteed when something goes wrong in between.

mod common;

use std::time::Duration;

use common::{Done, charm, hooks};
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

async fn until_ran(
    scenario: &Scenario,
    unit: &str,
    hook: &str,
) -> Result<Vec<String>, ScenarioError> {
    for _ in 0..2000 {
        let ran = hooks(scenario, unit).await?;
        if ran.iter().any(|ran| ran == hook) {
            return Ok(ran);
        }
        scenario.pass(Duration::from_millis(100)).await?;
    }
    Err(ScenarioError::Never {
        what: format!("{unit} to run {hook}"),
        model: format!("{:?}", hooks(scenario, unit).await?),
    })
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
async fn a_suspended_relation_is_left_and_entered_anew() -> Done {
    let scenario = Scenario::start().await?;
    let relation = related(&scenario, "start: status active ready").await?;
    scenario.add_units("down", 1).await?;
    scenario.add_units("up", 1).await?;
    until_ran(&scenario, "up/0", "upstream-relation-changed").await?;
    scenario.suspend(relation, true).await?;
    until_ran(&scenario, "up/0", "upstream-relation-broken").await?;
    scenario
        .until("the relation to be suspended", |status| {
            status
                .relations
                .iter()
                .any(|found| found.id == relation && found.status.status == "suspended")
        })
        .await?;
    scenario.suspend(relation, false).await?;
    scenario
        .until("the relation to be joined again", |status| {
            status
                .relations
                .iter()
                .any(|found| found.id == relation && found.status.status == "joined")
        })
        .await?;
    for _ in 0..200 {
        let ran = hooks(&scenario, "up/0").await?;
        if ran
            .iter()
            .filter(|hook| *hook == "upstream-relation-changed")
            .count()
            >= 2
        {
            return scenario.stop().await;
        }
        scenario.pass(Duration::from_millis(100)).await?;
    }
    panic!(
        "the relation was not joined again: {:?}",
        hooks(&scenario, "up/0").await?
    );
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
    scenario
        .until("the hook to fail", |status| {
            let units = status.applications["up"].units.iter().flatten();
            units
                .into_iter()
                .any(|(_, unit)| unit.workload_status.status == "error")
        })
        .await?;
    let bag = |unit: periapt_wire::rest::UnitInfo| {
        let relation = unit
            .relations
            .into_iter()
            .find(|found| found.endpoint == "upstream");
        relation
            .map(|found| found.local_unit.data)
            .unwrap_or_default()
    };
    assert!(!bag(scenario.unit("up/0").await?).contains_key("colour"));
    scenario.resolved("up/0", true).await?;
    until_ran(&scenario, "up/0", "upstream-relation-changed").await?;
    assert_eq!(
        bag(scenario.unit("up/0").await?)
            .get("colour")
            .map(String::as_str),
        Some("blue")
    );
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
    scenario
        .until("the hook to fail", |status| {
            let units = status.applications["up"].units.iter().flatten();
            units
                .into_iter()
                .any(|(_, unit)| unit.workload_status.status == "error")
        })
        .await?;
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
    for left in ["units", "containers"] {
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

#[tokio::test(flavor = "multi_thread")]
async fn a_subordinate_goes_with_its_relation_alone() -> Done {
    let scenario = Scenario::start().await?;
    let relation = with_subordinate(&scenario).await?;
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
    scenario.stop().await
}
