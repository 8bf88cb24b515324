//! The demo charm: deployed, configured, blocked by bad config, and freed again.

use periapt_tests::{Home, charm};

/// The page of the newest generation of the unit's files.
fn rendered(home: &Home, unit: &str) -> anyhow::Result<String> {
    let unit = unit.replace('/', "-");
    let mut pages = Vec::new();
    for agent in std::fs::read_dir(home.controller_directory().join("agents"))?.flatten() {
        let state = agent.path().join("units").join(&unit).join("state");
        for generation in std::fs::read_dir(state).into_iter().flatten().flatten() {
            let number = generation.file_name().to_string_lossy().parse::<u64>();
            let page = generation.path().join("site/index.html");
            if let (Ok(number), true) = (number, page.exists()) {
                pages.push((number, page));
            }
        }
    }
    let newest = pages.into_iter().max();
    let (_, page) = newest.ok_or_else(|| anyhow::anyhow!("{unit} has no page"))?;
    Ok(std::fs::read_to_string(page)?)
}

#[test]
fn two_units_of_site_become_active_and_follow_their_config() -> anyhow::Result<()> {
    let home = Home::started()?;
    let file = charm("site");
    home.ok([
        "deploy",
        &file.display().to_string(),
        "-n",
        "2",
        "--config",
        "title=Under test",
    ])?;
    home.ok(["wait-for", "application", "site", "--timeout", "3m"])?;
    let first = home.until_workload("site/0", "active")?;
    home.until_workload("site/1", "active")?;
    let message = first["workload-status"]["message"]
        .as_str()
        .unwrap_or_default();
    assert!(
        message.contains("page"),
        "the status counts pages: {message}"
    );
    assert!(rendered(&home, "site/0")?.contains("Under test"));

    home.ok(["config", "site", "title=Changed <b>live</b>"])?;
    home.until("the new title on disk", |_| {
        rendered(&home, "site/1").is_ok_and(|page| page.contains("Changed &lt;b&gt;live&lt;/b&gt;"))
    })?;

    home.ok(["config", "site", "theme=purple"])?;
    let blocked = home.until_workload("site/0", "blocked")?;
    let advice = blocked["workload-status"]["message"]
        .as_str()
        .unwrap_or_default();
    assert!(
        advice.contains("theme"),
        "the message names the option: {advice}"
    );
    assert!(
        rendered(&home, "site/0")?.contains("Changed"),
        "a bad option leaves the last good site"
    );

    home.ok(["config", "site", "--reset", "theme"])?;
    home.until_workload("site/0", "active")?;
    Ok(())
}

#[test]
fn models_do_not_see_each_other() -> anyhow::Result<()> {
    let home = Home::started()?;
    let file = charm("site").display().to_string();
    home.ok(["deploy", &file, "site"])?;
    home.ok(["add-model", "other"])?;
    let other = home.status()?;
    assert_eq!(other["model"]["name"], "other");
    assert_eq!(
        other["applications"]
            .as_object()
            .map_or(0, serde_json::Map::len),
        0
    );
    home.ok(["deploy", &file, "site", "--config", "title=Second"])?;
    home.until_workload("site/0", "active")?;
    home.ok(["switch", "test"])?;
    home.until_workload("site/0", "active")?;
    home.ok(["destroy-model", "other", "--no-prompt"])?;
    let models = home.ok(["models"])?;
    assert!(!models.contains("other"), "{models}");
    home.until_workload("site/0", "active")?;
    Ok(())
}
