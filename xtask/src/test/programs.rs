//! The test programs of the workspace: built by one cargo call, found by package and name.

use std::collections::BTreeMap;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{packages, progress, run};

const FILE_DESCRIPTORS: u32 = 1024;
/// `nobody` on every Linux machine.
const ORDINARY_USER: u32 = 65534;

/// What a command is given to so that it runs as that user.
fn as_ordinary_user() -> [String; 4] {
    [
        "setpriv".to_owned(),
        format!("--reuid={ORDINARY_USER}"),
        format!("--regid={ORDINARY_USER}"),
        "--clear-groups".to_owned(),
    ]
}

/// Lets the user write into a folder that root made.
pub fn give_to_ordinary_user(folder: &Path) -> Result<()> {
    if packages::is_root() {
        chown(folder, Some(ORDINARY_USER), Some(ORDINARY_USER))?;
    }
    Ok(())
}

/// One program of tests.
#[derive(Clone)]
pub struct TestProgram {
    pub target: String,
    pub path: PathBuf,
    directory: PathBuf,
}

/// Every test program of the workspace, and what there was to say about its sources.
pub struct Built {
    /// By package.
    pub programs: BTreeMap<String, Vec<TestProgram>>,
    /// A line for each target with warnings of the compiler or of Clippy, which were shown while it was built.
    pub warnings: Vec<String>,
}

/// Builds every test program of the workspace.
pub fn build() -> Result<Built> {
    let progress::Output {
        stdout: messages,
        warnings,
    } = progress::cargo(
        "building the tests",
        &mut run::cargo_with_lints(&[
            "test",
            "--workspace",
            "--no-run",
            "--message-format=json-render-diagnostics",
        ]),
    )
    .context("the tests do not compile")?;
    let mut programs: BTreeMap<String, Vec<TestProgram>> = BTreeMap::new();
    for message in messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
    {
        let Some(path) = message["executable"]
            .as_str()
            .filter(|_| message["profile"]["test"] == true)
        else {
            continue;
        };
        let manifest = PathBuf::from(message["manifest_path"].as_str().unwrap_or_default());
        let directory = manifest.parent().map(PathBuf::from).unwrap_or_default();
        let target = message["target"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let room = directory
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let package = match room {
            "xtask" => "xtask".to_owned(),
            room => format!("periapt-{room}"),
        };
        programs.entry(package).or_default().push(TestProgram {
            target,
            path: path.into(),
            directory,
        });
    }
    Ok(Built { programs, warnings })
}

impl TestProgram {
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(&self.directory);
        command
    }

    pub fn for_ordinary_user(&self) -> Command {
        let mut command = Command::new("prlimit");
        command
            .arg(format!("--nofile={FILE_DESCRIPTORS}:{FILE_DESCRIPTORS}"))
            .args(as_ordinary_user())
            .arg(&self.path)
            // What attacks open is counted against one limit.
            .arg("--test-threads=1")
            .current_dir(&self.directory)
            .env("HOME", "/nonexistent")
            // Root's may be closed to others.
            .env_remove("TMPDIR");
        command
    }

    /// A checkout in root's own home is closed to others.
    pub fn is_reached_by_ordinary_user(&self) -> bool {
        let [program, arguments @ ..] = as_ordinary_user();
        let mut command = Command::new(program);
        command.args(arguments).args(["test", "-x"]).arg(&self.path);
        command.status().is_ok_and(|status| status.success())
    }
}
