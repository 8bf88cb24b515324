//! Layers with their labels, and the plan that they make together.
//!
//! A plan is kept and handed on as JSON, which is the same text for the same plan. What cannot run
//! is refused when the layer is added and not when it is started: a plan that is there is sound.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::WorkloadError;
use super::layer::{Check, Layer, Override, Probe, Ready, Service};

mod change;
#[cfg(test)]
mod tests;
mod validate;

pub use change::Change;

/// A layer under its label.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Labelled {
    pub label: String,
    pub layer: Layer,
}

/// The layers of one container, the lowest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Layers(Vec<Labelled>);

impl Layers {
    /// Adds a layer on top, or, with `combine`, merges it into the one of the same label where
    /// that lies. The plan that follows; after a refusal the layers are as they were.
    ///
    /// # Errors
    /// `layer-label-taken`, `layer-name-invalid` for the label, and those of [`Plan::validate`].
    pub fn add(&mut self, label: &str, layer: Layer, combine: bool) -> Result<Plan, WorkloadError> {
        check_label(label)?;
        let mut layers = self.0.clone();
        match layers.iter_mut().find(|there| there.label == label) {
            Some(there) if combine => there.layer.merge(&layer),
            Some(_) => {
                let label = label.to_owned();
                return Err(WorkloadError::LabelTaken { label });
            }
            None => layers.push(Labelled {
                label: label.to_owned(),
                layer,
            }),
        }
        let added = Layers(layers);
        let plan = added.plan();
        plan.validate()?;
        *self = added;
        Ok(plan)
    }

    /// All layers in one.
    pub fn plan(&self) -> Plan {
        let mut all = Layer::default();
        for labelled in &self.0 {
            all.merge(&labelled.layer);
        }
        let mut plan = Plan {
            services: all.services,
            checks: all.checks,
        };
        // Nothing is below it any more.
        for service in plan.services.values_mut() {
            service.overrides = Some(Override::Replace);
        }
        for check in plan.checks.values_mut() {
            check.overrides = Some(Override::Replace);
        }
        plan
    }

    /// As it is kept.
    pub fn to_json(&self) -> String {
        // Maps by text and numbers that are numbers, so this cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The lowest first.
    pub fn iter(&self) -> impl Iterator<Item = &Labelled> {
        self.0.iter()
    }
}

/// Charms write sentences as labels.
fn check_label(label: &str) -> Result<(), WorkloadError> {
    let sound = !label.is_empty()
        && label.len() <= 128
        && !label.chars().any(char::is_control)
        && !label.starts_with("pebble-");
    if sound {
        return Ok(());
    }
    Err(WorkloadError::Name {
        kind: "layer",
        name: label.chars().take(80).filter(|c| !c.is_control()).collect(),
        rule: "a label has 1 to 128 bytes, no control characters, and does not start with \"pebble-\"",
    })
}

/// The services and checks of one container, by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Plan {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub services: BTreeMap<String, Service>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub checks: BTreeMap<String, Check>,
}

impl Plan {
    /// As JSON: names in order, durations in one way, and nothing that was not written.
    pub fn to_json(&self) -> String {
        // Maps by text and numbers that are numbers, so this cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// A plan from what [`Plan::to_json`] wrote, checked once more.
    ///
    /// # Errors
    /// As for a layer, and those of [`Plan::validate`].
    pub fn parse(text: &str) -> Result<Self, WorkloadError> {
        let layer = Layer::parse(text)?;
        let plan = Plan {
            services: layer.services,
            checks: layer.checks,
        };
        plan.validate()?;
        Ok(plan)
    }

    /// The services that a check looks at: those that react to it or wait for it, and the one in
    /// whose place its command runs. One that looks at none runs as long as its container.
    pub fn looked_at_by(&self, check: &str) -> BTreeSet<&str> {
        let context = match self.checks.get(check).and_then(Check::probe) {
            Some(Probe::Exec(exec)) => exec.service_context.as_deref(),
            _ => None,
        };
        let concerned = |(name, service): &(&String, &Service)| {
            context == Some(name.as_str())
                || service.on_check_failure.contains_key(check)
                || service.ready == Some(Ready::Check(check.to_owned()))
        };
        let services = self.services.iter().filter(concerned);
        services.map(|(name, _)| name.as_str()).collect()
    }
}
