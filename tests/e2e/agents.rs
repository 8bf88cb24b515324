//! What a person says to units and their agents: an answer counts for the hook it was given to,
//! what was stopped stays stopped, and what rests costs nothing.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use periapt_tests::{Home, charm};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

fn deploy(home: &Home, name: &str, arguments: &[&str]) -> Result<()> {
    let probe = charm("probe").display().to_string();
    home.ok([&["deploy", &probe, name], arguments].concat())?;
    home.until_workload(&format!("{name}/0"), "unknown")?;
    Ok(())
}

fn script(home: &Home, application: &str, deed: &str) -> Result<()> {
    home.ok([
        "config",
        application,
        &format!("script=config-changed: {deed}"),
    ])?;
    Ok(())
}

fn runs(home: &Home, unit: &str) -> Result<Vec<Value>> {
    let runs = home.ok(["hooks", unit, "--format", "json"])?;
    Ok(serde_json::from_str(&runs)?)
}

fn the_agent(home: &Home) -> Result<Pid> {
    let started = Instant::now();
    loop {
        match home.agent_pids()?.as_slice() {
            [pid] => return Ok(*pid),
            pids => ensure!(started.elapsed() < periapt_tests::PATIENCE, "{pids:?}"),
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn until_gone(pid: Pid) -> Result<()> {
    let started = Instant::now();
    while rustix::process::test_kill_process(pid).is_ok() {
        ensure!(started.elapsed() < periapt_tests::PATIENCE, "{pid:?} stays");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

#[test]
fn an_answer_to_one_failed_hook_is_never_spent_on_another() -> Result<()> {
    let home = Home::started()?;
    deploy(&home, "a", &[])?;
    deploy(&home, "b", &["--to", "0"])?;
    script(&home, "a", "fail 1000")?;
    home.until_hook_error("a/0")?;
    script(&home, "b", "sleep 20000")?;
    home.until("b/0 to have the machine", |model| {
        let unit = &model["applications"]["b"]["units"]["b/0"];
        unit["juju-status"]["message"] == "running config-changed hook"
    })?;
    // By now a retry of a/0 waits for the machine.
    std::thread::sleep(Duration::from_secs(8));
    script(&home, "a", "succeed")?;
    home.ok(["resolved", "a/0", "--no-retry"])?;
    home.until("a/0 to go on without the hook", |model| {
        let unit = &model["applications"]["a"]["units"]["a/0"];
        unit["juju-status"]["current"] == "idle" && unit["workload-status"]["current"] != "error"
    })?;
    let ran = runs(&home, "a/0")?;
    let newest = &ran[0];
    ensure!(
        newest["hook"] == "config-changed" && newest["result"] == "failed",
        "the hook that was to be skipped ran: {newest:#}"
    );

    script(&home, "a", "fail 1000")?;
    home.until_hook_error("a/0")?;
    std::thread::sleep(Duration::from_secs(2));
    let message = home.until_hook_error("a/0")?;
    assert_eq!(
        message, "hook failed: \"config-changed\"",
        "it is not skipped"
    );
    Ok(())
}

#[test]
fn a_failed_hook_says_when_it_runs_again() -> Result<()> {
    let home = Home::started()?;
    deploy(&home, "a", &[])?;
    script(&home, "a", "fail 1000")?;
    let started = Instant::now();
    loop {
        let text = home.ok(["show-unit", "a/0", "--format", "json"])?;
        let shown: Value = serde_json::from_str(&text)?;
        // Not while it runs again.
        if shown["a/0"]["next-retry"].is_string() {
            return Ok(());
        }
        ensure!(started.elapsed() < periapt_tests::PATIENCE, "{shown:#}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_unit_that_a_person_stopped_stays_stopped_until_it_is_started() -> Result<()> {
    let home = Home::started()?;
    deploy(&home, "a", &[])?;
    deploy(&home, "b", &["--to", "0"])?;
    home.ok(["stop-unit", "a/0"])?;
    let stopped = |model: &Value| {
        let status = &model["applications"]["a"]["units"]["a/0"]["juju-status"];
        status["current"] == "stopped"
            && status["message"]
                .as_str()
                .is_some_and(|message| message.contains("periapt start-unit a/0"))
    };
    home.until("the unit to show as stopped", stopped)?;
    let before = runs(&home, "a/0")?.len();
    script(&home, "a", "status active again")?;

    // Neither a new agent nor a new controller starts it.
    let agent = the_agent(&home)?;
    kill_process(agent, Signal::KILL)?;
    until_gone(agent)?;
    the_agent(&home)?;
    script(&home, "b", "status active beside")?;
    home.until_workload("b/0", "active")?;
    let controller = home.controller_pid()?;
    periapt_tests::kill(controller);
    let mut next = home.restart_controller()?;
    let kept = (|| {
        home.until("the controller to answer", |_| true)?;
        script(&home, "b", "status active once-more")?;
        home.until("b/0 to follow", |model| {
            let unit = &model["applications"]["b"]["units"]["b/0"];
            unit["workload-status"]["message"] == "once-more"
        })?;
        home.until("the unit to show as stopped", stopped)?;
        let ran = runs(&home, "a/0")?;
        ensure!(ran.len() == before, "it ran something: {ran:#?}");

        home.ok(["start-unit", "a/0"])?;
        let unit = home.until_workload("a/0", "active")?;
        assert_eq!(unit["workload-status"]["message"], "again");
        Ok(())
    })();
    next.kill()?;
    next.wait()?;
    kept
}

#[test]
fn an_agent_ended_by_sigabrt_stays_down_until_a_person_says_so() -> Result<()> {
    let home = Home::started()?;
    deploy(&home, "a", &[])?;
    let first = the_agent(&home)?;
    let refused = home.periapt(["start-agent"])?;
    ensure!(refused.code != 0, "{refused:?}");

    // SIGTERM is a plain stop: whoever supervises the agent starts it again.
    kill_process(first, Signal::TERM)?;
    until_gone(first)?;
    let second = the_agent(&home)?;
    script(&home, "a", "status active one")?;
    home.until_workload("a/0", "active")?;

    kill_process(second, Signal::ABORT)?;
    until_gone(second)?;
    let machine = |model: &Value| model["machines"]["0"].clone();
    let model = home.until("the machine to say what became of its agent", |model| {
        machine(model).to_string().contains("periapt start-agent")
    })?;
    ensure!(machine(&model).to_string().contains("SIGABRT"), "{model:#}");
    let log = std::fs::read_to_string(home.controller_directory().join("controller.log"))?;
    for (ended, status) in [
        ("agent ended by itself; it starts again", "exit status 0"),
        ("agent ended for good", "exit status 10"),
    ] {
        let told = |line: &str| line.contains(ended) && line.contains(status);
        ensure!(log.lines().any(told), "{ended}, {status}: {log}");
    }
    std::thread::sleep(Duration::from_secs(3));
    ensure!(home.agent_pids()?.is_empty(), "it was started again");

    home.ok(["start-agent"])?;
    the_agent(&home)?;
    script(&home, "a", "status active two")?;
    home.until("the unit to follow", |model| {
        let unit = &model["applications"]["a"]["units"]["a/0"];
        unit["workload-status"]["message"] == "two"
            && !machine(model).to_string().contains("start-agent")
    })?;
    Ok(())
}

/// How often the threads of a process were switched to so far.
fn switches(pid: Pid) -> Result<u64> {
    let mut sum = 0;
    for task in std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero()))? {
        let status = std::fs::read_to_string(task?.path().join("status")).unwrap_or_default();
        let counts = status.lines().filter_map(|line| {
            let (name, count) = line.split_once(':')?;
            name.ends_with("ctxt_switches")
                .then(|| count.trim().parse::<u64>().ok())?
        });
        sum += counts.sum::<u64>();
    }
    Ok(sum)
}

/// Memory of a process that it shares with no other, KiB.
fn own_memory(pid: Pid) -> Result<u64> {
    let rollup = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", pid.as_raw_nonzero()))?;
    let line = rollup.lines().find(|line| line.starts_with("Anonymous:"));
    let line = line.context("no line about anonymous memory")?;
    let size = line.split_whitespace().nth(1).context("no size")?;
    Ok(size.parse()?)
}

#[test]
fn an_agent_at_rest_wakes_hardly_ever_and_weighs_little() -> Result<()> {
    let home = Home::started()?;
    home.ok(["model-config", "update-status-hook-interval=24h"])?;
    deploy(&home, "a", &["-n", "3"])?;
    for unit in ["a/1", "a/2"] {
        home.until_workload(unit, "unknown")?;
    }
    let agent = the_agent(&home)?;
    std::thread::sleep(Duration::from_secs(15));
    let before = switches(agent)?;
    std::thread::sleep(Duration::from_secs(10));
    let woken = switches(agent)? - before;
    let weighs = own_memory(agent)?;
    eprintln!("at rest: {woken} switches in 10 s, {weighs} KiB of its own");
    ensure!(
        woken < 50,
        "{woken} context switches in ten seconds at rest"
    );
    // The program of the tests is not optimised and has 1 to 2 MiB more of relocated data than the one
    // that people run.
    ensure!(weighs < 18 << 10, "{weighs} KiB at rest");
    Ok(())
}

/// proxyupdater, on the real program: the option of the model is in the environment of the next hook.
#[test]
fn a_hook_sees_the_proxies_of_its_model() -> anyhow::Result<()> {
    let home = Home::started()?;
    let probe = charm("probe").display().to_string();
    let script = |name: &str| {
        format!("script=start: environment {name}\nconfig-changed: environment {name}")
    };
    home.ok(["model-config", "juju-http-proxy=http://proxy.example:3128"])?;
    let first = script("JUJU_CHARM_HTTP_PROXY");
    home.ok(["deploy", &probe, "probe", "--config", &first])?;
    let says = |text: &str| {
        home.until(text, |model| {
            let unit = &model["applications"]["probe"]["units"]["probe/0"];
            let message = unit["workload-status"]["message"].as_str();
            message.is_some_and(|message| message.starts_with(text))
        })
    };
    says("JUJU_CHARM_HTTP_PROXY=http://proxy.example:3128")?;
    home.ok(["config", "probe", &script("JUJU_CHARM_NO_PROXY")])?;
    says("JUJU_CHARM_NO_PROXY=127.0.0.1,localhost,::1")?;

    let both = home.periapt(["model-config", "http-proxy=http://other.example"])?;
    let refused = both.err.contains("cannot both be set");
    assert!(both.code != 0 && refused, "{}", both.err);
    home.ok(["model-config", "--reset", "juju-http-proxy"])?;
    // The agent hears of it by itself, beside the hooks: one of the next has it.
    for round in 0..100 {
        let again = format!("{}\n# {round}", script("JUJU_CHARM_HTTP_PROXY"));
        home.ok(["config", "probe", &again])?;
        let shown = says("JUJU_CHARM_HTTP_PROXY=")?;
        let unit = &shown["applications"]["probe"]["units"]["probe/0"];
        if unit["workload-status"]["message"] == "JUJU_CHARM_HTTP_PROXY=nothing" {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    anyhow::bail!("the proxy stays after its option was reset")
}
