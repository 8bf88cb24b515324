//! Percentiles, and what a process holds.

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

/// Most memory the process ever held, MiB.
pub fn peak_memory(pid: Pid) -> Result<u64> {
    Ok(field(pid, "status", "VmHWM:")? / 1024)
}

/// Memory the process holds now, MiB.
pub fn resident_memory(pid: Pid) -> Result<u64> {
    Ok(field(pid, "status", "VmRSS:")? / 1024)
}

/// The process's share of memory now, KiB: a page that several processes hold, as those of the
/// program itself, is divided among them. The sum over processes is what they take together.
pub fn share_of_memory(pid: Pid) -> Result<u64> {
    field(pid, "smaps_rollup", "Pss:")
}

fn field(pid: Pid, file: &str, name: &str) -> Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/{file}", pid.as_raw_nonzero()))?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .context("no such field")?;
    let kibibytes = line.split_whitespace().next().context("no number")?;
    Ok(kibibytes.parse()?)
}
