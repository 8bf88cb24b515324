//! The caller's own span, as it comes in the W3C headers `traceparent` and `tracestate`.

use std::collections::HashMap;

use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::TraceContextExt;
use opentelemetry_sdk::propagation::TraceContextPropagator;

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

    pub(crate) fn into_context(self) -> Context {
        self.0
    }
}
