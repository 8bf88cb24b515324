//! Scripts that were written for Juju run as they stand: in a shell, and through jubilant, the Python client that
//! drives Juju's command line.
//!
//! `cargo xtask test` says where a Python with jubilant is; without that its test cannot run and fails.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use periapt_tests::{Answer, Home, charm, program, root};

/// `program` with a folder on the path in which periapt is called `juju`, and Juju's variables in place of ours.
fn with_juju(home: &Home, program: impl Into<PathBuf>) -> Result<Command> {
    let folder = home.path().join("bin");
    std::fs::create_dir(&folder)?;
    symlink(program_file()?, folder.join("juju"))?;
    let mut path = vec![folder];
    path.extend(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    ));
    let mut command = Command::new(program.into());
    command
        .env("PATH", std::env::join_paths(path)?)
        .env("JUJU_DATA", home.path().join("client"))
        .env("NO_COLOR", "1")
        .env_remove("PERIAPT_DATA")
        .env_remove("PERIAPT_MODEL")
        .env_remove("PERIAPT_CONTROLLER")
        .stdin(std::process::Stdio::null())
        .current_dir(home.path());
    Ok(command)
}

fn program_file() -> Result<PathBuf> {
    Ok(std::path::absolute(program())?)
}

#[test]
fn a_shell_script_in_jujus_words_runs_as_it_stands() -> Result<()> {
    let home = Home::started()?;
    let script = root().join("tests/e2e/juju_scripts/commands.sh");
    let mut command = with_juju(&home, "bash")?;
    let told: Answer = command.arg(script).arg(charm("site")).output()?.into();
    ensure!(told.code == 0, "{}\n{}", told.out, told.err);
    ensure!(told.out.contains("the script has run"), "{told:?}");
    for line in [
        "--base is ignored: ",
        "--series is ignored: ",
        "--bind is ignored: ",
        "--channel is ignored: ",
        "--to lxd is taken as a new machine",
        "--retry-count is ignored: ",
        "--summary is ignored: ",
        "--debug is ignored: ",
        "add-ssh-key has nothing to do: ",
        "spaces has nothing to do: ",
    ] {
        let told = told.err.lines().filter(|told| told.starts_with(line));
        ensure!(told.count() == 1, "{line} is told once");
    }
    let status = std::fs::read_to_string(home.path().join("status.json"))?;
    let status: serde_json::Value = serde_json::from_str(&status)?;
    ensure!(
        status["applications"]["site"]["application-status"]["current"] == "active",
        "{status:#}"
    );
    Ok(())
}

#[test]
fn our_own_name_keeps_our_exit_statuses_and_our_variables() -> Result<()> {
    let home = Home::started()?;
    home.ok(["add-model", "other", "--no-switch"])?;
    let mut command = home.command(["status", "--format", "json"]);
    command.env("JUJU_MODEL", "other");
    let told: Answer = command.output()?.into();
    ensure!(told.code == 0 && told.out.contains("\"other\""), "{told:?}");
    command.env("PERIAPT_MODEL", "test");
    let told: Answer = command.output()?.into();
    ensure!(told.code == 0 && told.out.contains("\"test\""), "{told:?}");
    let told = home.periapt(["status", "-m", "nothing"])?;
    ensure!(told.code == 3 && told.err.starts_with("ERROR "), "{told:?}");
    let mut command = home.command(["status"]);
    command.env("JUJU_CONTROLLER", "nowhere");
    let told: Answer = command.output()?.into();
    ensure!(told.code == 3 && told.err.contains("nowhere"), "{told:?}");
    let all = home.json(["version", "--all"])?;
    ensure!(all["program"] == "periapt", "{all:#}");
    Ok(())
}

#[test]
fn a_controller_is_unregistered_and_killed() -> Result<()> {
    let home = Home::started()?;
    home.ok(["disable-command", "all", "not today"])?;
    let shown = home.json(["show-controller", "--show-password"])?;
    let details = &shown["tester"];
    ensure!(details["account"]["user"] == "admin", "{shown:#}");
    ensure!(details["account"]["password"].is_string(), "{shown:#}");
    ensure!(
        details["models"]["test"]["model-uuid"].is_string(),
        "{shown:#}"
    );
    let hidden = home.json(["show-controller", "tester"])?;
    ensure!(
        hidden["tester"]["account"].get("password").is_none(),
        "{hidden:#}"
    );

    let files = home.path().join("client");
    let kept: Vec<(PathBuf, Vec<u8>)> = ["controllers.yaml", "accounts.yaml", "models.yaml"]
        .into_iter()
        .map(|name| files.join(name))
        .map(|file| Ok((file.clone(), std::fs::read(file)?)))
        .collect::<std::io::Result<_>>()?;
    let told = home.periapt(["unregister", "tester"])?;
    ensure!(told.code == 2, "nobody can be asked: {told:?}");
    home.ok(["unregister", "tester", "--no-prompt"])?;
    let told = home.periapt(["show-controller", "tester"])?;
    ensure!(told.code == 3, "{told:?}");
    // It goes on; whoever has the files again reaches it.
    for (file, bytes) in kept {
        std::fs::write(file, bytes)?;
    }
    home.ok(["status"])?;
    home.ok(["kill-controller", "tester", "--no-prompt"])?;
    ensure!(home.pid_of("controller run")?.is_empty());
    Ok(())
}

#[test]
fn every_call_of_jubilant_does_what_it_says() -> Result<()> {
    let python = std::env::var_os("PERIAPT_TEST_JUBILANT")
        .context("PERIAPT_TEST_JUBILANT does not name a Python with jubilant")?;
    let home = Home::started()?;
    let script = root().join("tests/e2e/juju_scripts/everything.py");
    let mut command = with_juju(&home, python)?;
    command.arg(script).arg(charm("site")).arg(charm("front"));
    let told: Answer = command.output()?.into();
    ensure!(told.code == 0, "{}\n{}", told.out, told.err);
    Ok(())
}
