//! The numbers of spans: at random, or those that a span had where it happened.
//!
//! The library takes a span's number from a generator alone, which it asks on the thread that begins the span; so a
//! number that is given waits for it there.

use std::cell::Cell;

use opentelemetry::trace::{SpanId, TraceId};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator};
use periapt_model::workload::trace::Context;

thread_local! {
    static GIVEN: Cell<Option<Context>> = const { Cell::new(None) };
}

/// Begins a span under its own number.
pub(crate) fn with<T>(context: Context, begin: impl FnOnce() -> T) -> T {
    GIVEN.set(Some(context));
    let begun = begin();
    GIVEN.set(None);
    begun
}

#[derive(Debug, Default)]
pub(crate) struct Ids(RandomIdGenerator);

impl IdGenerator for Ids {
    fn new_trace_id(&self) -> TraceId {
        match GIVEN.get() {
            Some(context) => TraceId::from(context.trace()),
            None => self.0.new_trace_id(),
        }
    }

    fn new_span_id(&self) -> SpanId {
        match GIVEN.get() {
            Some(context) => SpanId::from(context.span()),
            None => self.0.new_span_id(),
        }
    }
}
