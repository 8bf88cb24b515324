//! Taking away from a whole process what no agent needs: the second wall.
//!
//! The first wall is WebAssembly. Should a guest get through it, it is code of this process; so
//! the process has given up, for good:
//!
//! * who it was: every capability, and root's user id where there is another to take
//!   ([`identity`]);
//! * gaining privileges by running another program (`no_new_privs`);
//! * every path but those named, every TCP port but those named, and signals or abstract sockets
//!   of processes that are not its own, as far as the kernel knows how ([`reach`]);
//! * a dump of its memory, which holds what it keeps secret, when it crashes;
//! * other programs and processes, every kind of socket but TCP ([`Sockets`] has narrower choices), and the system calls that
//!   administer a machine, look into other processes, or have a long record of kernel bugs
//!   ([`calls`]). A list of what is denied rather than of what is allowed: the process also runs
//!   a TLS client and a runtime whose calls change with their versions.
//!
//! Call [`lock_down`] early in `main`, **before any other thread is started**: all of it but the
//! system-call filter holds for the calling thread and those it starts afterwards. Files opened
//! before stay open.

mod calls;
mod identity;
mod reach;
#[cfg(test)]
mod tests;

use std::path::Path;

use rustix::process::{Resource, Rlimit, setrlimit};
use thiserror::Error;

pub use identity::{Identity, OWN_USERS, OWN_USERS_SMALL, User};
pub use reach::{Reach, Wall};

/// What a process keeps.
#[derive(Clone, Copy, Debug)]
pub struct Walls<'a> {
    /// Files, or directories with all below them, that it may change. Each must exist.
    pub read_write: &'a [&'a Path],
    /// The same, that it may read.
    pub read_only: &'a [&'a Path],
    /// TCP ports it may connect to, on any host.
    pub connect: &'a [u16],
    /// What it does with sockets.
    pub sockets: Sockets,
    /// Who it becomes.
    pub identity: &'a Identity,
    /// It keeps a pool of guests, and with it what the kernel tells of its own pages.
    pub guests: bool,
}

/// Sockets that a process makes, and connections that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sockets {
    /// It makes those for TCP, and accepts nothing.
    Tcp,
    /// It makes none, and accepts on the listeners that it is given.
    Accepting,
    /// It makes none and accepts nothing: it has what it is given.
    Given,
}

/// What holds from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockdownReport {
    /// The process's user id.
    pub user: u32,
    /// Whether that is one of its own.
    pub own_user: bool,
    /// Why the process keeps root's user id, if it does.
    pub keeps_root: Option<String>,
    pub reach: Reach,
    /// TCP ports that can be connected to.
    pub ports: Vec<u16>,
    /// System calls that are denied, whatever their arguments.
    pub denied_calls: usize,
}

impl LockdownReport {
    /// What was asked for and does not hold, in sentences for an operator. Empty when all does.
    pub fn missing(&self) -> Vec<String> {
        let root = self
            .keeps_root
            .as_ref()
            .map(|reason| format!("the agent runs as root, without capabilities: {reason}"));
        root.into_iter().chain(self.reach.missing()).collect()
    }

    /// What this machine does not give the process, in a few words each. Empty when it gives all.
    pub fn lacks(&self) -> Vec<String> {
        let user = (!self.own_user).then(|| "user of its own".to_owned());
        let whole = Wall::ALL.into_iter().all(|wall| self.reach.holds(wall));
        let landlock = match self.reach.version {
            _ if whole => None,
            0 => Some("Landlock".to_owned()),
            version => Some(format!("Landlock beyond version {version}")),
        };
        user.into_iter().chain(landlock).collect()
    }
}

impl std::fmt::Display for LockdownReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { user, reach, .. } = self;
        let calls = self.denied_calls;
        write!(
            f,
            "user {user} without capabilities or new privileges; {reach}; no process, program or \
             socket but TCP can be made; {calls} system calls are denied"
        )
    }
}

/// The process could not be restricted. What was restricted before the error stays so.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LockdownError {
    #[error("cannot drop privileges: {0}")]
    Privileges(String),
    #[error("cannot make {path} accessible: {reason}")]
    Path { path: String, reason: String },
    #[error("cannot restrict paths and ports: {0}")]
    Reach(String),
    #[error("cannot restrict system calls: {0}")]
    Calls(String),
}

impl LockdownError {
    pub fn code(&self) -> &'static str {
        match self {
            LockdownError::Privileges(_) => "lockdown-privileges",
            LockdownError::Path { .. } => "lockdown-path",
            LockdownError::Reach(_) => "lockdown-reach",
            LockdownError::Calls(_) => "lockdown-calls",
        }
    }
}

/// One byte, which is too little for a file. It is also the one limit that the kernel heeds where dumps are piped to a
/// program; with none at all it would pipe the whole of it.
fn leave_no_dump() -> Result<(), LockdownError> {
    let at_most = |bytes| {
        let limit = Rlimit {
            current: Some(bytes),
            maximum: Some(bytes),
        };
        setrlimit(Resource::Core, limit)
    };
    // Whoever started the process may have left it none, which only an administrator raises.
    at_most(1)
        .or_else(|_| at_most(0))
        .map_err(|error| LockdownError::Privileges(format!("dumps of memory: {error}")))
}

/// Restricts this process to what `walls` name. See the module for when to call it.
pub fn lock_down(walls: &Walls<'_>) -> Result<LockdownReport, LockdownError> {
    rustix::thread::set_no_new_privs(true)
        .map_err(|error| LockdownError::Privileges(error.to_string()))?;
    if walls.guests {
        // Opened by who administers the machine, it would also tell where pages are in its memory.
        identity::administer_nothing()?;
        crate::foundation::keep_page_map();
    }
    leave_no_dump()?;
    // Directories may be out of reach of the user that the process becomes.
    let reach = reach::restrict(walls)?;
    let user = identity::become_user(walls.identity)?;
    let denied_calls = calls::deny(walls.sockets)?;
    Ok(LockdownReport {
        user,
        own_user: walls.identity.own_user().is_some(),
        keeps_root: walls.identity.keeps_root().map(str::to_owned),
        reach,
        ports: walls.connect.to_vec(),
        denied_calls,
    })
}
