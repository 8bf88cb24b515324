//! What a step is, for those who show a plan.

use serde::{Deserialize, Serialize};

use super::Step;
use super::plan::from_repository;
use crate::name::ApplicationName;

/// The kinds of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    Deploy,
    Refresh,
    Attach,
    Configure,
    AddUnits,
    Expose,
    Annotate,
    Constrain,
    Trust,
    Integrate,
}

impl Step {
    pub fn kind(&self) -> StepKind {
        match self {
            Step::Deploy { .. } => StepKind::Deploy,
            Step::Refresh { .. } => StepKind::Refresh,
            Step::Attach { .. } => StepKind::Attach,
            Step::Configure { .. } => StepKind::Configure,
            Step::AddUnits { .. } => StepKind::AddUnits,
            Step::Expose { .. } => StepKind::Expose,
            Step::Annotate { .. } => StepKind::Annotate,
            Step::Constrain { .. } => StepKind::Constrain,
            Step::Trust { .. } => StepKind::Trust,
            Step::Integrate { .. } => StepKind::Integrate,
        }
    }

    /// The application that it changes; none for a step that relates two.
    pub fn application(&self) -> Option<&ApplicationName> {
        match self {
            Step::Deploy { application, .. }
            | Step::Refresh { application, .. }
            | Step::Attach { application, .. }
            | Step::Configure { application, .. }
            | Step::AddUnits { application, .. }
            | Step::Expose { application, .. }
            | Step::Annotate { application, .. }
            | Step::Constrain { application, .. }
            | Step::Trust { application } => Some(application),
            Step::Integrate { .. } => None,
        }
    }

    /// The endpoints that it relates, the requirer first.
    pub fn relation(&self) -> Vec<String> {
        match self {
            Step::Integrate { pair } => vec![pair.requirer.to_string(), pair.provider.to_string()],
            _ => Vec::new(),
        }
    }

    /// How many units it adds.
    pub fn units(&self) -> Option<u32> {
        match self {
            Step::Deploy { units, .. } => Some(*units),
            Step::AddUnits { count, .. } => Some(*count),
            _ => None,
        }
    }

    /// Whether it gives an application the cloud's credential.
    pub fn trusts(&self) -> bool {
        matches!(self, Step::Deploy { trust: true, .. } | Step::Trust { .. })
    }

    /// Whether it gives an application what its charm declares.
    pub fn grants(&self) -> bool {
        match self {
            Step::Deploy { capabilities, .. } | Step::Refresh { capabilities, .. } => {
                capabilities.grants()
            }
            _ => false,
        }
    }

    /// The step in words, with where its units go.
    pub fn told(&self) -> String {
        match self {
            Step::Deploy { to, .. } | Step::AddUnits { to, .. } if !to.is_empty() => {
                format!("{self} to {}", to.join(", "))
            }
            Step::Deploy {
                application,
                revision,
                units: 0,
                ..
            } => format!(
                "deploy {application}{}, whose units come with relations",
                from_repository(*revision)
            ),
            step => step.to_string(),
        }
    }
}
