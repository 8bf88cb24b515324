//! Bundles: what one file says, the model has; said again it changes nothing.

use periapt_tests::{Home, assert_three_lines, charm};

/// Two sites, a page over both, and a shipper beside each.
fn bundle(home: &Home, units: u32) -> anyhow::Result<String> {
    let path = home.path().join("bundle.yaml");
    let charm = |name: &str| charm(name).display().to_string();
    let text = format!(
        "applications:\n  \
         docs: {{charm: '{site}', num_units: {units}, options: {{title: Documentation}}, to: ['0']}}\n  \
         blog: {{charm: '{site}', num_units: 1, options: {{title: Blog}}, to: ['0']}}\n  \
         front: {{charm: '{front}', num_units: 1}}\n  \
         log-shipper: {{charm: '{shipper}'}}\n\
         machines: {{'0': {{}}}}\n\
         relations:\n\
         - [front:website, docs:website]\n\
         - [front:website, blog:website]\n\
         - [log-shipper:host, docs:juju-info]\n",
        site = charm("site"),
        front = charm("front"),
        shipper = charm("log-shipper"),
    );
    std::fs::write(&path, text)?;
    Ok(path.display().to_string())
}

#[test]
fn a_bundle_is_deployed_once_and_exported_as_it_is() -> anyhow::Result<()> {
    let home = Home::started()?;
    let path = bundle(&home, 1)?;
    let planned = home.ok(["deploy", &path, "--dry-run"])?;
    assert!(
        planned.contains("deploy docs with 1 unit") && planned.contains("integrate front:website"),
        "{planned}"
    );
    assert!(home.status()?["applications"]["docs"].is_null());

    home.ok(["deploy", &path])?;
    let model = home.until("the front page lists both sites", |model| {
        model["applications"]["front"]["units"]["front/0"]["workload-status"]["message"]
            == "2 sites"
    })?;
    let machine = |unit: &str, application: &str| {
        model["applications"][application]["units"][unit]["machine"].clone()
    };
    assert_eq!(machine("docs/0", "docs"), machine("blog/0", "blog"));
    home.until("the shipper is beside its principal", |model| {
        let beside = &model["applications"]["docs"]["units"]["docs/0"]["subordinates"];
        beside["log-shipper/0"]["workload-status"]["current"] == "active"
    })?;
    let model = home.status()?;
    let shipper = &model["applications"]["log-shipper"];
    assert_eq!(shipper["subordinate-to"], serde_json::json!(["docs"]));
    assert!(shipper["units"].is_null(), "{shipper}");
    let nested = &model["applications"]["docs"]["units"]["docs/0"]["subordinates"]["log-shipper/0"];
    // Its machine and its address are its principal's.
    let principal = &model["applications"]["docs"]["units"]["docs/0"];
    assert!(nested["machine"].is_null(), "{nested}");
    assert_eq!(nested["public-address"], principal["public-address"]);

    // Again it is nothing, and a bigger one adds what is missing.
    let again = home.periapt(["deploy", path.as_str(), "--dry-run"])?;
    assert!(again.err.contains("nothing to do"), "{again:?}");
    let path = bundle(&home, 2)?;
    let more = home.ok(["deploy", &path, "--dry-run"])?;
    assert!(
        more.contains("1 step") && more.contains("add 1 unit to docs"),
        "{more}"
    );

    let exported = home.path().join("exported.yaml");
    home.ok([
        "export-bundle",
        "--filename",
        &exported.display().to_string(),
    ])?;
    let difference = home.ok(["diff-bundle", &exported.display().to_string()])?;
    assert_eq!(difference.trim(), "{}", "{difference}");
    let difference = home.ok(["diff-bundle", &path])?;
    assert!(difference.contains("num_units"), "{difference}");
    Ok(())
}

