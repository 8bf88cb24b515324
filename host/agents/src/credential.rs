//! The password that an agent made itself, in a file of its own.
//!
//! The one that it was given is the controller's, in a file that the controller keeps: whoever reads
//! that file, or read it while it travelled, knows it. So it is good for one use, in which the agent
//! says by which password it will come from then on. That one is written down here first and told
//! then, so that no crash leaves the controller with a password that nobody has.
//!
//! The file belongs to the password that it follows. An agent that is given another one, by a
//! controller that was restored or has lost sight of it, begins anew.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use periapt_engine::randomness::secret;
use periapt_model::digest::Digest;
use serde::{Deserialize, Serialize};

use crate::agent_config::AgentConfig;

#[cfg(test)]
mod tests;

/// Where it is, within the agent's directory.
pub const DIRECTORY: &str = "credential";
const FILE: &str = "password.json";
const NEXT: &str = "password.json.next";

/// A password that an agent made itself.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct OwnPassword {
    /// Of the password that was given, which this one follows.
    given: Digest,
    password: String,
    /// The controller has taken it.
    told: bool,
}

impl OwnPassword {
    /// A new one, in the place of the one that was given.
    #[must_use]
    pub fn after(config: &AgentConfig) -> Self {
        Self {
            given: Digest::of(&config.password),
            password: secret(),
            told: false,
        }
    }

    #[must_use]
    pub fn password(&self) -> &str {
        &self.password
    }

    /// Whether the controller has taken it.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.told
    }

    /// The same, once the controller has taken it.
    #[must_use]
    pub fn told(self) -> Self {
        Self { told: true, ..self }
    }

    /// The configuration with this password.
    #[must_use]
    pub fn of(&self, config: &AgentConfig) -> AgentConfig {
        AgentConfig {
            password: self.password.clone(),
            ..config.clone()
        }
    }

    /// The one that was made for what the agent is configured with, if one was. One that cannot be
    /// understood is none. Blocks.
    ///
    /// # Errors
    /// A file that is there and cannot be read now.
    pub fn read(config: &AgentConfig) -> io::Result<Option<Self>> {
        let path = config.directory.join(DIRECTORY).join(FILE);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let own = match serde_json::from_slice::<Self>(&bytes) {
            Ok(own) => own,
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "the agent's own password is damaged");
                return Ok(None);
            }
        };
        Ok((own.given == Digest::of(&config.password)).then_some(own))
    }

    /// Replaces what the directory of an agent holds, for its user alone. Durable on return. Blocks.
    ///
    /// # Errors
    /// A file that cannot be written; then what was there stays.
    pub fn write(&self, agent: &Path) -> io::Result<()> {
        let directory = agent.join(DIRECTORY);
        let next = directory.join(NEXT);
        let mut file = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .mode(0o600)
            .open(&next)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.sync_all()?;
        fs::rename(&next, directory.join(FILE))?;
        File::open(&directory)?.sync_all()
    }
}
