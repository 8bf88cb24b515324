//! **logforwarder**: sends the model's log to a syslog daemon elsewhere.
//!
//! Trigger: the model's `logforward-enabled`, `syslog-host` and `syslog-*-cert` settings. Action:
//! while they are there and make sense, it streams the log as RFC 5424 over TCP or, with an
//! authority's certificate, over TLS, from the last line it sent; the first time it begins with
//! the last 100 lines. Effect: lines arrive at the target, each once. A target that cannot be
//! reached is tried again, ever more slowly, and the report says so; settings that make no sense
//! are logged, and the worker idles until they change.
//!
//! What it cannot know: syslog has no receipts. What the operating system took for a target that
//! died before reading it is lost; it is never sent twice on purpose.

use std::pin::pin;
use std::time::Duration;

use periapt_client::{ApiConnection, CallError};
use periapt_engine::{
    Manifold, ResultExt, SharedClock, TaskWorker, WorkerContext, WorkerResult, clock,
};
use periapt_model::config::{Value, Values};
use periapt_store::model_config::truth;
use periapt_telemetry::syslog::{Line, Remote, Severity, SyslogError, Target, Tls, rfc5424};
use periapt_wire::agent::log_forwarding::{
    GetLastSent, GetLogLines, LogLines, SetLastSent, WatchLogLines,
};
use periapt_wire::agent::model_config::{GetModelConfig, WatchModelConfig};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{ModelContext, agent, apicaller};

#[cfg(test)]
mod tests;

pub const NAME: &str = "log-forwarder";

