//! Figures of this process, from `/proc`. Elsewhere than on Linux there are none.

use std::fs;

/// `USER_HZ`: what the kernel counts processor time in, the same on every architecture we run on.
const TICKS: f64 = 100.0;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ProcessFigures {
    pub resident_bytes: Option<u64>,
    pub cpu_seconds: Option<f64>,
    pub threads: Option<u64>,
    pub open_files: Option<u64>,
    pub max_files: Option<u64>,
}

/// Reads a few small files that the kernel makes up; it does not wait.
pub(super) fn read() -> ProcessFigures {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    ProcessFigures {
        resident_bytes: field(&status, "VmRSS:").map(|kilobytes| kilobytes * 1024),
        threads: field(&status, "Threads:"),
        cpu_seconds: fs::read_to_string("/proc/self/stat")
            .ok()
            .and_then(|stat| cpu_seconds(&stat)),
        open_files: fs::read_dir("/proc/self/fd")
            .ok()
            // The directory that is being read is one of them.
            .map(|entries| (entries.count() as u64).saturating_sub(1)),
        max_files: limits
            .lines()
            .find_map(|line| line.strip_prefix("Max open files"))
            .and_then(|rest| rest.split_whitespace().next()?.parse().ok()),
    }
}

fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The 14th and 15th field; the second, the name, may contain anything.
pub(super) fn cpu_seconds(stat: &str) -> Option<f64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / TICKS)
}
