//! Storage: attached before a unit begins, let go of before it ends, and there for the next unit that is given it.

use anyhow::{Context, Result, ensure};
use periapt_tests::secrets::{asked, is_refused, says, until_committed};
use periapt_tests::storage::{
    all, directories, hooks, probe_with, shown, units, until, until_gone,
};
use periapt_tests::{Home, assert_three_lines, charm, logged_hooks};
use serde_json::json;

const READY: &str = "script=start: status active ready";

fn deploy(home: &Home, name: &str, more: &[&str]) -> Result<()> {
    let file = charm("probe").display().to_string();
    deploy_file(home, &file, name, more)
}

fn deploy_file(home: &Home, file: &str, name: &str, more: &[&str]) -> Result<()> {
    home.ok([&["deploy", file, name, "--config", READY], more].concat())?;
    home.until_workload(&format!("{name}/0"), "active")?;
    Ok(())
}

/// Removes a unit and waits until it is gone.
fn remove(home: &Home, unit: &str, more: &[&str]) -> Result<()> {
    home.ok([&["remove-unit", unit, "--no-prompt"], more].concat())?;
    let application = unit.split('/').next().unwrap_or_default().to_owned();
    home.until(&format!("{unit} to be gone"), |model| {
        model["applications"][&application]["units"][unit].is_null()
    })?;
    Ok(())
}

fn place(hooks: &[String], name: &str) -> Result<usize> {
    let found = hooks.iter().position(|hook| hook == name);
    found.with_context(|| format!("{name} never ran: {hooks:?}"))
}

#[test]
fn storage_is_attached_before_install_and_detached_before_stop() -> Result<()> {
    let home = Home::started()?;
    deploy(&home, "app", &["--storage", "data=2,64M"])?;
    ensure!(says(&home, "app/0", &["storage-ids"])? == "data/0\ndata/1");
    ensure!(says(&home, "app/0", &["storage-ids", "cache"])?.is_empty());
    let got = says(&home, "app/0", &["storage-get", "data/1"])?;
    ensure!(got == "data/1 filesystem /storage/data/1", "{got}");
    home.ok(["wait-for", "storage", "data/1", "--timeout", "1m"])?;
    let vain = home.periapt([
        "wait-for",
        "storage",
        "data/0",
        "--query",
        "status==\"detached\"",
        "--timeout",
        "1s",
    ])?;
    ensure!(
        vain.code == 5 && vain.err.contains("status: attached"),
        "{vain:?}"
    );
    let begun = hooks(&home, "app/0")?;
    let told = begun
        .iter()
        .filter(|hook| *hook == "data-storage-attached")
        .count();
    ensure!(
        told == 2 && place(&begun, "install")? == 2,
        "both are told of before anything else: {begun:?}"
    );
    let one = shown(&home, "data/0")?;
    ensure!(
        one["status"]["current"] == "attached"
            && one["persistent"] == true
            && one["pool"] == "rootfs"
            && one["size"] == 64
            && one["owner"] == "app/0"
            && one["provider-id"] == "data-0",
        "{one:#}"
    );
    let table = home.ok(["storage"])?;
    ensure!(table.contains("app/0  data/0      filesystem"), "{table}");
    let table = home.ok(["status", "--storage"])?;
    ensure!(table.contains("/storage/data/1"), "{table}");

    remove(&home, "app/0", &[])?;
    // The runs of a unit go with it, its log stays.
    let ended = logged_hooks(&home, "app/0")?;
    let detached = ended
        .iter()
        .filter(|hook| *hook == "data-storage-detaching")
        .count();
    let last = ended
        .iter()
        .rposition(|hook| hook == "data-storage-detaching");
    ensure!(
        detached == 2 && last < Some(place(&ended, "stop")?),
        "{ended:?}"
    );
    for id in ["data/0", "data/1"] {
        let query = "status==\"detached\" && len(units)==0";
        home.ok([
            "wait-for",
            "storage",
            id,
            "--query",
            query,
            "--timeout",
            "2m",
        ])?;
    }
    Ok(())
}

