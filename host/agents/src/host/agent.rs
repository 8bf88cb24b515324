//! **agent**: the identity of the process and its configuration file.
//!
//! Trigger: the engine's start. Action: lends the configuration, which others may read, wait on
//! and replace. Effect: every other node names `agent` among its inputs. The file is replaced as
//! a whole (written aside, made durable, renamed), so a crash leaves the old or the new one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use periapt_engine::{Manifold, ValueWorker};
use periapt_uniter::Process;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::apicaller::Dial;
use super::levels::SharedLevels;
use super::log::LogBuffer;
use crate::agent_config::AgentConfig;

pub const NAME: &str = "agent";

/// The configuration file and its content.
pub struct AgentConf {
    path: PathBuf,
    current: watch::Sender<AgentConfig>,
}

impl AgentConf {
    pub fn new(path: impl Into<PathBuf>, config: AgentConfig) -> Self {
        Self {
            path: path.into(),
            current: watch::channel(config).0,
        }
    }

    pub fn current(&self) -> AgentConfig {
        self.current.borrow().clone()
    }

    /// A receiver of each replacement.
    pub fn subscribe(&self) -> watch::Receiver<AgentConfig> {
        self.current.subscribe()
    }

    /// Replaces the file, then tells. Nothing happens when nothing changes. Blocks.
    ///
    /// # Errors
    /// The file could not be replaced; the old one is still there.
    pub fn update(&self, change: impl FnOnce(&mut AgentConfig)) -> io::Result<()> {
        let mut config = self.current();
        change(&mut config);
        if config == *self.current.borrow() {
            return Ok(());
        }
        replace(&self.path, &serde_json::to_vec_pretty(&config)?)?;
        self.current.send_replace(config);
        Ok(())
    }
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let aside = path.with_extension("new");
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&aside)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&aside, path)?;
    match path.parent() {
        Some(directory) => File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}

/// What the engine of an agent process is given.
#[derive(Clone)]
pub struct AgentContext {
    pub conf: Arc<AgentConf>,
    pub dial: Arc<dyn Dial>,
    pub process: Process,
    pub log: LogBuffer,
    pub levels: SharedLevels,
    /// Addresses at which the machines of this process are reached.
    pub addresses: Vec<String>,
    /// Cancelled when the process is asked to stop.
    pub stopping: CancellationToken,
}

/// Lends the [`AgentContext`].
#[must_use]
pub fn manifold(context: &AgentContext) -> Manifold {
    let context = context.clone();
    Manifold::new(move |_| {
        let context = context.clone();
        async move { Ok(ValueWorker::lend(context)) }
    })
}
