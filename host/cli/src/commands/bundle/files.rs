//! The files that a bundle names for resources: read and held against the charms before anything is changed.

use std::collections::BTreeMap;
use std::path::Path;

use periapt_model::ApplicationName;
use periapt_model::bundle::{Bundle, BundleResource};
use periapt_model::charm::CharmMetadata;

use crate::commands::resources::Files;
use crate::failure::Outcome;

/// Files by application.
pub type ResourceFiles = BTreeMap<ApplicationName, Files>;

/// Reads all of them, and tells the bundle what is in them, so that they compare with what is attached.
/// Paths are relative to the bundle.
pub fn read(
    bundle: &mut Bundle,
    folder: &Path,
    charms: &BTreeMap<ApplicationName, (CharmMetadata, String)>,
) -> Outcome<ResourceFiles> {
    let mut all = ResourceFiles::new();
    for (name, application) in &mut bundle.applications {
        let named = application.resources.iter();
        let named = named.filter_map(|(resource, given)| match given {
            BundleResource::File(path) => Some((resource.as_str(), folder.join(path))),
            BundleResource::Revision(_) => None,
        });
        let files = Files::read_paths(named)?;
        if let Some((charm, _)) = charms.get(name) {
            files.require(name.as_str(), &charm.resources)?;
        }
        application.digests = files.digests();
        all.insert(name.clone(), files);
    }
    Ok(all)
}
