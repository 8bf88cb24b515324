//! One agent process: started in a session of its own, or found running, and watched through a
//! pidfd.
//!
//! A pidfd names one process for good, so a signal never reaches a stranger who got the same
//! number, and it works alike for a child and for an agent that an earlier controller started.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use periapt_engine::Clock;
use periapt_engine::supervised::{Holder, LOCK_FILE, holder};
use process_wrap::std::{CommandWrap, ProcessSession};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::ProviderError;
use crate::error::file;

/// A log above this is set aside when the agent starts; one older log is kept.
const LOG_BYTES: u64 = 16 << 20;

/// What to run: the program with its arguments, before the configuration file that is the last
/// one, and with what its environment needs.
#[derive(Clone, Debug)]
pub struct Program {
    pub path: PathBuf,
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
}

/// A running agent.
pub struct AgentProcess {
    pub pid: Pid,
    /// Found running rather than started by this provider.
    pub adopted: bool,
    pidfd: AsyncFd<OwnedFd>,
}

impl AgentProcess {
    /// Starts the agent of `directory`. Its output goes to `agent.log` there.
    pub fn spawn(
        program: &Program,
        directory: &Path,
        config: &Path,
    ) -> Result<Self, ProviderError> {
        let started_before = directory.join("agent.log").exists();
        let log = open_log(directory)?;
        let errors = log
            .try_clone()
            .map_err(file("open", directory.join("agent.log")))?;
        let child = CommandWrap::with_new(&program.path, |command| {
            command
                .args(&program.arguments)
                .arg(config)
                .current_dir(directory)
                // Whoever started the controller has secrets there that are not the agent's.
                .env_clear()
                .stdin(Stdio::null())
                .stdout(log)
                .stderr(errors);
            command.envs(
                program
                    .environment
                    .iter()
                    .map(|(name, value)| (name, value)),
            );
            // An armed failpoint ends one life of an agent; the next is to recover.
            let failpoint = periapt_engine::failpoint::VARIABLE;
            if let Some(armed) = std::env::var_os(failpoint)
                && !started_before
            {
                command.env(failpoint, armed);
            }
        })
        .wrap(ProcessSession)
        .spawn()
        .map_err(|source| ProviderError::Spawn {
            program: program.path.clone(),
            source,
        })?;
        // Not reaped before the pidfd says so, hence still this very process.
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| ProviderError::Spawn {
            program: program.path.clone(),
            source: io::Error::other("the process id is out of range"),
        })?;
        Self::watch(pid, false)
    }

    /// The agent that holds the lock of `directory`, if one does.
    pub async fn adopt(directory: &Path, clock: &dyn Clock) -> Result<Option<Self>, ProviderError> {
        for _ in 0..20 {
            match holder(directory)? {
                Holder::Nobody => return Ok(None),
                Holder::Nameless => {}
                Holder::Process(pid) => {
                    let process = Self::watch(pid, true);
                    // Still held by the same one: then the pidfd is that process and no heir
                    // to its number.
                    if holder(directory)? == Holder::Process(pid) {
                        return process.map(Some);
                    }
                }
            }
            clock.sleep(Duration::from_millis(50)).await;
        }
        Err(ProviderError::UnknownAgent(directory.join(LOCK_FILE)))
    }

    fn watch(pid: Pid, adopted: bool) -> Result<Self, ProviderError> {
        let failed = |source: io::Error| ProviderError::Process {
            doing: "watch",
            pid: pid.as_raw_nonzero().get(),
            source,
        };
        let pidfd = pidfd_open(pid, PidfdFlags::empty()).map_err(|errno| failed(errno.into()))?;
        #[expect(
            deprecated,
            reason = "its successor needs unsafe code; an owned pidfd stays what it is"
        )]
        let pidfd = AsyncFd::with_interest(pidfd, Interest::READABLE).map_err(failed)?;
        Ok(Self {
            pid,
            adopted,
            pidfd,
        })
    }

    /// Ends when the process has; a child is reaped. Says how it ended, as far as one can know.
    pub async fn ended(&self) -> String {
        loop {
            // A pidfd is readable from the death of its process on. An error of the reactor
            // means that the runtime shuts down; nothing is told then.
            if self.pidfd.readable().await.is_err() {
                std::future::pending::<()>().await;
            }
            match waitid(
                WaitId::PidFd(self.pidfd.as_fd()),
                WaitIdOptions::EXITED | WaitIdOptions::NOHANG,
            ) {
                Ok(Some(status)) => {
                    return match (status.exit_status(), status.terminating_signal()) {
                        (Some(code), _) => format!("exit status {code}"),
                        (_, Some(signal)) => format!("killed by signal {signal}"),
                        _ => "ended".to_owned(),
                    };
                }
                Ok(None) => tokio::task::yield_now().await,
                // Not a child: init reaps it.
                Err(_) => return "ended".to_owned(),
            }
        }
    }

    /// Asks the process to stop, and kills it when it has not within `bound`.
    pub async fn stop(&self, bound: Duration, clock: &dyn Clock) -> Result<String, ProviderError> {
        self.signal(Signal::TERM)?;
        tokio::select! {
            biased;
            how = self.ended() => return Ok(how),
            () = clock.sleep(bound) => {}
        }
        tracing::warn!(
            pid = self.pid.as_raw_nonzero().get(),
            "agent did not stop in time and is killed"
        );
        self.signal(Signal::KILL)?;
        Ok(self.ended().await)
    }

    fn signal(&self, signal: Signal) -> Result<(), ProviderError> {
        match pidfd_send_signal(&self.pidfd, signal) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(errno) => Err(ProviderError::Process {
                doing: "signal",
                pid: self.pid.as_raw_nonzero().get(),
                source: errno.into(),
            }),
        }
    }
}

fn open_log(directory: &Path) -> Result<std::fs::File, ProviderError> {
    let path = directory.join("agent.log");
    if std::fs::metadata(&path).is_ok_and(|log| log.len() > LOG_BYTES) {
        let older = directory.join("agent.log.1");
        std::fs::rename(&path, &older).map_err(file("set aside", &path))?;
    }
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&path)
        .map_err(file("open", &path))
}
