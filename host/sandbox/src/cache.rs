//! The cache of compiled charms: files named by what they were made from.
//!
//! A name is the SHA-256 of the component and the engine's hash, so an entry never becomes
//! wrong, only useless; those of other engines can be forgotten. It is written to a temporary file, synced
//! and renamed; a damaged entry (its checksum tells) is removed and made again. Failing to keep an
//! entry is no error: the caller has the artifact.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};

use periapt_model::Digest;

use crate::artifact::Artifact;
use crate::compile::CompileError;

/// A directory of artifacts of one engine.
#[derive(Debug)]
pub struct CompileCache {
    directory: PathBuf,
    engine_hash: String,
    compiling: Mutex<HashSet<Digest>>,
    compiled: Condvar,
}

impl CompileCache {
    /// Makes the directory when it is missing. `engine_hash` as of
    /// [`crate::SandboxEngine::engine_hash`] or [`crate::engine_hash`].
    pub fn new(directory: impl Into<PathBuf>, engine_hash: &str) -> io::Result<Self> {
        let directory = directory.into();
        std::fs::create_dir_all(&directory)?;
        Ok(Self {
            directory,
            engine_hash: engine_hash.to_owned(),
            compiling: Mutex::default(),
            compiled: Condvar::new(),
        })
    }

    /// The artifact of the component with this digest.
    pub fn get(&self, digest: Digest) -> Option<Artifact> {
        let path = self.path(digest);
        let bytes = std::fs::read(&path).ok()?;
        match Artifact::from_bytes(bytes) {
            Ok(artifact)
                if artifact.digest() == digest && artifact.engine_hash() == self.engine_hash =>
            {
                Some(artifact)
            }
            damaged => {
                let reason = damaged.err().map_or_else(
                    || "it is of another component or engine".to_owned(),
                    |error| error.to_string(),
                );
                tracing::warn!(path = %path.display(), reason, "dropping a compiled charm");
                if let Err(error) = std::fs::remove_file(&path) {
                    tracing::warn!(path = %path.display(), %error, "it stays");
                }
                None
            }
        }
    }

    /// Keeps an artifact.
    pub fn put(&self, artifact: &Artifact) -> io::Result<()> {
        let path = self.path(artifact.digest());
        let aside = path.with_extension(format!("{}.new", std::process::id()));
        let written = write_durably(&aside, artifact.as_bytes())
            .and_then(|()| std::fs::rename(&aside, &path))
            .and_then(|()| File::open(&self.directory)?.sync_all());
        if written.is_err() {
            // It may not exist.
            let _ = std::fs::remove_file(&aside);
        }
        written
    }

    /// The artifact of `component`, compiled with `compile` when it is not here. Of several
    /// threads that want the same one, one compiles and the others wait.
    pub fn get_or_compile(
        &self,
        component: &[u8],
        compile: impl FnOnce(&[u8]) -> Result<Artifact, CompileError>,
    ) -> Result<Artifact, CompileError> {
        let digest = Digest::of(component);
        let _turn = self.turn(digest);
        if let Some(artifact) = self.get(digest) {
            return Ok(artifact);
        }
        let artifact = compile(component)?;
        // A compiler that a component took over could name another charm's and put code in its
        // place.
        if artifact.digest() != digest || artifact.engine_hash() != self.engine_hash {
            return Err(CompileError::OtherComponent);
        }
        if let Err(error) = self.put(&artifact) {
            tracing::warn!(directory = %self.directory.display(), %error, "compiled charm not kept");
        }
        Ok(artifact)
    }

    /// Removes what was compiled for other engines, also what was begun and never finished; how
    /// many files. What is none of the cache's stays.
    pub fn forget_others(&self) -> io::Result<usize> {
        let own = format!("-{}.", self.engine());
        let mut removed = 0;
        for entry in std::fs::read_dir(&self.directory)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let cached = name.ends_with(".cwasm") || name.ends_with(".new");
            if !cached || name.contains(&own) || entry.file_type()?.is_dir() {
                continue;
            }
            match std::fs::remove_file(entry.path()) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => removed += 1,
            }
        }
        Ok(removed)
    }

    /// Where the artifact of the component with this digest is, or would be.
    pub fn path(&self, digest: Digest) -> PathBuf {
        let engine = self.engine();
        self.directory.join(format!("{digest}-{engine}.cwasm"))
    }

    /// Half of the engine's hash is plenty, and short enough to read.
    fn engine(&self) -> &str {
        self.engine_hash.get(..32).unwrap_or(&self.engine_hash)
    }

    fn turn(&self, digest: Digest) -> Turn<'_> {
        let mut compiling = self
            .compiling
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        while !compiling.insert(digest) {
            compiling = self
                .compiled
                .wait(compiling)
                .unwrap_or_else(PoisonError::into_inner);
        }
        Turn {
            cache: self,
            digest,
        }
    }
}

/// One thread's turn to make an entry.
struct Turn<'a> {
    cache: &'a CompileCache,
    digest: Digest,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let compiling = &self.cache.compiling;
        compiling
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.digest);
        self.cache.compiled.notify_all();
    }
}

fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