#[test]
fn what_a_unit_wrote_is_there_for_the_next_that_has_its_storage() -> Result<()> {
    const WORDS: &str = "four-unlikely-words-7213";
    let home = Home::started()?;
    deploy(&home, "first", &["--storage", "data=1"])?;
    says(
        &home,
        "first/0",
        &["storage-write", "data/0", "note", WORDS],
    )?;
    let directory = directories(&home, "data-0")?.pop();
    let directory = directory.context("no directory of the storage")?;
    ensure!(std::fs::read_to_string(directory.join("note"))?.trim_end() == WORDS);
    remove(&home, "first/0", &[])?;
    until(&home, "data/0", "detached")?;
    let free = shown(&home, "data/0")?;
    ensure!(
        free["owner"].is_null() && free["attachments"].is_null(),
        "{free:#}"
    );

    // In the place of one that would be made.
    let more = ["--storage", "data=1", "--attach-storage", "data/0"];
    deploy(&home, "second", &more)?;
    ensure!(says(&home, "second/0", &["storage-ids"])? == "data/0");
    let read = ["storage-read", "data/0", "note"];
    ensure!(says(&home, "second/0", &read)? == WORDS);

    // From one that runs to another that runs.
    home.ok(["detach-storage", "data/0"])?;
    until(&home, "data/0", "detached")?;
    is_refused(&home, "second/0", &read, "data/0")?;
    ensure!(says(&home, "second/0", &["storage-ids"])?.is_empty());
    home.ok(["add-unit", "second"])?;
    home.until_workload("second/1", "active")?;
    home.ok(["attach-storage", "second/1", "data/0"])?;
    until_committed(&home, "second/1", "data-storage-attached", 1)?;
    home.until_workload("second/1", "active")?;
    ensure!(says(&home, "second/1", &read)? == WORDS);
    ensure!(units(&home, "data/0")? == ["second/1"]);

    let refused = home.periapt(["remove-storage", "data/0"])?;
    assert_three_lines(&refused, 4, &["second/1", "detach-storage"]);
    home.ok(["remove-storage", "data/0", "--force"])?;
    until_gone(&home, "data/0")?;
    ensure!(directories(&home, "data-0")?.is_empty());
    home.until_workload("second/1", "active")?;
    ensure!(place(&hooks(&home, "second/1")?, "data-storage-detaching").is_ok());
    Ok(())
}

#[test]
fn storage_is_destroyed_with_its_unit_where_somebody_says_so() -> Result<()> {
    let home = Home::started()?;
    deploy(&home, "app", &["-n", "2", "--storage", "data=1"])?;
    home.until_workload("app/1", "active")?;
    says(&home, "app/0", &["storage-write", "data/0", "note", "gone"])?;
    let told = home.periapt(["remove-unit", "app/0", "--no-prompt", "--destroy-storage"])?;
    ensure!(
        told.code == 0 && told.err.contains("- will remove storage data/0"),
        "{told:?}"
    );
    until_gone(&home, "data/0")?;
    ensure!(directories(&home, "data-0")?.is_empty());

    let told = home.periapt(["remove-application", "app", "--no-prompt"])?;
    ensure!(
        told.err.contains("- will detach storage data/1"),
        "{told:?}"
    );
    until(&home, "data/1", "detached")?;
    let refused = home.periapt(["destroy-model", "test", "--no-prompt"])?;
    assert_three_lines(&refused, 4, &["data/1", "--destroy-storage"]);
    home.ok(["destroy-model", "test", "--no-prompt", "--destroy-storage"])?;
    Ok(())
}

#[test]
fn people_and_charms_add_storage_up_to_what_the_charm_declares() -> Result<()> {
    let home = Home::started()?;
    deploy(&home, "app", &[])?;
    ensure!(all(&home)?.is_null(), "none is made that nobody asked for");
    home.ok(["add-storage", "app/0", "data=128M"])?;
    until_committed(&home, "app/0", "data-storage-attached", 1)?;
    says(&home, "app/0", &["storage-add", "data", "2"])?;
    until_committed(&home, "app/0", "data-storage-attached", 3)?;
    home.until_workload("app/0", "active")?;
    ensure!(says(&home, "app/0", &["storage-ids", "data"])? == "data/0\ndata/1\ndata/2");
    ensure!(shown(&home, "data/0")?["size"] == 128);

    is_refused(
        &home,
        "app/0",
        &["storage-add", "data", "1"],
        "may be given 0 more",
    )?;
    let refused = home.periapt(["add-storage", "app/0", "data"])?;
    assert_three_lines(&refused, 2, &["0-3"]);
    is_refused(
        &home,
        "app/0",
        &["storage-add", "dat", "1"],
        "did you mean \"data\"?",
    )?;
    let refused = home.periapt(["add-storage", "app/0", "dat"])?;
    assert_three_lines(&refused, 2, &["did you mean \"data\"?"]);
    ensure!(hooks(&home, "app/0")?.len() > 3);
    Ok(())
}

