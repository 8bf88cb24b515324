//! A charm ready to run: its code mapped and its imports resolved.

use periapt_model::Digest;
use thiserror::Error;
use wasmtime::component::{Component, Linker};

use crate::artifact::{Artifact, Inspection};
use crate::check;
use crate::failure;
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
        linker: &Linker<HookState>,
        engine_hash: &str,
    ) -> Result<Self, LoadError> {
        if artifact.engine_hash() != engine_hash {
            return Err(LoadError::OtherEngine);
        }
        let refused = |error: wasmtime::Error| match failure::out_of_descriptors(&error) {
            true => LoadError::Descriptors(format!("{error:#}")),
            false => LoadError::Refused(format!("{error:#}")),
        };
        let component = deserialize(linker, artifact).map_err(refused)?;
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

#[allow(unsafe_code)]
fn deserialize(linker: &Linker<HookState>, artifact: &Artifact) -> wasmtime::Result<Component> {
    // SAFETY: the bytes are the output of `Component::serialize` in our own compile child, made
    // for an engine of the same hash (checked by the caller), and an `Artifact` exists only
    // after its BLAKE3 checksum was verified. Artifacts come from that child, from the cache it
    // fills, or from the controller, which decides what code this agent runs anyway.
    unsafe { Component::deserialize(linker.engine(), artifact.cwasm()) }
}
