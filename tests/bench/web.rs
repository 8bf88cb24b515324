//! What a visitor of a large model waits for, in Chromium against the real program.

use anyhow::{Context, Result, ensure};
use periapt_tests::{Home, browser, charm};
use periapt_wire::rest::WaitQuery;

use crate::{MODEL, client};

/// Lines about loading the page of a model with so many units, and about changes to it.
pub async fn measure(units: usize) -> Result<String> {
    let home = Home::started()?;
    let file = charm("noop").display().to_string();
    home.ok(["deploy", &file, "noop", "-n", &units.to_string()])?;
    // The no-op charm never says that it is active.
    let query =
        format!("len(units) == {units} && forEach(units, unit => unit.agent-status==\"idle\")");
    let settled = WaitQuery {
        kind: "model".to_owned(),
        name: String::new(),
        query,
        timeout: Some(600),
    };
    client(&home).await?.wait(MODEL, &settled).await?;
    let output = browser::spec(&home, "figures")?
        .env("PERIAPT_FIGURES_UNITS", units.to_string())
        .output()
        .context("Node does not start; `cargo xtask bench` brings one")?;
    ensure!(
        output.status.success(),
        "the page could not be measured:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(said.trim_end().replace('\n', "\n    "))
}