#[test]
fn an_export_with_its_charms_is_deployed_anywhere() -> anyhow::Result<()> {
    let home = Home::started()?;
    let path = bundle(&home, 1)?;
    home.ok(["deploy", &path])?;
    home.until("the front page lists both sites", |model| {
        model["applications"]["front"]["units"]["front/0"]["workload-status"]["message"]
            == "2 sites"
    })?;
    let out = home.path().join("out");
    std::fs::create_dir(&out)?;
    let plain = out.join("plain.yaml").display().to_string();
    let whole = out.join("bundle.yaml").display().to_string();
    home.ok(["export-bundle", "--filename", &plain])?;
    let charms = out.join("charms");
    let into = charms.display().to_string();
    let export = ["export-bundle", "--filename", &whole, "--charms", &into];
    home.ok(export)?;
    let text = std::fs::read_to_string(&whole)?;
    for name in ["site", "front", "log-shipper"] {
        assert!(text.contains(&format!("./charms/{name}.charm")), "{text}");
        let written = std::fs::read(charms.join(format!("{name}.charm")))?;
        assert!(
            written == std::fs::read(charm(name))?,
            "{name} is as it was uploaded"
        );
    }
    assert!(!text.contains("local:"), "{text}");
    let files = |folder: &std::path::Path| -> anyhow::Result<usize> {
        Ok(std::fs::read_dir(folder)?.count())
    };
    assert_eq!(
        (files(&out)?, files(&charms)?),
        (3, 3),
        "nothing is left over"
    );

    // Where it comes from both change nothing.
    for file in [&plain, &whole] {
        let again = home.periapt(["deploy", file.as_str()])?;
        assert!(again.err.contains("nothing to do"), "{again:?}");
        assert_eq!(home.ok(["diff-bundle", file])?.trim(), "{}");
    }

    // Elsewhere the plain one says what to do, and the whole one works.
    home.ok(["add-model", "elsewhere"])?;
    let refused = home.periapt(["deploy", plain.as_str()])?;
    assert_three_lines(
        &refused,
        3,
        &["does not have the charm", "export-bundle", "--charms"],
    );
    home.ok(["deploy", &whole])?;
    for application in ["docs", "blog", "front"] {
        home.ok(["wait-for", "application", application])?;
    }
    let query = "workload-message==\"2 sites\"";
    home.ok(["wait-for", "unit", "front/0", "--query", query])?;
    home.ok(["wait-for", "unit", "log-shipper/0"])?;
    assert_eq!(home.ok(["diff-bundle", &whole])?.trim(), "{}");
    let again = home.periapt(["deploy", whole.as_str()])?;
    assert!(again.err.contains("nothing to do"), "{again:?}");

    // A charm alone, by its name or that of an application.
    let one = home.path().join("one.charm");
    let file = one.display().to_string();
    for name in ["local:site-0", "docs"] {
        home.ok(["download", name, "--filepath", &file])?;
        assert!(std::fs::read(&one)? == std::fs::read(charm("site"))?);
        std::fs::remove_file(&one)?;
    }
    let unknown = home.periapt(["download", "local:site-9"])?;
    assert_three_lines(&unknown, 3, &["local:site-9"]);
    Ok(())
}

#[test]
fn an_export_that_fails_leaves_the_earlier_one() -> anyhow::Result<()> {
    let home = Home::started()?;
    home.ok(["deploy", &charm("site").display().to_string()])?;
    let path = home.path().join("bundle.yaml");
    std::fs::write(&path, "earlier")?;
    // A file stands where the folder of the charms is to be made.
    let taken = home.path().join("taken");
    std::fs::write(&taken, "")?;
    let (file, folder) = (path.display().to_string(), taken.display().to_string());
    let failed = home.periapt(["export-bundle", "--filename", &file, "--charms", &folder])?;
    assert_eq!(failed.code, 4, "{failed:?}");
    assert_eq!(failed.err.trim().lines().count(), 3, "{failed:?}");
    assert_eq!(std::fs::read_to_string(&path)?, "earlier");
    let alone = home.periapt(["export-bundle", "--charms", &folder])?;
    assert_eq!(alone.code, 2, "charms go beside a file: {alone:?}");
    Ok(())
}

#[test]
fn a_bundle_with_a_mistake_changes_nothing() -> anyhow::Result<()> {
    let home = Home::started()?;
    let path = home.path().join("wrong.yaml");
    for (text, why) in [
        ("applications: {}", "bundle-empty"),
        ("applications: {a: {charm: ./none.charm}}", "does not exist"),
        (
            "applications: {a: {charm: ./none.charm}}\nrelations: [[a:x, b:y]]",
            "bundle-relation-invalid",
        ),
    ] {
        std::fs::write(&path, text)?;
        let answer = home.periapt(["deploy".to_owned(), path.display().to_string()])?;
        assert_ne!(answer.code, 0, "{text}");
        assert!(answer.err.contains(why), "{text}: {}", answer.err);
        assert_eq!(answer.err.trim().lines().count(), 3, "{}", answer.err);
    }
    let model = home.status()?;
    assert!(
        model["applications"]
            .as_object()
            .is_none_or(serde_json::Map::is_empty)
    );
    Ok(())
}

#[test]
fn a_bundle_attaches_files_and_notes_things_once() -> anyhow::Result<()> {
    let home = Home::started()?;
    let theme = home.path().join("theme.css");
    std::fs::write(&theme, "h1 { color: teal }")?;
    let path = home.path().join("themed.yaml");
    let text = format!(
        "applications:\n  docs:\n    charm: '{}'\n    num_units: 1\n    \
         resources: {{theme: ./theme.css}}\n    annotations: {{owner: web team}}\n",
        charm("site").display()
    );
    std::fs::write(&path, text)?;
    let path = path.display().to_string();
    home.ok(["deploy", &path])?;
    let resources = home.ok(["resources", "docs", "--format", "json"])?;
    assert!(
        resources.contains("\"revision\":1") || resources.contains("\"revision\": 1"),
        "{resources}"
    );
    assert!(home.ok(["annotations", "docs"])?.contains("web team"));
    let again = home.periapt(["deploy", path.as_str(), "--dry-run"])?;
    assert!(again.err.contains("nothing to do"), "{again:?}");
    assert_eq!(home.ok(["diff-bundle", &path])?.trim(), "{}");

    std::fs::write(&theme, "h1 { color: navy }")?;
    let planned = home.ok(["deploy", &path, "--dry-run"])?;
    assert!(planned.contains("attach theme to docs"), "{planned}");
    home.ok(["deploy", &path])?;
    let exported = home.ok(["export-bundle"])?;
    assert!(
        exported.contains("theme: 2") && exported.contains("owner: web team"),
        "{exported}"
    );
    Ok(())
}
