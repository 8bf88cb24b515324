//! The web interface in a real browser against the real program.
//!
//! Each test has a controller of its own and runs one spec of `web-ui/e2e/specs` in Chromium,
//! through Playwright. The specs say what a person does; here is only what they stand on.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use periapt_tests::{Home, charm, program, root};

/// Runs a spec against a fresh controller with the model `test`.
fn run(spec: &str) -> Result<()> {
    let home = Home::started()?;
    let node = std::env::var_os("PERIAPT_TEST_NODE").unwrap_or_else(|| "node".into());
    let charms = charm("probe");
    let charms = charms.parent().context("the charms have a folder")?;
    let output = Command::new(node)
        .args(["e2e/run.mjs", spec])
        .current_dir(root().join("web-ui"))
        .env("PERIAPT_URL", address(&home)?)
        .env("PERIAPT_USER", account(&home, "user:")?)
        .env("PERIAPT_PASSWORD", account(&home, "password:")?)
        .env("PERIAPT_MODEL", "test")
        .env("PERIAPT_DATA", home.path().join("client"))
        .env("PERIAPT_TEST_PROGRAM", program())
        .env("PERIAPT_TEST_CHARMS", charms)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .context("Node does not start; `cargo xtask test browser` brings one")?;
    let said = String::from_utf8_lossy(&output.stdout);
    print!("{said}");
    if !output.status.success() {
        let status = home.ok(["status"]).unwrap_or_default();
        bail!(
            "{spec} failed:\n{said}{}\n{status}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}

fn address(home: &Home) -> Result<String> {
    let controllers: serde_json::Value =
        serde_json::from_str(&home.ok(["controllers", "--format", "json"])?)?;
    let endpoint = controllers["controllers"]["tester"]["api-endpoints"][0]
        .as_str()
        .context("the controller has no endpoint")?;
    Ok(format!("https://{endpoint}"))
}

/// A value of the client's `accounts.yaml`.
fn account(home: &Home, key: &str) -> Result<String> {
    let accounts = std::fs::read_to_string(home.path().join("client/accounts.yaml"))?;
    accounts
        .lines()
        .find_map(|line| line.trim().strip_prefix(key))
        .map(|value| value.trim().trim_matches(['"', '\'']).to_owned())
        .with_context(|| format!("accounts.yaml has no {key}"))
}

#[test]
fn sign_in_deploy_watch_and_configure() -> Result<()> {
    run("deploy")
}

#[test]
fn a_broken_unit_is_found_and_resolved() -> Result<()> {
    run("resolve")
}

#[test]
fn removal_says_what_goes_and_goes_before_ones_eyes() -> Result<()> {
    run("remove")
}

#[test]
fn two_browsers_see_the_same() -> Result<()> {
    run("together")
}

#[test]
fn the_page_catches_up_after_the_controller_restarted() -> Result<()> {
    run("restart")
}

#[test]
fn axe_finds_nothing_serious_on_any_page() -> Result<()> {
    run("accessible")
}

/// Not a test but a tool: `cargo xtask screenshots`.
#[test]
#[ignore = "makes pictures for people to look at"]
fn screenshots() -> Result<()> {
    run("screenshots")
}
