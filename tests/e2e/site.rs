//! The demo charm: deployed, configured, blocked by bad config, and freed again.

use periapt_tests::{Home, charm};

fn rendered(home: &Home, unit: &str) -> anyhow::Result<String> {
    let mut pages = Vec::new();
    let mut folders = vec![home.controller_directory().join("agents")];
    let unit = unit.replace('/', "-");
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("site/index.html") && path.to_string_lossy().contains(&unit) {
                pages.push(path);
            }
        }
    }
    anyhow::ensure!(
        pages.len() == 1,
        "one committed generation of the site, found {pages:?}"
    );
    Ok(std::fs::read_to_string(&pages[0])?)
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
