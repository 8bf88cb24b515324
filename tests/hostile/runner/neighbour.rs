//! The neighbour of an attack: a charm that means well, in the same model, whose progress is what counts. A step of
//! it is a changed setting and the hook that follows, committed.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use periapt_tests::{Home, PATIENCE};
use rustix::process::Pid;
use serde_json::Value;

/// Beside what is usual, for a machine with two cores whose time the attacks share.
const SHARED: Duration = Duration::from_secs(15);
const TIMES: u32 = 10;
/// Between two steps, so that the neighbour is no load itself.
const PAUSE: Duration = Duration::from_millis(100);

/// One step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub begun: Instant,
    pub took: Duration,
}

/// The unit `APPLICATION/0` of the charm `site`, and what it was before the attacks.
pub struct Neighbour<'a> {
    home: &'a Home,
    application: &'a str,
    usual: Duration,
    agents: Vec<Pid>,
    controller: Pid,
    changes: AtomicU32,
}

impl<'a> Neighbour<'a> {
    /// Measures its usual pace.
    pub fn of(home: &'a Home, application: &'a str) -> Result<Self> {
        let mut neighbour = Self {
            home,
            application,
            usual: Duration::ZERO,
            agents: home.agent_pids()?,
            controller: home.controller_pid()?,
            changes: AtomicU32::new(0),
        };
        for _ in 0..3 {
            neighbour.usual = neighbour.usual.max(neighbour.step()?.took);
        }
        Ok(neighbour)
    }

    /// How long a step may take beside attacks: far more than one takes, far less than being held up.
    fn allowed(&self) -> Duration {
        self.usual * TIMES + SHARED
    }

    /// The newest run of its `config-changed`.
    fn newest(&self) -> Result<Value> {
        let unit = format!("{}/0", self.application);
        let words = ["hooks", &unit, "--hook", "config-changed", "--limit", "1"];
        Ok(self.home.json(words)?[0].clone())
    }

    fn step(&self) -> Result<Step> {
        let before = self.newest()?["id"].clone();
        let begun = Instant::now();
        let change = self.changes.fetch_add(1, Ordering::SeqCst);
        let title = format!("title=Change {change}");
        self.home.ok(["config", self.application, &title])?;
        loop {
            let run = self.newest()?;
            if run["id"] != before {
                ensure!(run["result"] == "ok", "the neighbour's hook failed: {run}");
                let took = begun.elapsed();
                return Ok(Step { begun, took });
            }
            if begun.elapsed() > PATIENCE {
                bail!("the neighbour's hook did not run: {run}");
            }
            std::thread::sleep(PAUSE / 2);
        }
    }

    /// Steps without a pause to speak of, until what is done meanwhile is over; the last begins afterwards.
    pub fn beside<T>(&self, attacks: impl FnOnce() -> Result<T>) -> Result<(T, Vec<Step>)> {
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let stepping = scope.spawn(|| -> Result<Vec<Step>> {
                let mut steps = Vec::new();
                loop {
                    let last = over.load(Ordering::SeqCst);
                    steps.push(self.step()?);
                    if last {
                        return Ok(steps);
                    }
                    std::thread::sleep(PAUSE);
                }
            });
            let done = attacks();
            over.store(true, Ordering::SeqCst);
            let steps = stepping.join();
            let steps = steps.map_err(|_| anyhow::anyhow!("the neighbour's steps panicked"))?;
            Ok((done?, steps.context("beside the attacks")?))
        })
    }

    /// Whether the steps that it made in this time took no longer than they may.
    ///
    /// # Errors
    /// How long one took, or that there was none.
    pub fn goes_on(&self, steps: &[Step], from: Instant, until: Instant) -> Result<(), String> {
        let meanwhile = |step: &&Step| step.begun <= until && step.begun + step.took >= from;
        let slowest = steps.iter().filter(meanwhile).map(|step| step.took).max();
        match slowest {
            Some(took) if took <= self.allowed() => Ok(()),
            Some(took) => Err(format!(
                "a step of the neighbour took {took:?}, usually {:?}",
                self.usual
            )),
            // Between two steps, which are a moment apart.
            None if until - from < PAUSE * 2 => Ok(()),
            None => Err("the neighbour made no step".to_owned()),
        }
    }

    /// It goes on afterwards as before, in the same processes.
    pub fn is_unharmed(&self) -> Result<()> {
        for _ in 0..3 {
            let took = self.step()?.took;
            ensure!(took <= self.allowed(), "a step took {took:?} afterwards");
        }
        self.home
            .until_workload(&format!("{}/0", self.application), "active")?;
        ensure!(
            self.home.agent_pids()? == self.agents,
            "the agent is another"
        );
        ensure!(
            self.home.controller_pid()? == self.controller,
            "the controller is another"
        );
        Ok(())
    }
}
