//! The caller's own span, as it comes in the W3C headers `traceparent` and `tracestate`.

use std::collections::HashMap;

use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use periapt_model::workload::trace::Context as Traced;

/// A caller's span. When the caller does not record it, what it causes is not recorded either.
#[derive(Clone, Debug)]
pub struct Parent(Context);

impl Parent {
    /// None unless `traceparent` is well-formed, as the standard asks.
    pub fn read(traceparent: &str, tracestate: Option<&str>) -> Option<Self> {
        let mut headers = HashMap::from([("traceparent".to_owned(), traceparent.to_owned())]);
        if let Some(state) = tracestate {
            headers.insert("tracestate".to_owned(), state.to_owned());
        }
        let context = TraceContextPropagator::new().extract_with_context(&Context::new(), &headers);
        context
            .span()
            .span_context()
            .is_valid()
            .then(|| Self(context.clone()))
    }

    /// A span of the same trace that somebody else tells of.
    pub(crate) fn of(context: Traced, span: u64) -> Self {
        let ids = (TraceId::from(context.trace()), SpanId::from(span));
        let flags = TraceFlags::SAMPLED;
        let remote = SpanContext::new(ids.0, ids.1, flags, true, TraceState::NONE);
        Self(Context::new().with_remote_span_context(remote))
    }

    pub(crate) fn into_context(self) -> Context {
        self.0
    }
}
