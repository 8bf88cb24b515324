//! Why a layer or a plan is refused: a stable code, and three lines to a person.

use thiserror::Error;

/// What is wrong with a layer or with the plan it makes. `Display` is what happened;
/// [`WorkloadError::why`] and [`WorkloadError::advice`] are the two lines after it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WorkloadError {
    /// Not YAML, not JSON, or a value of another shape than its key has.
    #[error("the layer is unreadable")]
    Unreadable { reason: String },
    /// A key or a word that Pebble and we do not have.
    #[error("the layer has an unknown name")]
    UnknownName {
        /// As the parser says it, with the place.
        reason: String,
        /// The known name that is nearest, if any is near.
        nearest: Option<String>,
    },
    #[error("the layer has log-targets")]
    LogTargets,
    #[error("layer \"{label}\" already exists")]
    LabelTaken { label: String },
    /// `kind` is `layer`, `service` or `check`.
    #[error("\"{name}\" is not a valid {kind} name")]
    Name {
        kind: &'static str,
        name: String,
        rule: &'static str,
    },
    /// `of` is `service "web"` or `check "up"`.
    #[error("{of} does not say how it combines with the layers below")]
    NoOverride { of: String },
    /// A key that is missing, or has a value that cannot be.
    #[error("{of} is incomplete or contradictory: {key}")]
    Invalid {
        of: String,
        key: &'static str,
        reason: String,
    },
    #[error("{of} names \"{name}\", which is not in the plan")]
    Missing {
        of: String,
        key: &'static str,
        /// `service` or `check`.
        kind: &'static str,
        name: String,
        nearest: Option<String>,
    },
    /// The services, each of which waits for the next, the first of them again at the end.
    #[error("services wait for one another")]
    Cycle { services: Vec<String> },
}

impl WorkloadError {
    pub fn code(&self) -> &'static str {
        match self {
            WorkloadError::Unreadable { .. } => "layer-unreadable",
            WorkloadError::UnknownName { .. } => "layer-unknown-name",
            WorkloadError::LogTargets => "layer-log-targets",
            WorkloadError::LabelTaken { .. } => "layer-label-taken",
            WorkloadError::Name { .. } => "layer-name-invalid",
            WorkloadError::NoOverride { .. } => "layer-override-missing",
            WorkloadError::Invalid { .. } => "plan-invalid",
            WorkloadError::Missing { .. } => "plan-reference-missing",
            WorkloadError::Cycle { .. } => "plan-cycle",
        }
    }

    /// The second line: the cause, with what was found.
    pub fn why(&self) -> String {
        match self {
            WorkloadError::Unreadable { reason }
            | WorkloadError::UnknownName { reason, .. }
            | WorkloadError::Invalid { reason, .. } => reason.clone(),
            WorkloadError::LogTargets => {
                "this version does not send the logs of workloads to other places".to_owned()
            }
            WorkloadError::LabelTaken { .. } => "each layer has a label of its own".to_owned(),
            WorkloadError::Name { rule, .. } => (*rule).to_owned(),
            WorkloadError::NoOverride { .. } => "its key \"override\" is missing".to_owned(),
            WorkloadError::Missing { key, kind, .. } => {
                format!("under \"{key}\" stand names of {kind}s of the combined plan")
            }
            WorkloadError::Cycle { services } => {
                format!(
                    "{}: none of them could be the first",
                    services.join(" waits for ")
                )
            }
        }
    }

    /// The third line: what to do.
    pub fn advice(&self) -> String {
        match self {
            WorkloadError::Unreadable { .. } => {
                "write the layer as Pebble's layer specification has it".to_owned()
            }
            WorkloadError::UnknownName { nearest, .. } | WorkloadError::Missing { nearest, .. }
                if nearest.is_some() =>
            {
                format!(
                    "did you mean \"{}\"?",
                    nearest.as_deref().unwrap_or_default()
                )
            }
            WorkloadError::UnknownName { .. } => "take it out of the layer".to_owned(),
            WorkloadError::LogTargets => {
                "take log-targets out; the lines are in debug-log and in logs".to_owned()
            }
            WorkloadError::LabelTaken { .. } => {
                "add it with combine, or under another label".to_owned()
            }
            WorkloadError::Name { .. } => "choose another name".to_owned(),
            WorkloadError::NoOverride { .. } => {
                "write \"override: replace\" or \"override: merge\"".to_owned()
            }
            WorkloadError::Invalid { key, .. } => format!("set \"{key}\" right"),
            WorkloadError::Missing { kind, name, .. } => {
                format!("add the {kind} \"{name}\" in the same or an earlier layer")
            }
            WorkloadError::Cycle { .. } => "take out one of these requirements".to_owned(),
        }
    }
}
