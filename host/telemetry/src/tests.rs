use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span as Received;
use prost::Message;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::*;

/// A collector on loopback that decodes what it is sent.
async fn collector() -> (String, mpsc::UnboundedReceiver<ExportTraceServiceRequest>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let take = |State(sender): State<mpsc::UnboundedSender<_>>, body: Bytes| async move {
        let request = ExportTraceServiceRequest::decode(body).expect("protobuf");
        let _ = sender.send(request);
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("its address"));
    let routes = Router::new()
        .route("/v1/traces", post(take))
        .with_state(sender);
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (base, receiver)
}

fn settings(base: &str) -> Settings {
    Settings::find(Some(base), |_| None, "the-controller", "1.2.3").expect("configured")
}

fn span(name: &'static str) -> Span {
    Span {
        name: name.into(),
        kind: SpanKind::Server,
        started_at: 1_700_000_000_000_000,
        duration: Duration::from_micros(2500),
        parent: None,
        attributes: vec![
            ("http.route", "/v1/models".into()),
            ("http.response.status_code", 200.into()),
        ],
        failure: None,
    }
}

fn attribute<'a>(attributes: &'a [KeyValue], name: &str) -> Option<&'a Any> {
    let found = attributes.iter().find(|attribute| attribute.key == name)?;
    found.value.as_ref()?.value.as_ref()
}

fn spans(request: &ExportTraceServiceRequest) -> Vec<Received> {
    let scopes = request
        .resource_spans
        .iter()
        .flat_map(|resource| &resource.scope_spans);
    scopes.flat_map(|scope| scope.spans.clone()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spans_reach_the_collector_with_their_times_and_attributes() {
    let (base, mut received) = collector().await;
    let sink = Spans::start(&settings(&base)).unwrap();
    sink.record(span("GET /v1/models"));
    sink.record(Span {
        failure: Some("the database does not answer".into()),
        ..span("POST /v1/models")
    });
    sink.shut_down().await;
    let request = received.recv().await.unwrap();
    let resource = request.resource_spans[0].resource.as_ref().unwrap();
    let text = |text: &str| Any::StringValue(text.to_owned());
    assert_eq!(
        attribute(&resource.attributes, "service.name"),
        Some(&text("periapt"))
    );
    assert_eq!(
        attribute(&resource.attributes, "service.instance.id"),
        Some(&text("the-controller"))
    );
    let spans = spans(&request);
    assert_eq!(spans.len(), 2);
    assert_eq!(spans[0].name, "GET /v1/models");
    assert_eq!(spans[0].start_time_unix_nano, 1_700_000_000_000_000_000);
    assert_eq!(
        spans[0].end_time_unix_nano - spans[0].start_time_unix_nano,
        2_500_000
    );
    assert_eq!(
        attribute(&spans[0].attributes, "http.route"),
        Some(&text("/v1/models"))
    );
    assert_eq!(
        attribute(&spans[0].attributes, "http.response.status_code"),
        Some(&Any::IntValue(200))
    );
    assert!(spans[0].parent_span_id.is_empty());
    let status = spans[1].status.as_ref().unwrap();
    assert_eq!(
        (status.code, status.message.as_str()),
        (2, "the database does not answer")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_span_belongs_to_the_trace_of_its_caller() {
    let (base, mut received) = collector().await;
    let sink = Spans::start(&settings(&base)).unwrap();
    let read = |flags: &str| {
        let header = format!("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-{flags}");
        Parent::read(&header, Some("vendor=1")).unwrap()
    };
    sink.record(Span {
        parent: Some(read("01")),
        ..span("recorded")
    });
    sink.record(Span {
        parent: Some(read("00")),
        ..span("its caller is not recorded")
    });
    sink.shut_down().await;
    let spans = spans(&received.recv().await.unwrap());
    assert_eq!(spans.len(), 1, "{spans:?}");
    assert_eq!(spans[0].name, "recorded");
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    assert_eq!(hex(&spans[0].trace_id), "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(hex(&spans[0].parent_span_id), "b7ad6b7169203331");
    assert_eq!(spans[0].trace_state, "vendor=1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_that_is_gone_costs_spans_and_nothing_else() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let sink = Spans::start(&settings(&base)).unwrap();
    for _ in 0..10_000 {
        sink.record(span("lost"));
    }
    sink.shut_down().await;
}

#[test]
fn headers_that_are_not_well_formed_are_no_parent() {
    for header in [
        "",
        "00-0-0-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    ] {
        assert!(Parent::read(header, None).is_none(), "{header}");
    }
}

#[test]
fn without_a_collector_nothing_is_set_up() {
    assert_eq!(Settings::find(None, |_| None, "c", "1"), None);
    assert_eq!(Settings::find(None, |_| Some(" ".into()), "c", "1"), None);
    let spans = Spans::off();
    assert!(!spans.is_on());
    spans.record(span("nobody listens"));
}

#[test]
fn the_setting_wins_over_the_standard_variables() {
    let variables = |name: &str| match name {
        "OTEL_EXPORTER_OTLP_ENDPOINT" => Some("http://one:4318/".to_owned()),
        "OTEL_SERVICE_NAME" => Some("lab".to_owned()),
        _ => None,
    };
    let found = Settings::find(None, variables, "c", "1").unwrap();
    assert_eq!(
        (found.traces_url.as_str(), found.service_name.as_str()),
        ("http://one:4318/v1/traces", "lab")
    );
    let found = Settings::find(Some("https://two"), variables, "c", "1").unwrap();
    assert_eq!(found.traces_url, "https://two/v1/traces");
    let full = |name: &str| {
        (name == "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").then(|| "http://x/in".to_owned())
    };
    assert_eq!(
        Settings::find(None, full, "c", "1").unwrap().traces_url,
        "http://x/in"
    );
}

#[tokio::test]
async fn an_address_that_is_none_is_refused() {
    for base in ["localhost:4318", "ftp://collector"] {
        let refused = Spans::start(&settings(base)).err().unwrap();
        assert_eq!(refused.code(), "otlp-endpoint-invalid", "{base}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happened_elsewhere_keeps_the_numbers_that_it_had_there() {
    let (base, mut received) = collector().await;
    let sink = Spans::start(&settings(&base)).unwrap();
    let begun = Context::begin(0x1234, 0x56);
    let child = begun.child(0x78);
    sink.record_as(begun, None, span("GET docs"));
    sink.record_as(child, Some(begun.span()), span("GET front"));
    sink.record(span("GET /v1/models"));
    sink.shut_down().await;
    let spans = spans(&received.recv().await.unwrap());
    let bytes = |number: u64| number.to_be_bytes().to_vec();
    let [first, second, other] = spans.as_slice() else {
        panic!("{spans:?}");
    };
    assert_eq!(first.trace_id, 0x1234_u128.to_be_bytes().to_vec());
    assert_eq!(
        (&first.span_id, first.parent_span_id.as_slice()),
        (&bytes(0x56), &[][..])
    );
    assert_eq!(
        (&second.trace_id, &second.span_id),
        (&first.trace_id, &bytes(0x78))
    );
    assert_eq!(second.parent_span_id, first.span_id);
    assert!(other.trace_id != first.trace_id && other.span_id != second.span_id);
}
