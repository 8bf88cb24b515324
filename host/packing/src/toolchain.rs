//! Which compiler makes WebAssembly on this machine.
//!
//! Two ways, tried in this order: the `wasm32-wasip2` target of the toolchain on PATH, which
//! makes components by itself; or Debian's `rustc-web` with the standard library built from
//! `rust-web-src` for `wasm32-wasip1`, which makes core modules. The second needs a linker that
//! Debian's packages leave dangling unless `lld` is installed; rustup's own serves as well.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::PackingError;

#[cfg(test)]
mod tests;

/// A way to compile guests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Toolchain {
    /// The cargo on PATH, with its own `wasm32-wasip2`.
    Target,
    /// Debian's compiler, its standard library built from source.
    Debian { root: PathBuf, linker: PathBuf },
}

/// What Debian's packages must have put where, relative to the root of the file system.
const DEBIAN_FILES: [(&str, &str); 4] = [
    ("usr/bin/rustc", "rustc-web"),
    ("usr/bin/cargo", "cargo-web"),
    (
        "usr/lib/rustlib/src/rust/library/std/Cargo.toml",
        "rust-web-src",
    ),
    ("usr/lib/wasm32-wasi/crt1-reactor.o", "wasi-libc"),
];

/// Bytes that a guest has before it asks for more. Most hooks and requests never do, and memory that grows changes
/// the mappings of the whole process, for which all guests of it wait.
const INITIAL_HEAP: u32 = 512 << 10;

/// Finds the way this machine has.
pub fn detect() -> Result<Toolchain, PackingError> {
    detect_in(Path::new("/"), sysroot().as_deref())
}

/// As [`detect`], with the places to look given: the root of the file system and the sysroot
/// of the compiler on PATH.
fn detect_in(root: &Path, sysroot: Option<&Path>) -> Result<Toolchain, PackingError> {
    if let Some(sysroot) = sysroot
        && holds_files(&sysroot.join("lib/rustlib/wasm32-wasip2/lib"))
    {
        return Ok(Toolchain::Target);
    }
    let mut missing = vec!["target wasm32-wasip2"];
    missing.extend(
        DEBIAN_FILES
            .iter()
            .filter(|(file, _)| !root.join(file).exists())
            .map(|(_, package)| *package),
    );
    let linker = linker(root, sysroot);
    if linker.is_none() {
        missing.push("a WebAssembly linker");
    }
    match linker {
        Some(linker) if missing.len() == 1 => Ok(Toolchain::Debian {
            root: root.to_owned(),
            linker,
        }),
        _ => Err(PackingError::NoToolchain {
            missing: format!("missing: {}", missing.join(", ")),
        }),
    }
}

impl Toolchain {
    /// The way in words, for a person who asks why a build takes long.
    pub fn way(&self) -> &'static str {
        match self {
            Toolchain::Target => "the toolchain's wasm32-wasip2 target",
            Toolchain::Debian { .. } => {
                "Debian's rustc with the standard library built for wasm32-wasip1"
            }
        }
    }

    /// The `cargo build` that makes a release build of a guest. Arguments that say what to
    /// build are the caller's.
    pub(crate) fn cargo_build(&self) -> Command {
        match self {
            Toolchain::Target => {
                let mut cargo = Command::new("cargo");
                cargo.args(["build", "--release", "--target", "wasm32-wasip2"]);
                // Flags meant for the host's own build would reach the guest and fail there.
                cargo
                    .env_remove("RUSTFLAGS")
                    .env_remove("CARGO_ENCODED_RUSTFLAGS");
                cargo
            }
            Toolchain::Debian { root, linker } => {
                let libc = root.join("usr/lib/wasm32-wasi");
                let mut flags = vec![
                    "-Clink-self-contained=no".to_owned(),
                    format!("-L{}", libc.display()),
                    format!("-Clink-arg={}", libc.join("crt1-reactor.o").display()),
                ];
                if takes_initial_heap(linker) {
                    flags.push(format!("-Clink-arg=--initial-heap={INITIAL_HEAP}"));
                }
                let mut cargo = Command::new(root.join("usr/bin/cargo"));
                cargo.args([
                    "build",
                    "--release",
                    "-Zbuild-std=std,panic_abort",
                    "--target",
                    "wasm32-wasip1",
                ]);
                cargo
                    .env("RUSTC", root.join("usr/bin/rustc"))
                    // Building std is a nightly option; Debian ships the one pair that fits.
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("CARGO_TARGET_WASM32_WASIP1_LINKER", linker)
                    .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
                    .env_remove("RUSTFLAGS")
                    .env_remove("RUSTUP_TOOLCHAIN")
                    .env_remove("RUSTC_WRAPPER")
                    .env_remove("RUSTC_WORKSPACE_WRAPPER");
                cargo
            }
        }
    }
}

/// The folder of the compiler on PATH, where there is one.
fn sysroot() -> Option<PathBuf> {
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(path.trim()))
}

/// A linker for Wasm: the system's, else the one inside the rustup toolchain. `exists` follows
/// links, so Debian's dangling `rust-lld` does not count.
fn linker(root: &Path, sysroot: Option<&Path>) -> Option<PathBuf> {
    let system = ["usr/bin/rust-lld", "usr/bin/wasm-ld"].map(|path| root.join(path));
    if let Some(found) = system.into_iter().find(|path| path.exists()) {
        return Some(found);
    }
    let mut hosts: Vec<PathBuf> = entries(&sysroot?.join("lib/rustlib"));
    hosts.sort();
    hosts
        .into_iter()
        .map(|host| host.join("bin/rust-lld"))
        .find(|path| path.exists())
}

/// Linkers before LLVM 19 refuse the option.
fn takes_initial_heap(linker: &Path) -> bool {
    let help = Command::new(linker)
        .args(["-flavor", "wasm", "--help"])
        .output();
    help.is_ok_and(|help| String::from_utf8_lossy(&help.stdout).contains("--initial-heap"))
}

fn holds_files(folder: &Path) -> bool {
    !entries(folder).is_empty()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(read) = fs::read_dir(folder) else {
        return Vec::new();
    };
    read.flatten().map(|entry| entry.path()).collect()
}
