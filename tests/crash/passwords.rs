//! The password that an agent makes itself, against `kill -9` before the controller is told of it and after.

use anyhow::{Context, Result, ensure};
use periapt_client::websocket::{ApiInfo, dial};
use periapt_tests::{Home, agent_password};
use serde_json::Value;

use super::{READY, agent_dies_at};

/// Whether the agent may log in with a password.
fn fits(agent: &Value, password: &str) -> Result<bool> {
    let text = |key: &str| agent[key].as_str().unwrap_or_default().to_owned();
    let address = agent["api-addresses"][0].as_str().context("no address")?;
    let info = ApiInfo {
        addresses: vec![address.to_owned()],
        ca_pem: text("ca-cert"),
        model: Some(text("model-uuid").parse()?),
        tag: text("tag").parse()?,
        password: password.to_owned(),
    };
    let runtime = tokio::runtime::Runtime::new()?;
    Ok(runtime.block_on(dial(info)).is_ok())
}

/// Its own password alone counts, and no login was refused until now.
fn comes_back(home: &Home) -> Result<()> {
    let audit = home.ok(["audit", "--all", "--format", "json"])?;
    ensure!(!audit.contains("Admin.Login"), "{audit}");
    let agents = std::fs::read_dir(home.controller_directory().join("agents"))?;
    let found = agents.flatten().find_map(|entry| {
        let text = std::fs::read_to_string(entry.path().join("agent.json")).ok()?;
        Some((entry.path(), text))
    });
    let (directory, text) = found.context("no agent")?;
    let agent: Value = serde_json::from_str(&text)?;
    let given = agent["password"].as_str().context("no password")?;
    let own = agent_password(&directory)?;
    ensure!(own != given, "it is the one that was given");
    ensure!(fits(&agent, &own)?, "its own is refused");
    ensure!(!fits(&agent, given)?, "the one that was given counts still");
    Ok(())
}

#[test]
fn an_agent_killed_with_a_password_that_it_told_nobody_tells_it_when_it_is_back() -> Result<()> {
    comes_back(&agent_dies_at("agent-password-written", READY)?)
}

#[test]
fn an_agent_killed_with_a_password_that_it_never_used_uses_it_when_it_is_back() -> Result<()> {
    comes_back(&agent_dies_at("agent-password-noted", READY)?)
}
