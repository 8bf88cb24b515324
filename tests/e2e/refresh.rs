//! Another revision of a charm: for units in error by force alone, back to an earlier one, with options in the same
//! step, and refused where relations would break.

use anyhow::{Result, ensure};
use periapt_tests::web::serve_files;
use periapt_tests::{Home, assert_three_lines, charm, charm_with, root};
use serde_json::Value;

fn probe(model: &Value) -> &Value {
    &model["applications"]["probe"]
}

/// Whether the unit has the charm that the application wants.
fn in_place(model: &Value) -> bool {
    probe(model)["units"]["probe/0"]["upgrading-from"].is_null()
}

#[test]
fn units_in_error_change_by_force_alone_and_come_back_to_the_failed_hook() -> Result<()> {
    let home = Home::started()?;
    home.ok(["model-config", "automatically-retry-hooks=false"])?;
    let file = charm("probe").display().to_string();
    let fails = "script=start: fail";
    home.ok(["deploy", &file, "probe", "--config", fails])?;
    home.until_hook_error("probe/0")?;

    let newer = home.path().join("probe.charm");
    charm_with("probe", &[("files/news.txt", "newer")], &newer)?;
    home.ok(["refresh", "probe", "--path", &newer.display().to_string()])?;
    let waits = home.status()?;
    ensure!(probe(&waits)["charm-rev"] == 1, "{waits:#}");
    ensure!(
        probe(&waits)["units"]["probe/0"]["upgrading-from"] == "local:probe-0",
        "{waits:#}"
    );

    home.ok(["refresh", "probe", "--force-units"])?;
    home.until("the unit has the new charm", in_place)?;
    let message = home.until_hook_error("probe/0")?;
    ensure!(message.contains("hook failed: \"start\""), "{message}");

    let mended = "script=start: status active mended";
    let told = home.periapt(["refresh", "probe", "--revision", "1", "--config", mended])?;
    ensure!(told.code == 0, "{told:?}");
    home.ok(["resolved", "probe/0"])?;
    home.until_workload("probe/0", "active")?;
    Ok(())
}

#[test]
fn a_refresh_goes_back_to_an_earlier_revision_and_sets_options_with_it() -> Result<()> {
    let home = Home::started()?;
    let file = charm("probe").display().to_string();
    let ready = "script=start: status active ready";
    home.ok(["deploy", &file, "probe", "--config", ready])?;
    home.until_workload("probe/0", "active")?;
    let newer = home.path().join("probe.charm");
    charm_with("probe", &[("files/news.txt", "newer")], &newer)?;
    let newer = newer.display().to_string();

    let wrong = home.periapt(["refresh", "probe", "--path", &newer, "--config", "scrip=x"])?;
    ensure!(
        wrong.code == 2 && wrong.err.contains("config-unknown-option"),
        "{wrong:?}"
    );
    ensure!(probe(&home.status()?)["charm-rev"] == 0, "nothing changed");

    home.ok(["refresh", "probe", "--path", &newer])?;
    home.until("the newer charm is in place", |model| {
        probe(model)["charm-rev"] == 1 && in_place(model)
    })?;
    home.until_workload("probe/0", "active")?;

    let missing = home.periapt(["refresh", "probe", "--revision", "7"])?;
    ensure!(
        missing.code != 0 && missing.err.contains("the model has 0, 1"),
        "{missing:?}"
    );
    // The hook of the refresh sees the option already: it was the same step.
    let back = "script=upgrade-charm: status active went-back";
    home.ok(["refresh", "probe", "--revision", "0", "--config", back])?;
    home.until(
        "the earlier charm is in place and knows the option",
        |model| {
            let unit = &probe(model)["units"]["probe/0"];
            probe(model)["charm-rev"] == 0
                && in_place(model)
                && unit["workload-status"]["message"] == "went-back"
        },
    )?;
    let told = home.periapt(["refresh", "probe", "--revision", "0"])?;
    ensure!(
        told.code == 0 && told.err.contains("already runs local:probe-0"),
        "{told:?}"
    );
    Ok(())
}

