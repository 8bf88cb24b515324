//! What a charm declares that it needs, against what its components import.

use std::fs;
use std::path::Path;

use periapt_model::charm::capability::{Capability, Imports, unused};
use periapt_model::charm::{COMPONENT, Manifest};

use super::Finding;
use crate::PackingError;
use crate::component::{Inspection, inspect};
use crate::error::At;
use crate::project::{SERVER_COMPONENT, metadata_file};

/// The file in which they stand.
pub(super) fn file(project: &Path) -> &'static str {
    const OWN: &str = "capabilities.yaml";
    match project.join(OWN).is_file() {
        true => OWN,
        false => metadata_file(project),
    }
}

/// What a component imports and nothing declares, which is refused, and what is declared and no component could use.
pub(super) fn compared(
    project: &Path,
    manifest: &Manifest,
    charm: &Inspection,
) -> Result<Vec<Finding>, PackingError> {
    let mut found = Vec::new();
    if let Err(undeclared) = manifest.declared.allows(&charm.imports) {
        let place = format!("build/{COMPONENT}");
        found.push(Finding::error(place, undeclared.to_string()));
    }
    let built = project.join("build").join(SERVER_COMPONENT);
    let server = match built.is_file() {
        true => inspect(&fs::read(&built).at(&built)?)?,
        false => Inspection::default(),
    };
    let imports = Imports {
        charm: &charm.imports,
        servers: &server.imports,
    };
    let unused = unused(&manifest.declared, imports).into_iter();
    let unused = unused.map(|one| Finding::warning(file(project), one.words()));
    found.extend(unused);
    Ok(found)
}

/// What is declared without a reason: an operator would have to guess it.
pub(super) fn without_reason(project: &Path, manifest: &Manifest) -> Vec<Finding> {
    let bare = manifest.declared.iter().filter(|one| one.why.is_none());
    let told = bare.filter_map(|one| {
        let (place, write) = match &one.capability {
            Capability::Storage { .. } => (metadata_file(project), "a description"),
            // Its container is told.
            Capability::Port(_) => return None,
            _ => (file(project), "why"),
        };
        let capability = one.capability;
        Some(Finding::warning(
            place,
            format!("{capability} has no reason for the operator who reads it; add {write}"),
        ))
    });
    told.collect()
}
