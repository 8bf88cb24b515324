//! Why a charm could not be made.

use std::io;
use std::path::{Path, PathBuf};

use periapt_model::NameError;
use periapt_model::charm::capability::Undeclared;
use periapt_model::charm::{ArchiveError, ManifestError};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum PackingError {
    #[error(
        "no Rust standard library for WebAssembly was found ({missing}); either add the target \
         to your toolchain with `rustup target add wasm32-wasip2`, or install the Debian \
         packages rustc-web, cargo-web, rust-web-src and wasi-libc, and lld or a rustup toolchain \
         for the linker"
    )]
    NoToolchain { missing: String },
    #[error("{} is not a charm project: it has no {file}", dir.display())]
    NotAProject { dir: PathBuf, file: &'static str },
    /// `output` is what the compiler said, lines as it wrote them; empty where it went to
    /// standard error already.
    #[error("the compiler reports errors")]
    Compile { output: String },
    /// What they said went to standard output.
    #[error("tests of {} fail", dir.display())]
    TestsFail { dir: PathBuf },
    #[error("cargo could not be started as {}: {source}", program.display())]
    CargoMissing { program: PathBuf, source: io::Error },
    #[error(
        "the crate does not build a WebAssembly library; write `crate-type = [\"cdylib\", \"rlib\"]` under [lib] in its Cargo.toml"
    )]
    NoLibrary,
    #[error("the compiler's output cannot be made into a component: {reason}")]
    Component { reason: String },
    #[error(
        "the component does not export \"{name}\"; the crate needs `periapt_charm::export!(...)` with the charm's type"
    )]
    MissingExport { name: &'static str },
    #[error(
        "the component in server/ does not answer requests; the crate needs `periapt_http::export!(...)` with its handler"
    )]
    NoHandler,
    #[error("the component imports \"{name}\", which no sandbox provides")]
    ForeignImport { name: String },
    #[error(transparent)]
    Undeclared(#[from] Undeclared),
    #[error("{} does not exist yet; `periapt charm build` creates it", path.display())]
    NotBuilt { path: PathBuf },
    #[error("{} is neither a regular file nor a folder and cannot be packed", path.display())]
    NotRegular { path: PathBuf },
    #[error("there is no template \"{name}\"{meant}; there are {known}")]
    UnknownTemplate {
        name: String,
        /// The name that was probably meant, as a part of the sentence.
        meant: String,
        known: String,
    },
    #[error("{} already contains files; choose a new folder", dir.display())]
    NotEmpty { dir: PathBuf },
    #[error(transparent)]
    Name(#[from] NameError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error("{}: {source}", path.display())]
    Files { path: PathBuf, source: io::Error },
}

impl PackingError {
    /// A stable word for this kind of failure.
    pub fn code(&self) -> &'static str {
        match self {
            PackingError::NoToolchain { .. } => "packing-no-toolchain",
            PackingError::NotAProject { .. } => "packing-not-a-project",
            PackingError::Compile { .. } => "packing-compile-failed",
            PackingError::TestsFail { .. } => "packing-tests-fail",
            PackingError::CargoMissing { .. } => "packing-no-cargo",
            PackingError::NoLibrary => "packing-no-library",
            PackingError::Component { .. } => "packing-not-a-component",
            PackingError::MissingExport { .. } => "packing-missing-export",
            PackingError::NoHandler => "packing-no-handler",
            PackingError::ForeignImport { .. } => "packing-foreign-import",
            PackingError::Undeclared(undeclared) => undeclared.refusal().code(),
            PackingError::NotBuilt { .. } => "packing-not-built",
            PackingError::NotRegular { .. } => "packing-not-regular",
            PackingError::UnknownTemplate { .. } => "packing-unknown-template",
            PackingError::NotEmpty { .. } => "packing-directory-not-empty",
            PackingError::Name(_) => "charm-name-invalid",
            PackingError::Archive(error) => error.refusal().code(),
            PackingError::Manifest(error) => error.refusal().code(),
            PackingError::Files { .. } => "packing-files",
        }
    }
}

/// Adds the path to an I/O failure.
pub(crate) trait At<T> {
    fn at(self, path: &Path) -> Result<T, PackingError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T, PackingError> {
        self.map_err(|source| PackingError::Files {
            path: path.to_owned(),
            source,
        })
    }
}
