//! **syslogger**: the local syslog daemon as a place for models' logs.
//!
//! Trigger: lines of models whose `logging-output` names syslog, and the controller's
//! `syslog-target`. Action: it writes the lines with the severity of their level, to a unix
//! socket in the daemon's local form or to a TCP port in RFC 5424. Effect: `journalctl -t
//! periapt` shows the model's warning. Without a target, which is the default, lines are
//! discarded here; the database has them all the same. A daemon that is away is tried again,
//! and the lines of the time between come then, as long as the model's log holds them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use periapt_engine::{
    Manifold, ResultExt, SharedClock, TaskWorker, WorkerContext, WorkerError, WorkerResult,
};
use periapt_model::ModelUuid;
use periapt_model::config::Value;
use periapt_store::{Interest, Store, StoreError, Subscription, namespace};
use periapt_telemetry::syslog::{self, Line, Local, Remote, Severity, SyslogError, Target};
use periapt_wire::agent::log_sink::LogRecord;
use serde_json::json;

use super::{agent, changestream, dbaccessor};
use crate::ControllerContext;

pub const NAME: &str = "syslog";

/// Its name among the places that logs are forwarded to.
const SINK: &str = "local-syslog";
/// Lines read and written at a time.
const PAGE: u64 = 500;
/// Pause before a daemon that is away is tried again.
const RETRY: Duration = Duration::from_secs(5);

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let store: Store = context.get(dbaccessor::NAME)?;
        context.require(changestream::NAME)?;
        let interest = Interest::any_model()
            .all(namespace::CONTROLLER_CONFIG)
            .all(namespace::MODEL_CONFIG)
            .all(namespace::MODEL)
            .all(namespace::LOG);
        let changes = store.changes().subscribe(interest);
        let logger = Syslogger {
            controller: controller.config.uuid.clone(),
            store,
            changes,
            clock: context.clock(),
            following: Vec::new(),
            lines: 0,
        };
        Ok(TaskWorker::spawn(|worker| logger.run(worker)))
    })
    .needs([agent::NAME, dbaccessor::NAME, changestream::NAME])
}

struct Syslogger {
    controller: ModelUuid,
    store: Store,
    changes: Subscription,
    clock: SharedClock,
    /// Models whose log goes to syslog; none without a target.
    following: Vec<ModelUuid>,
    lines: u64,
}

/// An open way to the daemon.
enum Daemon {
    Socket(Local),
    Port(Remote),
}

impl Daemon {
    async fn open(target: &str) -> Result<Self, SyslogError> {
        match target.split_once(':') {
            Some(("unix", path)) => Ok(Daemon::Socket(Local::connect(&PathBuf::from(path))?)),
            Some(("tcp", address)) => {
                Ok(Daemon::Port(Target::new(address, None)?.connect().await?))
            }
            _ => Err(SyslogError::Invalid(format!("\"{target}\" is no target"))),
        }
    }

    async fn write(&mut self, line: &Line<'_>) -> Result<(), SyslogError> {
        match self {
            Daemon::Socket(socket) => socket.send(&syslog::local(line)).await,
            Daemon::Port(port) => port.send(&syslog::rfc5424(line)).await,
        }
    }
}

impl Syslogger {
    async fn run(mut self, worker: WorkerContext) -> WorkerResult {
        let mut open: Option<(String, Daemon)> = None;
        let mut target = String::new();
        let mut stale = true;
        loop {
            if stale {
                target = self.target().await.while_doing("reading syslog-target")?;
                if open.as_ref().is_some_and(|(at, _)| *at != target) {
                    open = None;
                }
                self.following = match target.as_str() {
                    "" => Vec::new(),
                    _ => self.models().await.while_doing("reading models")?,
                };
            }
            let mut trouble = None;
            if !target.is_empty() {
                if open.is_none() {
                    match worker.or_dying(Daemon::open(&target)).await? {
                        Ok(daemon) => open = Some((target.clone(), daemon)),
                        Err(error) => trouble = Some(error),
                    }
                }
                if let Some((_, daemon)) = &mut open {
                    trouble = self.catch_up(daemon).await?;
                    if trouble.is_some() {
                        open = None;
                    }
                }
            }
            let mut report = json!({ "target": target, "lines": self.lines });
            if let Some(error) = &trouble {
                tracing::warn!(%error, "the syslog daemon cannot be reached");
                report["error"] = error.to_string().into();
            }
            worker.set_report(report);
            let retry = self.clock.sleep(RETRY);
            stale = tokio::select! {
                () = worker.dying().cancelled() => return Ok(()),
                () = retry, if trouble.is_some() => false,
                stale = self.wake() => stale.while_doing("watching logs")?,
            };
        }
    }

