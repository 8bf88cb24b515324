//! A charm ready to run: its code mapped and its imports resolved.

use periapt_model::Digest;
use thiserror::Error;
use wasmtime::component::Linker;

use crate::artifact::{Artifact, Inspection};
use crate::check;
use crate::foundation::Foundation;
use crate::world::{CharmPre, HookState};

/// Loaded code; instances are made from it, one for each hook.
pub struct LoadedCharm {
    digest: Digest,
    inspection: Inspection,
    pub(crate) pre: CharmPre<HookState>,
}

/// An artifact that cannot be loaded.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LoadError {
    #[error("the charm was compiled for another engine; compile it again")]
    OtherEngine,
    #[error("the compiled charm cannot be loaded: {0}")]
    Refused(String),
    /// No fault of the artifact; it can be loaded later.
    #[error("no file descriptors are left to load the charm: {0}")]
    Descriptors(String),
}

impl LoadError {
    pub fn code(&self) -> &'static str {
        match self {
            LoadError::OtherEngine => "load-other-engine",
            LoadError::Refused(_) => "load-refused",
            LoadError::Descriptors(_) => "descriptors",
        }
    }
}

impl LoadedCharm {
    pub(crate) fn load(
        artifact: &Artifact,
        foundation: &Foundation,
        linker: &Linker<HookState>,
    ) -> Result<Self, LoadError> {
        let component = foundation.component(artifact)?;
        let pre = check::link(&component, linker)
            .map_err(|error| LoadError::Refused(error.to_string()))?;
        let inspection = artifact.inspection().clone();
        Ok(Self {
            digest: artifact.digest(),
            inspection,
            pre,
        })
    }

    /// Of the component.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    pub fn inspection(&self) -> &Inspection {
        &self.inspection
    }

    /// Whether `dispatch` answers this hook; others are skipped without a sandbox.
    pub fn implements(&self, hook: &str) -> bool {
        self.inspection.hooks.iter().any(|name| name == hook)
    }
}

impl std::fmt::Debug for LoadedCharm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedCharm")
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}
