//! A call of a facade, seen from outside its handler: counted, timed and traced.

use std::time::Duration;

use periapt_telemetry::{Span, SpanKind};

use super::error::RpcError;
use super::session::Session;
use crate::access::{Effect, Rule};
use crate::rest::observe::kind;

/// When a call began.
pub(super) struct Seen {
    began: Duration,
    started_at: i64,
}

impl Seen {
    pub(super) fn begin(session: &Session) -> Self {
        let clock = session.state().clock();
        Self {
            began: clock.monotonic(),
            started_at: clock.now().as_microsecond(),
        }
    }

    pub(super) fn end<T>(self, session: &Session, rule: &Rule, result: &Result<T, RpcError>) {
        let observation = session.state().observation();
        let took = session
            .state()
            .clock()
            .monotonic()
            .saturating_sub(self.began);
        let code = match result {
            Ok(_) => "ok",
            Err(error) if error.code().is_empty() => "error",
            Err(error) => error.code(),
        };
        let waits = rule.effect == Effect::Wait;
        observation
            .metrics
            .call(rule.facade, rule.method, code, (!waits).then_some(took));
        if observation.spans.is_on() {
            observation.spans.record(Span {
                name: format!("{}.{}", rule.facade, rule.method).into(),
                kind: SpanKind::Server,
                started_at: self.started_at,
                duration: took,
                parent: None,
                attributes: vec![
                    ("rpc.service", rule.facade.into()),
                    ("rpc.method", rule.method.into()),
                    ("periapt.rpc.result", code.into()),
                    ("periapt.user.kind", kind(Some(session.identity())).into()),
                ],
                failure: result.as_ref().err().map(|error| error.message.clone()),
            });
        }
    }
}
