//! A PostgreSQL server of our own for the length of a test run: fresh, on a port that nobody uses,
//! gone afterwards.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::{packages, run};

pub struct Server {
    directory: tempfile::TempDir,
    binaries: PathBuf,
    address: SocketAddr,
}

impl Server {
    /// On loopback.
    pub fn start() -> Result<Self> {
        Self::start_on(Ipv4Addr::LOCALHOST.into())
    }

    /// On an address of this machine, where it trusts whoever reaches it.
    pub fn start_on(address: IpAddr) -> Result<Self> {
        packages::ensure(packages::POSTGRESQL)?;
        let binaries = newest_binaries().context("no PostgreSQL below /usr/lib/postgresql")?;
        let directory = tempfile::Builder::new()
            .prefix("periapt-postgres-")
            .tempdir()?;
        let address = TcpListener::bind((address, 0))?.local_addr()?;
        let server = Self {
            directory,
            binaries,
            address,
        };
        if packages::is_root() {
            run::output(
                Command::new("chown")
                    .arg("postgres:")
                    .arg(server.directory.path()),
            )?;
        }
        let data = server.data();
        let quiet = |command: &mut Command| -> Result<()> {
            let output = command.stdin(Stdio::null()).output()?;
            if !output.status.success() {
                bail!(
                    "{:?}: {}",
                    command.get_program(),
                    String::from_utf8_lossy(&output.stderr)
                );
            }
            Ok(())
        };
        quiet(
            server
                .as_server_user("initdb")
                .args([
                    "--username=periapt",
                    "--auth=trust",
                    "--no-sync",
                    "--encoding=UTF8",
                    "--locale=C.UTF-8",
                    "-D",
                ])
                .arg(&data),
        )?;
        if !address.ip().is_loopback() {
            let rules = data.join("pg_hba.conf");
            let mut rules = std::fs::OpenOptions::new().append(true).open(rules)?;
            writeln!(rules, "host all all {}/24 trust", address.ip())?;
        }
        let options = format!(
            "-p {} -c listen_addresses={} -c unix_socket_directories={} -c fsync=off -c max_connections=200",
            address.port(),
            address.ip(),
            server.directory.path().display()
        );
        let mut start = server.as_server_user("pg_ctl");
        start
            .args(["-w", "-t", "60", "-o", &options, "-l"])
            .arg(server.directory.path().join("log"))
            .arg("-D")
            .arg(&data)
            .arg("start");
        // pg_ctl's child keeps inherited pipes open, so its output goes nowhere.
        let status = start
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        if !status.success() {
            bail!(
                "PostgreSQL did not start: {}",
                std::fs::read_to_string(server.directory.path().join("log")).unwrap_or_default()
            );
        }
        Ok(server)
    }

    pub fn url(&self) -> String {
        format!("postgresql://periapt@{}/postgres", self.address)
    }

    fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    /// PostgreSQL refuses to run as root, so root lends it Debian's own user.
    fn as_server_user(&self, program: &str) -> Command {
        let program = self.binaries.join(program);
        let mut command = if packages::is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(self.directory.path());
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let stopped = self
            .as_server_user("pg_ctl")
            .args(["-w", "-m", "immediate", "-D"])
            .arg(self.data())
            .arg("stop")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !stopped.is_ok_and(|status| status.success()) {
            eprintln!(
                "warning: PostgreSQL in {} could not be stopped",
                self.directory.path().display()
            );
        }
    }
}

fn newest_binaries() -> Option<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir(Path::new("/usr/lib/postgresql"))
        .ok()?
        .flatten()
        .filter_map(|entry| {
            Some((
                entry.file_name().to_str()?.parse().ok()?,
                entry.path().join("bin"),
            ))
        })
        .filter(|(_, binaries)| binaries.join("initdb").exists())
        .collect();
    versions.sort();
    versions.pop().map(|(_, binaries)| binaries)
}
