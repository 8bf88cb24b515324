//! The configuration file an agent process is started with.
//!
//! The provisioner writes it through the provider and keeps it; the agent reads it once at its
//! start. It holds the agent's password, so it is readable by its owner only and is never logged.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use periapt_model::{ModelUuid, Tag};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What an agent process needs to reach its controller.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AgentConfig {
    pub tag: Tag,
    pub password: String,
    pub model_uuid: ModelUuid,
    pub controller_uuid: ModelUuid,
    /// `host:port` of each controller.
    pub api_addresses: Vec<String>,
    /// Ports that an agent started with this may connect to, besides those of its addresses: of
    /// processes that were there and may come back.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub known_ports: BTreeSet<u16>,
    /// The authority that signs the controllers' certificates, PEM.
    pub ca_cert: String,
    /// Where the agent keeps what its units keep.
    pub directory: PathBuf,
}

/// A configuration file that cannot be used.
#[derive(Debug, Error)]
pub enum AgentConfigError {
    #[error("cannot read the agent configuration {}: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("the agent configuration {} is damaged: {source}", path.display())]
    Damaged {
        path: PathBuf,
        source: serde_json::Error,
    },
}

impl AgentConfigError {
    /// A stable name, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            AgentConfigError::Unreadable { .. } => "agent-configuration-unreadable",
            AgentConfigError::Damaged { .. } => "agent-configuration-damaged",
        }
    }
}

impl AgentConfig {
    /// TCP ports that the agent may connect to.
    pub fn ports(&self) -> BTreeSet<u16> {
        let listening = self.api_addresses.iter().filter_map(|address| {
            let (_, port) = address.rsplit_once(':')?;
            port.parse().ok()
        });
        listening.chain(self.known_ports.iter().copied()).collect()
    }

    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self, AgentConfigError> {
        let bytes = std::fs::read(path).map_err(|source| AgentConfigError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        serde_json::from_slice(&bytes).map_err(|source| AgentConfigError::Damaged {
            path: path.to_owned(),
            source,
        })
    }
}

impl fmt::Debug for AgentConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentConfig")
            .field("tag", &self.tag)
            .field("model_uuid", &self.model_uuid)
            .field("api_addresses", &self.api_addresses)
            .finish_non_exhaustive()
    }
}
