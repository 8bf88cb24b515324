//! What a model remembers of the bundle that was applied to it last, so that it can be compared with that later.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Bundle, BundleDifference, BundleError, ComparedCharm, CurrentModel};
use crate::name::ApplicationName;

/// A bundle with all that a comparison needs beside the model: files and charms may be gone by then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AppliedBundle {
    /// The bundle with its overlays, as YAML.
    pub text: String,
    pub charms: BTreeMap<ApplicationName, ComparedCharm>,
    /// SHA-256 of files, by application and resource.
    #[serde(default)]
    pub files: BTreeMap<ApplicationName, BTreeMap<String, String>>,
    /// Keys of its relations.
    #[serde(default)]
    pub relations: BTreeSet<String>,
}

impl AppliedBundle {
    /// # Errors
    /// The bundle cannot be written down.
    pub fn of(
        bundle: &Bundle,
        charms: BTreeMap<ApplicationName, ComparedCharm>,
        relations: BTreeSet<String>,
    ) -> Result<Self, BundleError> {
        let mut bundle = bundle.clone();
        let mut files = BTreeMap::new();
        for (name, application) in &mut bundle.applications {
            // Where units were placed is no part of what is compared.
            application.to = Vec::new();
            let digests = std::mem::take(&mut application.digests);
            if !digests.is_empty() {
                files.insert(name.clone(), digests);
            }
        }
        bundle.machines = BTreeSet::new();
        Ok(Self {
            text: bundle.text()?,
            charms,
            files,
            relations,
        })
    }

    /// What differs between it and the model.
    ///
    /// # Errors
    /// It was written by a program that knows other bundles.
    pub fn drift(&self, model: &CurrentModel) -> Result<BundleDifference, BundleError> {
        let mut bundle = Bundle::parse(&self.text, &[])?;
        for (name, application) in &mut bundle.applications {
            application.digests = self.files.get(name).cloned().unwrap_or_default();
        }
        Ok(bundle.difference(model, &self.charms, &self.relations))
    }
}

#[cfg(test)]
mod tests;
