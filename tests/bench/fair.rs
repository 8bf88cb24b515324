//! What hooks of a well-behaved application wait for beside units that use all their time in every hook.

use std::time::Duration;

use anyhow::{Result, ensure};
use periapt_client::rest::RestClient;
use periapt_tests::Home;
use periapt_tests::account::client;

use crate::figures::Figures;
use crate::hooks::{idle, microseconds, runs, set};
use crate::relations;
use crate::report::{Budget, Report};

/// Applications whose hooks compute until they are ended, with their units: together 1, 8 and 64.
const ENDLESS: [(&str, u32); 3] = [("endless-a", 1), ("endless-b", 7), ("endless-c", 56)];
const SCRIPT: &str = "config-changed: loop";
/// The units that are measured.
const CALM: u32 = 3;
/// What a hook may wait for its turn: a slice, the tick at which its end is noticed, and a thread that wakes
/// up on cores that all are busy.
const BOUND_MS: f64 = 60.0;
/// Between two changes that the calm units hear of.
const EVERY: Duration = Duration::from_millis(200);
/// Until all endless hooks are under way that ever are at once, and until the last calm hook has ended.
const SETTLES: Duration = Duration::from_secs(5);

/// The waits of calm units alone, and beside each number of endless ones.
pub async fn measure(report: &mut Report, changes: usize) -> Result<()> {
    let home = Home::started()?;
    let client = client(&home).await?;
    let (noop, probe) = (
        relations::upload(&client, "noop").await?,
        relations::upload(&client, "probe").await?,
    );
    relations::deploy(&client, &noop, "calm", CALM).await?;
    let mut units = CALM;
    for (name, count) in ENDLESS {
        relations::deploy(&client, &probe, name, count).await?;
        units += count;
    }
    idle(&client, usize::try_from(units)?).await?;
    let alone = Delays::measure(&client, "alone", changes).await?;
    alone.report(report, "alone", None);
    let mut endless = 0;
    for (name, count) in ENDLESS {
        set(&client, name, "script", SCRIPT).await?;
        tokio::time::sleep(SETTLES).await;
        endless += count;
        let beside = format!("beside {endless}");
        let delays = Delays::measure(&client, &beside, changes).await?;
        delays.report(report, &beside, Some(Budget::AtMost(BOUND_MS)));
    }
    Ok(())
}

/// Of the calm units' hooks.
struct Delays {
    waited: Figures,
    whole: Figures,
}

impl Delays {
    async fn measure(client: &RestClient, round: &str, changes: usize) -> Result<Self> {
        let since = microseconds()?;
        for number in 0..changes {
            set(client, "calm", "salt", &format!("{round} {number}")).await?;
            tokio::time::sleep(EVERY).await;
        }
        tokio::time::sleep(SETTLES).await;
        let ran = runs(client, "calm", Some("config-changed"), since, 0).await?;
        ensure!(
            2 * ran.len() >= changes,
            "only {} hooks ran in {changes} changes",
            ran.len()
        );
        let micros = |micros: i64| Duration::from_micros(micros.unsigned_abs());
        let waited = ran.iter().map(|run| micros(run.waited));
        let whole = ran.iter().map(|run| micros(run.waited + run.duration));
        Ok(Self {
            waited: Figures::new(waited.collect()),
            whole: Figures::new(whole.collect()),
        })
    }

    fn report(&self, report: &mut Report, beside: &str, bound: Option<Budget>) {
        let waited = format!("a calm unit's hook waits for its turn, {beside}");
        report.times(&waited, &self.waited, None, bound);
        let whole = format!("from chosen to ended, {beside}");
        report.times(&whole, &self.whole, None, None);
    }
}
