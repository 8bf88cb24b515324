//! What a unit's charm keeps in `/state`, read by people.

use anyhow::{Context as _, Result, ensure};
use periapt_tests::{Home, assert_three_lines, charm};

#[test]
fn files_of_a_unit_are_listed_shown_and_copied_and_each_look_is_on_record() -> Result<()> {
    let home = Home::started()?;
    let site = charm("site").display().to_string();
    home.ok(["deploy", &site, "site", "--config", "title=Shown"])?;
    home.until_workload("site/0", "active")?;

    let listing = home.json(["files", "ls", "site/0"])?;
    ensure!(listing["path"] == "/state", "{listing:#}");
    let entries = listing["entries"].as_array().context("entries")?;
    ensure!(listing["count"] == entries.len(), "{listing:#}");
    let pages: Vec<&str> = entries
        .iter()
        .filter(|entry| entry["kind"] == "directory")
        .filter_map(|entry| entry["name"].as_str())
        .collect();
    let directory = pages
        .first()
        .context("the site keeps its pages in a directory")?;

    let copy = home.path().join("copy");
    let to = copy.display().to_string();
    home.ok(["files", "cp", "--recursive", "site/0:/state", &to])?;
    let index = copy.join(directory).join("index.html");
    let text = std::fs::read_to_string(&index)?;
    ensure!(text.contains("Shown"), "{text}");
    let path = format!("site/0:/state/{directory}/index.html");
    ensure!(
        home.ok(["files", "cat", &path])? == text,
        "cat and cp differ"
    );

    // Nothing here is written over, and nothing is shown but what the unit keeps.
    let again = home.periapt(["files", "cp", &path, &index.display().to_string()])?;
    assert_three_lines(&again, 4, &["exists"]);
    for (place, code, wanted) in [
        ("site/0:/state/none", 3, "not found"),
        ("site/0:/state/../credential", 2, "no path below /state"),
        ("site/0:/etc/passwd", 2, "no path below /state"),
        ("site/0:/state", 4, "is a directory"),
    ] {
        let refused = home.periapt(["files", "cat", place])?;
        assert_three_lines(&refused, code, &[wanted]);
    }

    let audit = home.ok(["audit", "--format", "json"])?;
    let index = format!("/state/{directory}/index.html");
    for told in ["/files/list", "/files/read", &index] {
        ensure!(audit.contains(told), "{told}: {audit}");
    }
    Ok(())
}

#[test]
fn files_of_a_unit_whose_agent_is_stopped_are_shown() -> Result<()> {
    let home = Home::started()?;
    let site = charm("site").display().to_string();
    home.ok(["deploy", &site, "site"])?;
    home.until_workload("site/0", "active")?;
    home.ok(["stop-unit", "site/0"])?;
    // The process of its machine goes on, and has the files.
    ensure!(
        home.ok(["files", "ls", "site/0"])?.contains("Name"),
        "they are listed"
    );
    Ok(())
}
