//! Parts of requests to units, as spans with the names that OpenTelemetry has for them.
//!
//! The parts were numbered where they happened, so they keep their numbers here.

use std::time::Duration;

use periapt_model::workload::trace::{Part, Span as Told};
use periapt_model::{ModelUuid, UnitName};
use periapt_telemetry::{Span, SpanKind, Spans, Value};

pub(super) fn record(spans: &Spans, model: &ModelUuid, unit: &UnitName, told: Told) {
    let (context, parent) = (told.context, told.parent);
    spans.record_as(context, parent, span(model, unit, told));
}

fn span(model: &ModelUuid, unit: &UnitName, told: Told) -> Span {
    let application = unit.application();
    let (server, port) = told.server();
    let (kind, about, failed) = match told.part {
        // Of few different values: applications, and those that a unit may send to.
        Part::Gate | Part::Instance => (SpanKind::Server, application.as_str(), 500),
        Part::Call => (SpanKind::Client, server, 400),
    };
    let name = format!("{} {about}", told.method);
    let mut attributes: Vec<(&'static str, Value)> = vec![
        ("url.scheme", "http".into()),
        ("server.address", server.into()),
        ("periapt.model", model.to_string().into()),
        ("periapt.application", application.to_string().into()),
        ("periapt.unit", unit.to_string().into()),
        ("periapt.part", told.part.as_str().into()),
    ];
    if let Some(port) = port {
        attributes.push(("server.port", i64::from(port).into()));
    }
    if told.status > 0 {
        let status = i64::from(told.status).into();
        attributes.push(("http.response.status_code", status));
    }
    let answered = (told.status >= failed).then(|| format!("answered {}", told.status));
    attributes.push(("http.request.method", told.method.into()));
    attributes.push(("url.path", told.path.into()));
    Span {
        name: name.into(),
        kind,
        started_at: told.started_at,
        duration: Duration::from_micros(told.duration),
        parent: None,
        attributes,
        failure: told.failure.or(answered),
    }
}

#[cfg(test)]
mod tests {
    use periapt_model::workload::trace::Context;

    use super::*;

    fn told(part: Part, status: u16) -> Span {
        let request = ("GET", "docs-0.internal:80", "/page");
        let told = Told {
            status,
            ..Told::begin(part, (Context::begin(1, 2), None), 7, request)
        };
        let model = "00000000-0000-4000-8000-000000000001".parse().unwrap();
        span(&model, &"front/0".parse().unwrap(), told)
    }

    fn attribute(span: &Span, name: &str) -> Option<Value> {
        let mut all = span.attributes.iter();
        all.find_map(|(known, value)| (*known == name).then(|| value.clone()))
    }

    #[test]
    fn a_part_has_the_names_of_the_conventions() {
        let call = told(Part::Call, 404);
        assert_eq!(
            (call.name.as_ref(), &call.kind),
            ("GET docs-0.internal", &SpanKind::Client)
        );
        for (name, value) in [
            ("http.request.method", Value::from("GET")),
            ("http.response.status_code", Value::Number(404)),
            ("url.path", "/page".into()),
            ("server.address", "docs-0.internal".into()),
            ("server.port", Value::Number(80)),
            ("periapt.unit", "front/0".into()),
            ("periapt.application", "front".into()),
            ("periapt.part", "call".into()),
        ] {
            assert_eq!(attribute(&call, name), Some(value), "{name}");
        }
        // What a client did wrong is no failure of who answers it.
        assert_eq!(call.failure.as_deref(), Some("answered 404"));
        let gate = told(Part::Gate, 404);
        assert_eq!((gate.name.as_ref(), gate.failure), ("GET front", None));
        let failed = told(Part::Instance, 503).failure;
        assert_eq!(failed.as_deref(), Some("answered 503"));
        let left = told(Part::Gate, 0);
        assert_eq!(attribute(&left, "http.response.status_code"), None);
    }
}
