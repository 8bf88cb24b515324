//! Who starts a controller again that died.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use periapt_tests::{Home, PATIENCE, kill};
use rustix::process::Pid;

/// The keepers of this home's controllers.
fn keepers(home: &Home) -> Result<Vec<Pid>> {
    home.pid_of("controller keep")
}

/// What a command about the controller says to the person.
fn said(home: &Home, words: &[&str]) -> Result<String> {
    let ran = home.periapt(["controller"].iter().chain(words))?;
    ensure!(ran.code == 0, "{words:?}: {}", ran.err);
    Ok(ran.err)
}

fn until(what: &str, holds: impl Fn() -> Result<bool>) -> Result<()> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if holds()? {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    anyhow::bail!("waited in vain: {what}")
}

#[test]
fn a_controller_with_a_keeper_is_back_after_a_kill_and_stays_away_when_it_was_stopped() -> Result<()>
{
    let home = Home::started()?;
    let before = home.controller_pid()?;
    let answer = said(&home, &["install-service", "tester", "--keeper"])?;
    ensure!(answer.contains("not after a reboot"), "{answer}");
    let kept = home.controller_pid()?;
    ensure!(
        kept != before && keepers(&home)?.len() == 1,
        "it runs under a keeper"
    );
    home.ok(["status"])?;
    // Once more changes nothing.
    home.ok(["controller", "install-service", "tester", "--keeper"])?;
    ensure!(home.controller_pid()? == kept && keepers(&home)?.len() == 1);

    kill(kept);
    until("the controller is back", || {
        Ok(home.controller_pid().is_ok_and(|pid| pid != kept) && home.status().is_ok())
    })?;

    home.ok(["controller", "stop", "tester"])?;
    until("the keeper ends with a controller that was stopped", || {
        Ok(keepers(&home)?.is_empty() && home.controller_pid().is_err())
    })?;
    home.ok(["controller", "start", "tester"])?;
    ensure!(keepers(&home)?.len() == 1, "it is kept again");

    let answer = said(&home, &["uninstall-service", "tester"])?;
    ensure!(answer.contains("no longer restarted"), "{answer}");
    ensure!(keepers(&home)?.is_empty());
    home.ok(["status"])?;
    kill(home.controller_pid()?);
    std::thread::sleep(Duration::from_secs(3));
    ensure!(home.controller_pid().is_err(), "nobody starts it again");
    Ok(())
}

#[test]
fn bootstrap_says_that_nobody_starts_the_controller_again() -> Result<()> {
    let home = Home::new()?;
    let data = home.controller_directory().display().to_string();
    let made = home.periapt(["bootstrap", "tester", "--port", "0", "--data-dir", &data])?;
    let said = format!("{}{}", made.out, made.err);
    ensure!(said.contains("controller install-service tester"), "{said}");
    Ok(())
}

#[test]
fn the_systemd_unit_is_one_that_systemd_takes() -> Result<()> {
    let home = Home::started()?;
    let text = home.ok(["controller", "install-service", "tester", "--print"])?;
    let data = home.controller_directory().display().to_string();
    ensure!(
        text.contains(&data) && text.contains("Restart=on-failure"),
        "{text}"
    );
    ensure!(
        !home.controller_directory().join("service.json").exists(),
        "printing installs nothing"
    );
    let file = home.path().join("periapt-tester.service");
    std::fs::write(&file, text)?;
    let verified = Command::new("systemd-analyze")
        .arg("verify")
        .arg(&file)
        .output();
    match verified {
        Ok(verified) => {
            let said = String::from_utf8_lossy(&verified.stderr).into_owned();
            ensure!(!said.contains("periapt-tester"), "{said}");
            ensure!(verified.status.success(), "{said}");
        }
        Err(error) => println!("not verified, there is no systemd-analyze: {error}"),
    }
    Ok(())
}
