//! Debian packages, installed when what they bring is missing.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::run;

/// What the tests need besides the toolchain.
pub const POSTGRESQL: &[&str] = &["postgresql"];
/// What building guests needs where rustup has no Wasm target.
pub const GUEST_TOOLCHAIN: &[&str] = &["rustc-web", "cargo-web", "rust-web-src", "wasi-libc"];
/// What the bench of the API needs.
pub const LOAD: &[&str] = &["wrk"];
/// What the comparison with `ops` needs.
pub const PYTHON: &[&str] = &["python3", "python3-venv"];
/// What the tests of the web interface need: the browser and a font for it.
pub const BROWSER: &[&str] = &["chromium-headless-shell", "fonts-dejavu-core"];

/// A real syslog daemon, for the forwarding of logs.
pub const SYSLOG: &[&str] = &["rsyslog", "rsyslog-gnutls"];

/// `pkill`, which a page of the documentation shows.
pub const PROCESSES: &[&str] = &["procps"];

/// Network namespaces, for tests of lost packets.
pub const NETWORK: &[&str] = &["iproute2"];

/// Installs those of `packages` that dpkg does not know as installed.
pub fn ensure(packages: &[&str]) -> Result<()> {
    let missing: Vec<&str> = packages
        .iter()
        .copied()
        .filter(|name| !installed(name))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !Path::new("/usr/bin/apt-get").exists() {
        bail!(
            "these Debian packages are needed: {}. This machine has no apt-get; install them by its own means",
            missing.join(" ")
        );
    }
    let apt = |arguments: &[&str]| {
        let mut command = if is_root() {
            Command::new("apt-get")
        } else {
            let mut command = Command::new("sudo");
            command.args(["--non-interactive", "apt-get"]);
            command
        };
        command
            .args(["-q", "-o", "Dpkg::Use-Pty=0"])
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive");
        command.stdout(std::process::Stdio::null());
        command
    };
    let what = format!("installing Debian packages: {}", missing.join(" "));
    let mut install = vec!["install", "-y", "--no-install-recommends"];
    install.extend(&missing);
    if run::step(&what, &mut apt(&install)).is_ok() {
        return Ok(());
    }
    run::step("refreshing the package lists", &mut apt(&["update"]))?;
    run::step(&what, &mut apt(&install))
}

pub fn is_root() -> bool {
    run::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn installed(package: &str) -> bool {
    Command::new("dpkg-query")
        .args(["--show", "--showformat=${db:Status-Status}", package])
        .stderr(std::process::Stdio::null())
        .output()
        .is_ok_and(|output| output.stdout == b"installed")
}
