//! A controller's directory that lost something, or that is there twice.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use periapt_tests::{Home, assert_three_lines, charm, kill};

#[test]
fn a_controller_without_its_database_does_not_begin_an_empty_one() -> Result<()> {
    let home = Home::started()?;
    home.ok(["deploy", &charm("noop").display().to_string(), "noop"])?;
    home.until_workload("noop/0", "unknown")?;
    let data = home.controller_directory();
    kill(home.controller_pid()?);
    let database = data.join("controller.db");
    let aside = home.path().join("aside");
    std::fs::create_dir(&aside)?;
    let files = ["controller.db", "controller.db-wal", "controller.db-shm"];
    let moved = |from: &Path, to: &Path| {
        for file in files {
            // A closed database has one file only.
            let _ = std::fs::rename(from.join(file), to.join(file));
        }
    };
    moved(&data, &aside);

    let words = [
        "controller",
        "run",
        "--data-dir",
        &data.display().to_string(),
    ];
    let refused = home.periapt(words)?;
    let path = database.display().to_string();
    assert_three_lines(&refused, 1, &[&path, "restore-backup"]);
    ensure!(!database.exists(), "looking makes no database");
    let refused = home.periapt(["controller", "start", "tester"])?;
    assert_three_lines(&refused, 1, &[&path, "restore-backup"]);

    // An empty file is no database either.
    std::fs::write(&database, "")?;
    assert_three_lines(&home.periapt(words)?, 1, &[&path, "restore-backup"]);

    // Put back it goes on, with the same unit.
    for file in files {
        let _ = std::fs::remove_file(data.join(file));
    }
    moved(&aside, &data);
    home.ok(["controller", "start", "tester"])?;
    home.until_workload("noop/0", "unknown")?;
    Ok(())
}

#[test]
fn a_folder_with_agents_of_a_lost_controller_gets_no_new_one() -> Result<()> {
    let home = Home::new()?;
    let data = home.controller_directory();
    std::fs::create_dir_all(data.join("agents/0c3c94c9-7d4a-4c0e-8b1c-2f5d0e0c7a55"))?;
    let refused = home.periapt([
        "bootstrap",
        "tester",
        "--port",
        "0",
        "--data-dir",
        &data.display().to_string(),
    ])?;
    assert_three_lines(&refused, 4, &["agents", "restore-backup"]);
    Ok(())
}

#[test]
fn a_copy_of_a_controllers_folder_does_not_start_beside_its_original() -> Result<()> {
    let home = Home::started()?;
    let data = home.controller_directory();
    let copy = home.path().join("copy");
    let copied = Command::new("cp")
        .arg("-a")
        .arg(&data)
        .arg(&copy)
        .status()?;
    ensure!(copied.success());
    let words = [
        "controller",
        "run",
        "--data-dir",
        &copy.display().to_string(),
    ];
    let refused = home.periapt(words)?;
    let original = data.canonicalize()?.display().to_string();
    assert_three_lines(&refused, 1, &[&original, "--accept-move"]);
    home.ok(["status"])?;

    // Moved on purpose it starts, and is known there from then on.
    home.ok(["controller", "stop", "tester"])?;
    std::fs::remove_dir_all(&copy)?;
    let moved = home.path().join("moved");
    std::fs::rename(&data, &moved)?;
    let refused = home.periapt([
        "controller",
        "run",
        "--data-dir",
        &moved.display().to_string(),
    ])?;
    assert_three_lines(&refused, 1, &["--accept-move"]);
    let place = moved.display().to_string();
    home.ok([
        "controller",
        "start",
        "tester",
        "--data-dir",
        &place,
        "--accept-move",
    ])?;
    home.ok(["add-model", "after"])?;
    home.ok(["controller", "stop", "tester"])?;
    home.ok(["controller", "start", "tester"])?;
    home.ok(["status"])?;
    Ok(())
}
