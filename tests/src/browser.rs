//! A spec of `web-ui/e2e/specs` in Chromium, through Playwright, against a controller of a test.

use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::{Home, charm, program, root};

/// The call that runs a spec with this home's controller and its model `test`. It starts where
/// `cargo xtask` says by `PERIAPT_TEST_NODE` that a Node is.
pub fn spec(home: &Home, spec: &str) -> Result<Command> {
    let node = std::env::var_os("PERIAPT_TEST_NODE").unwrap_or_else(|| "node".into());
    let charms = charm("probe");
    let charms = charms.parent().context("the charms have a folder")?;
    let mut command = Command::new(node);
    command
        .args(["e2e/run.mjs", spec])
        .current_dir(root().join("web-ui"))
        .env("PERIAPT_URL", address(home)?)
        .env("PERIAPT_USER", account(home, "user:")?)
        .env("PERIAPT_PASSWORD", account(home, "password:")?)
        .env("PERIAPT_MODEL", "test")
        .env("PERIAPT_DATA", home.path().join("client"))
        .env("PERIAPT_TEST_PROGRAM", program())
        .env("PERIAPT_TEST_CHARMS", charms)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    Ok(command)
}

/// Where the controller of a home is.
pub fn address(home: &Home) -> Result<String> {
    let controllers: serde_json::Value =
        serde_json::from_str(&home.ok(["controllers", "--format", "json"])?)?;
    let endpoint = controllers["controllers"]["tester"]["api-endpoints"][0]
        .as_str()
        .context("the controller has no endpoint")?;
    Ok(format!("https://{endpoint}"))
}

/// A value of the client's `accounts.yaml`.
pub fn account(home: &Home, key: &str) -> Result<String> {
    let accounts = std::fs::read_to_string(home.path().join("client/accounts.yaml"))?;
    accounts
        .lines()
        .find_map(|line| line.trim().strip_prefix(key))
        .map(|value| value.trim().trim_matches(['"', '\'']).to_owned())
        .with_context(|| format!("accounts.yaml has no {key}"))
}
