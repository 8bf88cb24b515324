//! What is seen of the controller while it works, gathered for the life of the process: its
//! counters, its traces, and the way to ask agents about themselves.

use std::time::Duration;

use periapt_engine::SharedClock;
use periapt_model::{ModelUuid, UnitName};
use periapt_telemetry::{Span, SpanKind, Spans};
use periapt_wire::rest::AgentIntrospection;

use crate::health::Health;
use crate::metrics::Metrics;
use crate::reports::AgentReports;

/// Clones share it. It outlives restarts of the API server.
#[derive(Clone)]
pub struct Observation {
    pub metrics: Metrics,
    pub spans: Spans,
    /// Asks agents for a look into their processes.
    pub agents: AgentReports<AgentIntrospection>,
    pub health: Health,
}

/// A hook that ran.
#[derive(Clone, Copy, Debug)]
pub struct HookEnd<'a> {
    pub model: &'a ModelUuid,
    pub unit: &'a UnitName,
    pub hook: &'a str,
    /// Microseconds UTC.
    pub started_at: i64,
    pub took: Duration,
    /// Why it failed.
    pub failure: Option<&'a str>,
}

impl Observation {
    pub fn new(clock: SharedClock, spans: Spans) -> Self {
        Self {
            metrics: Metrics::new(clock.clone()),
            agents: AgentReports::new(clock.clone()),
            health: Health::new(clock),
            spans,
        }
    }

    /// A hook ended: it is counted and traced. The span is made here because agents open no
    /// connections but the one to the controller.
    pub fn hook(&self, end: HookEnd<'_>) {
        let HookEnd {
            model, unit, hook, ..
        } = end;
        self.metrics
            .hook(model, unit, hook, end.took, end.failure.is_none());
        if self.spans.is_on() {
            let result = if end.failure.is_none() {
                "ok"
            } else {
                "failed"
            };
            self.spans.record(Span {
                name: format!("hook {hook}").into(),
                kind: SpanKind::Internal,
                started_at: end.started_at,
                duration: end.took,
                parent: None,
                attributes: vec![
                    ("periapt.model", model.to_string().into()),
                    ("periapt.application", unit.application().to_string().into()),
                    ("periapt.unit", unit.to_string().into()),
                    ("periapt.hook", hook.into()),
                    ("periapt.hook.result", result.into()),
                ],
                failure: end.failure.map(str::to_owned),
            });
        }
    }

    /// A unit records that it is about to run a hook.
    pub fn hook_begins(&self, model: &ModelUuid, unit: &UnitName, hook: String) {
        self.metrics.begun().begin(model, unit, hook);
    }

    /// The hook that the unit was seen to begin ended.
    pub fn hook_ends(&self, model: &ModelUuid, unit: &UnitName, failure: Option<&str>) {
        if let Some(ran) = self.metrics.begun().end(model, unit) {
            self.hook(HookEnd {
                model,
                unit,
                hook: &ran.hook,
                started_at: ran.started_at,
                took: ran.took,
                failure,
            });
        }
    }
}
