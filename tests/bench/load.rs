//! Load by `wrk`.

use std::process::Command;

use anyhow::{Context, Result, ensure};

pub struct Measured {
    /// Requests in a second.
    pub rate: f64,
    /// Milliseconds.
    pub p99: f64,
}

/// Runs `wrk` with 64 connections, which are kept, and reads its report.
pub fn wrk(url: &str, headers: &[&str], seconds: u64) -> Result<Measured> {
    let output = Command::new("wrk")
        .args(["--threads", "2", "--connections", "64", "--latency"])
        .args(["--duration", &format!("{seconds}s")])
        .args(headers.iter().flat_map(|header| ["--header", header]))
        .arg(url)
        .output()
        .context("wrk does not start")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(!text.contains("Non-2xx"), "wrk was refused:\n{text}");
    let after = |label: &str| -> Result<String> {
        text.lines()
            .find_map(|line| line.trim().strip_prefix(label))
            .map(|rest| rest.trim().to_owned())
            .with_context(|| format!("no {label} in:\n{text}"))
    };
    Ok(Measured {
        rate: after("Requests/sec:")?.parse()?,
        p99: milliseconds(&after("99%")?).with_context(|| format!("no p99 in:\n{text}"))?,
    })
}

/// `1.23ms`, `456.00us` or `1.02s`.
fn milliseconds(text: &str) -> Option<f64> {
    [("us", 0.001), ("ms", 1.0), ("s", 1000.0)]
        .into_iter()
        .find_map(|(unit, factor)| Some(text.strip_suffix(unit)?.parse::<f64>().ok()? * factor))
}