#[test]
fn units_of_an_application_share_what_its_charm_shares() -> Result<()> {
    let home = Home::started()?;
    deploy(&home, "app", &["-n", "2", "--storage", "pool=1"])?;
    home.until_workload("app/1", "active")?;
    ensure!(units(&home, "pool/0")? == ["app/0", "app/1"]);
    ensure!(shown(&home, "pool/0")?["owner"] == "app");
    says(&home, "app/0", &["storage-write", "pool/0", "note", "ours"])?;
    ensure!(says(&home, "app/1", &["storage-read", "pool/0", "note"])? == "ours");
    home.ok(["add-unit", "app"])?;
    home.until_workload("app/2", "active")?;
    ensure!(says(&home, "app/2", &["storage-read", "pool/0", "note"])? == "ours");

    is_refused(&home, "app/0", &["storage-add", "pool", "1"], "share")?;
    let refused = home.periapt(["detach-storage", "pool/0", "--force"])?;
    assert_three_lines(&refused, 4, &["share"]);
    remove(&home, "app/0", &["--destroy-storage"])?;
    ensure!(units(&home, "pool/0")? == ["app/1", "app/2"]);
    ensure!(says(&home, "app/1", &["storage-read", "pool/0", "note"])? == "ours");
    home.ok([
        "remove-application",
        "app",
        "--no-prompt",
        "--destroy-storage",
    ])?;
    until_gone(&home, "pool/0")?;
    Ok(())
}

#[test]
fn a_storage_is_where_its_charm_wants_it_and_read_alone_where_it_says_so() -> Result<()> {
    let home = Home::started()?;
    let single = json!({ "location": "/srv/cache", "read-only": true });
    let file = probe_with(&home, "reader.charm", "cache", &single)?;
    deploy_file(&home, &file, "app", &["--storage", "cache=1"])?;
    // The charm may have none or one of it, so each has a place below.
    let got = says(&home, "app/0", &["storage-get", "cache/0"])?;
    ensure!(got == "cache/0 filesystem /srv/cache/0", "{got}");
    let attached = &shown(&home, "cache/0")?["attachments"]["units"]["app/0"];
    ensure!(
        attached["location"] == "/srv/cache/0" && attached["read-only"] == true,
        "{attached:#}"
    );
    let write = ["storage-write", "cache/0", "note", "mine"];
    let told = asked(&home, "app/0", &write)?;
    ensure!(told.code != 0, "{told:?}");
    for directory in directories(&home, "cache-0")? {
        ensure!(std::fs::read_dir(directory)?.next().is_none());
    }
    Ok(())
}

#[test]
fn a_refresh_gives_units_what_the_new_charm_needs_as_it_is_asked_for() -> Result<()> {
    let home = Home::started()?;
    deploy(&home, "app", &[])?;
    let needs = json!({ "multiple": { "range": "1-2" } });
    let file = probe_with(&home, "more.charm", "cache", &needs)?;
    let refused = home.periapt(["refresh", "app", "--path", &file, "--storage", "cach=64M"])?;
    assert_three_lines(&refused, 2, &["did you mean \"cache\"?"]);
    ensure!(!refused.err.contains("Uploaded"), "{refused:?}");
    home.ok(["refresh", "app", "--path", &file, "--storage", "cache=64M"])?;
    until_committed(&home, "app/0", "cache-storage-attached", 1)?;
    ensure!(shown(&home, "cache/0")?["size"] == 64);
    // The same charm: what later units are given.
    home.ok(["refresh", "app", "--storage", "data=2,32M"])?;
    home.ok(["add-unit", "app"])?;
    home.until_workload("app/1", "active")?;
    ensure!(says(&home, "app/0", &["storage-ids"])? == "cache/0");
    let theirs = says(&home, "app/1", &["storage-ids"])?;
    ensure!(
        theirs.matches("data/").count() == 2 && theirs.matches("cache/").count() == 1,
        "{theirs}"
    );
    Ok(())
}

