//! **logforwarder**: sends the model's log to a syslog daemon elsewhere.
//!
//! Trigger: the model's `logforward-enabled`, `syslog-host` and `syslog-*` options, and whether the
//! controller lets the model name that host. Action:
//! while they are there and make sense, it streams the log as RFC 5424 over TCP or, with an
//! authority's certificate, over TLS, from the last line it sent; the first time it begins with
//! the last 100 lines. Effect: lines arrive at the target, each once. A target that cannot be
//! reached is tried again, ever more slowly, and the report says so; settings that make no sense
//! are logged, and the worker idles until they change.
//!
//! It loops by itself: it waits for the options while it forwards, and lets a page come to its end before
//! another destination takes over.
//!
//! What it cannot know: syslog has no receipts. What the operating system took for a target that
//! died before reading it is lost; it is never sent twice on purpose.

use std::pin::pin;
use std::time::Duration;

use periapt_engine::{
    Manifold, ResultExt, SharedClock, TaskWorker, WorkerContext, WorkerError, WorkerResult, clock,
};
use periapt_telemetry::syslog::{Line, Remote, Severity, SyslogError, Target, Tls, rfc5424};
use periapt_wire::agent::log_forwarding::{
    Destination, GetDestination, GetLastSent, GetLogLines, LogLines, SetLastSent, WatchLogLines,
};
use periapt_wire::agent::model_config::WatchModelConfig;
use periapt_wire::{ApiConnection, CallError};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{ModelContext, agent, apicaller};
use crate::watching::Watching;

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

/// The daemon that the configuration asks for.
fn target(wanted: &Destination) -> Result<Target, SyslogError> {
    let Destination {
        host,
        allowed,
        authority,
        certificate,
        key,
    } = wanted;
    let invalid = |why: &str| Err(SyslogError::Invalid(why.to_owned()));
    if host.is_empty() {
        return invalid("syslog-host is not set");
    }
    if !allowed {
        return invalid(
            "syslog-host was not set by a superuser and is not in the controller's syslog-allowed-hosts",
        );
    }
    if authority.trim().is_empty() && !(certificate.is_empty() && key.is_empty()) {
        return invalid("a client's certificate needs syslog-ca-cert too");
    }
    let tls = Tls {
        authority,
        certificate,
        key,
    };
    Target::new(host, (!authority.trim().is_empty()).then_some(tls))
}

struct Forwarder {
    worker: WorkerContext,
    model: ModelContext,
    api: ApiConnection,
    clock: SharedClock,
}

impl Forwarder {
    async fn run(self) -> WorkerResult {
        let (watch, doing) = (WatchModelConfig {}, "watching the model's configuration");
        let mut options = Watching::begin(&self.worker, &self.api, &watch, doing).await?;
        let mut wanted = None;
        let mut first = true;
        loop {
            if !first {
                options.changed().await?;
                let now = self.wanted().await?;
                if now == wanted {
                    continue;
                }
                wanted = now;
            } else {
                wanted = self.wanted().await?;
                first = false;
            }
            // As long as one destination is replaced by the next while lines are forwarded.
            while let Some(target) = self.announce(wanted.as_ref()) {
                let stop = self.worker.dying().child_token();
                let mut forward = pin!(self.forward(&target, &stop));
                let next = loop {
                    tokio::select! {
                        ended = &mut forward => return ended.while_doing("forwarding the log"),
                        event = options.changed() => event?,
                    };
                    let now = self.wanted().await?;
                    if now != wanted {
                        break now;
                    }
                };
                // Between two pages: what was sent is recorded as sent.
                stop.cancel();
                forward.await.while_doing("forwarding the log")?;
                wanted = next;
            }
        }
    }

    async fn wanted(&self) -> Result<Option<Destination>, WorkerError> {
        let wanted = self.api.call(&GetDestination {}).await;
        wanted.while_doing("reading the model's configuration")
    }

    /// The target to send to, if any; otherwise the report says why there is none.
    fn announce(&self, wanted: Option<&Destination>) -> Option<Target> {
        match wanted.map(target) {
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
