//! A child: this very program in another role, heard until it is gone.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

use super::Event;
use super::pulse::{Due, Pulse};
use crate::channel::{self, Outbox};
use crate::frames::FROM_CHILD;

/// This program, also when another version of it lies in its place by now.
const PROGRAM: &str = "/proc/self/exe";
/// Frames that wait for a child; one that lets so many wait does not go on any more.
const QUEUE: usize = 1 << 16;
/// A child that is to end by itself has so long.
const LEAVING: Duration = Duration::from_secs(60);
/// The longest wait before a child is started again.
const LONGEST: Duration = Duration::from_secs(30);
/// A child that lived so long begins anew with the first wait.
const SETTLED: Duration = Duration::from_secs(10);

pub struct Process<Out> {
    outbox: Outbox<Out>,
    /// Killed when this is dropped.
    child: Child,
    pulse: Pulse,
}

impl<Out: Serialize> Process<Out> {
    /// Starts a child in a directory. Its standard input is the channel; what it says is made an event, and
    /// so is, with none, that it is gone.
    pub fn start<In>(
        role: &str,
        directory: &Path,
        pulse: Duration,
        events: mpsc::Sender<Event>,
        wrap: impl Fn(Option<In>) -> Event + Send + 'static,
    ) -> io::Result<Self>
    where
        In: DeserializeOwned + Send + 'static,
    {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let ours = tokio::net::UnixStream::from_std(ours)?;
        let backtrace = std::env::var_os("RUST_BACKTRACE");
        let child = Command::new(PROGRAM)
            .args(["workloads", role])
            .env_clear()
            .envs(backtrace.map(|value| ("RUST_BACKTRACE", value)))
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .current_dir(directory)
            .kill_on_drop(true)
            .spawn()?;
        let (mut inbox, outbox) = channel::open(ours, FROM_CHILD, QUEUE);
        tokio::spawn(async move {
            loop {
                let said = inbox.next().await;
                if let Err(error) = &said {
                    tracing::warn!(%error, "a child is not understood");
                }
                let said = said.ok().flatten().map(|(said, _)| said);
                let gone = said.is_none();
                if events.send(wrap(said)).await.is_err() || gone {
                    return;
                }
            }
        });
        Ok(Self {
            outbox,
            child,
            pulse: Pulse::begin(pulse, Instant::now()),
        })
    }

    /// It said something.
    pub fn heard(&mut self) {
        self.pulse.heard(Instant::now());
    }

    /// When to ask whether it lives.
    pub fn due(&self) -> Instant {
        self.pulse.due()
    }

    /// Asks it by these words whether it lives, if it is time to. One that does not answer is killed, and
    /// is then gone like any other.
    pub fn look(&mut self, question: &Out) {
        match self.pulse.look(Instant::now()) {
            Due::Nothing => {}
            Due::Ask => self.tell(question, Vec::new()),
            Due::GiveUp => {
                tracing::warn!(
                    pid = self.child.id(),
                    "a child gives no sign of life; it is killed"
                );
                if let Err(error) = self.child.start_kill() {
                    tracing::warn!(%error, "a child cannot be killed");
                }
            }
        }
    }

    /// One that does not hear it is gone, which is an event of its own, or is killed with this.
    pub fn tell(&self, value: &Out, descriptors: Vec<OwnedFd>) {
        if self.outbox.send(value, descriptors).is_err() {
            tracing::debug!("a child does not hear");
        }
    }

    /// Says nothing more, upon which it ends what it has begun and then itself.
    pub fn leave(self) {
        let Self {
            outbox, mut child, ..
        } = self;
        drop(outbox);
        tokio::spawn(async move {
            // Dropped afterwards, which kills what is left of it.
            let _ = tokio::time::timeout(LEAVING, child.wait()).await;
        });
    }
}

/// When a child is started again that died by itself.
pub struct Respawn {
    first: Duration,
    deaths: u32,
    started: Instant,
    at: Option<Instant>,
}

impl Respawn {
    pub fn new(first: Duration) -> Self {
        Self {
            first,
            deaths: 0,
            started: Instant::now(),
            at: None,
        }
    }

    pub fn started(&mut self) {
        self.started = Instant::now();
        self.at = None;
    }

    pub fn ended(&mut self) {
        if self.started.elapsed() >= SETTLED {
            self.deaths = 0;
        }
        let factor = 1_u32.checked_shl(self.deaths).unwrap_or(u32::MAX);
        let wait = self.first.saturating_mul(factor).min(LONGEST);
        self.deaths = self.deaths.saturating_add(1).min(31);
        self.at = Some(Instant::now() + wait);
    }

    pub fn at(&self) -> Option<Instant> {
        self.at
    }

    pub fn is_due(&self) -> bool {
        self.at.is_some_and(|at| at <= Instant::now())
    }
}
