//! Which applications have their charm from the charm repository, and at which revision and channel.
//!
//! Only a charm that is called by its name comes from there. Where it is, and what it has, is the server's to read.

use super::{Bundle, BundleApplication, BundleError};
use crate::name::ApplicationName;

impl BundleApplication {
    /// Whether its charm is called by its name, as those of a charm repository are, and not by a path or as the model
    /// names it.
    pub fn is_named(&self) -> bool {
        self.charm.parse::<ApplicationName>().is_ok()
    }

    /// Why this revision cannot be taken: its charm is a file, or one that the model has.
    pub fn revision_of_file(&self, application: &ApplicationName, revision: u32) -> BundleError {
        BundleError::RevisionOfFile {
            application: application.to_string(),
            charm: self.charm.clone(),
            revision,
        }
    }
}

impl Bundle {
    /// Files and the model's own charms have no channel, as with `deploy --channel`.
    pub(super) fn ignore_channels_of_files(&mut self) {
        for (name, application) in &mut self.applications {
            if !application.is_named() && application.channel.take().is_some() {
                self.ignored.insert(format!("applications.{name}.channel"));
            }
        }
    }
}

/// A revision as a file has it: a number is one where a charm repository could have it.
pub(super) fn read_revision(
    application: &ApplicationName,
    given: &serde_json::Value,
) -> Result<u32, BundleError> {
    let number = given.as_u64();
    number
        .and_then(|number| u32::try_from(number).ok())
        .ok_or_else(|| BundleError::NotARevision {
            application: application.to_string(),
            revision: given.to_string(),
        })
}
