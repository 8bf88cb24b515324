//! Why units do what they do, as a person asks for it.

use anyhow::{Context, Result, ensure};
use periapt_tests::{Home, assert_three_lines, charm, charm_with};
use serde_json::Value;

fn texts(steps: &Value) -> Result<Vec<String>> {
    let steps = steps.as_array().context("no chain")?;
    let texts = steps.iter().map(|step| {
        let text = step["text"].as_str().context("no text")?;
        Ok(text.to_owned())
    });
    texts.collect()
}

/// The last run of a hook of a unit, with all that is known of it.
fn last(home: &Home, unit: &str, hook: &str) -> Result<Value> {
    let runs = home.json(["hooks", unit, "--hook", hook, "--limit", "1"])?;
    let id = runs[0]["id"].as_i64().context("no run")?.to_string();
    home.json(["show-hook", &id])
}

#[test]
fn what_a_person_changed_is_followed_through_both_sides_of_a_relation() -> Result<()> {
    let home = Home::started()?;
    for name in ["site", "front"] {
        home.ok(["deploy", &charm(name).display().to_string(), name])?;
    }
    home.until_workload("site/0", "active")?;
    home.ok(["integrate", "front:website", "site:website"])?;
    home.until_workload("front/0", "active")?;
    let created = last(&home, "front/0", "website-relation-created")?;
    let told = texts(&created["why"])?;
    ensure!(
        told.len() == 2 && told[1].contains("integrated"),
        "{told:?}"
    );

    home.ok(["config", "site", "title=Causes"])?;
    home.until("front to hear of it", |_| {
        let told = last(&home, "front/0", "website-relation-changed");
        let told = told.and_then(|run| texts(&run["why"]));
        told.is_ok_and(|told| told.last().is_some_and(|end| end.contains("title of site")))
    })?;
    let why = home.ok(["why", "front/0", "--utc"])?;
    let lines: Vec<&str> = why.lines().collect();
    ensure!(
        lines.len() == 3
            && lines[0].starts_with("front/0 ran website-relation-changed (relation ")
            && lines[1].starts_with("  because site/0 changed ")
            && lines[2].starts_with("  because admin changed title of site [audit "),
        "{why}"
    );
    // Each step names the run that leads on.
    let run = home.json(["why", "front/0"])?["steps"][1]["run"].clone();
    let shown = home.ok(["show-hook", &run.to_string()])?;
    ensure!(
        shown.contains("config-changed of site/0") && shown.contains("because admin changed"),
        "{shown}"
    );
    let listed = home.ok(["hooks", "front/0", "--hook", "website-relation-changed"])?;
    ensure!(listed.contains(&format!("run {run}")), "{listed}");

    let newer = home.path().join("site.charm");
    charm_with("site", &[("files/news.txt", "newer")], &newer)?;
    home.ok(["refresh", "site", "--path", &newer.display().to_string()])?;
    home.until("the upgrade", |_| {
        let told = last(&home, "site/0", "config-changed");
        let told = told.and_then(|run| texts(&run["why"]));
        told.is_ok_and(|told| told.iter().any(|step| step.contains("refreshed site")))
    })?;
    Ok(())
}

#[test]
fn who_asks_for_a_unit_that_is_not_there_is_told_so() -> Result<()> {
    let home = Home::started()?;
    let missing = home.periapt(["why", "site/0"])?;
    assert_three_lines(&missing, 3, &["site/0"]);
    // As it is asked for, none of its hooks may have run yet; either is an answer.
    home.ok(["deploy", &charm("site").display().to_string(), "site"])?;
    let answer = home.periapt(["why", "site/0"])?;
    let told = [&answer.out, &answer.err];
    ensure!(
        answer.code == 0 && told.iter().any(|text| text.contains("site/0")),
        "{answer:?}"
    );
    Ok(())
}
