//! Figures with their budgets: printed as they come, written as JSON at the end.
//!
//! A budget belongs to the full size of its part, so that a quick run shows none of them as met.
//!
//! Times and rates also belong to a machine. So the peer, a program that has not changed, is measured
//! before each part, and a budget is judged twice: as the figure is, and as it would be where the peer
//! takes what it took on the machine of SPECIFICATION.md. A shared machine is twice as slow in one
//! hour as in another; the second verdict carries over.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use periapt_tests::counters::PerHook;
use serde_json::{Value, json};

use crate::figures::Figures;

/// What one dispatch of the peer takes on the machine of SPECIFICATION.md, p50.
const REFERENCE: Duration = Duration::from_millis(135);

/// The figure where the peer takes what it takes there: `pace` is how many times longer it takes
/// here. Sizes, counts and ratios stay as they are.
fn at_reference(value: f64, unit: &str, pace: f64) -> f64 {
    match unit {
        "ms" | "s" | "% of a core" => value / pace,
        "hooks/s" | "reads/s" => value * pace,
        _ => value,
    }
}

#[derive(Clone, Copy)]
pub enum Budget {
    AtMost(f64),
    AtLeast(f64),
}

impl Budget {
    fn is_met(self, value: f64) -> bool {
        match self {
            Self::AtMost(most) => value <= most,
            Self::AtLeast(least) => value >= least,
        }
    }

    fn words(self) -> String {
        match self {
            Self::AtMost(most) => format!("at most {most}"),
            Self::AtLeast(least) => format!("at least {least}"),
        }
    }

    fn json(self) -> Value {
        match self {
            Self::AtMost(most) => json!({ "at-most": most }),
            Self::AtLeast(least) => json!({ "at-least": least }),
        }
    }
}

struct Figure {
    part: char,
    name: String,
    value: f64,
    unit: String,
    budget: Option<Budget>,
    at_reference: f64,
}

impl Figure {
    /// The budget, and whether it is met here and at the reference.
    fn verdict(&self) -> Option<(Budget, bool, bool)> {
        let budget = self.budget?;
        let there = budget.is_met(self.at_reference);
        Some((budget, budget.is_met(self.value), there))
    }
}

pub struct Report {
    quick: bool,
    part: char,
    pace: f64,
    figures: Vec<Figure>,
}

impl Report {
    pub fn new(quick: bool) -> Self {
        Self {
            quick,
            part: ' ',
            pace: 1.0,
            figures: Vec::new(),
        }
    }

    /// What follows belongs to this part.
    pub fn part(&mut self, part: char, what: &str) {
        self.part = part;
        println!("({part}) {what}");
        println!(
            "    the peer takes {:.2} times as long as on the reference machine",
            self.pace
        );
    }

    /// What follows was measured while the peer took so long.
    pub fn pace(&mut self, peer: &Figures) {
        self.pace = peer.p(50).as_secs_f64() / REFERENCE.as_secs_f64();
    }

    pub fn figure(&mut self, name: &str, value: f64, unit: &str) {
        self.add(name, value, unit, None);
    }

    pub fn per_hook(&mut self, hook: &PerHook) {
        for (who, used) in [("controller", hook.controller), ("agents", hook.agents)] {
            self.figure(&format!("CPU of the {who} per hook"), used.cpu_ms, "ms");
            self.figure(
                &format!("written by the {who} per hook"),
                used.written_kib,
                "KiB",
            );
            self.figure(&format!("wake-ups of the {who} per hook"), used.woken, "");
        }
        self.figure("writes per hook", hook.jobs, "");
        self.figure("transactions per hook", hook.commits, "");
        self.figure("SQL statements per hook", hook.statements, "");
    }

    pub fn budget(&mut self, name: &str, value: f64, unit: &str, budget: Budget) {
        let budget = (!self.quick).then_some(budget);
        self.add(name, value, unit, budget);
    }

    /// Median and 99th percentile in milliseconds, with a budget for either.
    pub fn times(&mut self, name: &str, times: &Figures, p50: Option<Budget>, p99: Option<Budget>) {
        for (percent, budget) in [(50, p50), (99, p99)] {
            let value = times.p(percent).as_secs_f64() * 1000.0;
            let budget = budget.filter(|_| !self.quick);
            self.add(&format!("{name}, p{percent}"), value, "ms", budget);
        }
    }

    fn add(&mut self, name: &str, value: f64, unit: &str, budget: Option<Budget>) {
        let digits = match value.abs() {
            value if value >= 100.0 => 0,
            value if value >= 10.0 => 1,
            value if value >= 0.1 => 2,
            _ => 4,
        };
        let figure = Figure {
            part: self.part,
            name: name.to_owned(),
            value,
            unit: unit.to_owned(),
            budget,
            at_reference: at_reference(value, unit, self.pace),
        };
        let held = figure.verdict().map_or_else(String::new, |verdict| {
            let (budget, here, there) = verdict;
            let word = |met| if met { "met" } else { "missed" };
            let budget = budget.words();
            if figure.at_reference == value {
                return format!("   ({budget}: {})", word(here));
            }
            let (here, there) = (word(here), word(there));
            let at = figure.at_reference;
            format!("   ({budget}: {here}; at reference {at:.digits$}: {there})")
        });
        println!("    {name:<72} {value:>10.digits$} {unit}{held}");
        self.figures.push(figure);
    }

    /// How many budgets there were, how many were met, and how many at the reference.
    pub fn verdict(&self) -> (usize, usize, usize) {
        let verdicts = self.figures.iter().filter_map(Figure::verdict);
        let here = verdicts.clone().filter(|(_, here, _)| *here).count();
        let there = verdicts.clone().filter(|(_, _, there)| *there).count();
        (verdicts.count(), here, there)
    }

    pub fn write(&self, file: &Path) -> Result<()> {
        let figures: Vec<Value> = self
            .figures
            .iter()
            .map(|figure| {
                let mut one = json!({
                    "part": figure.part.to_string(),
                    "name": figure.name,
                    "value": figure.value,
                    "unit": figure.unit,
                });
                if let Some((budget, here, there)) = figure.verdict() {
                    one["budget"] = budget.json();
                    one["met"] = here.into();
                    one["at-reference"] = figure.at_reference.into();
                    one["met-at-reference"] = there.into();
                }
                one
            })
            .collect();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let report = json!({ "cores": cores, "quick": self.quick, "figures": figures });
        let text = serde_json::to_string_pretty(&report)?;
        std::fs::write(file, text + "\n")
            .with_context(|| format!("cannot write {}", file.display()))
    }
}
