//! What a visitor of a large model waits for, in Chromium against the real program.

use std::io::BufRead;

use anyhow::{Context, Result, ensure};
use periapt_tests::account::client;
use periapt_tests::{Home, browser, charm};
use serde::Deserialize;

use crate::hooks::idle;
use crate::report::Report;

/// A line of what the page's measurement prints.
#[derive(Deserialize)]
struct Said {
    name: String,
    value: f64,
    unit: String,
}

/// Figures about loading the page of a model with so many units, and about changes to it.
pub async fn measure(report: &mut Report, units: usize) -> Result<()> {
    let home = Home::started()?;
    let file = charm("noop").display().to_string();
    home.ok(["deploy", &file, "noop", "-n", &units.to_string()])?;
    idle(&client(&home).await?, units).await?;
    let output = browser::spec(&home, "figures")?
        .env("PERIAPT_FIGURES_UNITS", units.to_string())
        .output()
        .context("Node does not start; `cargo xtask bench` brings one")?;
    ensure!(
        output.status.success(),
        "the page could not be measured:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for line in output.stdout.lines() {
        let line = line?;
        let said: Said = serde_json::from_str(&line).with_context(|| line.clone())?;
        report.figure(&said.name, said.value, &said.unit);
    }
    Ok(())
}
