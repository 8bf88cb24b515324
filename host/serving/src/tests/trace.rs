//! Requests that are traced, and those that are not.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use periapt_model::workload::trace::{Context, Part, Span};

use super::egress::{Upstream, sends};
use super::stage::{Stage, get};
use crate::trace::{FIELD, begin, own, put, take};

const GIVEN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
/// Of the same trace, and of another.
const GUESTS: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00000000000000aa-01";
const OTHERS: &str = "00-00000000000000000000000000000bad-00000000000000aa-01";

fn traced() -> Request<Full<Bytes>> {
    let mut request = get("/page?secret=1");
    put(request.headers_mut(), Context::read(GIVEN).unwrap());
    take(&mut request);
    request
}

#[test]
fn a_guest_is_told_of_its_own_span() {
    let mut request = traced();
    request
        .headers_mut()
        .insert("traceparent", OTHERS.parse().unwrap());
    let begun = begin(&mut request).unwrap();
    let given = Context::read(GIVEN).unwrap();
    assert_eq!(begun.context().trace(), given.trace());
    assert_ne!(begun.context().span(), given.span());
    let named = begun.context().to_string();
    assert_eq!(request.headers()["traceparent"], named.as_str());
    assert!(!request.headers().contains_key(FIELD));
    assert_eq!(own(&request), Some(begun.context()));
    let span = begun.end(200, None);
    assert_eq!(
        (span.part, span.parent),
        (Part::Instance, Some(given.span()))
    );
    assert_eq!((span.method.as_str(), span.path.as_str()), ("GET", "/page"));
    assert_eq!(span.authority, "site.demo.localhost");
    assert!(span.started_at > 1_700_000_000_000_000);

    let mut damaged = get("/");
    damaged.headers_mut().insert(FIELD, "x".parse().unwrap());
    take(&mut damaged);
    assert!(begin(&mut damaged).is_none() && damaged.headers().is_empty());
}

/// The spans that were told of, the last first, and the head that came where the guest sent it.
async fn sent(request: Request<Full<Bytes>>, said: &str) -> (Stage, Vec<Span>, String) {
    let upstream = Arc::<Upstream>::default();
    let stage = sends("api.example.com:8080", said, &upstream);
    let (status, body) = stage.ask(request).await;
    assert_eq!((status.as_u16(), body.is_ok()), (204, true));
    let mut spans = Vec::new();
    // The last is told of when its guest is gone.
    for _ in 0..200 {
        spans = stage.heard.spans.lock().unwrap().clone();
        spans.sort_by_key(|span| span.part != Part::Call);
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    let heads = upstream.heads.lock().unwrap().clone();
    (stage, spans, heads.concat())
}

#[tokio::test]
async fn what_an_instance_sends_is_part_of_it() {
    let (_stage, spans, head) = sent(traced(), "").await;
    let [call, instance] = spans.as_slice() else {
        panic!("{spans:?}");
    };
    assert_eq!((call.part, instance.part), (Part::Call, Part::Instance));
    assert_eq!(call.parent, Some(instance.context.span()));
    assert_eq!((call.status, instance.status), (204, 204));
    assert_eq!(call.authority, "api.example.com:8080");
    assert_eq!((&call.failure, &instance.failure), (&None, &None));
    for field in ["traceparent", FIELD.as_str()] {
        let line = format!("{field}: {}\r\n", call.context);
        assert!(head.contains(&line), "{head}");
    }
}

#[tokio::test]
async fn a_span_that_a_guest_names_itself_is_left_to_it() {
    let (_stage, spans, head) = sent(traced(), GUESTS).await;
    assert_eq!(spans.len(), 1, "{spans:?}");
    for field in ["traceparent", FIELD.as_str()] {
        assert!(head.contains(&format!("{field}: {GUESTS}\r\n")), "{head}");
    }
    let (_stage, spans, head) = sent(traced(), OTHERS).await;
    assert_eq!(spans.len(), 1, "{spans:?}");
    assert!(
        head.contains(&format!("traceparent: {OTHERS}\r\n")),
        "{head}"
    );
    assert!(!head.contains(FIELD.as_str()), "{head}");
}

#[tokio::test]
async fn of_a_request_that_is_not_traced_nothing_is_made() {
    let (_stage, spans, head) = sent(get("/"), "").await;
    assert!(
        spans.is_empty() && !head.contains("trace"),
        "{spans:?} {head}"
    );
    // A guest cannot have others traced either.
    let (_stage, spans, head) = sent(get("/"), GUESTS).await;
    assert!(spans.is_empty(), "{spans:?}");
    assert!(!head.contains(FIELD.as_str()), "{head}");
}
