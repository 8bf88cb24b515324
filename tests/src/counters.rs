//! What controller and agents used of the machine, counted by the kernel and by the controller
//! itself. Counts hardly depend on what else the machine does.

use std::time::Duration;

use anyhow::{Context, Result};
use periapt_client::rest::RestClient;
use rustix::process::Pid;

use crate::Home;

/// What both sides had used at one moment.
pub struct Counters {
    controller: Process,
    agents: Process,
    /// Writes the store committed, and the transactions they shared.
    jobs: f64,
    commits: f64,
    statements: f64,
}

/// What one hook took of the machine.
#[derive(Clone, Copy, Debug)]
pub struct PerHook {
    pub controller: Used,
    pub agents: Used,
    /// Writes of the store, and the transactions they shared.
    pub jobs: f64,
    pub commits: f64,
    /// Of SQL.
    pub statements: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct Used {
    pub cpu_ms: f64,
    /// Sent to the disk.
    pub written_kib: f64,
    /// How often a thread waited and was woken.
    pub woken: f64,
}

#[derive(Clone, Copy, Default)]
struct Process {
    cpu: Duration,
    /// Bytes sent to the disk.
    written: u64,
    /// How often a thread of it waited and was woken.
    woken: u64,
}

impl Counters {
    pub async fn read(home: &Home, client: &RestClient) -> Result<Self> {
        let metrics = client.controller_introspection("metrics").await?;
        let metric = |name: &str| -> Option<f64> {
            let value = |line: &str| line.strip_prefix(name)?.trim().parse().ok();
            metrics.lines().find_map(value)
        };
        let mut agents = Process::default();
        for pid in home.agent_pids()? {
            agents = agents.and(Process::read(pid)?);
        }
        Ok(Self {
            controller: Process::read(home.controller_pid()?)?,
            agents,
            jobs: metric("periapt_store_jobs_total ").context("jobs")?,
            commits: metric("periapt_store_commits_total ").context("commits")?,
            statements: metric("periapt_store_statements_total ").context("statements")?,
        })
    }

    /// What each of `hooks` cost since then.
    pub fn per_hook(&self, earlier: &Self, hooks: usize) -> PerHook {
        let each = |value: f64| value / hooks.max(1) as f64;
        let used = |now: &Process, then: &Process| Used {
            cpu_ms: each(now.cpu.saturating_sub(then.cpu).as_secs_f64() * 1000.0),
            written_kib: each(now.written.saturating_sub(then.written) as f64 / 1024.0),
            woken: each(now.woken.saturating_sub(then.woken) as f64),
        };
        PerHook {
            controller: used(&self.controller, &earlier.controller),
            agents: used(&self.agents, &earlier.agents),
            jobs: each(self.jobs - earlier.jobs),
            commits: each(self.commits - earlier.commits),
            statements: each(self.statements - earlier.statements),
        }
    }

    /// Processor time of controller and agents together since then.
    pub fn cpu_since(&self, earlier: &Self) -> Duration {
        let both = |counters: &Self| counters.controller.cpu + counters.agents.cpu;
        both(self).saturating_sub(both(earlier))
    }
}

impl Process {
    fn read(pid: Pid) -> Result<Self> {
        let folder = format!("/proc/{}", pid.as_raw_nonzero());
        let stat = std::fs::read_to_string(format!("{folder}/stat"))?;
        // The name may hold anything; what follows it is counted from its end.
        let (_, rest) = stat.rsplit_once(") ").context("no name in stat")?;
        let ticks: u64 = rest
            .split(' ')
            .skip(11)
            .take(2)
            .filter_map(|ticks| ticks.parse::<u64>().ok())
            .sum();
        let io = std::fs::read_to_string(format!("{folder}/io"))?;
        let mut woken = 0;
        for thread in std::fs::read_dir(format!("{folder}/task"))?.flatten() {
            // A thread may end meanwhile.
            let status = std::fs::read_to_string(thread.path().join("status"));
            woken += status.map_or(0, |status| number(&status, "voluntary_ctxt_switches:"));
        }
        Ok(Self {
            cpu: Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second()),
            written: number(&io, "write_bytes:"),
            woken,
        })
    }

    fn and(self, other: Self) -> Self {
        Self {
            cpu: self.cpu + other.cpu,
            written: self.written + other.written,
            woken: self.woken + other.woken,
        }
    }
}

fn number(text: &str, name: &str) -> u64 {
    text.lines()
        .find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
        .unwrap_or(0)
}
