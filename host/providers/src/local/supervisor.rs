//! Keeps the agent of one environment running for as long as the environment has instances.
//!
//! One task owns all state and serves requests one after the other, so a start that meets a stop
//! simply waits for it. The agent does not die with this task: a controller that ends leaves its
//! agents running, and the next one adopts them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use periapt_engine::{SharedClock, clock, supervised};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};

use super::cgroup::Cgroup;
use super::process::{AgentProcess, Program};
use super::records::Records;
use crate::ProviderError;

/// How often and how fast a dead agent is started again.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Wait before the first restart; doubles with each death in short order.
    pub first_restart: Duration,
    /// The wait grows up to this.
    pub longest_restart: Duration,
    /// An agent that lived this long begins anew with the first wait.
    pub settled: Duration,
    /// How long a stopping agent has before it is killed.
    pub stop: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            first_restart: Duration::from_millis(200),
            longest_restart: Duration::from_secs(30),
            settled: Duration::from_secs(60),
            stop: Duration::from_secs(10),
        }
    }
}

pub(super) type Reply<T> = oneshot::Sender<Result<T, ProviderError>>;

pub(super) enum Request {
    Start {
        name: String,
        config: Vec<u8>,
        reply: Reply<bool>,
    },
    /// Replaces the configuration.
    Configure {
        config: Vec<u8>,
        restart: bool,
        reply: Reply<()>,
    },
    Stop {
        name: String,
        reply: Reply<()>,
    },
    /// Names, and whether the agent runs.
    List {
        reply: Reply<(BTreeSet<String>, bool)>,
    },
    /// Also when the agent ended for good.
    StartAgain {
        reply: Reply<()>,
    },
    Halt {
        reply: Reply<()>,
    },
    Destroy {
        reply: Reply<()>,
    },
}

pub(super) struct Supervisor {
    pub records: Records,
    pub program: Program,
    pub patience: Patience,
    pub clock: SharedClock,
    pub shown: Arc<Mutex<Value>>,
    pub cgroup: Cgroup,
    pub agent: Option<AgentProcess>,
    pub instances: BTreeSet<String>,
    pub started_at: Duration,
    pub starts: u64,
    /// Deaths in short order.
    pub deaths: u32,
    /// When to start it again, on the clock's monotonic time.
    pub restart_at: Option<Duration>,
    pub last_end: Option<String>,
    /// What ended the agent for good.
    pub ended: watch::Sender<Option<String>>,
}

