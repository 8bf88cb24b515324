//! Running other programs: announced, timed, and with the reason when they fail.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// The top of the checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// Where cargo puts what it builds.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => root().join(directory),
        None => root().join("target"),
    }
}

/// A cargo call in the checkout, with the toolchain that runs this program. What `cargo xtask` says
/// of this program's own package is kept from it: some build scripts look at these variables, and
/// what they made would be made again by the next cargo call without them.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_of_package) {
            command.env_remove(name);
        }
    }
    command
}

/// The same for what tests are made of: Clippy compiles the workspace, and warns while it does. By itself it would read
/// all sources and all that others wrote once more, which took seven minutes of each run.
pub fn cargo_with_lints(arguments: &[&str]) -> Command {
    let mut command = cargo(arguments);
    command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    command
}

fn is_of_package(name: &str) -> bool {
    ["CARGO_MANIFEST_", "CARGO_PKG_"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Runs to the end, output passed on, and fails with the program's name when it fails.
pub fn step(what: &str, command: &mut Command) -> Result<()> {
    eprintln!("==> {what}");
    let started = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    if !status.success() {
        bail!("{what}: {:?} ended with {status}", command.get_program());
    }
    eprintln!("    done in {}", elapsed(started));
    Ok(())
}

/// Runs to the end and gives its standard output; standard error is passed on.
pub fn output(command: &mut Command) -> Result<String> {
    let program = format!("{:?}", command.get_program());
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        bail!("{program} ended with {}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

pub fn elapsed(since: Instant) -> String {
    duration(since.elapsed())
}

pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 90.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{} min {:.0} s", (seconds / 60.0) as u64, seconds % 60.0)
    }
}
