//! Pools: storage in memory and in files, where the agents may make it, and the pools that a model has of its own.

use std::process::Command;

use anyhow::{Result, ensure};
use periapt_tests::secrets::says;
use periapt_tests::storage::{all, directories, hooks, shown, until, until_gone};
use periapt_tests::{Home, assert_three_lines, charm, kill};
use serde_json::json;

const READY: &str = "script=start: status active ready";

/// Whether this process, and so a controller of its own, may mount things.
fn may_mount() -> Result<bool> {
    let place = tempfile::tempdir()?;
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
        .arg(place.path())
        .output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        return Ok(false);
    }
    Command::new("umount").arg(place.path()).output()?;
    Ok(true)
}

/// Whether files with a filesystem in them can be made as well.
fn may_loop() -> Result<bool> {
    let made = Command::new("losetup").arg("--find").output();
    Ok(may_mount()? && made.is_ok_and(|output| output.status.success()))
}

fn deploy(home: &Home, storage: &str) -> Result<()> {
    let probe = charm("probe").display().to_string();
    home.ok([
        "deploy",
        &probe,
        "app",
        "--config",
        READY,
        "--storage",
        storage,
    ])?;
    Ok(())
}

/// What cannot be made says why, and the unit waits for it.
fn waits(home: &Home, id: &str) -> Result<()> {
    until(home, id, "error")?;
    let storage = shown(home, id)?;
    let why = storage["status"]["message"].as_str().unwrap_or_default();
    ensure!(!why.is_empty(), "{storage:#}");
    if !rustix::process::geteuid().is_root() {
        ensure!(why.contains("root"), "{storage:#}");
    }
    ensure!(hooks(home, "app/0")?.is_empty(), "a hook ran without it");
    let waits = format!("waiting for storage {id}");
    home.until("the unit to say what it waits for", |model| {
        model["applications"]["app"]["units"]["app/0"]["juju-status"]["message"] == waits
    })?;
    home.ok([
        "remove-unit",
        "app/0",
        "--no-prompt",
        "--destroy-storage",
        "--force",
    ])?;
    until_gone(home, id)
}

#[test]
fn storage_in_memory_has_a_limit_and_ends_with_its_unit() -> Result<()> {
    let home = Home::started()?;
    deploy(&home, "data=tmpfs,8M")?;
    if !may_mount()? {
        return waits(&home, "data/0");
    }
    home.until_workload("app/0", "active")?;
    let storage = shown(&home, "data/0")?;
    ensure!(
        storage["limited"] == true && storage["persistent"] == false,
        "{storage:#}"
    );
    says(&home, "app/0", &["storage-write", "data/0", "note", "here"])?;
    ensure!(says(&home, "app/0", &["storage-read", "data/0", "note"])? == "here");
    let refused = home.periapt(["detach-storage", "data/0", "--force"])?;
    assert_three_lines(&refused, 4, &["tmpfs"]);
    home.ok(["remove-unit", "app/0", "--no-prompt"])?;
    until_gone(&home, "data/0")?;
    // Nothing is left that could hold up the end of the model.
    home.ok(["destroy-model", "test", "--no-prompt"])?;
    Ok(())
}

/// Stands in for a machine that started anew: nothing runs, and nothing is mounted.
#[test]
fn storage_in_a_file_is_mounted_again_before_anything_uses_it() -> Result<()> {
    let home = Home::started()?;
    deploy(&home, "data=loop,32M")?;
    if !may_loop()? {
        return waits(&home, "data/0");
    }
    home.until_workload("app/0", "active")?;
    says(&home, "app/0", &["storage-write", "data/0", "note", "here"])?;
    kill(home.controller_pid()?);
    for agent in home.agent_pids()? {
        kill(agent);
    }
    for directory in directories(&home, "data-0")? {
        let ended = Command::new("umount").arg(&directory).status()?;
        ensure!(ended.success(), "{} is in use", directory.display());
        ensure!(std::fs::read_dir(&directory)?.next().is_none());
    }
    let mut controller = home.restart_controller()?;
    home.until_workload("app/0", "active")?;
    ensure!(says(&home, "app/0", &["storage-read", "data/0", "note"])? == "here");
    let failed = home.json(["hooks", "app/0", "--failed"])?;
    ensure!(failed.as_array().is_some_and(Vec::is_empty), "{failed:#}");
    home.ok([
        "remove-application",
        "app",
        "--no-prompt",
        "--destroy-storage",
    ])?;
    until_gone(&home, "data/0")?;
    let _ = controller.try_wait();
    Ok(())
}