#[test]
fn a_charm_that_would_break_a_relation_is_refused_and_the_old_one_goes_on() -> Result<()> {
    let home = Home::started()?;
    for name in ["site", "front"] {
        let file = charm(name).display().to_string();
        home.ok(["deploy", &file, name])?;
    }
    home.ok(["integrate", "front:website", "site:website"])?;
    let metadata = std::fs::read_to_string(root().join("charms/site/metadata.yaml"))?;
    let lacking = metadata.replace("  website:", "  pages:");
    let file = home.path().join("site.charm");
    charm_with("site", &[("metadata.yaml", &lacking)], &file)?;
    let path = file.display().to_string();
    let refused = home.periapt(["refresh", "site", "--path", &path, "--force-units"])?;
    ensure!(
        refused.code != 0
            && refused.err.contains("has no endpoint \"website\"")
            && refused.err.contains("charm-breaks-relations"),
        "{refused:?}"
    );
    let after = home.status()?;
    ensure!(after["applications"]["site"]["charm-rev"] == 0, "{after:#}");
    Ok(())
}

#[test]
fn charms_are_published_to_a_directory_and_deployed_from_it() -> Result<()> {
    let home = Home::started()?;
    let charms = home.path().join("charms").display().to_string();
    let newer = home.path().join("newer.charm");
    charm_with("probe", &[("files/news.txt", "newer")], &newer)?;
    let (older, newer) = (
        charm("probe").display().to_string(),
        newer.display().to_string(),
    );

    let empty = home.periapt(["deploy", "probe", "--repository", &charms])?;
    ensure!(
        empty.code == 3 && empty.err.contains("is not a charm repository"),
        "{empty:?}"
    );
    home.ok(["charm", "publish", &older, &charms])?;
    home.ok(["deploy", "probe", "--repository", &charms])?;
    home.until("the unit is there", |model| {
        probe(model)["units"]["probe/0"]["juju-status"]["current"] == "idle"
    })?;

    let told = home.periapt(["charm", "publish", &newer, &charms])?;
    ensure!(
        told.code == 0 && told.err.contains("revision 1 to channel stable"),
        "{told:?}"
    );
    let index = home.path().join("charms/index.json");
    let before = std::fs::read_to_string(&index)?;
    let back = home.periapt(["charm", "publish", &older, &charms])?;
    ensure!(
        back.code == 4 && back.err.contains("is at revision 1"),
        "{back:?}"
    );
    home.ok(["charm", "publish", &newer, &charms])?;
    ensure!(
        std::fs::read_to_string(&index)? == before,
        "the same charm again changes nothing"
    );

    home.ok(["refresh", "probe", "--repository", &charms])?;
    home.until("the newer charm is in place", |model| {
        probe(model)["charm-rev"] == 1 && in_place(model)
    })?;
    let misspelt = home.periapt(["deploy", "prob", "--repository", &charms])?;
    ensure!(
        misspelt.code == 3 && misspelt.err.contains("did you mean \"probe\"?"),
        "{misspelt:?}"
    );
    Ok(())
}

