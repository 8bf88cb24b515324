//! Requests that are traced: which, and what is told of each when its answer was passed on.
//!
//! Only models of whose traces somebody wants to hear have any. Of these so many in a second are traced
//! ([`trace::admit`]); one that is not costs a look at the table and at one number.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::header::{HeaderMap, HeaderName};
use hyper::{Request, StatusCode};
use periapt_model::workload::trace::{self, Context, OfUnit, Part};
use periapt_model::{ModelUuid, UnitName};
use periapt_serving::trace::{Begun, put};
use tokio::time::Instant;

use super::table::Way;
use crate::channel::Outbox;
use crate::frames::FromGate;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// Decides which requests are traced. Clones share their shares.
#[derive(Clone)]
pub struct Traces(Arc<Shares>);

struct Shares {
    outbox: Outbox<FromGate>,
    since: Instant,
    begun: AtomicU64,
    continued: AtomicU64,
}

/// A request that is traced. It is told of when this is dropped.
pub struct Traced {
    outbox: Outbox<FromGate>,
    begun: Begun,
    model: ModelUuid,
    unit: UnitName,
    status: u16,
}

impl Traces {
    pub fn new(outbox: Outbox<FromGate>) -> Self {
        Self(Arc::new(Shares {
            outbox,
            since: Instant::now(),
            begun: AtomicU64::default(),
            continued: AtomicU64::default(),
        }))
    }

    /// Whether a request is traced, for a model of whose traces somebody wants to hear. `unit` is the one to which
    /// it will probably come.
    pub fn begin<B>(
        &self,
        (model, unit): (&ModelUuid, &UnitName),
        host: &str,
        request: &mut Request<B>,
    ) -> Option<Box<Traced>> {
        let asked = asked(request.headers());
        let window = match asked {
            Some(_) => &self.0.continued,
            None => &self.0.begun,
        };
        let second = self.0.since.elapsed().as_secs();
        // Ages go by before it is another one.
        let second = u32::try_from(second).unwrap_or(u32::MAX);
        let admit = |window| trace::admit(asked, window, second);
        window
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, admit)
            .ok()?;
        if asked.is_none() {
            // Of a trace that this is no part of.
            request.headers_mut().remove(TRACESTATE);
        }
        let said = (request.method().as_str(), host, request.uri().path());
        Some(Box::new(Traced {
            outbox: self.0.outbox.clone(),
            begun: Begun::now(Part::Gate, asked, said),
            model: model.clone(),
            unit: unit.clone(),
            status: 0,
        }))
    }
}

/// What the client says of its trace. Who says it twice says nothing.
fn asked(headers: &HeaderMap) -> Option<Context> {
    let mut said = headers.get_all(TRACEPARENT).iter();
    let one = said.next()?.to_str().ok()?;
    match said.next() {
        Some(_) => None,
        None => Context::read(one),
    }
}

impl Traced {
    /// Says so to the process that serves.
    pub fn mark(&self, headers: &mut HeaderMap) {
        put(headers, self.begun.context());
    }

    /// To whom it goes now.
    pub fn goes(&mut self, way: &Way) {
        self.unit.clone_from(&way.unit);
    }

    pub fn answered(&mut self, status: StatusCode) {
        self.status = status.as_u16();
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        let of = OfUnit {
            unit: self.unit.clone(),
            span: self.begun.end(self.status, None),
        };
        let told = FromGate::Traced(self.model.clone(), Box::new(of));
        // A supervisor that does not read is gone, which the next frame tells.
        let _ = self.outbox.send(&told, Vec::new());
    }
}
