//! Why hooks run: each names what it was chosen from, and the chain of that leads to a person or a timer.

use std::time::Duration;

use periapt_testing::{Scenario, ScenarioError};
use periapt_wire::rest::WhyStep;

use crate::common::{Done, charm, until_ran};

/// The chain of the last run of a hook of a unit.
async fn chain(scenario: &Scenario, unit: &str, hook: &str) -> Result<Vec<WhyStep>, ScenarioError> {
    let runs = scenario.hooks(Some(unit)).await?;
    let of_hook = runs.iter().filter(|run| run.hook == hook);
    let run = of_hook.max_by_key(|run| run.id).expect("a run");
    let report = scenario.client().hook_report("test", run.id).await;
    Ok(report.expect("a report").why)
}

/// Waits until the last run of a hook has a chain with this end.
async fn until_because(
    scenario: &Scenario,
    unit: &str,
    hook: &str,
    end: &str,
) -> Result<Vec<WhyStep>, ScenarioError> {
    for _ in 0..2000 {
        let steps = chain(scenario, unit, hook).await?;
        if steps.last().is_some_and(|step| step.text == end) {
            return Ok(steps);
        }
        scenario.pass(Duration::from_millis(100)).await?;
    }
    let steps = chain(scenario, unit, hook).await?;
    Err(ScenarioError::Never {
        what: format!("{unit} to run {hook} because {end}"),
        model: format!("{:?}", told(&steps)),
    })
}

fn told(steps: &[WhyStep]) -> Vec<&str> {
    steps.iter().map(|step| step.text.as_str()).collect()
}

/// `site` with a front page that lists it.
async fn shop() -> Result<Scenario, ScenarioError> {
    let scenario = Scenario::start().await?;
    scenario.deploy(charm("site"), "site", 1).await?;
    scenario.deploy(charm("front"), "front", 1).await?;
    scenario.until_active("site").await?;
    scenario.integrate("front:website", "site:website").await?;
    scenario.until_active("front").await?;
    Ok(scenario)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_one_application_is_followed_into_the_hooks_of_another() -> Done {
    let scenario = shop().await?;
    let created = chain(&scenario, "front/0", "website-relation-created").await?;
    assert!(
        told(&created)[1].contains("admin integrated"),
        "{created:?}"
    );

    scenario.configure("site", &[("title", "Causes")]).await?;
    let end = "admin changed title of site";
    let steps = until_because(&scenario, "front/0", "website-relation-changed", end).await?;
    let words = told(&steps);
    assert!(words[0].starts_with("front/0 ran website-relation-changed (relation "));
    assert!(
        words[1].starts_with("site/0 changed ")
            && words[1].ends_with(", in its hook config-changed"),
        "{words:?}"
    );
    assert_eq!(words[2..], [end]);
    assert!(
        steps[1].run < steps[0].run && steps[2].audit.is_some(),
        "{steps:?}"
    );

    let unit = "site/0".parse().expect("unit");
    let why = scenario.client().why("test", &unit).await;
    let why = why.expect("a chain");
    assert_eq!(
        told(&why.steps),
        ["site/0 ran config-changed", "admin changed title of site"]
    );
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_hooks_of_a_unit_lead_to_who_deployed_it_and_the_later_ones_to_a_timer() -> Done {
    let scenario = shop().await?;
    let steps = chain(&scenario, "site/0", "start").await?;
    let words = told(&steps);
    assert!(
        words.contains(&"site/0 ran config-changed before it"),
        "{words:?}"
    );
    let began = words.last().expect("an end");
    assert!(began.starts_with("admin deployed "), "{words:?}");

    scenario.pass(Duration::from_secs(400)).await?;
    until_ran(&scenario, "front/0", "update-status").await?;
    let steps = chain(&scenario, "front/0", "update-status").await?;
    assert_eq!(
        told(&steps),
        [
            "front/0 ran update-status",
            "the update-status timer was due"
        ]
    );
    // A good update-status says nothing of why the unit is as it is.
    let unit = "front/0".parse().expect("unit");
    let why = scenario.client().why("test", &unit).await;
    let why = why.expect("a chain");
    assert_ne!(told(&why.steps)[0], "front/0 ran update-status");

    scenario.remove_unit("site/0", false).await?;
    until_ran(&scenario, "front/0", "website-relation-departed").await?;
    let steps = chain(&scenario, "front/0", "website-relation-departed").await?;
    assert_eq!(told(&steps)[1..], ["admin removed unit site/0"]);
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_rotated_by_its_policy_and_its_reader_is_told_because_of_that() -> Done {
    let scenario = Scenario::start().await?;
    let settings = [("script", "start: status active ready")];
    scenario
        .deploy_with(charm("probe"), "probe", 1, &settings)
        .await?;
    scenario
        .deploy_with(charm("vault"), "vault", 1, &[("rotate", "hourly")])
        .await?;
    scenario.until_active("probe").await?;
    scenario.until_active("vault").await?;
    scenario
        .integrate("vault:credentials", "probe:credentials")
        .await?;
    scenario
        .until_says("vault/0", "active: credentials for 1 application")
        .await?;
    // The status is seen before the rest of the hook, which is committed at its end.
    let there = scenario.until_true("a secret", async || {
        Ok(!scenario.secrets().await?.is_empty())
    });
    there.await?;
    let secrets = scenario.secrets().await?;
    let id = secrets.first().expect("a secret").id.to_string();
    // Only who read a secret is told of its revisions.
    scenario.exec("probe/0", &["secret-get", &id]).await?;
    scenario.pass(Duration::from_secs(1800)).await?;
    scenario
        .until_secret(&id, "another password", |secret| {
            secret.revisions.len() == 2
        })
        .await?;
    until_ran(&scenario, "probe/0", "secret-changed").await?;
    let steps = chain(&scenario, "probe/0", "secret-changed").await?;
    assert_eq!(
        told(&steps),
        [
            format!("probe/0 ran secret-changed (secret {id})"),
            format!("vault/0 gave secret {id} a new value, in its hook secret-rotate"),
            "the rotation policy of the secret was due".to_owned(),
        ]
    );
    let task = chain(&scenario, "probe/0", "commands/secret-get").await?;
    assert!(
        told(&task)[1].contains(" asked for command secret-get"),
        "{task:?}"
    );
    scenario.stop().await
}
