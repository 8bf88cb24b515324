//! `controller.json`: what a controller is, written once by bootstrap. It holds no secret but,
//! possibly, the password within a database URL, so it is readable by its owner only.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use periapt_model::ModelUuid;
use periapt_model::hook::Limits;
use serde::{Deserialize, Serialize};

use crate::ControllerError;
use crate::error::file;

/// Where agents are in a data directory, unless another process's are shared.
pub(super) const AGENTS: &str = "agents";

/// The file's content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ControllerConfig {
    pub uuid: ModelUuid,
    pub name: String,
    /// Where it listens.
    pub address: IpAddr,
    pub port: u16,
    /// A port for agents alone, if they have one: the option `controller-api-port` as it was when
    /// it was last read, so that it is served from the first moment on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller_api_port: Option<u16>,
    /// URL of a PostgreSQL database; none for SQLite in the data directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// The model named `controller`.
    pub controller_model: ModelUuid,
    /// Which of the controller's processes this is; 0 is the one that was bootstrapped.
    #[serde(default)]
    pub node: u32,
    /// Where agents of this machine have their directories, shared by all of the controller's
    /// processes on it, so that each finds the agents that another started; none for `agents`
    /// in the data directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents_directory: Option<PathBuf>,
    /// Bounds of hooks.
    #[serde(default)]
    pub limits: Limits,
    /// Statements that take longer are written to `slow-query.log`.
    #[serde(default = "one_second")]
    pub slow_query_ms: u64,
    /// Collector of traces, `http://host:4318`; none sends none unless the environment names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otlp_endpoint: Option<String>,
}

fn one_second() -> u64 {
    1000
}

impl ControllerConfig {
    pub fn path(data_dir: &Path) -> PathBuf {
        data_dir.join("controller.json")
    }

    pub fn read(data_dir: &Path) -> Result<Self, ControllerError> {
        let path = Self::path(data_dir);
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(ControllerError::NoController(data_dir.to_owned()));
            }
            read => read.map_err(file("read", &path))?,
        };
        serde_json::from_slice(&bytes).map_err(|error| ControllerError::Configuration {
            path,
            reason: error.to_string(),
        })
    }

    /// Writes the file; it is there as a whole or not at all.
    pub fn write(&self, data_dir: &Path) -> Result<(), ControllerError> {
        write_json(&Self::path(data_dir), self)
    }

    /// Where agents have their directories, one for each model.
    pub fn agents_directory(&self, data_dir: &Path) -> PathBuf {
        let shared = self.agents_directory.clone();
        shared.unwrap_or_else(|| data_dir.join(AGENTS))
    }

    /// The tag under which this process holds leases: like Juju's controllers, that of a machine.
    pub fn claimant(&self) -> String {
        format!("machine-{}", self.node)
    }

    pub fn slow_query(&self) -> Duration {
        Duration::from_millis(self.slow_query_ms)
    }

    /// The address at which agents on this machine reach a controller that listens everywhere.
    pub fn reachable(&self) -> IpAddr {
        match self.address {
            IpAddr::V4(Ipv4Addr::UNSPECIFIED) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(Ipv6Addr::UNSPECIFIED) => IpAddr::V6(Ipv6Addr::LOCALHOST),
            address => address,
        }
    }
}
/// Writes a file for its owner's eyes only; it is there as a whole or not at all.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), ControllerError> {
    let next = path.with_extension("json.next");
    let bytes = serde_json::to_vec_pretty(value)
        .map_err(|error| ControllerError::Internal(error.to_string()))?;
    std::fs::OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(true)
        .mode(0o600)
        .open(&next)
        .and_then(|mut file| file.write_all(&bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&next, path))
        .and_then(|()| std::fs::File::open(path.parent().unwrap_or(path))?.sync_all())
        .map_err(file("write", path))
}