/// charmrevision, with the real program: the controller asks a server, and so does the client.
#[test]
fn newer_revisions_are_shown_from_a_server_when_they_are_asked_for() -> Result<()> {
    let home = Home::started()?;
    let charms = home.path().join("charms");
    let place = serve_files(&charms)?;
    let publish = |file: &str, channel: &str| {
        let charms = charms.display().to_string();
        home.ok(["charm", "publish", file, &charms, "--channel", channel])
    };
    let older = charm("probe").display().to_string();
    publish(&older, "edge")?;

    // Nobody has said where charms are.
    let nowhere = home.periapt(["deploy", "probe"])?;
    assert_three_lines(&nowhere, 3, &["the controller has no charm repository"]);
    let nothing = home.periapt(["refresh-charm-revisions"])?;
    assert_three_lines(&nothing, 4, &["charm-repository-missing"]);
    let wrong = home.periapt(["controller-config", "charm-repository=ftp://charms"])?;
    assert_three_lines(&wrong, 2, &["expects nothing, an absolute path, or a URL"]);
    home.ok(["controller-config", &format!("charm-repository={place}")])?;

    home.ok(["deploy", "probe", "--channel", "edge"])?;
    let none = home.periapt(["refresh-charm-revisions"])?;
    ensure!(
        none.code == 0 && none.err.contains("No application has a newer revision"),
        "{none:?}"
    );
    let model = home.status()?;
    ensure!(probe(&model)["charm-channel"] == "edge", "{model:#}");
    ensure!(probe(&model)["can-upgrade-to"].is_null(), "{model:#}");

    let newer = home.path().join("newer.charm");
    charm_with("probe", &[("files/news.txt", "newer")], &newer)?;
    publish(&newer.display().to_string(), "edge")?;
    let found = home.json(["refresh-charm-revisions"])?;
    ensure!(
        found[0]["application"] == "probe" && found[0]["can-upgrade-to"] == "repository:probe-1",
        "{found:#}"
    );
    let model = home.status()?;
    ensure!(
        probe(&model)["can-upgrade-to"] == "repository:probe-1",
        "{model:#}"
    );
    let shown = home.json(["show-application", "probe"])?;
    ensure!(
        shown["probe"]["can-upgrade-to"] == "repository:probe-1",
        "{shown:#}"
    );

    // Where it is taken from and which channel it follows is known.
    home.ok(["refresh", "probe"])?;
    let model = home.until("the newer charm is in place", |model| {
        probe(model)["charm-rev"] == 1 && in_place(model)
    })?;
    ensure!(probe(&model)["can-upgrade-to"].is_null(), "{model:#}");
    let again = home.periapt(["refresh", "probe"])?;
    ensure!(
        again.code == 0 && again.err.contains("already runs local:probe-1"),
        "{again:?}"
    );

    // With a channel a revision is the repository's, whatever the model's own numbers are.
    let unknown = home.periapt([
        "deploy",
        "probe",
        "old",
        "--channel",
        "edge",
        "--revision",
        "5",
    ])?;
    assert_three_lines(&unknown, 3, &["has no revision 5; it has 0-1"]);
    let path = home.periapt(["deploy", &older, "old", "--revision", "0"])?;
    assert_three_lines(&path, 2, &["--revision cannot be used with a path"]);
    let first = ["--channel", "edge", "--revision", "0"];
    home.ok(["deploy", "probe", "old", "-n", "0"]
        .into_iter()
        .chain(first))?;
    let model = home.status()?;
    ensure!(model["applications"]["old"]["charm-rev"] == 0, "{model:#}");
    home.ok(["refresh", "probe"].into_iter().chain(first))?;
    home.until("the older charm is back", |model| {
        probe(model)["charm-rev"] == 0 && in_place(model)
    })?;
    let alone = home.periapt(["refresh", "probe", "--revision", "7"])?;
    assert_three_lines(
        &alone,
        3,
        &["the model has 0, 1", "--channel edge --revision 7"],
    );
    let copy = home.path().join("copy.charm").display().to_string();
    for charm in ["probe", "local:probe-0"] {
        home.ok(["download", charm, "--revision", "0", "--filepath", &copy])?;
        ensure!(std::fs::read(&copy)? == std::fs::read(&older)?, "{charm}");
    }
    let to = ["--filepath", copy.as_str()];
    home.ok(["download", "probe"].into_iter().chain(first).chain(to))?;
    ensure!(std::fs::read(&copy)? == std::fs::read(&older)?);
    home.ok([
        "download",
        "probe",
        "--channel",
        "edge",
        "--filepath",
        &copy,
    ])?;
    ensure!(std::fs::read(&copy)? == std::fs::read(&newer)?);

    // What the server hands out is held against the index.
    let newest = home.path().join("newest.charm");
    charm_with("probe", &[("files/news.txt", "newest")], &newest)?;
    publish(&newest.display().to_string(), "edge")?;
    let index = std::fs::read_to_string(charms.join("index.json"))?;
    let index: Value = serde_json::from_str(&index)?;
    let sha256 = index["charms"]["probe"]["revisions"]["2"]["sha256"].as_str();
    let file = charms.join(format!("{}.charm", sha256.unwrap_or_default()));
    std::fs::write(&file, "damaged")?;
    let damaged = home.periapt(["refresh", "probe"])?;
    assert_three_lines(&damaged, 1, &["revision 2 of charm \"probe\" is damaged"]);

    // A file follows no channel.
    home.ok(["refresh", "probe", "--path", &older])?;
    let model = home.status()?;
    ensure!(probe(&model)["charm-channel"].is_null(), "{model:#}");
    let unsaid = home.periapt(["refresh", "probe"])?;
    assert_three_lines(&unsaid, 2, &["does not come from a charm repository"]);

    // A repository that is gone is told, and nothing else stops.
    std::fs::remove_file(charms.join("index.json"))?;
    let gone = home.periapt(["refresh-charm-revisions"])?;
    assert_three_lines(
        &gone,
        1,
        &["charm-repository-unavailable", "it has no index.json"],
    );
    Ok(())
}
