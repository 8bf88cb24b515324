//! A controller that dies while its encryption key is replaced reads every secret afterwards.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use periapt_tests::{Home, kill};
use serde_json::Value;

const VALUE: &str = "hush-4711";

fn until_it_serves(home: &Home) -> Result<()> {
    while home.periapt(["models"])?.code != 0 {
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// Ids of the keys in the controller's file, and which is in force.
fn keys(home: &Home) -> Result<(Vec<String>, String)> {
    let text = std::fs::read_to_string(home.controller_directory().join("secrets.key"))?;
    let file: Value = serde_json::from_str(&text)?;
    let keys = file["keys"].as_array().context("no keys")?;
    let ids = keys.iter().filter_map(|key| key["id"].as_str());
    let current = file["current"].as_str().context("no key is in force")?;
    Ok((ids.map(str::to_owned).collect(), current.to_owned()))
}

#[test]
fn a_controller_killed_while_its_key_is_replaced_reads_every_secret() -> Result<()> {
    for failpoint in ["secrets-after-new-key", "secrets-after-reseal"] {
        let home = Home::started()?;
        let value = format!("password={VALUE}");
        home.ok(["add-secret", "database", &value])?;
        let (before, first) = keys(&home)?;
        ensure!(before == [first.clone()], "{before:?}");
        kill(home.controller_pid()?);
        let data = home.controller_directory();
        let mut armed = home
            .command(["controller", "run", "--data-dir"])
            .arg(&data)
            .env("PERIAPT_FAILPOINT", failpoint)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        until_it_serves(&home)?;
        let answer = home.periapt(["rotate-encryption-key"])?;
        ensure!(
            answer.code != 0,
            "it died before it could answer: {answer:?}"
        );
        let _ = armed.wait();
        let (between, current) = keys(&home)?;
        ensure!(
            between.len() == 2 && current == first,
            "{failpoint}: {between:?}"
        );
        let mut second = home.restart_controller()?;
        until_it_serves(&home)?;
        let reveal = ["show-secret", "database", "--reveal"];
        let revealed = home.ok(reveal)?;
        ensure!(revealed.contains(VALUE), "{failpoint}: {revealed}");
        home.ok(["rotate-encryption-key"])?;
        let (after, current) = keys(&home)?;
        ensure!(after == [current.clone()], "{failpoint}: {after:?}");
        ensure!(!between.contains(&current), "{failpoint}: it is a new one");
        let revealed = home.ok(reveal)?;
        ensure!(revealed.contains(VALUE), "{failpoint}: {revealed}");
        kill(home.controller_pid()?);
        let _ = second.wait();
    }
    Ok(())
}
