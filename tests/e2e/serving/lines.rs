//! What a service writes while it answers is in the log of its model.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use periapt_tests::web::get;
use periapt_tests::{PATIENCE, kill};

use super::{Sites, of_who_left};

/// No file has a name as long as this, which the server of a site says to its standard error.
fn path(mark: char) -> String {
    format!("/{}", mark.to_string().repeat(300))
}

/// Asks for what makes the server write a line with many of these.
fn written(sites: &Sites, mark: char) -> Result<()> {
    let (status, page) = get(sites.port, &sites.host("docs"), &path(mark))?;
    ensure!(status == 500, "{status}: {page}");
    Ok(())
}

/// The lines that a command shows, once one has many of these.
fn shown(sites: &Sites, command: &[&str], mark: char) -> Result<String> {
    let begun = Instant::now();
    loop {
        let lines = sites.home.ok(command)?;
        if lines.contains(&path(mark)) {
            return Ok(lines);
        }
        ensure!(begun.elapsed() < PATIENCE, "{command:?}: {lines}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A process of this test, which ends with it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_line_of_a_handler_is_shown_followed_and_not_lost_while_no_agent_runs() -> Result<()> {
    let sites = Sites::deployed()?;
    let home = &sites.home;
    home.ok(["expose", "docs"])?;
    sites.page("docs")?;
    written(&sites, 'a')?;
    let lines = shown(&sites, &["logs", "docs/0", "web"], 'a')?;
    ensure!(lines.contains(" web/web: /site/aaa"), "{lines}");
    ensure!(
        lines.lines().filter(|line| !of_who_left(line)).count() == 1,
        "{lines}"
    );
    for module in ["workload", "workload.web", "workload.web.web"] {
        let command = ["debug-log", "--no-tail", "--include-module", module];
        let lines = shown(&sites, &command, 'a')?;
        ensure!(
            lines.contains("unit-docs-0: ") && lines.contains("WARNING workload.web.web"),
            "{lines}"
        );
    }
    let other = home.ok([
        "debug-log",
        "--no-tail",
        "--include-module",
        "workload.web.other",
    ])?;
    ensure!(other.is_empty(), "{other}");

    let mut following = home.command(["logs", "docs/0", "-f"]);
    let mut following = Running(following.stdout(Stdio::piped()).spawn()?);
    let output = following.0.stdout.take().context("no output")?;
    let (said, heard) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if said.send(line).is_err() {
                return;
            }
        }
    });
    ensure!(
        heard.recv_timeout(PATIENCE)?.contains(&path('a')),
        "the past"
    );
    written(&sites, 'b')?;
    ensure!(
        heard.recv_timeout(PATIENCE)?.contains(&path('b')),
        "what comes"
    );

    // Nobody starts an agent while there is no controller, and what is asked for is served all the same.
    kill(home.controller_pid()?);
    home.agent_pids()?.into_iter().for_each(kill);
    written(&sites, 'c')?;
    let mut controller = home.restart_controller()?;
    home.until("the controller to answer", |_| true)?;
    let lines = shown(&sites, &["logs", "docs/0", "--limit", "0"], 'c')?;
    for mark in ['a', 'b', 'c'] {
        let times = lines.matches(&path(mark)).count();
        ensure!(times == 1, "{mark} is there {times} times: {lines}");
    }
    kill(home.controller_pid()?);
    controller.wait()?;
    Ok(())
}
