//! Reading a layer's text. JSON is YAML, so there is one parser, which also knows the place.

use super::Layer;
use crate::WorkloadError;
use crate::nearest::nearest;

impl Layer {
    /// Reads YAML or JSON and checks what can be known of a layer alone: its keys, its names, and
    /// that each entry says how it joins the layers below. Text without anything in it is an empty
    /// layer.
    ///
    /// # Errors
    /// `layer-unreadable`, `layer-unknown-name`, `layer-log-targets`, `layer-name-invalid`,
    /// `layer-override-missing`.
    pub fn parse(text: &str) -> Result<Self, WorkloadError> {
        let read: Result<Option<Layer>, _> = serde_saphyr::from_str(text);
        let layer = read
            .map_err(|error| refusal(error.without_snippet().to_string()))?
            .unwrap_or_default();
        if layer.log_targets.is_some() {
            return Err(WorkloadError::LogTargets);
        }
        for (name, service) in &layer.services {
            check_name("service", name)?;
            if service.overrides.is_none() {
                let of = format!("service \"{name}\"");
                return Err(WorkloadError::NoOverride { of });
            }
        }
        for (name, check) in &layer.checks {
            check_name("check", name)?;
            if check.overrides.is_none() {
                let of = format!("check \"{name}\"");
                return Err(WorkloadError::NoOverride { of });
            }
        }
        Ok(layer)
    }
}

/// What the parser says, with the known name that was probably meant: it names the unknown one
/// between backticks, and then lists those that it knows.
fn refusal(reason: String) -> WorkloadError {
    let unknown = ["unknown field", "unknown variant"]
        .iter()
        .any(|words| reason.contains(words));
    if !unknown {
        return WorkloadError::Unreadable { reason };
    }
    let name = reason.split('`').nth(1);
    let known = reason.split_once("expected one of ");
    let known = known.map_or("", |(_, known)| known).split([',', ' ']);
    let nearest = name
        .and_then(|name| nearest(name, known))
        .map(str::to_owned);
    // The list of all that is known helps nobody beside the one that was meant.
    let known = reason.find(", expected");
    let place = reason.rfind(" at line").or_else(|| reason.rfind(" (line"));
    let reason = match (known, place) {
        (Some(known), Some(place)) if known < place => {
            format!("{}{}", &reason[..known], &reason[place..])
        }
        _ => reason,
    };
    WorkloadError::UnknownName { reason, nearest }
}

/// Names of services and checks are parts of paths, log modules and hooks' variables.
fn check_name(kind: &'static str, name: &str) -> Result<(), WorkloadError> {
    let sound = name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if sound {
        return Ok(());
    }
    Err(WorkloadError::Name {
        kind,
        name: name.chars().take(80).collect(),
        rule: "a name starts with a letter or digit, goes on with letters, digits, dashes, dots or underscores, and has 64 characters at most",
    })
}
