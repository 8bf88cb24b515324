//! Compiled charms that tests hand on to one another, so that each charm is compiled once for hundreds of controllers
//! and not by each of them: that took a tenth of all processor time of the suites.
//!
//! A name says what was compiled by which engine, and a controller checks what it reads and compiles again what is
//! damaged. Suites that are about compiling are given no folder, and compile.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where controllers keep what they compiled: charms, and their web workloads below.
const KEPT: [&str; 2] = ["cache/compiled", "cache/compiled/http"];

/// The folder that the suites share, where `cargo xtask test` names one.
fn folder() -> Option<PathBuf> {
    std::env::var_os("PERIAPT_TEST_COMPILED").map(PathBuf::from)
}

/// Gives a controller that keeps its files in `directory` what others compiled.
pub(crate) fn lend(directory: &Path) -> io::Result<()> {
    match folder() {
        Some(folder) => between(&folder, directory),
        None => Ok(()),
    }
}

/// Keeps what a controller compiled for others.
pub(crate) fn keep(directory: &Path) -> io::Result<()> {
    match folder() {
        Some(folder) => between(directory, &folder),
        None => Ok(()),
    }
}

fn between(from: &Path, to: &Path) -> io::Result<()> {
    for kept in KEPT {
        let Ok(found) = fs::read_dir(from.join(kept)) else {
            continue;
        };
        let to = to.join(kept);
        fs::create_dir_all(&to)?;
        for entry in found {
            let entry = entry?;
            let (name, path) = (entry.file_name(), entry.path());
            if path.extension().is_none_or(|kind| kind != "cwasm") || to.join(&name).exists() {
                continue;
            }
            // Others look meanwhile.
            let aside = tempfile::NamedTempFile::new_in(&to)?;
            fs::copy(&path, aside.path())?;
            aside.persist(to.join(&name))?;
        }
    }
    Ok(())
}
