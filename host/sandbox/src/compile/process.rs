//! The parent's side of the compiler child.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use periapt_model::text;
use serde::{Deserialize, Serialize};

use super::CompileError;
use crate::artifact::Artifact;
use crate::foundation::Settings;

pub(super) const ANSWER_ARTIFACT: u8 = b'A';
pub(super) const ANSWER_ERROR: u8 = b'E';
/// More machine code than this is not taken from the child.
const ANSWER_BYTES: u64 = 512 << 20;
const COMPLAINT_BYTES: u64 = 4 << 10;

/// The program's allocator sets aside a gibibyte of address space at once unless it is told
/// otherwise.
const ALLOCATOR: (&str, &str) = ("MIMALLOC_ARENA_RESERVE", "64MiB");

/// Bounds of one compilation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct ChildLimits {
    /// Bytes of the component.
    pub component_bytes: u64,
    /// Address space of the child, bytes: a gibibyte for compiling, and what the engine sets aside
    /// to ask the component for its hooks. The 18 MB of CPython take half of it.
    pub address_space: u64,
    /// Seconds of processor time. Five times what the 18 MB of CPython take.
    pub cpu_seconds: u64,
    pub wall_clock: Duration,
}

impl Default for ChildLimits {
    fn default() -> Self {
        Self {
            component_bytes: 64 << 20,
            address_space: 3 << 29,
            cpu_seconds: 150,
            wall_clock: Duration::from_secs(300),
        }
    }
}

/// What the child is told before the component follows.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    /// Of [`super::Compiler::kind`].
    pub(super) kind: String,
    pub(super) settings: Settings,
    pub(super) limits: ChildLimits,
}

/// Compiles and inspects a component in a child process: `program args...`, which must call
/// [`super::compile_child_main`] with a compiler of this kind. `settings` are those of the engine that will run it. Blocks.
pub fn compile_in_child(
    program: &Path,
    args: &[impl AsRef<OsStr>],
    kind: &str,
    settings: &Settings,
    component: &[u8],
    limits: &ChildLimits,
) -> Result<Artifact, CompileError> {
    let bytes = component.len() as u64;
    if bytes > limits.component_bytes {
        return Err(CompileError::TooLarge {
            bytes,
            limit: limits.component_bytes,
        });
    }
    let start = |error: io::Error| {
        let text = format!("{}: {error}", program.display());
        match periapt_files::out_of_descriptors(&error) {
            true => CompileError::Descriptors(text),
            false => CompileError::Start(text),
        }
    };
    let order = Order {
        kind: kind.to_owned(),
        settings: settings.clone(),
        limits: limits.clone(),
    };
    let order = serde_json::to_vec(&order).map_err(|error| start(error.into()))?;
    let mut child = Command::new(program)
        .args(args)
        .env_clear()
        .env(ALLOCATOR.0, ALLOCATOR.1)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start)?;
    let exchange = exchange(&mut child, &order, component, limits);
    if exchange.is_none() {
        // Ended already is as good.
        let _ = child.kill();
    }
    let status = child
        .wait()
        .map_err(|error| CompileError::Ended(error.to_string()))?;
    match exchange {
        Some((answer, complaint)) => read_answer(answer, &complaint, status, limits),
        None => Err(CompileError::WallClock {
            seconds: limits.wall_clock.as_secs(),
        }),
    }
}

/// Feeds the child and collects what it writes until it is done; none when that takes too long.
fn exchange(
    child: &mut Child,
    order: &[u8],
    component: &[u8],
    limits: &ChildLimits,
) -> Option<(Vec<u8>, String)> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (answered, answers) = mpsc::channel();
    let (complained, complaints) = mpsc::channel();
    // Detached, so that a child which outlives its limits holds up nobody: the pipes close when
    // it is killed.
    thread::spawn(move || answered.send(read_all(stdout, ANSWER_BYTES)));
    thread::spawn(move || complained.send(read_all(stderr, COMPLAINT_BYTES)));
    let mut input = Vec::with_capacity(4 + order.len() + component.len());
    input.extend_from_slice(&u32::try_from(order.len()).unwrap_or(u32::MAX).to_le_bytes());
    input.extend_from_slice(order);
    input.extend_from_slice(component);
    thread::spawn(move || {
        // A child that stops reading says why, or its end does.
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(&input);
        }
    });
    let answer = answers.recv_timeout(limits.wall_clock).ok()?;
    let complaint = complaints.recv_timeout(limits.wall_clock).ok()?;
    Some((answer, String::from_utf8_lossy(&complaint).into_owned()))
}

fn read_all(from: Option<impl Read>, limit: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        // What came before an error is judged by its content.
        let _ = from.by_ref().take(limit).read_to_end(&mut bytes);
        let _ = io::copy(&mut from, &mut io::sink());
    }
    bytes
}

fn read_answer(
    mut answer: Vec<u8>,
    complaint: &str,
    status: ExitStatus,
    limits: &ChildLimits,
) -> Result<Artifact, CompileError> {
    if status.success() && !answer.is_empty() {
        let ended = |text: String| CompileError::Ended(text);
        return match answer.remove(0) {
            ANSWER_ARTIFACT => Artifact::from_bytes(answer).map_err(|e| ended(e.to_string())),
            ANSWER_ERROR => Err(serde_json::from_slice(&answer)
                .map(|error| out_of_memory(error, limits))
                .unwrap_or_else(|error| ended(error.to_string()))),
            _ => Err(ended("its answer is not one of a compiler".to_owned())),
        };
    }
    let complaint = text::clean_line_at_most(complaint.trim(), 500);
    Err(match status.signal() {
        Some(libc::SIGXCPU) => CompileError::ProcessorTime {
            seconds: limits.cpu_seconds,
        },
        // Rust ends a process that cannot allocate with an abort and this text.
        Some(libc::SIGABRT) if complaint.contains("memory allocation of") => {
            CompileError::AddressSpace {
                bytes: limits.address_space,
            }
        }
        Some(signal) => CompileError::Killed { signal },
        None if complaint.is_empty() => CompileError::Ended(status.to_string()),
        None => CompileError::Ended(complaint),
    })
}

/// A mapping that fails is reported by the compiler as an error like any other.
fn out_of_memory(error: CompileError, limits: &ChildLimits) -> CompileError {
    let text = error.to_string();
    if text.contains("Cannot allocate memory") || text.contains("out of memory") {
        return CompileError::AddressSpace {
            bytes: limits.address_space,
        };
    }
    error
}
