//! Backups: made while everything runs, restored elsewhere, refused when they are damaged.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use periapt_tests::receivers::Webhook;
use periapt_tests::{Home, PATIENCE, assert_three_lines, charm, kill};
use serde_json::Value;

use crate::pair::Schema;

/// A line in the unit's own files for each change of its configuration.
fn journal(number: u32) -> String {
    format!("script=config-changed: append line {number}\nconfig-changed: status active {number}")
}

fn deploy(home: &Home) -> Result<()> {
    let probe = charm("probe").display().to_string();
    home.ok(["deploy", &probe, "probe", "--config", &journal(0)])?;
    until_at(home, 0)
}

fn write(home: &Home, number: u32) -> Result<()> {
    home.ok(["config", "probe", &journal(number)])?;
    Ok(())
}

fn until_at(home: &Home, number: u32) -> Result<()> {
    home.until(&format!("the unit is at {number}"), |model| {
        let unit = &model["applications"]["probe"]["units"]["probe/0"];
        unit["workload-status"]["message"].as_str() == Some(&number.to_string())
            && unit["juju-status"]["current"] == "idle"
    })?;
    Ok(())
}

/// The lines in the files of `probe/0` of a controller's directory.
fn lines(controller: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for model in std::fs::read_dir(controller.join("agents"))? {
        let state = model?.path().join("units/probe-0/state");
        for generation in std::fs::read_dir(&state).into_iter().flatten() {
            let path = generation?.path();
            let number = path
                .file_name()
                .and_then(|name| name.to_str()?.parse::<u64>().ok());
            if let (Some(number), Ok(text)) =
                (number, std::fs::read_to_string(path.join("journal")))
            {
                found.push((number, text));
            }
        }
    }
    let (_, text) = found.into_iter().max().context("no journal")?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// The lines once the last one is that of a change. A status is set at once, so one that is seen
/// does not say that its hook is committed: a backup may be of the moment between the two.
fn lines_until(controller: &Path, number: u32) -> Result<Vec<String>> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let lines = lines(controller)?;
        if lines.last() == Some(&line(number)) {
            return Ok(lines);
        }
        ensure!(Instant::now() < deadline, "{lines:?} at {number}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn line(number: u32) -> String {
    format!("line {number}")
}

fn backup(home: &Home, file: &Path) -> Result<String> {
    home.ok(["create-backup", &file.display().to_string()])
}

/// Stops the controller and its agents for good, its directory put aside.
fn lose(home: &Home) -> Result<PathBuf> {
    home.ok(["controller", "stop", "tester", "--agents"])?;
    let aside = home.path().join("lost");
    std::fs::rename(home.controller_directory(), &aside)?;
    Ok(aside)
}

fn restore(home: &Home, file: &Path, to: &Path, more: &[&str]) -> Result<String> {
    let (file, to) = (file.display().to_string(), to.display().to_string());
    let words = ["restore-backup", &file, "--data-dir", &to, "--port", "0"];
    home.ok(words.iter().chain(more))
}

#[test]
fn a_backup_made_under_load_restores_units_with_the_files_of_its_moment() -> Result<()> {
    let home = Home::started()?;
    deploy(&home)?;
    let file = home.path().join("backup.zip");
    let stop = AtomicBool::new(false);
    let written = std::thread::scope(|scope| -> Result<u32> {
        let writer = scope.spawn(|| -> Result<u32> {
            let mut number = 0;
            while !stop.load(Ordering::Relaxed) {
                number += 1;
                write(&home, number)?;
            }
            Ok(number)
        });
        std::thread::sleep(Duration::from_secs(2));
        let made = backup(&home, &file);
        std::thread::sleep(Duration::from_secs(1));
        stop.store(true, Ordering::Relaxed);
        let written = writer.join().map_err(|_| anyhow::anyhow!("the writer"))??;
        made?;
        Ok(written)
    })?;
    until_at(&home, written)?;
    ensure!(
        std::fs::metadata(&file)?.permissions().mode() & 0o777 == 0o600,
        "private"
    );
    let listed: Value = serde_json::from_str(&home.ok(["backups", "--format", "json"])?)?;
    let rows = listed["backups"].as_object().context("rows")?;
    ensure!(
        rows.len() == 1 && rows.values().all(|row| row["units"] == 1),
        "{listed}"
    );

    let lost = lose(&home)?;
    let after = lines(&lost)?;
    let restored = home.path().join("restored");
    restore(&home, &file, &restored, &[])?;
    home.until("the unit is back", |model| {
        let unit = &model["applications"]["probe"]["units"]["probe/0"];
        unit["juju-status"]["current"] == "idle"
    })?;
    // What it has now is what it had at the moment of the backup, and what it did since.
    let config: Value = serde_json::from_str(&home.ok(["config", "probe", "--format", "json"])?)?;
    let moment: u32 = (0..=written)
        .rev()
        .find(|number| {
            config
                .to_string()
                .contains(&format!("append line {number}\\"))
        })
        .context("the script of the moment")?;
    ensure!(moment < written, "it is older than the end");
    until_at(&home, moment)?;
    let before = lines_until(&restored, moment)?;
    // Settings that followed one another unseen are one change for the unit, so its last line may
    // be of a later change than the next one that the lost controller told it of.
    let (last, earlier) = before.split_last().context("no line")?;
    ensure!(earlier == &after[..earlier.len()], "{before:?} {after:?}");
    ensure!(!earlier.contains(last), "{before:?}");
    write(&home, 1_000_000)?;
    until_at(&home, 1_000_000)?;
    let now = lines_until(&restored, 1_000_000)?;
    ensure!(now[..before.len()] == before, "{now:?}");
    Ok(())
}

#[test]
fn a_backup_from_a_file_is_restored_to_postgresql_and_back() -> Result<()> {
    let schema = Schema::make()?;
    let home = Home::started()?;
    deploy(&home)?;
    let first = home.path().join("first.zip");
    backup(&home, &first)?;
    lose(&home)?;
    let on_server = home.path().join("server");
    restore(
        &home,
        &first,
        &on_server,
        &["--postgres-url", &schema.url()],
    )?;
    until_at(&home, 0)?;
    write(&home, 1)?;
    until_at(&home, 1)?;
    ensure!(!on_server.join("controller.db").exists());
    // The same database is not written over.
    let other = home.path().join("other").display().to_string();
    home.ok(["controller", "stop", "tester", "--agents"])?;
    let refused = home.periapt([
        "restore-backup",
        &first.display().to_string(),
        "--data-dir",
        &other,
        "--port",
        "0",
        "--postgres-url",
        &schema.url(),
    ])?;
    assert_three_lines(&refused, 4, &["empty"]);
    ensure!(!Path::new(&other).exists(), "nothing is left of it");
    home.ok(["controller", "start", "tester"])?;

    let second = home.path().join("second.zip");
    backup(&home, &second)?;
    home.ok(["controller", "stop", "tester", "--agents"])?;
    let in_file = home.path().join("file");
    restore(&home, &second, &in_file, &[])?;
    until_at(&home, 1)?;
    ensure!(in_file.join("controller.db").exists());
    ensure!(
        lines(&in_file)? == [line(0), line(1)],
        "{:?}",
        lines(&in_file)?
    );
    Ok(())
}

/// Takes half a minute: what fires is gathered for ten seconds, before the backup and again after the restore.
#[test]
fn messages_of_alerts_that_waited_are_given_up_and_what_holds_is_announced_anew() -> Result<()> {
    let home = Home::started()?;
    let webhook = Webhook::started()?;
    webhook.refuse(true);
    let url = format!("url={}", webhook.url());
    let key = "key=0123456789abcdef";
    home.ok(["add-alert-receiver", "ops", "webhook", &url, key])?;
    let words = ["add-alert-rule", "errors", "unit-error", "0"];
    home.ok([&words[..], &["--receiver", "ops"]].concat())?;
    home.ok(["model-config", "automatically-retry-hooks=false"])?;
    let probe = charm("probe").display().to_string();
    let fails = "script=start: fail 1000";
    home.ok(["deploy", &probe, "probe", "--config", fails])?;
    home.until_hook_error("probe/0")?;
    let refused = webhook.until_told("errors", 1, 0)?;
    let file = home.path().join("backup.zip");
    backup(&home, &file)?;
    lose(&home)?;
    webhook.refuse(false);
    restore(&home, &file, &home.path().join("restored"), &[])?;

    let deadline = Instant::now() + PATIENCE;
    let anew = loop {
        let mut posted = webhook.posted().into_iter();
        // A repetition has the id of the first try.
        if let Some(other) = posted.find(|one| one.delivery != refused.delivery) {
            break other.json()?;
        }
        ensure!(Instant::now() < deadline, "{:#?}", webhook.posted());
        std::thread::sleep(Duration::from_millis(100));
    };
    let before = refused.json()?;
    let about = |body: &Value| body["items"][0]["subject"].clone();
    ensure!(about(&anew) == "unit/probe/0", "{anew}");
    ensure!(about(&anew) == about(&before), "{before}");
    ensure!(
        anew["items"][0]["id"] != before["items"][0]["id"],
        "it is an alert of its own: {anew}"
    );
    ensure!(anew["firing"] == 1 && anew["resolved"] == 0, "{anew}");
    let deliveries = home.json(["alert-deliveries"])?;
    let deliveries = deliveries.as_array().context("a list")?;
    ensure!(deliveries.len() == 2, "{deliveries:#?}");
    let given_up = &deliveries[1];
    ensure!(given_up["state"] == "failed", "{given_up}");
    let why = given_up["answer"].as_str().unwrap_or_default();
    ensure!(why.contains("restored from a backup"), "{given_up}");
    let audit = home.ok(["audit"])?;
    ensure!(audit.contains("gave up 1 message of alerts"), "{audit}");
    Ok(())
}

#[test]
fn a_damaged_backup_is_refused_and_nothing_is_changed() -> Result<()> {
    let home = Home::started()?;
    deploy(&home)?;
    let file = home.path().join("backup.zip");
    backup(&home, &file)?;
    lose(&home)?;
    let bytes = std::fs::read(&file)?;
    let to = home.path().join("restored");
    let files = home.path().join("client/controllers.yaml");
    let before = std::fs::read(&files)?;
    let damaged = home.path().join("damaged.zip");
    let words = [
        "restore-backup",
        &damaged.display().to_string(),
        "--data-dir",
        &to.display().to_string(),
        "--port",
        "0",
    ];
    let mut cases: Vec<(String, Vec<u8>)> = vec![
        ("empty".to_owned(), Vec::new()),
        ("cut short".to_owned(), bytes[..bytes.len() / 2].to_vec()),
        ("no backup".to_owned(), b"something else".repeat(1000)),
    ];
    for part in 1..8 {
        let mut flipped = bytes.clone();
        let place = bytes.len() * part / 8;
        flipped[place] ^= 0x55;
        cases.push((format!("byte {place}"), flipped));
    }
    for (what, bytes) in cases {
        std::fs::write(&damaged, bytes)?;
        let refused = home.periapt(words)?;
        ensure!(refused.code == 1, "{what}: {refused:?}");
        assert_three_lines(&refused, 1, &["damaged", "nothing was changed"]);
        ensure!(!to.exists(), "{what}: something was made");
        ensure!(
            std::fs::read(&files)? == before,
            "{what}: the client's files"
        );
    }
    restore(&home, &file, &to, &[])?;
    until_at(&home, 0)
}

#[test]
fn a_restore_writes_over_no_controller_and_beside_no_living_one() -> Result<()> {
    let home = Home::started()?;
    let file = home.path().join("backup.zip");
    backup(&home, &file)?;
    let file = file.display().to_string();
    let again = home.periapt(["create-backup", &file])?;
    assert_three_lines(&again, 4, &["already exists"]);
    let other = home.path().join("other").display().to_string();
    let beside = home.periapt(["restore-backup", &file, "--data-dir", &other, "--port", "0"])?;
    assert_three_lines(&beside, 4, &["runs in"]);
    home.ok(["controller", "stop", "tester"])?;
    let over = home.periapt(["restore-backup", &file, "--port", "0"])?;
    assert_three_lines(&over, 4, &["not empty", "aside"]);
    home.ok(["controller", "start", "tester"])?;
    home.ok(["status"])?;
    Ok(())
}

#[test]
fn an_agent_of_the_earlier_life_does_not_come_back_to_a_restored_controller() -> Result<()> {
    let home = Home::started()?;
    deploy(&home)?;
    let file = home.path().join("backup.zip");
    backup(&home, &file)?;
    let old = home.agent_pids()?;
    ensure!(old.len() == 1, "{old:?}");
    let address = {
        let config = std::fs::read_to_string(home.controller_directory().join("controller.json"))?;
        serde_json::from_str::<Value>(&config)?["port"].to_string()
    };
    // The controller dies, its agent goes on and looks for it at the old address.
    kill(home.controller_pid()?);
    std::fs::rename(home.controller_directory(), home.path().join("lost"))?;
    home.ok([
        "restore-backup",
        &file.display().to_string(),
        "--data-dir",
        &home.path().join("restored").display().to_string(),
        "--port",
        &address,
    ])?;
    let began = Instant::now();
    while home.agent_pids()?.contains(&old[0]) {
        ensure!(began.elapsed() < PATIENCE, "the old agent runs on");
        std::thread::sleep(Duration::from_millis(200));
    }
    until_at(&home, 0)?;
    let agents = home.agent_pids()?;
    ensure!(agents.len() == 1 && agents != old, "{agents:?}");
    Ok(())
}