#[test]
fn what_cannot_be_is_refused_and_nothing_is_uploaded_for_it() -> Result<()> {
    let home = Home::started()?;
    let probe = charm("probe").display().to_string();
    for (storage, code, words) in [
        ("dat=1", 2, "did you mean \"data\"?"),
        ("data=lop", 2, "did you mean \"loop\"?"),
        ("data=4", 2, "0-3"),
        ("data=1G,2G", 2, "twice"),
        ("data", 2, "NAME=POOL,COUNT,SIZE"),
    ] {
        let refused = home.periapt(["deploy", &probe, "app", "--storage", storage])?;
        assert_three_lines(&refused, code, &[words]);
        ensure!(!refused.err.contains("Uploaded"), "{refused:?}");
    }
    let missing = home.periapt(["deploy", &probe, "app", "--attach-storage", "data/7"])?;
    assert_three_lines(&missing, 3, &["data/7"]);
    ensure!(!missing.err.contains("Uploaded"), "{missing:?}");
    let several = [
        "deploy",
        &probe,
        "app",
        "-n",
        "2",
        "--attach-storage",
        "data/7",
    ];
    assert_three_lines(&home.periapt(several)?, 2, &["one"]);
    ensure!(home.status()?["applications"] == json!({}));

    deploy(&home, "app", &["-n", "2", "--storage", "data=1"])?;
    home.until_workload("app/1", "active")?;
    let taken = home.periapt(["attach-storage", "app/1", "data/0"])?;
    assert_three_lines(&taken, 4, &["app/0"]);
    let missing = home.periapt(["attach-storage", "app/1", "data/9"])?;
    assert_three_lines(&missing, 3, &["data/9"]);
    // A charm that would take away what units have.
    let fewer = json!({ "multiple": { "range": "0-1" } });
    let file = probe_with(&home, "fewer.charm", "data", &fewer)?;
    let refused = home.periapt(["refresh", "app", "--path", &file])?;
    assert_three_lines(&refused, 4, &["data", "0-1"]);
    let block = probe_with(&home, "block.charm", "data", &json!({ "type": "block" }))?;
    let refused = home.periapt(["deploy", &block, "disk", "--storage", "data=1"])?;
    assert_three_lines(&refused, 2, &["block"]);
    home.until_workload("app/0", "active")?;
    Ok(())
}

#[test]
fn a_directory_that_was_given_up_is_imported_again() -> Result<()> {
    let home = Home::started()?;
    deploy(&home, "app", &["--storage", "data=1"])?;
    says(&home, "app/0", &["storage-write", "data/0", "note", "kept"])?;
    home.ok(["detach-storage", "data/0"])?;
    until(&home, "data/0", "detached")?;
    let told = home.periapt(["remove-storage", "data/0", "--no-destroy"])?;
    ensure!(
        told.code == 0 && told.err.contains("import-filesystem rootfs data-0 data"),
        "{told:?}"
    );
    until_gone(&home, "data/0")?;
    ensure!(directories(&home, "data-0")?.len() == 1);

    home.ok(["import-filesystem", "rootfs", "data-0", "data"])?;
    // Its number is never given again.
    until(&home, "data/1", "detached")?;
    let again = home.periapt(["import-filesystem", "rootfs", "data-0", "data"])?;
    ensure!(again.code == 4, "{again:?}");
    home.ok(["attach-storage", "app/0", "data/1"])?;
    until(&home, "data/1", "attached")?;
    until_committed(&home, "app/0", "data-storage-attached", 2)?;
    home.until_workload("app/0", "active")?;
    ensure!(says(&home, "app/0", &["storage-read", "data/1", "note"])? == "kept");
    Ok(())
}

#[test]
fn a_page_that_a_site_keeps_is_served_by_the_unit_that_has_it_next() -> Result<()> {
    let home = Home::started()?;
    let site = charm("site").display().to_string();
    home.ok(["deploy", &site, "site", "--storage", "pages=1"])?;
    home.until_workload("site/0", "active")?;
    let shows = |unit: &'static str, message: &'static str| -> Result<()> {
        home.until(&format!("{unit} with {message}"), |model| {
            model["applications"]["site"]["units"][unit]["workload-status"]["message"] == message
        })?;
        Ok(())
    };
    shows("site/0", "2 pages")?;
    says(&home, "site/0", &["keep-page", "tea", "# All about tea"])?;
    shows("site/0", "3 pages")?;
    home.ok(["add-unit", "site"])?;
    home.until_workload("site/1", "active")?;
    shows("site/1", "2 pages")?;
    home.ok(["detach-storage", "pages/0"])?;
    until(&home, "pages/0", "detached")?;
    shows("site/0", "2 pages")?;
    let ids = says(&home, "site/1", &["list"])?;
    ensure!(!ids.contains("tea.html"), "{ids}");
    // The unit has one of its own, and there is no room for another.
    let full = home.periapt(["attach-storage", "site/1", "pages/0"])?;
    assert_three_lines(&full, 2, &["0-1"]);
    remove(&home, "site/1", &["--destroy-storage"])?;
    home.ok(["add-unit", "site", "--attach-storage", "pages/0"])?;
    home.until_workload("site/2", "active")?;
    shows("site/2", "3 pages")?;
    ensure!(says(&home, "site/2", &["list"])?.contains("site/tea.html"));
    Ok(())
}
