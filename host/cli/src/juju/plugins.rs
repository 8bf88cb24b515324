//! Plugins: a command that the program does not have is one of somebody else's, `periapt-COMMAND` or
//! `juju-COMMAND` on the path.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Becomes the plugin that the first word names; returns when there is none.
///
/// # Errors
/// The plugin does not start.
pub fn become_plugin(words: &[OsString]) -> std::io::Result<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some((name, rest)) = words.get(1..).and_then(<[OsString]>::split_first) else {
        return Ok(());
    };
    // A mistake within a verb of ours, as in `charm biuld`, is no call for `juju-charm`.
    if is_ours(name) {
        return Ok(());
    }
    match find(name, &path) {
        Some(plugin) => Err(Command::new(plugin).args(rest).exec()),
        None => Ok(()),
    }
}

/// Whether the program has a verb of this name.
pub(super) fn is_ours(name: &OsStr) -> bool {
    super::command().find_subcommand(name).is_some()
}

pub(super) fn find(name: &OsStr, path: &OsStr) -> Option<PathBuf> {
    let name = name.to_str()?;
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    if name.is_empty() || name.starts_with('-') || !name.chars().all(plain) {
        return None;
    }
    let names = ["periapt", "juju"].map(|program| format!("{program}-{name}"));
    std::env::split_paths(path)
        .flat_map(|folder| names.clone().map(|name| folder.join(name)))
        .find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    std::fs::metadata(file)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
