//! Programs from PyPI, each in an environment of its own below `target/`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::{packages, run};

/// The path of `program`, which `requirement` brings; installed unless that was done.
pub fn program(environment: &str, requirement: &str, program: &str) -> Result<PathBuf> {
    packages::ensure(packages::PYTHON)?;
    let directory = run::target().join(format!("{environment}-python"));
    let ready = directory.join(format!("ready-{requirement}"));
    if !ready.exists() {
        run::step(
            "making a Python environment",
            Command::new("python3").args(["-m", "venv"]).arg(&directory),
        )?;
        run::step(
            &format!("installing {requirement} from PyPI"),
            Command::new(directory.join("bin/python")).args([
                "-m",
                "pip",
                "install",
                "--quiet",
                requirement,
            ]),
        )?;
        std::fs::write(ready, "")?;
    }
    Ok(directory.join("bin").join(program))
}
