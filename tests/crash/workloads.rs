//! What a `kill -9` of the agent leaves of a hook that changes what runs: all of it or nothing, wherever it strikes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use periapt_tests::web::{free_port, get, until_page};
use periapt_tests::{Home, PATIENCE, charm};

const HOST: &str = "unruly.test.localhost";

/// Pages that were read, each once for as long as it stayed.
fn read(stop: &AtomicBool, port: u16) -> Result<Vec<String>> {
    let mut pages: Vec<String> = Vec::new();
    while !stop.load(Ordering::SeqCst) {
        match get(port, HOST, "/") {
            Ok((200, page)) if pages.last() != Some(&page) => pages.push(page),
            Ok((200, _)) | Err(_) => {}
            // Not yet exposed, or not there for the moment.
            Ok((404 | 502..=504, _)) => {}
            Ok((status, page)) => bail!("{status}: {page}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(pages)
}

/// The agent dies as the second hook passes this point.
fn agent_dies_at(failpoint: &str) -> Result<()> {
    let home = Home::with_environment(&[("PERIAPT_FAILPOINT", &format!("{failpoint}:2"))])?;
    home.bootstrap()?;
    let port = free_port()?;
    home.ok(["controller-config", &format!("ingress-port={port}")])?;
    let stop = Arc::new(AtomicBool::new(false));
    let reader = std::thread::spawn({
        let stop = stop.clone();
        move || read(&stop, port)
    });
    home.ok(["deploy".as_ref(), charm("unruly").as_os_str()])?;
    home.ok(["expose", "unruly"])?;
    until_page(port, HOST, "one")?;
    home.ok(["config", "unruly", "page=two", "port=8080"])?;
    until_page(port, HOST, "two")?;
    home.until("the other port alone", |status| {
        let unit = &status["applications"]["unruly"]["units"]["unruly/0"];
        unit["open-ports"] == serde_json::json!(["8080/tcp"])
    })?;
    stop.store(true, Ordering::SeqCst);
    let Ok(pages) = reader.join() else {
        bail!("the reader panicked");
    };
    let pages = pages?;
    ensure!(pages == ["one", "two"], "{failpoint}: {pages:?}");
    // What was handed over is served before anybody notices that the agent is gone.
    let begun = Instant::now();
    let log = home.controller_directory().join("controller.log");
    while !std::fs::read_to_string(&log)?.contains("starts again") {
        ensure!(begun.elapsed() < PATIENCE, "the agent was not killed");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

#[test]
fn before_the_commit_what_runs_is_as_before_until_the_hook_is_run_again() -> Result<()> {
    agent_dies_at("uniter-after-execute")
}

#[test]
fn after_the_commit_the_next_life_hands_over_what_it_says() -> Result<()> {
    agent_dies_at("uniter-after-commit")
}

#[test]
fn right_before_the_hand_over_nothing_is_lost() -> Result<()> {
    agent_dies_at("uniter-before-hand-over")
}

#[test]
fn right_after_the_hand_over_nothing_is_done_twice() -> Result<()> {
    agent_dies_at("uniter-after-hand-over")
}
