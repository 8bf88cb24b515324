//! What the two locked-down processes have in common: how they hear their supervisor and what they give up.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

use periapt_engine::descriptors;
use periapt_sandbox::lockdown::{Identity, LockdownReport, Sockets, Walls, lock_down};
use rustix::process::{Signal, set_parent_process_death_signal};
use tokio::runtime::{Builder, Runtime};
use tracing_subscriber::filter::LevelFilter;

use crate::Failure;

/// Added to the niceness of threads that give way: the most there is.
const NICENESS: i32 = 19;

/// What was found out before the process was restricted.
pub struct Found {
    pub cores: usize,
    pub descriptors: u64,
}

/// Restricts this process, which has one thread yet.
pub fn restrict(
    identity: &Identity,
    read_write: &[&Path],
    read_only: &[&Path],
    sockets: Sockets,
) -> Result<(Found, LockdownReport), Failure> {
    let found = Found {
        cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        descriptors: descriptors::limit(),
    };
    let report = lock_down(&Walls {
        // Only who is given its connections runs any.
        guests: sockets == Sockets::Given,
        read_write,
        read_only,
        connect: &[],
        sockets,
        identity,
    })?;
    // Only now: it does not outlast a change of the user. A supervisor that died before is noticed by the
    // end of its channel.
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|error| Failure::Runtime(error.into()))?;
    Ok((found, report))
}

/// The pair of sockets that is the standard input. Within a runtime.
pub fn supervisor() -> Result<tokio::net::UnixStream, Failure> {
    let open = || -> io::Result<tokio::net::UnixStream> {
        let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        stream.set_nonblocking(true)?;
        tokio::net::UnixStream::from_std(stream)
    };
    open().map_err(Failure::Channel)
}

pub fn runtime(threads: usize) -> Result<Runtime, Failure> {
    building(threads).build().map_err(Failure::Runtime)
}

/// A runtime whose threads give way to all others of this machine that want to run.
pub fn background(threads: usize) -> Result<Runtime, Failure> {
    building(threads)
        .thread_name("background")
        .on_thread_start(|| {
            // Of this thread alone. One that may not give way computes with the others.
            if let Err(error) = rustix::process::nice(NICENESS) {
                tracing::warn!("a thread does not give way: {error}");
            }
        })
        .build()
        .map_err(Failure::Runtime)
}

fn building(threads: usize) -> Builder {
    let mut builder = Builder::new_multi_thread();
    builder.enable_all().worker_threads(threads.max(1));
    builder
}

/// Lines go to stderr, which is the supervisor's log.
pub fn trace() {
    let lines = tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(false)
        .with_max_level(LevelFilter::INFO);
    // There may be one already.
    let _ = lines.try_init();
}
