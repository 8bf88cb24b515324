//! Percentiles, and what a process holds.

use std::fmt;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Pid;

/// Durations, sorted.
pub struct Figures(Vec<Duration>);

impl Figures {
    pub fn new(mut durations: Vec<Duration>) -> Self {
        durations.sort();
        Self(durations)
    }

    /// The given percentile, nearest rank.
    pub fn p(&self, percent: usize) -> Duration {
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0.get(rank - 1).copied().unwrap_or_default()
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |duration: Duration| duration.as_secs_f64() * 1000.0;
        write!(
            f,
            "p50 {:.2} ms, p99 {:.2} ms, max {:.2} ms ({} runs)",
            milliseconds(self.p(50)),
            milliseconds(self.p(99)),
            milliseconds(self.p(100)),
            self.0.len()
        )
    }
}

/// Most memory the process ever held, MiB.
pub fn peak_memory(pid: Pid) -> Result<u64> {
    field(pid, "VmHWM:")
}

/// Memory the process holds now, MiB.
pub fn resident_memory(pid: Pid) -> Result<u64> {
    field(pid, "VmRSS:")
}

fn field(pid: Pid, name: &str) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero()))?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .context("no such field")?;
    let kibibytes: u64 = line
        .split_whitespace()
        .next()
        .context("no number")?
        .parse()?;
    Ok(kibibytes / 1024)
}
