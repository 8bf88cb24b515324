//! Compiles a charm project to `build/charm.wasm`, and its web workload to `build/server.wasm`.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use periapt_model::charm::COMPONENT;

use crate::PackingError;
use crate::component::{componentize, inspect};
use crate::error::At;
use crate::project::{SERVER, SERVER_COMPONENT};
use crate::toolchain::{self, Toolchain};

/// How to build.
#[derive(Clone, Debug)]
pub struct Options {
    /// Guests build in the folder `guests` below this one, so that a standard library built
    /// once serves every charm.
    pub target_dir: PathBuf,
    /// Keeps the compiler's output back; it comes with the error if the build fails.
    pub quiet: bool,
    /// Parallel compiler jobs; none leaves it to cargo.
    pub jobs: Option<u32>,
}

impl Options {
    pub fn new(target_dir: impl Into<PathBuf>) -> Self {
        Self {
            target_dir: target_dir.into(),
            quiet: false,
            jobs: None,
        }
    }
}

/// What a build made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildReport {
    pub component: PathBuf,
    /// Of the project's web workload, where it has one.
    pub server: Option<PathBuf>,
    /// The toolchain, in words.
    pub way: &'static str,
    /// Bytes of the component.
    pub size: u64,
    pub duration: Duration,
}

/// Builds the charm in `project` and writes its component to `build/charm.wasm` there; what is in
/// the folder `server` is a crate of its own and becomes `build/server.wasm`.
pub fn build(project: &Path, options: &Options) -> Result<BuildReport, PackingError> {
    let started = Instant::now();
    let manifest = project.join("Cargo.toml");
    if !manifest.is_file() {
        return Err(PackingError::NotAProject {
            dir: project.to_owned(),
            file: "Cargo.toml",
        });
    }
    let manifest = manifest.canonicalize().at(&manifest)?;
    crate::project::manifest(project)?;
    let toolchain = toolchain::detect()?;

    let charm = component(&manifest, &toolchain, options)?;
    inspect(&charm)?.check()?;
    let server = project.join(SERVER).join("Cargo.toml");
    let server = match server.is_file() {
        true => {
            let manifest = server.canonicalize().at(&server)?;
            let built = component(&manifest, &toolchain, options)?;
            inspect(&built)?.check_server()?;
            Some(built)
        }
        false => None,
    };

    let folder = project.join("build");
    fs::create_dir_all(&folder).at(&folder)?;
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, bytes).at(&path).map(|()| path)
    };
    let server = server.map(|bytes| write(SERVER_COMPONENT, &bytes));
    Ok(BuildReport {
        component: write(COMPONENT, &charm)?,
        server: server.transpose()?,
        way: toolchain.way(),
        size: charm.len() as u64,
        duration: started.elapsed(),
    })
}

/// The component of one crate.
fn component(
    manifest: &Path,
    toolchain: &Toolchain,
    options: &Options,
) -> Result<Vec<u8>, PackingError> {
    let mut cargo = toolchain.cargo_build();
    cargo
        .args([
            "--lib",
            "--message-format",
            "json-render-diagnostics",
            "--manifest-path",
        ])
        .arg(manifest)
        .arg("--target-dir")
        .arg(options.target_dir.join("guests"));
    if let Some(folder) = manifest.parent() {
        cargo.current_dir(folder);
    }
    if let Some(jobs) = options.jobs {
        cargo.arg("--jobs").arg(jobs.to_string());
    }
    let wasm = library(&run(cargo, options.quiet)?, manifest).ok_or(PackingError::NoLibrary)?;
    componentize(fs::read(&wasm).at(&wasm)?)
}

/// Runs cargo and returns its messages. Its progress and diagnostics go to standard error, or
/// into the error when kept quiet.
fn run(mut cargo: Command, quiet: bool) -> Result<String, PackingError> {
    let program = PathBuf::from(cargo.get_program());
    cargo.stdin(Stdio::null()).stdout(Stdio::piped());
    cargo.stderr(if quiet {
        Stdio::piped()
    } else {
        Stdio::inherit()
    });
    let mut child = cargo.spawn().map_err(|source| PackingError::CargoMissing {
        program: program.clone(),
        source,
    })?;

    // Both pipes are drained at once; a full one would stop the compiler.
    let mut errors = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(pipe) = &mut errors {
            // A broken pipe ends the text; the exit status still says how the build went.
            let _ = pipe.read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    let mut messages = Vec::new();
    if let Some(pipe) = &mut child.stdout {
        pipe.read_to_end(&mut messages).at(&program)?;
    }
    let status = child.wait().at(&program)?;
    let output = reader.join().unwrap_or_default();
    if status.success() {
        Ok(String::from_utf8_lossy(&messages).into_owned())
    } else {
        Err(PackingError::Compile {
            output: output.trim_end().to_owned(),
        })
    }
}

/// The Wasm file of the package at `manifest` among cargo's messages.
fn library(messages: &str, manifest: &Path) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact")
        .filter(|message| {
            message["manifest_path"]
                .as_str()
                .is_some_and(|path| Path::new(path) == manifest)
        })
        .filter_map(|message| {
            let files = message["filenames"].as_array()?;
            files
                .iter()
                .filter_map(|file| file.as_str())
                .find(|file| file.ends_with(".wasm"))
                .map(PathBuf::from)
        })
        .next_back()
}
