//! What is seen of the controller while it works, gathered for the life of the process: its
//! counters, its traces, and the way to ask agents.

use std::time::Duration;

use periapt_engine::SharedClock;
use periapt_model::workload::trace;
use periapt_model::{ModelUuid, Tag, UnitName};
use periapt_telemetry::{Span, SpanKind, Spans};
use periapt_wire::agent::uniter::HookReport;
use periapt_wire::agent::workloads::UnitSpan;

use crate::health::Health;
use crate::metrics::Metrics;
use crate::questions::Questions;

mod requests;

/// Clones share it. It outlives restarts of the API server.
#[derive(Clone)]
pub struct Observation {
    pub metrics: Metrics,
    pub spans: Spans,
    /// Asks agents, about themselves and about files of units.
    pub questions: Questions,
    pub health: Health,
}

impl Observation {
    pub fn new(clock: SharedClock, spans: Spans) -> Self {
        Self {
            metrics: Metrics::new(clock.clone()),
            questions: Questions::new(clock.clone()),
            health: Health::new(clock),
            spans,
        }
    }

    /// What requests to units went through, of which nobody but this process tells the collector. Of one call no more
    /// is told than an agent has for one.
    pub fn requests(&self, model: &ModelUuid, records: Vec<UnitSpan>) {
        if !self.spans.is_on() {
            return;
        }
        for record in records.into_iter().take(trace::SPANS) {
            if let Tag::Unit(unit) = record.entity {
                requests::record(&self.spans, model, &unit, record.span.bounded());
            }
        }
    }

    /// A hook ended: it is counted and traced. The span is made here because agents open no
    /// connections but the one to the controller.
    pub fn hook(&self, model: &ModelUuid, unit: &UnitName, run: &HookReport) {
        let duration = Duration::from_micros(u64::try_from(run.duration).unwrap_or(0));
        let failed = !run.code.is_empty();
        self.metrics.hook(model, unit, &run.hook, duration, !failed);
        if self.spans.is_on() {
            let result = if failed { "failed" } else { "ok" };
            self.spans.record(Span {
                name: format!("hook {}", run.hook).into(),
                kind: SpanKind::Internal,
                started_at: run.started_at,
                duration,
                parent: None,
                attributes: vec![
                    ("periapt.model", model.to_string().into()),
                    ("periapt.application", unit.application().to_string().into()),
                    ("periapt.unit", unit.to_string().into()),
                    ("periapt.hook", run.hook.clone().into()),
                    ("periapt.hook.result", result.into()),
                ],
                failure: failed.then(|| run.message.clone()),
            });
        }
    }
}
