//! What a charm measures of its units: from the hook to those who scrape and those who look.

use anyhow::{Context, Result};
use periapt_tests::{Home, charm};
use serde_json::Value;

fn newest(home: &Home, metric: &str) -> Result<Option<f64>> {
    let text = home.ok(["metrics", "site/0", "--format", "json"])?;
    let found: Value = serde_json::from_str(&text)?;
    let found = found.as_array().context("a list")?;
    let found = found.iter().find(|one| one["metric"] == metric);
    Ok(found.and_then(|one| one["value"].as_f64()))
}

#[test]
fn what_a_charm_measures_shows_to_scrapers_and_to_people() -> Result<()> {
    let home = Home::started()?;
    let file = charm("site").display().to_string();
    home.ok(["model-config", "collect-metrics-interval=1s"])?;
    home.ok([
        "deploy",
        &file,
        "site",
        "--config",
        "pages=--- index\n# One\n--- two\n# Two\n--- three\n# Three\n",
    ])?;
    home.until_workload("site/0", "active")?;
    home.until("three pages in the metrics", |_| {
        newest(&home, "pages").is_ok_and(|pages| pages == Some(3.0))
    })?;
    let bytes = newest(&home, "bytes")?.context("bytes")?;
    assert!(bytes > 100.0, "{bytes}");
    let table = home.ok(["metrics", "site"])?;
    let row = table.lines().find(|line| line.contains("pages"));
    let row = row.context("a row")?;
    assert!(row.starts_with("site/0") && row.contains(" 3"), "{table}");
    assert!(table.starts_with("Unit"), "{table}");

    let scraped = home.ok(["introspect", "metrics"])?;
    let line = scraped
        .lines()
        .find(|line| line.starts_with("periapt_charm_metric{") && line.contains("metric=\"pages\""))
        .context("the metric")?;
    for part in ["model=\"test\"", "application=\"site\"", "unit=\"site/0\""] {
        assert!(line.contains(part), "{line}");
    }
    assert!(line.ends_with(" 3") || line.ends_with(" 3.0"), "{line}");

    // The hook leaves no trace in what hooks did, and the unit follows its configuration as ever.
    let hooks = home.ok(["hooks", "site"])?;
    assert!(!hooks.contains("collect-metrics"), "{hooks}");
    home.ok(["config", "site", "pages=--- index\n# One\n"])?;
    home.until("one page in the metrics", |_| {
        newest(&home, "pages").is_ok_and(|pages| pages == Some(1.0))
    })?;
    assert_eq!(home.ok(["metrics", "site/7"])?, "", "nobody measured that");
    Ok(())
}
