//! Taking away from a whole process what no agent needs: the second wall.
//!
//! The first wall is WebAssembly. Should a guest get through it, it is code of this process; so
//! the process has given up, for good and for its children too:
//!
//! * gaining privileges by running another program (`no_new_privs`);
//! * every path but those named (Landlock), and signals or abstract sockets of processes that
//!   are not its own, as far as the kernel knows how;
//! * the system calls that administer a machine, look into other processes, or have a long
//!   record of kernel bugs ([`calls`]). A list of what is denied rather than of what is allowed:
//!   the process also runs a TLS client and a runtime whose calls change with their versions.
//!
//! Call [`lock_down`] early in `main`, **before any other thread is started**: Landlock and
//! `no_new_privs` hold for the calling thread and those it starts afterwards. (The system-call
//! filter is applied to all threads.) Files opened before stay open.

mod calls;

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope,
};
use thiserror::Error;

/// The newest Landlock whose rights are asked for; older kernels give what they have.
const LANDLOCK: ABI = ABI::V6;

/// How far the kernel went along with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforcement {
    Full,
    /// The kernel is older than what was asked for.
    Partial,
    /// The kernel has none of it, or it is switched off.
    None,
}

/// What holds from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockdownReport {
    pub no_new_privileges: bool,
    pub paths: Enforcement,
    /// System calls that are denied.
    pub denied_calls: usize,
}

impl std::fmt::Display for LockdownReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let paths = match self.paths {
            Enforcement::Full => "only the named paths can be reached",
            Enforcement::Partial => {
                "only the named paths can be reached, with the rights this kernel knows"
            }
            Enforcement::None => "paths are not restricted: this kernel has no Landlock",
        };
        let calls = self.denied_calls;
        write!(f, "no new privileges; {paths}; {calls} system calls denied")
    }
}

/// The process could not be restricted. What was restricted before the error stays so.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LockdownError {
    #[error("new privileges cannot be given up: {0}")]
    Privileges(String),
    #[error("{path} cannot be made reachable: {reason}")]
    Path { path: String, reason: String },
    #[error("paths cannot be restricted: {0}")]
    Paths(String),
    #[error("system calls cannot be restricted: {0}")]
    Calls(String),
}

impl LockdownError {
    pub fn code(&self) -> &'static str {
        match self {
            LockdownError::Privileges(_) => "lockdown-privileges",
            LockdownError::Path { .. } => "lockdown-path",
            LockdownError::Paths(_) => "lockdown-paths",
            LockdownError::Calls(_) => "lockdown-calls",
        }
    }
}

/// Restricts this process and its future children to `read_write` and `read_only` (files, or
/// directories with all below them; reading includes running). Every path must exist. See the
/// module for when to call it.
pub fn lock_down(
    read_write: &[&Path],
    read_only: &[&Path],
) -> Result<LockdownReport, LockdownError> {
    rustix::thread::set_no_new_privs(true)
        .map_err(|error| LockdownError::Privileges(error.to_string()))?;
    let paths = restrict_paths(read_write, read_only)?;
    let denied_calls = calls::deny()?;
    Ok(LockdownReport {
        no_new_privileges: true,
        paths,
        denied_calls,
    })
}

fn restrict_paths(read_write: &[&Path], read_only: &[&Path]) -> Result<Enforcement, LockdownError> {
    let failed = |error: landlock::RulesetError| LockdownError::Paths(error.to_string());
    let all = AccessFs::from_all(LANDLOCK);
    let read = AccessFs::from_read(LANDLOCK);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)
        .and_then(|rules| rules.scope(Scope::from_all(LANDLOCK)))
        .and_then(Ruleset::create)
        .map_err(failed)?;
    for (paths, access) in [(read_write, all), (read_only, read)] {
        for path in paths {
            let unreachable = |reason: String| LockdownError::Path {
                path: path.display().to_string(),
                reason,
            };
            let opened = PathFd::new(path).map_err(|error| unreachable(error.to_string()))?;
            // Rights of directories make no sense for a file and would make the rule partial.
            let access = match path.is_dir() {
                true => access,
                false => access & AccessFs::from_file(LANDLOCK),
            };
            rules = rules
                .add_rule(PathBeneath::new(opened, access))
                .map_err(|error| unreachable(error.to_string()))?;
        }
    }
    let status = rules.restrict_self().map_err(failed)?;
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => Enforcement::Full,
        RulesetStatus::PartiallyEnforced => Enforcement::Partial,
        RulesetStatus::NotEnforced => Enforcement::None,
    })
}