    /// Waits for something to do; whether settings changed rather than logs. Most lines are of
    /// models that go nowhere, and cost nothing here.
    async fn wake(&mut self) -> Result<bool, StoreError> {
        loop {
            let changes = self.changes.next().await?;
            if changes
                .iter()
                .any(|change| change.namespace != namespace::LOG)
            {
                return Ok(true);
            }
            let followed = |model: &str| self.following.iter().any(|uuid| uuid.as_str() == model);
            if changes.iter().any(|change| followed(&change.model)) {
                return Ok(false);
            }
        }
    }

    async fn target(&self) -> Result<String, StoreError> {
        let values = self.store.controller_config().await?;
        Ok(values
            .get("syslog-target")
            .map(Value::to_string)
            .unwrap_or_default())
    }

    /// Writes what the daemon does not have yet; what kept it from all of it.
    async fn catch_up(&mut self, daemon: &mut Daemon) -> Result<Option<SyslogError>, WorkerError> {
        for model in self.following.clone() {
            match self.catch_up_model(daemon, &model).await {
                Ok(None) | Err(StoreError::NotFound { .. }) => {}
                Ok(trouble) => return Ok(trouble),
                Err(error) => return Err(error).while_doing("reading a log"),
            }
        }
        Ok(None)
    }

    async fn catch_up_model(
        &mut self,
        daemon: &mut Daemon,
        model: &ModelUuid,
    ) -> Result<Option<SyslogError>, StoreError> {
        let mut position = match self.store.log_forwarded(model, SINK).await? {
            Some(position) => position,
            None => {
                // From now on: the past is in the database.
                let end = self.store.log_lines(model, None, 0, PAGE).await?.position;
                self.store.set_log_forwarded(model, SINK, end).await?;
                end
            }
        };
        loop {
            let page = self.store.log_lines(model, Some(position), 0, PAGE).await?;
            for record in &page.records {
                let entity = record.entity.to_string();
                let line = line(&self.controller, model, &entity, record);
                if let Err(error) = daemon.write(&line).await {
                    return Ok(Some(error));
                }
                self.lines += 1;
            }
            if page.position != position {
                position = page.position;
                self.store.set_log_forwarded(model, SINK, position).await?;
            }
            if page.complete {
                return Ok(None);
            }
        }
    }

    /// Models whose log goes to syslog.
    async fn models(&self) -> Result<Vec<ModelUuid>, StoreError> {
        let mut models = BTreeMap::new();
        for model in self.store.models().await? {
            let Ok(config) = self.store.model_config(&model.uuid).await else {
                // Gone since it was listed.
                continue;
            };
            let outputs = config
                .get("logging-output")
                .map(Value::to_string)
                .unwrap_or_default();
            if outputs.split(',').any(|output| output.trim() == "syslog") {
                models.insert(model.uuid.to_string(), model.uuid);
            }
        }
        Ok(models.into_values().collect())
    }
}

fn line<'a>(
    controller: &'a ModelUuid,
    model: &'a ModelUuid,
    entity: &'a str,
    record: &'a LogRecord,
) -> Line<'a> {
    Line {
        severity: Severity::of_level(&record.level),
        time: record.time,
        controller: controller.as_str(),
        model: model.as_str(),
        entity,
        module: &record.module,
        message: &record.message,
    }
}
