//! Mounting, by the programs that every system has for it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::thread::{CapabilitySet, capabilities};

use super::place::Owner;
use crate::error::file;
use crate::{ProviderError, mountinfo};

/// Where the kernel says what is mounted.
const MOUNTS: &str = "/proc/self/mountinfo";

/// Where programs of the system are.
const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// What nobody needs of storage, and what an agent that was taken over could use.
pub const HARMLESS: &str = "nodev,nosuid,noexec";

/// Whether this process may mount.
pub fn is_allowed() -> bool {
    let effective = capabilities(None).map(|sets| sets.effective);
    effective.is_ok_and(|effective| effective.contains(CapabilitySet::SYS_ADMIN))
}

/// Mounts memory, unless something is mounted there.
pub fn memory(at: &Path, size: u64, Owner(owner): Owner) -> Result<(), ProviderError> {
    if is_mounted(at)? {
        return Ok(());
    }
    let options = format!("{HARMLESS},size={size}m,mode=0700,uid={owner},gid={owner}");
    let arguments: [&OsStr; 6] = [
        "-t".as_ref(),
        "tmpfs".as_ref(),
        "-o".as_ref(),
        options.as_ref(),
        "periapt".as_ref(),
        at.as_os_str(),
    ];
    run("mount", &arguments)
}

/// Ends the mount there, if there is one.
pub fn unmount(at: &Path) -> Result<(), ProviderError> {
    // One may be above another, after a mount that was made twice.
    while is_mounted(at)? {
        run("umount", &[at.as_os_str()])?;
    }
    Ok(())
}

/// Ends all mounts below a directory. One that somebody still looks into is out of sight at once, and ends with
/// whoever does.
pub fn unmount_below(root: &Path) -> Result<(), ProviderError> {
    let Ok(root) = fs::canonicalize(root) else {
        return Ok(());
    };
    loop {
        let mounted = mounted()?;
        // The last one is the uppermost.
        let Some(at) = mounted.iter().rev().find(|at| at.starts_with(&root)) else {
            return Ok(());
        };
        if run("umount", &[at.as_os_str()]).is_err() {
            run("umount", &["--lazy".as_ref(), at.as_os_str()])?;
        }
    }
}

/// Whether something is mounted at a path, which is no link.
pub fn is_mounted(at: &Path) -> Result<bool, ProviderError> {
    let Ok(at) = fs::canonicalize(at) else {
        return Ok(false);
    };
    Ok(mounted()?.contains(&at))
}

fn mounted() -> Result<Vec<PathBuf>, ProviderError> {
    let list = fs::read(MOUNTS).map_err(file("read", MOUNTS))?;
    Ok(points(&String::from_utf8_lossy(&list)))
}

/// The mount points in the kernel's list.
pub(super) fn points(text: &str) -> Vec<PathBuf> {
    let mounted = mountinfo::mounted(text).into_iter();
    mounted.map(|one| PathBuf::from(one.point)).collect()
}

/// Runs a program of the system to its end.
pub fn run(program: &'static str, arguments: &[&OsStr]) -> Result<(), ProviderError> {
    let failed = |why: String| ProviderError::Program { program, why };
    let output = Command::new(program)
        .args(arguments)
        .env_clear()
        .env("PATH", PATH)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => failed("it is not installed".to_owned()),
            _ => failed(error.to_string()),
        })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().map(str::trim).find(|line| !line.is_empty());
    Err(failed(match line {
        Some(line) => line.to_owned(),
        None => output.status.to_string(),
    }))
}
