//! How often a hook asks for memory, in the controller and in its agent together.
//!
//! Both run in the process that counts, on virtual time, so nothing happens meanwhile that is not a
//! hook's: no `update-status`, no sweep, no sign of life. What is asked of the API to find out how
//! many hooks ran is left out. The count is of calls, which neither the machine nor its mood moves.

use std::time::Duration;

use anyhow::{Result, ensure};
use periapt_testing::Scenario;
use stats_alloc::Stats;

use crate::{charm, hooks};

/// What a scenario calls its model.
const MODEL: &str = "test";
const UNITS: u32 = 50;
const ROUNDS: usize = 10;
/// In real time. Looked at only after this, so that it hardly matters when all are done.
const LOOK: Duration = Duration::from_millis(500);
const LOOKS: usize = 120;

/// What was asked of the allocator so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    /// Memory asked for anew, or to be grown.
    pub times: usize,
    pub bytes: usize,
}

impl From<Stats> for Asked {
    fn from(stats: Stats) -> Self {
        Self {
            times: stats.allocations + stats.reallocations,
            bytes: stats.bytes_allocated,
        }
    }
}

/// What one hook asks for.
#[derive(Clone, Copy, Debug)]
pub struct PerHook {
    pub times: f64,
    pub bytes: f64,
}

/// Changes a setting of units of the no-op charm and counts what their hooks ask for. `asked` reads
/// the counters of the process's allocator.
pub async fn per_hook(asked: impl Fn() -> Asked) -> Result<PerHook> {
    let scenario = Scenario::start().await?;
    let application = "noop";
    scenario.deploy(charm("noop"), application, UNITS).await?;
    let what = "units to be idle";
    scenario
        .until(what, |status| {
            let units = status.applications.get(application);
            let units = units.and_then(|application| application.units.as_ref());
            units.is_some_and(|units| {
                let idle = |status: &str| status == "idle";
                let mut all = units.values();
                units.len() == UNITS as usize && all.all(|unit| idle(&unit.agent_status.status))
            })
        })
        .await?;
    let mut counted = Asked::default();
    let mut many = 0;
    // The first round still fills caches.
    for round in 0..=ROUNDS {
        let before = hooks::heard(scenario.client(), MODEL).await?;
        scenario
            .configure(application, &[("salt", &format!("round {round}"))])
            .await?;
        let mut heard = 0;
        for _ in 0..LOOKS {
            let began = asked();
            tokio::time::sleep(LOOK).await;
            let ended = asked();
            if round > 0 {
                counted.times += ended.times - began.times;
                counted.bytes += ended.bytes - began.bytes;
            }
            heard = hooks::heard(scenario.client(), MODEL).await? - before;
            if heard >= u64::from(UNITS) {
                break;
            }
        }
        ensure!(heard == u64::from(UNITS), "{heard} of {UNITS} hooks ran");
        if round > 0 {
            many += heard;
        }
    }
    scenario.stop().await?;
    Ok(PerHook {
        times: counted.times as f64 / many as f64,
        bytes: counted.bytes as f64 / many as f64,
    })
}