impl Supervisor {
    /// Serves until nobody can ask any more.
    pub async fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        self.resume().await;
        loop {
            self.show();
            let restart = clock::until(self.clock.as_ref(), self.restart_at);
            tokio::select! {
                biased;
                request = requests.recv() => match request {
                    Some(request) => self.serve(request).await,
                    None => return,
                },
                how = agent_ended(self.agent.as_ref()) => self.died(how),
                () = restart => {
                    self.restart_at = None;
                    if let Err(error) = self.ensure_agent().await {
                        self.died(error.to_string());
                    }
                }
            }
        }
    }

    /// Finds what an earlier controller left.
    async fn resume(&mut self) {
        let resumed = match self.records.instances() {
            Ok(instances) => {
                self.instances = instances;
                if self.instances.is_empty() {
                    self.stop_agent().await
                } else {
                    self.ensure_agent().await
                }
            }
            Err(error) => Err(error),
        };
        if let Err(error) = resumed {
            tracing::warn!(%error, directory = %self.records.directory().display(), "cannot resume the agent");
            self.died(error.to_string());
        }
    }

    async fn serve(&mut self, request: Request) {
        // A caller that no longer waits for its answer has lost interest, nothing more.
        match request {
            Request::Start {
                name,
                config,
                reply,
            } => {
                let started = self.start(name, config).await;
                let _ = reply.send(started);
            }
            Request::Configure {
                config,
                restart,
                reply,
            } => {
                let configured = self.configure(&config, restart).await;
                let _ = reply.send(configured);
            }
            Request::Stop { name, reply } => {
                let stopped = self.stop(&name).await;
                let _ = reply.send(stopped);
            }
            Request::List { reply } => {
                let _ = reply.send(Ok((self.instances.clone(), self.agent.is_some())));
            }
            Request::StartAgain { reply } => {
                let started = self.start_again().await;
                let _ = reply.send(started);
            }
            Request::Halt { reply } => {
                let halted = self.stop_agent().await;
                let _ = reply.send(halted);
                // Down on purpose: nothing is planned.
                return;
            }
            Request::Destroy { reply } => {
                let destroyed = self.destroy().await;
                let _ = reply.send(destroyed);
            }
        }
        let ended_for_good = self.ended.borrow().is_some();
        if self.agent.is_none()
            && self.restart_at.is_none()
            && !ended_for_good
            && !self.instances.is_empty()
        {
            self.died("not started".to_owned());
        }
    }

    async fn start(&mut self, name: String, config: Vec<u8>) -> Result<bool, ProviderError> {
        self.records.create()?;
        if self.records.config()?.as_deref() != Some(config.as_slice()) {
            self.records.set_config(&config)?;
            // Whatever runs was started with a configuration that no longer holds.
            self.stop_agent().await?;
        }
        self.ensure_agent().await?;
        if self.instances.insert(name.clone())
            && let Err(error) = self.records.set_instances(&self.instances)
        {
            self.instances.remove(&name);
            return Err(error);
        }
        Ok(self.agent.is_some())
    }

    async fn configure(&mut self, config: &[u8], restart: bool) -> Result<(), ProviderError> {
        self.records.create()?;
        self.records.set_config(config)?;
        if restart && self.agent.is_some() {
            self.stop_agent().await?;
            self.ensure_agent().await?;
        }
        Ok(())
    }

    async fn start_again(&mut self) -> Result<(), ProviderError> {
        self.allow()?;
        match self.instances.is_empty() {
            true => Ok(()),
            false => self.ensure_agent().await,
        }
    }

    /// The agent may run again.
    fn allow(&self) -> Result<(), ProviderError> {
        supervised::unmark(self.records.directory())?;
        self.ended.send_replace(None);
        Ok(())
    }

    /// Whether the agent ended for good.
    fn has_ended(&self) -> Result<bool, ProviderError> {
        let cause = supervised::ended(self.records.directory())?;
        let ended = cause.is_some();
        self.ended.send_if_modified(|known| {
            let news = *known != cause;
            *known = cause;
            news
        });
        Ok(ended)
    }

    async fn stop(&mut self, name: &str) -> Result<(), ProviderError> {
        if !self.instances.contains(name) {
            return Ok(());
        }
        let mut remaining = self.instances.clone();
        remaining.remove(name);
        self.records.set_instances(&remaining)?;
        self.instances = remaining;
        if self.instances.is_empty() {
            self.stop_agent().await?;
            // The agent of the next instance is another one.
            self.allow()?;
            self.records.remove_units().await
        } else {
            Ok(())
        }
    }

    async fn destroy(&mut self) -> Result<(), ProviderError> {
        if self.records.directory().exists() {
            self.stop_agent().await?;
        }
        self.records.remove().await?;
        self.instances.clear();
        Ok(())
    }

    /// The agent runs afterwards, unless it ended for good: the one at hand, one that is found, or
    /// a new one.
    async fn ensure_agent(&mut self) -> Result<(), ProviderError> {
        if self.agent.is_some() {
            return Ok(());
        }
        let directory = self.records.directory();
        let agent = match AgentProcess::adopt(directory, self.clock.as_ref()).await? {
            Some(agent) => agent,
            None if self.has_ended()? => {
                self.restart_at = None;
                return Ok(());
            }
            None => {
                if self.records.config()?.is_none() {
                    return Err(ProviderError::NoConfiguration(directory.to_owned()));
                }
                let config = self.records.config_file();
                let agent = AgentProcess::spawn(&self.program, directory, &config)?;
                self.cgroup.take_in(agent.pid);
                agent
            }
        };
        tracing::info!(
            pid = agent.pid.as_raw_nonzero().get(),
            adopted = agent.adopted,
            directory = %directory.display(),
            "agent runs"
        );
        self.agent = Some(agent);
        self.starts += 1;
        self.started_at = self.clock.monotonic();
        self.restart_at = None;
        Ok(())
    }

    /// No agent runs afterwards.
    async fn stop_agent(&mut self) -> Result<(), ProviderError> {
        self.restart_at = None;
        self.deaths = 0;
        let directory = self.records.directory();
        let agent = match self.agent.take() {
            Some(agent) => Some(agent),
            None if directory.exists() => {
                AgentProcess::adopt(directory, self.clock.as_ref()).await?
            }
            None => None,
        };
        if let Some(agent) = agent {
            self.last_end = Some(agent.stop(self.patience.stop, self.clock.as_ref()).await?);
            self.cgroup.remove();
        }
        Ok(())
    }

    /// Plans the next start of an agent that ended, or did not come up, by itself.
    fn died(&mut self, how: String) {
        let lived = self.clock.monotonic().saturating_sub(self.started_at);
        if self.agent.take().is_some() && lived >= self.patience.settled {
            self.deaths = 0;
        }
        self.cgroup.remove();
        // A mark that cannot be read is none: rather an agent too many than none for ever.
        let for_good = self.has_ended().unwrap_or_default();
        if for_good {
            tracing::warn!(%how, directory = %self.records.directory().display(), "agent ended for good; it starts again when a person says so");
        } else if !self.instances.is_empty() {
            let wait = self
                .patience
                .first_restart
                .saturating_mul(1_u32.checked_shl(self.deaths).unwrap_or(u32::MAX))
                .min(self.patience.longest_restart);
            self.deaths = self.deaths.saturating_add(1).min(31);
            tracing::warn!(%how, ?wait, directory = %self.records.directory().display(), "agent ended by itself; it starts again");
            self.restart_at = Some(self.clock.monotonic() + wait);
        }
        self.last_end = Some(how);
    }

    fn show(&self) {
        let shown = json!({
            "provider": "local",
            "directory": self.records.directory().display().to_string(),
            "instances": self.instances,
            "agent-pid": self.agent.as_ref().map(|agent| agent.pid.as_raw_nonzero().get()),
            "adopted": self.agent.as_ref().is_some_and(|agent| agent.adopted),
            "agent-starts": self.starts,
            "restart-planned": self.restart_at.is_some(),
            "last-end": self.last_end,
            "cgroup": self.cgroup.describe(),
            "ended-for-good": *self.ended.borrow(),
        });
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = shown;
    }
}

pub(super) async fn agent_ended(agent: Option<&AgentProcess>) -> String {
    match agent {
        Some(agent) => agent.ended().await,
        None => std::future::pending().await,
    }
}
