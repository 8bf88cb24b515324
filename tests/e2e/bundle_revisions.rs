//! Bundles that name a revision of the charm repository: what is deployed is that revision, an export deploys it
//! again, and what cannot be taken is refused before anything is deployed.

use anyhow::{Result, ensure};
use periapt_tests::{Home, assert_three_lines, charm, charm_with};
use serde_json::Value;

/// The controller's repository, a directory: `stable` is at revision 0 of the probe, and `edge` at 1.
fn repository(home: &Home) -> Result<()> {
    let charms = home.path().join("charms").display().to_string();
    let newer = home.path().join("newer.charm");
    charm_with("probe", &[("files/news.txt", "newer")], &newer)?;
    let older = charm("probe").display().to_string();
    let newer = newer.display().to_string();
    let publish = |file: &str, channel: &str| {
        home.ok(["charm", "publish", file, &charms, "--channel", channel])
    };
    publish(&older, "stable")?;
    publish(&older, "edge")?;
    publish(&newer, "edge")?;
    home.ok(["controller-config", &format!("charm-repository={charms}")])?;
    Ok(())
}

fn bundle(home: &Home, charm: &str) -> Result<String> {
    let path = home.path().join("bundle.yaml");
    let text = format!("applications:\n  probe: {{charm: {charm}, num_units: 1}}\n");
    std::fs::write(&path, text)?;
    Ok(path.display().to_string())
}

fn probe(model: &Value) -> &Value {
    &model["applications"]["probe"]
}

/// Whether its unit is idle with this revision of the model's own.
fn runs(model: &Value, revision: u32) -> bool {
    let unit = &probe(model)["units"]["probe/0"];
    probe(model)["charm-rev"] == revision
        && unit["upgrading-from"].is_null()
        && unit["juju-status"]["current"] == "idle"
}

#[test]
fn a_bundle_deploys_the_revision_that_it_names_and_its_export_deploys_the_same_again() -> Result<()>
{
    let home = Home::started()?;
    repository(&home)?;
    let older = "probe, channel: edge, revision: 0";
    let path = bundle(&home, older)?;
    let planned = home.ok(["deploy", &path, "--dry-run"])?;
    ensure!(
        planned.contains("deploy probe from repository revision 0 with 1 unit"),
        "{planned}"
    );
    ensure!(probe(&home.status()?).is_null(), "a dry run does nothing");
    home.ok(["deploy", &path])?;
    let model = home.until("the older charm runs", |model| runs(model, 0))?;
    ensure!(probe(&model)["charm-channel"] == "edge", "{model:#}");
    ensure!(home.ok(["diff-bundle", &path])?.trim() == "{}");

    // Another revision is a refresh, in both directions.
    let path = bundle(&home, "probe, channel: edge, revision: 1")?;
    let planned = home.ok(["deploy", &path, "--dry-run"])?;
    ensure!(
        planned.contains("1 step") && planned.contains("refresh probe to repository revision 1"),
        "{planned}"
    );
    let difference = home.ok(["diff-bundle", &path])?;
    ensure!(
        difference.contains("revision:")
            && difference.contains("bundle: 1")
            && difference.contains("model: 0"),
        "{difference}"
    );
    home.ok(["deploy", &path])?;
    home.until("the newer charm runs", |model| runs(model, 1))?;
    let path = bundle(&home, older)?;
    home.ok(["deploy", &path])?;
    home.until("the older charm runs again", |model| runs(model, 0))?;

    // The export names the revision: here it is nothing to do, and in another model the same again.
    let exported = home.path().join("exported.yaml").display().to_string();
    home.ok(["export-bundle", "--filename", &exported])?;
    let text = std::fs::read_to_string(&exported)?;
    for line in ["charm: probe\n", "channel: edge\n", "revision: 0\n"] {
        ensure!(text.contains(line), "{text}");
    }
    let again = home.periapt(["deploy", exported.as_str()])?;
    ensure!(again.err.contains("nothing to do"), "{again:?}");
    ensure!(home.ok(["diff-bundle", &exported])?.trim() == "{}");
    let defaults = home.ok(["export-bundle", "--include-charm-defaults"])?;
    ensure!(
        defaults.contains("revision: 0\n") && defaults.contains("note:"),
        "{defaults}"
    );

    // With its charms it needs no repository.
    let out = home.path().join("out");
    let whole = out.join("bundle.yaml").display().to_string();
    let folder = out.display().to_string();
    home.ok(["export-bundle", "--filename", &whole, "--charms", &folder])?;
    let text = std::fs::read_to_string(&whole)?;
    ensure!(
        text.contains("./probe.charm") && !text.contains("revision") && !text.contains("channel"),
        "{text}"
    );
    let written = std::fs::read(out.join("probe.charm"))?;
    ensure!(written == std::fs::read(charm("probe"))?);
    ensure!(home.ok(["diff-bundle", &whole])?.trim() == "{}");

    home.ok(["add-model", "copy"])?;
    home.ok(["deploy", &exported])?;
    let model = home.status()?;
    ensure!(
        probe(&model)["charm-rev"] == 0 && probe(&model)["charm-channel"] == "edge",
        "{model:#}"
    );
    ensure!(home.ok(["diff-bundle", &exported])?.trim() == "{}");
    Ok(())
}

#[test]
fn a_revision_that_cannot_be_taken_is_refused_and_nothing_is_deployed() -> Result<()> {
    let home = Home::started()?;
    repository(&home)?;
    for (charm, told) in [
        ("probe, revision: 7", "has no revision 7; it has 0-1"),
        ("probe, revision: newest", "\"newest\""),
        ("./probe.charm, revision: 0", "\"./probe.charm\""),
        ("'local:probe-0', revision: 0", "\"local:probe-0\""),
    ] {
        let path = bundle(&home, charm)?;
        let words = ["bundle-revision-invalid", told];
        for more in [None, Some("--dry-run")] {
            let line = ["deploy", path.as_str()].into_iter().chain(more);
            assert_three_lines(&home.periapt(line)?, 2, &words);
        }
        assert_three_lines(&home.periapt(["diff-bundle", path.as_str()])?, 2, &words);
    }
    let model = home.status()?;
    ensure!(probe(&model).is_null(), "{model:#}");

    // A file has no channel, as with deploy --channel; that is told, and the file deployed.
    let file = charm("probe").display().to_string();
    let path = bundle(&home, &format!("'{file}', channel: edge"))?;
    let told = home.periapt(["deploy", path.as_str()])?;
    ensure!(
        told.code == 0
            && told
                .err
                .contains("applications.probe.channel has no effect here and is ignored"),
        "{told:?}"
    );
    let model = home.status()?;
    ensure!(probe(&model)["charm-channel"].is_null(), "{model:#}");
    Ok(())
}
