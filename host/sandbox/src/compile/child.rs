//! The child: reads an order and a component, answers with an artifact or an error.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use rustix::process::{Resource, Rlimit, Signal, setrlimit};

use super::CompileError;
use super::process::{ANSWER_ARTIFACT, ANSWER_ERROR, ChildLimits, Order};
use crate::artifact::Artifact;
use crate::engine::SandboxEngine;
use crate::foundation::Settings;
use crate::lockdown::{Identity, Sockets, Walls, lock_down};

/// Descriptors: the three streams, the runtime's, and one for each memory image.
const OPEN_FILES: u64 = 128;

/// Added to the child's niceness: whoever serves people goes first.
const NICENESS: i32 = 10;
/// Names the user that compiles, where there is root's user to give up.
const USER: &str = "compile-component";

/// Makes artifacts of one kind of component.
#[derive(Clone, Copy, Debug)]
pub struct Compiler {
    /// The name that [`super::compile_in_child`] asks by.
    pub kind: &'static str,
    pub compile: fn(Settings, &[u8]) -> Result<Artifact, CompileError>,
}

/// Charms, which are asked for their hooks.
pub const CHARMS: Compiler = Compiler {
    kind: "charm",
    compile: |settings, component| {
        SandboxEngine::for_inspection(settings)
            .map_err(|error| CompileError::Engine(error.to_string()))?
            .compile(component)
    },
};

/// `main` of the compiler child that [`super::compile_in_child`] starts. Takes nothing from the
/// command line; everything comes over stdin and goes to stdout.
pub fn compile_child_main(compilers: &[Compiler]) -> ExitCode {
    match serve(compilers) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(compilers: &[Compiler]) -> io::Result<()> {
    let mut stdin = io::stdin().lock();
    let order = read_order(&mut stdin)?;
    restrict(&order.limits)?;
    let answer = read_component(&mut stdin, &order.limits).and_then(|component| {
        let compiler = compilers.iter().find(|one| one.kind == order.kind);
        let compiler = compiler.ok_or_else(|| {
            CompileError::Engine(format!("no compiler of the kind \"{}\"", order.kind))
        })?;
        (compiler.compile)(order.settings, &component)
    });
    let mut stdout = io::stdout().lock();
    match answer {
        Ok(artifact) => {
            stdout.write_all(&[ANSWER_ARTIFACT])?;
            stdout.write_all(artifact.as_bytes())?;
        }
        Err(error) => {
            stdout.write_all(&[ANSWER_ERROR])?;
            serde_json::to_writer(&mut stdout, &error)?;
        }
    }
    stdout.flush()
}

fn read_order(stdin: &mut impl Read) -> io::Result<Order> {
    let mut length = [0; 4];
    stdin.read_exact(&mut length)?;
    let mut json = vec![0; u32::from_le_bytes(length).min(64 << 10) as usize];
    stdin.read_exact(&mut json)?;
    Ok(serde_json::from_slice(&json)?)
}

fn read_component(stdin: &mut impl Read, limits: &ChildLimits) -> Result<Vec<u8>, CompileError> {
    let mut component = Vec::new();
    stdin
        .take(limits.component_bytes.saturating_add(1))
        .read_to_end(&mut component)
        .map_err(|error| CompileError::Ended(format!("reading the component: {error}")))?;
    match component.len() as u64 {
        bytes if bytes > limits.component_bytes => Err(CompileError::TooLarge {
            bytes,
            limit: limits.component_bytes,
        }),
        _ => Ok(component),
    }
}

/// Gives up everything a compiler does not need.
fn restrict(limits: &ChildLimits) -> io::Result<()> {
    let set = |resource, value| {
        setrlimit(
            resource,
            Rlimit {
                current: Some(value),
                maximum: Some(value),
            },
        )
    };
    set(Resource::As, limits.address_space)?;
    set(Resource::Nofile, OPEN_FILES)?;
    set(Resource::Core, 0)?;
    // The signal of the soft limit names the reason; the hard one would only kill.
    let seconds = limits.cpu_seconds;
    let processor = Rlimit {
        current: Some(seconds),
        maximum: Some(seconds + 1),
    };
    setrlimit(Resource::Cpu, processor)?;
    rustix::process::nice(NICENESS)?;
    // The limits above are what must hold. A kernel that refuses this one runs agents with the
    // same refusal, and they report it.
    let walls = Walls {
        // They are asked for their hooks without a pool.
        guests: false,
        read_write: &[],
        read_only: &[],
        connect: &[],
        sockets: Sockets::Given,
        identity: &Identity::own(USER),
    };
    if let Err(error) = lock_down(&walls) {
        eprintln!("{error}");
    }
    // A change of the user forgets this.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(io::Error::from)
}
