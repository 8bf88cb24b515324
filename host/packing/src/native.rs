//! The tests of a project: those of its crates, which run natively with the harness, and its scenarios, which are
//! given the packed charm.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::PackingError;
use crate::error::At;
use crate::project::SERVER;

/// The folder of the crate with a project's scenarios.
const SCENARIOS: &str = "scenarios";

/// By which the scenarios find the packed charm.
const CHARM: &str = "PERIAPT_CHARM";

/// How to test.
#[derive(Clone, Debug, Default)]
pub struct TestOptions {
    /// Tests build in the folder `native` below this one, so that the SDK is compiled once for all projects whose
    /// copies of it are the same.
    pub target_dir: PathBuf,
    /// Parallel compiler jobs; none leaves it to cargo.
    pub jobs: Option<u32>,
    /// For the tests themselves, such as a part of their names.
    pub arguments: Vec<String>,
}

/// Runs the tests of the project's crates. What they say goes to standard error.
///
/// # Errors
/// When the project has no metadata or no crate, and when a test fails or does not compile.
pub fn test(project: &Path, options: &TestOptions) -> Result<(), PackingError> {
    let root = project.join("Cargo.toml");
    if !root.is_file() {
        return Err(PackingError::NotAProject {
            dir: project.to_owned(),
            file: "Cargo.toml",
        });
    }
    crate::project::manifest(project)?;
    run(project, options, None)?;
    let server = project.join(SERVER);
    match server.join("Cargo.toml").is_file() {
        true => run(&server, options, None),
        false => Ok(()),
    }
}

/// Whether a project has scenarios beside its tests.
#[must_use]
pub fn has_scenarios(project: &Path) -> bool {
    project.join(SCENARIOS).join("Cargo.toml").is_file()
}

/// Runs the scenarios of a project, which find the packed charm in the variable `PERIAPT_CHARM`.
///
/// # Errors
/// When a scenario fails or does not compile.
pub fn test_scenarios(
    project: &Path,
    charm: &Path,
    options: &TestOptions,
) -> Result<(), PackingError> {
    let charm = charm.canonicalize().at(charm)?;
    run(&project.join(SCENARIOS), options, Some(charm.as_os_str()))
}

fn run(folder: &Path, options: &TestOptions, charm: Option<&OsStr>) -> Result<(), PackingError> {
    let folder = folder.canonicalize().at(folder)?;
    let mut cargo = Command::new("cargo");
    cargo
        .arg("test")
        .arg("--manifest-path")
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(options.target_dir.join("native"))
        .current_dir(&folder)
        .stdin(Stdio::null())
        // This program's own output is for what it says itself.
        .stdout(std::io::stderr());
    if let Some(jobs) = options.jobs {
        cargo.arg("--jobs").arg(jobs.to_string());
    }
    if let Some(charm) = charm {
        cargo.env(CHARM, charm);
    }
    if !options.arguments.is_empty() {
        cargo.arg("--").args(&options.arguments);
    }
    let status = cargo
        .status()
        .map_err(|source| PackingError::CargoMissing {
            program: PathBuf::from("cargo"),
            source,
        })?;
    match status.success() {
        true => Ok(()),
        false => Err(PackingError::TestsFail { dir: folder }),
    }
}
