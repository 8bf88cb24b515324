//! What leaves the process to tell about it: traces of API calls and hooks for an OpenTelemetry
//! collector that the operator names, and log lines for a syslog daemon ([`syslog`]).
//!
//! A span is recorded when what it tells of is over: it is handed in with its beginning and its
//! duration, so that nothing has to be carried through the code that is measured, and so that
//! hooks, which run in other processes, are told the same way as calls. Without a collector
//! recording is one comparison. Spans wait in a bounded queue and go out in batches from a
//! thread of their own; a collector that is slow or gone costs spans, never a call.
//!
//! It opens one connection, to the collector, and knows nothing of models.

mod collector;
mod error;
mod ids;
mod parent;
pub mod syslog;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use opentelemetry::trace::{Span as _, SpanBuilder, Status, Tracer as _, TracerProvider as _};
use opentelemetry::{Context as Otel, KeyValue};
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use periapt_model::workload::trace::Context;

pub use collector::Settings;
pub use error::TelemetryError;
pub use opentelemetry::trace::SpanKind;
pub use parent::Parent;

/// Where spans go. Clones go to the same place.
#[derive(Clone, Default)]
pub struct Spans {
    sink: Option<Arc<Sink>>,
}

struct Sink {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

/// Something that happened.
#[derive(Debug)]
pub struct Span {
    /// Of few different values: a route, a method, a hook.
    pub name: Cow<'static, str>,
    pub kind: SpanKind,
    /// Microseconds UTC.
    pub started_at: i64,
    pub duration: Duration,
    /// Who caused it, as the caller said.
    pub parent: Option<Parent>,
    pub attributes: Vec<(&'static str, Value)>,
    /// Why it did not go well.
    pub failure: Option<String>,
}

/// What an attribute may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Number(i64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Value::Number(number)
    }
}

impl Spans {
    /// Nowhere.
    pub fn off() -> Self {
        Self::default()
    }

    /// To the collector of the settings. Must be called within a tokio runtime, which then
    /// carries the connection.
    ///
    /// # Errors
    /// Settings that cannot be meant. A collector that does not answer is no error.
    pub fn start(settings: &Settings) -> Result<Self, TelemetryError> {
        let provider = collector::provider(settings)?;
        let tracer = provider.tracer("periapt");
        Ok(Self {
            sink: Some(Arc::new(Sink { provider, tracer })),
        })
    }

    /// Whether anybody listens; ask before putting a span together.
    pub fn is_on(&self) -> bool {
        self.sink.is_some()
    }

    pub fn record(&self, span: Span) {
        let Some(sink) = &self.sink else {
            return;
        };
        let started_at = SystemTime::UNIX_EPOCH
            + Duration::from_micros(u64::try_from(span.started_at).unwrap_or(0));
        let attributes = span
            .attributes
            .into_iter()
            .map(|(name, value)| match value {
                Value::Text(text) => KeyValue::new(name, text),
                Value::Number(number) => KeyValue::new(name, number),
            });
        let builder = SpanBuilder::from_name(span.name)
            .with_kind(span.kind)
            .with_start_time(started_at)
            .with_attributes(attributes);
        let parent = span.parent.map_or_else(Otel::new, Parent::into_context);
        let mut recorded = sink.tracer.build_with_context(builder, &parent);
        if let Some(failure) = span.failure {
            recorded.set_status(Status::error(failure));
        }
        recorded.end_with_timestamp(started_at + span.duration);
    }

    /// Records a span of something that happened elsewhere, under the number that it had there; `parent` is the number
    /// of another one of its trace.
    pub fn record_as(&self, context: Context, parent: Option<u64>, span: Span) {
        let parent = parent.map(|parent| Parent::of(context, parent));
        ids::with(context, || self.record(Span { parent, ..span }));
    }

    /// Sends what still waits and ends. Waits a few seconds at most.
    pub async fn shut_down(&self) {
        let Some(sink) = self.sink.clone() else {
            return;
        };
        // It blocks until the exporting thread is done.
        let ended = tokio::task::spawn_blocking(move || sink.provider.shutdown()).await;
        if let Ok(Err(error)) = ended {
            tracing::warn!(%error, "the last spans may not have reached the collector");
        }
    }
}
