//! Load: by `wrk`, and by callers of our own where what is asked is more than a URL.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::figures::Figures;

/// Who asks at once.
const CALLERS: usize = 32;

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

/// Has something asked for so many times, by number, 32 at once: how many a second were answered, and how
/// long each took. The first that fails ends it.
pub async fn at_once<A, F>(times: usize, ask: A) -> Result<(f64, Figures)>
where
    A: Fn(usize) -> F + Clone + Send + 'static,
    F: Future<Output = Result<()>> + Send + 'static,
{
    let next = Arc::new(AtomicUsize::new(0));
    let started = Instant::now();
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (ask, next) = (ask.clone(), Arc::clone(&next));
            tokio::spawn(async move {
                let mut took = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= times {
                        return anyhow::Ok(took);
                    }
                    let began = Instant::now();
                    let asked = ask(number);
                    asked.await?;
                    took.push(began.elapsed());
                }
            })
        })
        .collect();
    let mut all = Vec::new();
    for caller in callers {
        all.extend(caller.await??);
    }
    let per_second = times as f64 / started.elapsed().as_secs_f64();
    Ok((per_second, Figures::new(all)))
}

/// `1.23ms`, `456.00us` or `1.02s`.
fn milliseconds(text: &str) -> Option<f64> {
    [("us", 0.001), ("ms", 1.0), ("s", 1000.0)]
        .into_iter()
        .find_map(|(unit, factor)| Some(text.strip_suffix(unit)?.parse::<f64>().ok()? * factor))
}
