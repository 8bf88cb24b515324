//! What a charm declares against what it answers.
//!
//! Four readings: the keys of its files, the hooks that its component says it has, what the component imports, and the
//! names in its source. The first three are certain. The fourth is of the text: a name that the code puts together, or
//! has from another crate, is not seen, so that what it finds is a warning.

use std::path::Path;

use periapt_model::charm::capability::is_of_contract;
use periapt_model::charm::{Manifest, Metrics, never_run};

use crate::component::Inspection;
use crate::{PackingError, project, servers};

mod capabilities;
mod keys;
mod names;
mod source;
#[cfg(test)]
mod tests;

/// The hook that measures.
const COLLECT_METRICS: &str = "collect-metrics";

/// Whether a finding is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

impl Severity {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub severity: Severity,
    /// The file, with the line where there is one.
    pub place: String,
    /// A sentence, with what to do.
    pub what: String,
}

impl Finding {
    fn error(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            place: place.into(),
            what: what.into(),
        }
    }

    fn warning(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            place: place.into(),
            what: what.into(),
        }
    }
}

/// Looks at a project, and at its component with the hooks that it answers if it was built.
///
/// # Errors
/// When the project has no metadata, or a file of it cannot be read. What a file says wrongly is a finding.
pub fn lint(
    project: &Path,
    component: Option<(&Inspection, &[String])>,
) -> Result<Vec<Finding>, PackingError> {
    let mut found = keys::unknown(project)?;
    let manifest = match project::manifest(project) {
        Ok(manifest) => manifest,
        Err(PackingError::Manifest(error)) => {
            found.push(Finding::error(
                project::metadata_file(project),
                error.to_string(),
            ));
            return Ok(found);
        }
        Err(error) => return Err(error),
    };
    let file = project::metadata_file(project);
    let source = source::read(project)?;
    if let Some((outside, hooks)) = component {
        found.extend(answered(&manifest, hooks, file));
        found.extend(imported(&manifest, outside));
        found.extend(capabilities::compared(project, &manifest, outside)?);
    }
    found.extend(capabilities::without_reason(project, &manifest));
    found.extend(served(project, &manifest));
    found.extend(names::compared(&manifest, &source, file));
    found.sort();
    found.dedup();
    Ok(found)
}

/// What the component answers and nobody asks, and what is declared and it does not answer.
fn answered(manifest: &Manifest, hooks: &[String], file: &str) -> Vec<Finding> {
    let Manifest {
        metadata,
        metrics,
        actions,
        ..
    } = manifest;
    let never = never_run(metadata, metrics, actions, hooks).into_iter();
    let mut found: Vec<Finding> = never.map(|what| Finding::error(file, what)).collect();
    let declared = metadata.provides.keys();
    let declared = declared.chain(metadata.requires.keys());
    for endpoint in declared.chain(metadata.peers.keys()) {
        let of_endpoint = format!("{endpoint}-relation-");
        if !hooks.iter().any(|hook| hook.starts_with(&of_endpoint)) {
            found.push(Finding::warning(
                file,
                format!(
                    "no hook answers the endpoint \"{endpoint}\": a relation there is made, and nothing happens; add a \
                     method such as relation_changed, or take the endpoint away"
                ),
            ));
        }
    }
    if !metrics.is_empty() && !hooks.iter().any(|one| one == COLLECT_METRICS) {
        found.push(Finding::error("metrics.yaml", measured(metrics)));
    }
    found
}

fn measured(metrics: &Metrics) -> String {
    let names: Vec<&str> = metrics.keys().map(String::as_str).collect();
    format!(
        "nobody measures {}: the component does not answer collect-metrics; add the method collect_metrics",
        names.join(", ")
    )
}

/// Web components that no container could run, and containers that could run none.
fn served(project: &Path, manifest: &Manifest) -> Vec<Finding> {
    let file = capabilities::file(project);
    let server = project.join(project::SERVER).join("Cargo.toml").is_file();
    let components: &[&str] = match server {
        true => &[project::SERVER_COMPONENT],
        false => &[],
    };
    servers::unasked(&manifest.metadata, &manifest.workload, components)
        .into_iter()
        .map(|what| Finding::warning(file, what))
        .collect()
}

/// Interfaces that are for what the metadata declares, with whether this charm's does.
fn tools(manifest: &Manifest) -> [(&'static str, bool); 3] {
    let metadata = &manifest.metadata;
    [
        ("storage", !metadata.storage.is_empty()),
        ("resources", !metadata.resources.is_empty()),
        ("payloads", !metadata.payloads.is_empty()),
    ]
}

/// What the component imports against what the metadata declares.
fn imported(manifest: &Manifest, outside: &Inspection) -> Vec<Finding> {
    let place = "build/charm.wasm";
    let imports = |interface: &str| {
        let mut all = outside.imports.iter();
        all.any(|import| is_of_contract(import, interface))
    };
    let mut found = Vec::new();
    if let Err(error) = outside.check() {
        found.push(Finding::error(place, error.to_string()));
    }
    for import in &outside.imports {
        if import.starts_with("wasi:sockets/") || import.starts_with("wasi:http/") {
            found.push(Finding::warning(
                place,
                format!("the component imports {import}, and hooks have no network: every call is refused"),
            ));
        }
    }
    for (interface, declared) in tools(manifest) {
        match (imports(interface), declared) {
            (true, false) => found.push(Finding::warning(
                place,
                format!("the component imports {interface}, and the charm declares no {interface}"),
            )),
            // A hook of a storage is told where it is, so that it needs no function to use it.
            (false, true) if interface != "storage" => found.push(Finding::warning(
                place,
                format!("the charm declares {interface}, and the component does not import {interface}: it cannot use them"),
            )),
            _ => {}
        }
    }
    found
}