/// Its name among the places that logs are forwarded to; Juju's.
const SINK: &str = "juju-log-forward";
/// Lines of the past at the first time; Juju's number.
const TAIL: u64 = 100;
/// Lines sent at a time.
const PAGE: u64 = 200;
/// Bound of one attempt to connect, and of one page.
const PATIENCE: Duration = Duration::from_secs(20);
/// Pause before the next attempt; it doubles up to the second.
const RETRY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let model: ModelContext = context.get(agent::NAME)?;
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let clock = context.clock();
        Ok(TaskWorker::spawn(move |worker| async move {
            let forwarder = Forwarder {
                worker,
                model,
                api,
                clock,
            };
            forwarder.run().await
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}

/// What the configuration asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wish {
    host: String,
    authority: String,
    certificate: String,
    key: String,
}

impl Wish {
    /// None while forwarding is off.
    fn read(config: &Values) -> Option<Self> {
        let text = |key: &str| config.get(key).map(Value::to_string).unwrap_or_default();
        truth(config, "logforward-enabled").then(|| Self {
            host: text("syslog-host"),
            authority: text("syslog-ca-cert"),
            certificate: text("syslog-client-cert"),
            key: text("syslog-client-key"),
        })
    }

    fn target(&self) -> Result<Target, SyslogError> {
        let Wish {
            host,
            authority,
            certificate,
            key,
        } = self;
        if host.is_empty() {
            return Err(SyslogError::Invalid("syslog-host is not set".to_owned()));
        }
        if authority.trim().is_empty() && !(certificate.is_empty() && key.is_empty()) {
            return Err(SyslogError::Invalid(
                "a client's certificate needs syslog-ca-cert too".to_owned(),
            ));
        }
        let tls = Tls {
            authority,
            certificate,
            key,
        };
        Target::new(host, (!authority.trim().is_empty()).then_some(tls))
    }
}

struct Forwarder {
    worker: WorkerContext,
    model: ModelContext,
    api: ApiConnection,
    clock: SharedClock,
}

impl Forwarder {
    async fn run(self) -> WorkerResult {
        let watch = self
            .worker
            .or_dying(self.api.watch(&WatchModelConfig {}))
            .await?;
        let mut changes = watch.while_doing("watching the model's configuration")?;
        let mut wish = None;
        let mut first = true;
        loop {
            if !first {
                self.worker
                    .or_dying(changes.next())
                    .await?
                    .while_doing("watching the model's configuration")?;
                let now = self
                    .wish()
                    .await
                    .while_doing("reading the model's configuration")?;
                if now == wish {
                    continue;
                }
                wish = now;
            } else {
                wish = self
                    .wish()
                    .await
                    .while_doing("reading the model's configuration")?;
                first = false;
            }
            // As long as one wish is replaced by the next while lines are forwarded.
            while let Some(target) = self.announce(wish.as_ref()) {
                let stop = self.worker.dying().child_token();
                let mut forward = pin!(self.forward(&target, &stop));
                let next = loop {
                    tokio::select! {
                        ended = &mut forward => return ended.while_doing("forwarding the log"),
                        event = changes.next() => event.while_doing("watching the model's configuration")?,
                    };
                    let now = self
                        .wish()
                        .await
                        .while_doing("reading the model's configuration")?;
                    if now != wish {
                        break now;
                    }
                };
                // Between two pages: what was sent is recorded as sent.
                stop.cancel();
                forward.await.while_doing("forwarding the log")?;
                wish = next;
            }
        }
    }

    async fn wish(&self) -> Result<Option<Wish>, CallError> {
        Ok(Wish::read(&self.api.call(&GetModelConfig {}).await?))
    }

    /// The target to send to, if any; otherwise the report says why there is none.
    fn announce(&self, wish: Option<&Wish>) -> Option<Target> {
        match wish.map(Wish::target) {
            None => self.worker.set_report(json!({ "state": "off" })),
            Some(Err(error)) => {
                tracing::error!(model = %self.model.uuid, %error, "log forwarding is not set up right");
                self.worker
                    .set_report(json!({ "state": "invalid", "error": error.to_string() }));
            }
            Some(Ok(target)) => return Some(target),
        }
        None
    }

    /// Until told to stop. An error is one of the API; the target's are waited out.
    async fn forward(&self, target: &Target, stop: &CancellationToken) -> Result<(), CallError> {
        let mut pause = RETRY.0;
        let mut sent = 0;
        while !stop.is_cancelled() {
            let attempt = clock::timeout(self.clock.as_ref(), PATIENCE, target.connect());
            let attempt = tokio::select! {
                () = stop.cancelled() => return Ok(()),
                attempt = attempt => attempt,
            };
            let trouble = match attempt {
                Some(Ok(remote)) => {
                    self.tell(target, "connected", sent, None);
                    let before = sent;
                    match self.stream(target, remote, stop, &mut sent).await? {
                        None => return Ok(()),
                        Some(trouble) => {
                            if sent > before {
                                pause = RETRY.0;
                            }
                            trouble.to_string()
                        }
                    }
                }
                Some(Err(error)) => error.to_string(),
                None => format!("{target} does not answer"),
            };
            tracing::warn!(model = %self.model.uuid, error = trouble, "log forwarding interrupted");
            self.tell(target, "retrying", sent, Some(&trouble));
            tokio::select! {
                () = stop.cancelled() => return Ok(()),
                () = self.clock.sleep(pause) => {}
            }
            pause = (pause * 2).min(RETRY.1);
        }
        Ok(())
    }

    /// Sends over one connection; what broke it, or none when told to stop.
    async fn stream(
        &self,
        target: &Target,
        mut remote: Remote,
        stop: &CancellationToken,
        sent: &mut u64,
    ) -> Result<Option<SyslogError>, CallError> {
        let mut written = self.api.watch(&WatchLogLines {}).await?;
        let sink = || SINK.to_owned();
        let mut after = self.api.call(&GetLastSent { sink: sink() }).await?;
        loop {
            let lines = GetLogLines {
                after,
                tail: TAIL,
                limit: PAGE,
            };
            let page = self.api.call(&lines).await?;
            if !page.records.is_empty() {
                let bytes = self.bytes(&page);
                // A target that is gone by now is not given the page.
                let sending = async {
                    tokio::select! {
                        biased;
                        error = remote.gone() => return Err(error),
                        () = std::future::ready(()) => {}
                    }
                    remote.send(&bytes).await
                };
                match clock::timeout(self.clock.as_ref(), PATIENCE, sending).await {
                    Some(Ok(())) => {}
                    Some(Err(error)) => return Ok(Some(error)),
                    None => {
                        return Ok(Some(SyslogError::Lost {
                            target: target.to_string(),
                            source: std::io::ErrorKind::TimedOut.into(),
                        }));
                    }
                }
                *sent += page.records.len() as u64;
            }
            if after != Some(page.position) {
                let position = page.position;
                self.api
                    .call(&SetLastSent {
                        sink: sink(),
                        position,
                    })
                    .await?;
                after = Some(position);
                self.tell(target, "connected", *sent, None);
            }
            if stop.is_cancelled() {
                return Ok(None);
            }
            if page.complete {
                tokio::select! {
                    () = stop.cancelled() => return Ok(None),
                    error = remote.gone() => return Ok(Some(error)),
                    event = written.next() => { event?; }
                }
            }
        }
    }

    fn bytes(&self, page: &LogLines) -> Vec<u8> {
        let mut bytes = Vec::new();
        for record in &page.records {
            bytes.extend(rfc5424(&Line {
                severity: Severity::of_level(&record.level),
                time: record.time,
                controller: self.model.controller.as_str(),
                model: self.model.uuid.as_str(),
                entity: &record.entity.to_string(),
                module: &record.module,
                message: &record.message,
            }));
        }
        bytes
    }

    fn tell(&self, target: &Target, state: &str, sent: u64, error: Option<&str>) {
        self.worker.set_report(json!({
            "state": state,
            "target": target.to_string(),
            "tls": target.is_encrypted(),
            "sent": sent,
            "error": error,
        }));
    }
}
