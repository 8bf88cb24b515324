//! What a scenario finds and makes on this computer: a directory, a cache and the program.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::ScenarioError;

/// In memory where there is such a place: nothing of a scenario has to survive a power cut.
pub fn directory() -> Result<TempDir, ScenarioError> {
    let memory = Path::new("/dev/shm");
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("periapt-scenario-");
    let made = match memory.is_dir() {
        true => builder.tempdir_in(memory).or_else(|_| builder.tempdir()),
        false => builder.tempdir(),
    };
    made.map_err(|source| ScenarioError::File {
        what: "making a directory in",
        path: memory.to_owned(),
        source,
    })
}

/// A charm is compiled once for all scenarios of this user.
pub fn share_cache(data: &Path) -> Result<(), ScenarioError> {
    let shared = std::env::temp_dir().join("periapt-scenario-cache");
    let link = data.join("cache");
    let made = std::fs::create_dir_all(&shared)
        .and_then(|()| std::fs::create_dir_all(data))
        .and_then(|()| std::os::unix::fs::symlink(&shared, &link));
    made.map_err(|source| ScenarioError::File {
        what: "linking",
        path: link,
        source,
    })
}

/// `PERIAPT_PROGRAM`, or the program beside the test, or the one on the path.
pub fn program() -> Result<PathBuf, ScenarioError> {
    let named = ["PERIAPT_PROGRAM", "PERIAPT_TEST_PROGRAM"].map(std::env::var_os);
    let named = named.into_iter().flatten().map(PathBuf::from);
    let beside = std::env::current_exe().ok();
    let beside = beside
        .iter()
        .flat_map(|test| test.ancestors().skip(1).take(3))
        .map(|directory| directory.join("periapt"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::split_paths(&path).map(|directory| directory.join("periapt"));
    named
        .chain(beside)
        .chain(path)
        .find(|program| program.is_file())
        .ok_or(ScenarioError::NoProgram)
}