#[test]
fn storage_in_a_file_has_a_limit_and_outlives_its_unit() -> Result<()> {
    let home = Home::started()?;
    deploy(&home, "data=loop,32M")?;
    if !may_loop()? {
        return waits(&home, "data/0");
    }
    home.until_workload("app/0", "active")?;
    says(&home, "app/0", &["storage-write", "data/0", "note", "here"])?;
    home.ok(["remove-unit", "app/0", "--no-prompt"])?;
    until(&home, "data/0", "detached")?;
    ensure!(shown(&home, "data/0")?["limited"] == true);
    home.ok(["add-unit", "app", "--attach-storage", "data/0"])?;
    home.until_workload("app/1", "active")?;
    ensure!(says(&home, "app/1", &["storage-read", "data/0", "note"])? == "here");
    home.ok([
        "remove-application",
        "app",
        "--no-prompt",
        "--destroy-storage",
    ])?;
    until_gone(&home, "data/0")?;
    Ok(())
}

#[test]
fn a_model_has_pools_of_its_own_for_as_long_as_nothing_is_made_of_them() -> Result<()> {
    let home = Home::started()?;
    let pools = home.json(["storage-pools"])?;
    ensure!(
        pools["rootfs"] == json!({ "provider": "rootfs" })
            && pools["tmpfs"].is_object()
            && pools["loop"].is_object(),
        "{pools:#}"
    );
    home.ok(["create-storage-pool", "plain", "rootfs"])?;
    home.ok(["create-storage-pool", "fast", "loop", "filesystem-type=xfs"])?;
    let pools = home.json(["storage-pools", "--provider", "loop"])?;
    ensure!(
        pools["fast"] == json!({ "provider": "loop", "attrs": { "filesystem-type": "xfs" } })
            && pools["plain"].is_null(),
        "{pools:#}"
    );
    for (words, code, says) in [
        (
            &["create-storage-pool", "rootfs", "rootfs"][..],
            2,
            "rootfs",
        ),
        (
            &["create-storage-pool", "x", "lop"],
            2,
            "did you mean \"loop\"?",
        ),
        (
            &["create-storage-pool", "x", "loop", "filesystem-typ=xfs"],
            2,
            "filesystem-type",
        ),
        (
            &["create-storage-pool", "x", "loop", "filesystem-type=zfs"],
            2,
            "ext4, xfs",
        ),
        (&["remove-storage-pool", "plan"], 3, "plain"),
    ] {
        assert_three_lines(&home.periapt(words)?, code, &[says]);
    }
    let again = home.periapt(["create-storage-pool", "plain", "rootfs"])?;
    ensure!(again.code == 4, "{again:?}");

    // As the model's default, for whoever names none.
    home.ok(["model-config", "storage-default-filesystem-source=plain"])?;
    deploy(&home, "data=1")?;
    home.until_workload("app/0", "active")?;
    ensure!(shown(&home, "data/0")?["pool"] == "plain");
    let used = home.periapt(["remove-storage-pool", "plain"])?;
    assert_three_lines(&used, 4, &["plain"]);
    home.ok([
        "model-config",
        "--reset",
        "storage-default-filesystem-source",
    ])?;
    home.ok([
        "remove-application",
        "app",
        "--no-prompt",
        "--destroy-storage",
    ])?;
    home.until("the application to be gone", |model| {
        model["applications"]["app"].is_null()
    })?;
    until_gone(&home, "data/0")?;
    home.ok(["remove-storage-pool", "plain"])?;
    ensure!(home.json(["storage-pools"])?["plain"].is_null());
    Ok(())
}

#[test]
fn a_bundle_gives_storage_and_an_export_says_what_units_have() -> Result<()> {
    let home = Home::started()?;
    let probe = charm("probe").display().to_string();
    let file = home.path().join("bundle.yaml");
    let bundle = |storage: &str| {
        let text = format!(
            "applications:\n  app:\n    charm: '{probe}'\n    num_units: 1\n    options: {{script: 'start: status active ready'}}\n    storage: {{{storage}}}\n"
        );
        std::fs::write(&file, text).map(|()| file.display().to_string())
    };
    let wrong = home.periapt(["deploy", &bundle("dat: 1")?])?;
    assert_three_lines(&wrong, 2, &["did you mean \"data\"?"]);
    let path = bundle("data: '2,64M', pool: 1")?;
    home.ok(["deploy", &path])?;
    home.until_workload("app/0", "active")?;
    let storages = all(&home)?;
    let names = storages.as_object().map(|all| all.keys().cloned());
    let names: Vec<String> = names.into_iter().flatten().collect();
    ensure!(names.len() == 3, "{storages:#}");
    let again = home.periapt(["deploy", &path])?;
    ensure!(again.err.contains("nothing to do"), "{again:?}");
    let exported = home.ok(["export-bundle"])?;
    for wanted in ["rootfs,2,64M", "rootfs,1,1024M"] {
        ensure!(exported.contains(wanted), "{exported}");
    }
    Ok(())
}
