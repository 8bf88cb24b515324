//! The files of a project that say what its charm is, read before anything is compiled: a
//! mistake in them is not worth minutes of a compiler.

use std::fs;
use std::path::Path;

use periapt_model::charm::{Manifest, ManifestFiles};

use crate::PackingError;
use crate::error::At;

/// The folder of the crate that becomes a charm's web workload.
pub(crate) const SERVER: &str = "server";
/// What it becomes, beside the charm's own component.
pub(crate) const SERVER_COMPONENT: &str = "server.wasm";

/// Reads and checks the manifest of `project`, as it would be packed.
///
/// # Errors
/// When the project has no metadata, or a file does not say what a charm must say.
pub fn manifest(project: &Path) -> Result<Manifest, PackingError> {
    let mut texts = [const { None }; ManifestFiles::NAMES.len()];
    for (text, name) in texts.iter_mut().zip(ManifestFiles::NAMES) {
        let path = project.join(name);
        if path.is_file() {
            *text = Some(fs::read_to_string(&path).at(&path)?);
        }
    }
    let [metadata, charmcraft, config, actions, capabilities, metrics] = &texts;
    if metadata.is_none() && charmcraft.is_none() {
        return Err(PackingError::NotAProject {
            dir: project.to_owned(),
            file: "metadata.yaml or charmcraft.yaml",
        });
    }
    Ok(Manifest::read(ManifestFiles {
        metadata: metadata.as_deref(),
        charmcraft: charmcraft.as_deref(),
        config: config.as_deref(),
        actions: actions.as_deref(),
        capabilities: capabilities.as_deref(),
        metrics: metrics.as_deref(),
    })?)
}

/// The file of `project` in which its endpoints and storage stand.
pub(crate) fn metadata_file(project: &Path) -> &'static str {
    let [metadata, charmcraft, ..] = ManifestFiles::NAMES;
    match project.join(metadata).is_file() {
        true => metadata,
        false => charmcraft,
    }
}
