//! `add-metric`: what a charm measures of its unit, in the hook `collect-metrics` alone.
//!
//! That hook runs beside those of the uniter and commits nothing, so what it adds has no share in the
//! hook transaction and is no effect. It is [`Collected`], which the agent keeps when the hook has
//! returned ok, and which refuses what the charm does not declare, what no metric of its kind can
//! be, and what is too much. The author's harness has the same.

use std::collections::BTreeMap;

use periapt_plan::nearest::suggestion;
use serde::{Deserialize, Serialize};

use crate::bounds::{METRIC_LABEL_BYTES, METRIC_LABELS, METRIC_NAME_BYTES, METRIC_VALUES};
use crate::{CallError, text};

#[cfg(test)]
mod tests;

/// The hook in which metrics are added.
pub const COLLECT_METRICS: &str = "collect-metrics";

/// What `/metrics` itself says of a value, so no label of a charm has such a name.
pub const RESERVED_LABELS: &[&str] = &["model", "application", "unit", "metric"];

/// What kind of number a metric is, in Juju's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It goes up and down.
    Gauge,
    /// A quantity since the last time, never less than nothing.
    Absolute,
}

impl Kind {
    pub const ALL: [Kind; 2] = [Kind::Gauge, Kind::Absolute];

    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Gauge => "gauge",
            Kind::Absolute => "absolute",
        }
    }
}

/// Labels of a value, by name.
pub type Labels = BTreeMap<String, String>;

/// One value of a metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    pub name: String,
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    pub value: f64,
}

/// What an agent answers for `metrics`.
pub trait MetricsAnswers {
    /// Adds a value to what the running `collect-metrics` has [`Collected`]. No other hook may add any.
    fn add_metric(
        &mut self,
        _name: String,
        _value: f64,
        _labels: Vec<(String, String)>,
    ) -> Result<(), CallError> {
        Err(CallError::denied(
            "metrics are added in the hook collect-metrics alone; add them there",
        ))
    }
}

/// What one run of `collect-metrics` adds.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    declared: BTreeMap<String, Kind>,
    values: BTreeMap<(String, Labels), f64>,
}

impl Collected {
    /// Nothing yet, of a charm that declares these metrics.
    pub fn of(declared: BTreeMap<String, Kind>) -> Self {
        Self {
            declared,
            values: BTreeMap::new(),
        }
    }

    /// Adds a value. A later one with the same name and labels takes the place of an earlier one.
    ///
    /// # Errors
    /// `NotFound` for a metric that the charm does not declare, `Invalid` for a value or labels that cannot
    /// be, `Limit` for more than one run may add.
    pub fn add(
        &mut self,
        name: String,
        value: f64,
        labels: Vec<(String, String)>,
    ) -> Result<(), CallError> {
        let Some(kind) = self.declared.get(&name) else {
            let known = self.declared.keys().map(String::as_str);
            return Err(CallError::not_found(format!(
                "the charm's metrics.yaml does not declare the metric \"{}\"{}",
                text::clean_line_at_most(&name, METRIC_NAME_BYTES.length()),
                suggestion(&name, known)
            )));
        };
        check_value(&name, *kind, value)?;
        let labels = gather(labels)?;
        check_labels(&labels)?;
        let key = (name, labels);
        if !self.values.contains_key(&key) && METRIC_VALUES.exceeded_by(self.values.len() + 1) {
            return Err(CallError::limit(format!(
                "one run of collect-metrics adds at most {} values, and this one has; measure less, or with fewer labels",
                METRIC_VALUES.most
            )));
        }
        self.values.insert(key, value);
        Ok(())
    }

    /// All that was added, by name and labels.
    pub fn into_samples(self) -> Vec<Sample> {
        let samples = self.values.into_iter();
        samples
            .map(|((name, labels), value)| Sample {
                name,
                labels,
                value,
            })
            .collect()
    }
}

/// Whether `name` can be a metric's: a letter, then letters, digits and dashes.
pub fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !name.ends_with('-')
        && !METRIC_NAME_BYTES.exceeded_by(name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// # Errors
/// `Invalid` for a value that a metric of this kind cannot have.
pub fn check_value(name: &str, kind: Kind, value: f64) -> Result<(), CallError> {
    if !value.is_finite() {
        return Err(CallError::invalid(format!(
            "the value of \"{name}\" is {value}; a metric is a finite number"
        )));
    }
    if kind == Kind::Absolute && value < 0.0 {
        return Err(CallError::invalid(format!(
            "the value of \"{name}\" is {value}; one of type absolute is never less than 0, declare it as a gauge"
        )));
    }
    Ok(())
}

/// # Errors
/// `Invalid` and `Limit` for labels that a value cannot have.
pub fn check_labels(labels: &Labels) -> Result<(), CallError> {
    if METRIC_LABELS.exceeded_by(labels.len()) {
        return Err(CallError::limit(format!(
            "a value has {} labels; at most {} are kept",
            labels.len(),
            METRIC_LABELS.most
        )));
    }
    for (name, value) in labels {
        let shown = text::clean_line_at_most(name, METRIC_NAME_BYTES.length());
        if RESERVED_LABELS.contains(&name.as_str()) {
            return Err(CallError::invalid(format!(
                "the label \"{shown}\" is the controller's to set; choose another name"
            )));
        }
        if !is_label(name) {
            return Err(CallError::invalid(format!(
                "the label \"{shown}\" is not a valid name: a letter, then letters, digits and underscores"
            )));
        }
        if [name, value]
            .iter()
            .any(|text| METRIC_LABEL_BYTES.exceeded_by(text.len()))
        {
            return Err(CallError::limit(format!(
                "the label \"{shown}\" or its value is longer than {} bytes",
                METRIC_LABEL_BYTES.most
            )));
        }
        if value.chars().any(|c| text::is_hidden(c) || c.is_control()) {
            return Err(CallError::invalid(format!(
                "the value of the label \"{shown}\" has characters that cannot be seen; leave them out"
            )));
        }
    }
    Ok(())
}

fn is_label(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn gather(labels: Vec<(String, String)>) -> Result<Labels, CallError> {
    let mut found = Labels::new();
    for (name, value) in labels {
        if let Some(name) = found.contains_key(&name).then_some(&name) {
            let shown = text::clean_line_at_most(name, METRIC_NAME_BYTES.length());
            return Err(CallError::invalid(format!(
                "the label \"{shown}\" is there twice"
            )));
        }
        found.insert(name, value);
    }
    Ok(found)
}
