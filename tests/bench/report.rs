//! Figures with their budgets: printed as they come, written as JSON at the end.
//!
//! A budget belongs to the full size of its part, so that a quick run shows none of them as met.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::figures::Figures;

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
}

pub struct Report {
    quick: bool,
    part: char,
    figures: Vec<Figure>,
}

impl Report {
    pub fn new(quick: bool) -> Self {
        Self {
            quick,
            part: ' ',
            figures: Vec::new(),
        }
    }

    /// What follows belongs to this part.
    pub fn part(&mut self, part: char, what: &str) {
        self.part = part;
        println!("({part}) {what}");
    }

    pub fn figure(&mut self, name: &str, value: f64, unit: &str) {
        self.add(name, value, unit, None);
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
        let held = budget.map_or_else(String::new, |budget| {
            let verdict = if budget.is_met(value) {
                "met"
            } else {
                "missed"
            };
            format!("   ({}: {verdict})", budget.words())
        });
        println!("    {name:<72} {value:>10.digits$} {unit}{held}");
        self.figures.push(Figure {
            part: self.part,
            name: name.to_owned(),
            value,
            unit: unit.to_owned(),
            budget,
        });
    }

    /// How many budgets there were, and how many were met.
    pub fn verdict(&self) -> (usize, usize) {
        let budgets = self
            .figures
            .iter()
            .filter_map(|figure| Some((figure.budget?, figure.value)));
        let met = budgets
            .clone()
            .filter(|(budget, value)| budget.is_met(*value));
        (budgets.count(), met.count())
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
                if let Some(budget) = figure.budget {
                    one["budget"] = budget.json();
                    one["met"] = budget.is_met(figure.value).into();
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
