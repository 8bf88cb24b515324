//! What the controller tells of itself: probes that mean it, metrics, figures, looks into it.

use std::sync::Arc;
use std::time::Duration;

use crate::common::{House, OneRow, PATIENCE, row};
use async_trait::async_trait;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span;
use periapt_engine::{EngineReport, EngineState};
use periapt_model::ModelUuid;
use periapt_server::Reports;
use periapt_telemetry::{Settings, Spans};
use periapt_wire::rest::WorkerRow;
use prost::Message;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let started = std::time::Instant::now();
    while !holds().await {
        assert!(started.elapsed() < PATIENCE, "waited in vain for: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn check<'a>(probe: &'a Value, name: &str) -> &'a Value {
    let checks = probe["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap()
}

#[tokio::test]
async fn a_sound_controller_is_alive_and_ready_for_anyone() {
    let house = House::open().await;
    let http = house.stranger();
    let (status, health) = http.get("/health").await;
    assert_eq!((status, &health["status"]), (200, &json!("ok")), "{health}");
    until("readiness", async || http.get("/ready").await.0 == 200).await;
    let (_, ready) = http.get("/ready").await;
    let names: Vec<&str> = ready["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["api", "store", "change-stream", "lease-manager"]);
    house.close().await;
}

#[tokio::test]
async fn not_ready_without_a_store() {
    let house = House::open().await;
    house.store.close().await;
    let (status, probe) = house.stranger().get("/ready").await;
    assert_eq!(status, 503);
    assert_eq!(probe["status"], "failing");
    assert_eq!(check(&probe, "store")["ok"], false, "{probe}");
    house.close().await;
}

#[tokio::test]
async fn not_ready_without_the_change_stream() {
    let house = House::open().await;
    house.stream.cancel();
    let http = house.stranger();
    until("the stream's end", async || {
        http.get("/ready").await.0 == 503
    })
    .await;
    let (_, probe) = http.get("/ready").await;
    assert_eq!(
        check(&probe, "change-stream")["reason"],
        "nothing hands changes out"
    );
    assert_eq!(check(&probe, "store")["ok"], true);
    house.close().await;
}

#[tokio::test]
async fn not_ready_without_the_lease_manager() {
    let house = House::open().await;
    house.state.leases().stop();
    let (status, probe) = house.stranger().get("/ready").await;
    assert_eq!(status, 503);
    assert_eq!(check(&probe, "lease-manager")["reason"], "it has stopped");
    house.close().await;
}

#[tokio::test]
async fn not_ready_while_the_api_stops() {
    let house = House::open().await;
    house.state.shut_down();
    let (status, probe) = house.stranger().get("/ready").await;
    assert_eq!(status, 503);
    assert_eq!(check(&probe, "api")["reason"], "it is stopping");
    house.close().await;
}

struct Stopping;

#[async_trait]
impl Reports for Stopping {
    async fn controller(&self) -> Vec<WorkerRow> {
        vec![row("httpserver", "controller", "running", 1)]
    }

    async fn model(&self, _: &ModelUuid) -> Vec<WorkerRow> {
        Vec::new()
    }

    fn controller_engine(&self) -> Option<EngineReport> {
        Some(EngineReport {
            name: "controller".into(),
            state: EngineState::Stopping,
            error: Some("the disk is gone".into()),
            manifolds: Default::default(),
            uninstalled: Default::default(),
        })
    }
}

#[tokio::test]
async fn not_alive_when_the_engine_ends() {
    let house = House::open_with(Spans::off(), Arc::new(Stopping)).await;
    let (status, probe) = house.stranger().get("/health").await;
    assert_eq!(status, 503);
    assert_eq!(
        check(&probe, "engine")["reason"],
        "it ends: the disk is gone"
    );
    house.close().await;
}

async fn metrics(house: &House) -> String {
    let response = house
        .http()
        .await
        .request("GET", "/metrics")
        .send()
        .await
        .unwrap();
    assert_eq!(response.status().as_u16(), 200);
    let kind = response.headers()["content-type"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    response.text().await.unwrap()
}

/// The value of the only line that begins so.
fn value(text: &str, series: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(series));
    let line = line.unwrap_or_else(|| panic!("{series} is missing in\n{text}"));
    line.trim().parse().unwrap()
}

#[tokio::test]
async fn metrics_tell_of_requests_store_stream_sessions_and_process() {
    let house = House::open().await;
    let model = house.add_model("lab").await;
    house.deploy(&model, 1).await;
    let mut agent = house.agent(&model).await;
    agent
        .call(
            "periapt.AgentHost",
            "Machines",
            json!({ "machines": ["0"] }),
        )
        .await
        .unwrap();
    agent
        .call("periapt.AgentHost", "WatchMachines", json!({}))
        .await
        .unwrap();
    let refused = house.stranger().get("/v1/models").await;
    assert_eq!(refused.0, 401);
    let text = metrics(&house).await;
    assert!(text.ends_with("# EOF\n"), "{text}");
    assert_eq!(
        value(
            &text,
            r#"periapt_http_requests_total{method="GET",route="/v1/models",status="401"}"#
        ),
        1.0
    );
    assert_eq!(
        value(
            &text,
            r#"periapt_rpc_calls_total{facade="periapt.AgentHost",method="Machines",result="ok"}"#
        ),
        1.0
    );
    assert_eq!(value(&text, r#"periapt_sessions{kind="agent"}"#), 1.0);
    assert_eq!(value(&text, "periapt_watchers"), 1.0);
    assert_eq!(value(&text, "periapt_agents_present"), 1.0);
    assert_eq!(value(&text, "periapt_applications"), 1.0);
    assert_eq!(value(&text, "periapt_metrics_complete"), 1.0);
    assert!(value(&text, "periapt_connections") >= 1.0);
    assert!(value(&text, "periapt_store_commits_total") > 0.0);
    assert_eq!(
        value(&text, "periapt_store_commit_seconds_count"),
        value(&text, "periapt_store_commits_total")
    );
    assert!(value(&text, "periapt_change_stream_lag_seconds_count") > 0.0);
    assert!(value(&text, "process_resident_memory_bytes") > 1e6);
    assert!(value(&text, "process_open_fds") > 3.0);
    assert!(text.contains("periapt_build_info{version="), "{text}");
    house.close().await;
}

#[tokio::test]
async fn metrics_are_not_for_strangers_or_agents() {
    let house = House::open().await;
    let model = house.add_model("lab").await;
    for path in [
        "/metrics",
        "/v1/controller/figures",
        "/v1/controller/introspection/depengine",
        "/v1/models/lab/introspection/depengine",
    ] {
        assert_eq!(house.stranger().get(path).await.0, 401, "{path}");
        let mut agent = house.stranger();
        let password = house.agent_password(&model).await;
        use base64::Engine as _;
        let credential =
            base64::prelude::BASE64_STANDARD.encode(format!("agent-{model}:{password}"));
        agent.authorization = Some(format!("Basic {credential}"));
        assert_eq!(agent.get(path).await.0, 403, "{path}");
    }
    house.close().await;
}

#[tokio::test]
async fn hooks_are_counted_and_drop_out_with_the_application() {
    let house = House::open().await;
    let model = house.add_model("lab").await;
    house.deploy(&model, 1).await;
    let mut agent = house.agent(&model).await;
    let run =
        json!({ "hook": "install", "charm": "local:site-0", "started-at": 1, "duration": 2500 });
    let failed = json!({ "hook": "install", "charm": "local:site-0", "started-at": 1, "duration": 2500, "code": "trap", "message": "unreachable" });
    let pending = json!({ "kind": "run-hook", "step": "pending", "hook": { "kind": "install" } });
    for (method, call) in [
        (
            "CommitHook",
            json!({ "unit": "site/0", "from": 0, "effects": {}, "operation": { "kind": "continue", "step": "pending" }, "run": run }),
        ),
        (
            "FailHook",
            json!({ "unit": "site/0", "from": 1, "operation": pending, "agent": { "status": "error", "message": "hook failed: \"install\"" }, "run": failed }),
        ),
    ] {
        agent.call("periapt.Uniter", method, call).await.unwrap();
    }
    let text = metrics(&house).await;
    let hooks = |result: &str| {
        format!(
            r#"periapt_hooks_total{{model="{model}",application="site",hook="install",result="{result}"}}"#
        )
    };
    assert_eq!(value(&text, &hooks("ok")), 1.0);
    assert_eq!(value(&text, &hooks("failed")), 1.0);
    assert_eq!(
        value(
            &text,
            &format!(r#"periapt_hook_seconds_count{{model="{model}",application="site"}}"#)
        ),
        2.0
    );
    house
        .store
        .remove_application(&model, &"site".parse().unwrap(), false)
        .await
        .unwrap();
    house.store.cleanup(&model).await.unwrap();
    for (facade, method) in [
        ("periapt.Uniter", "EnsureDead"),
        ("periapt.Deployer", "Remove"),
    ] {
        agent
            .call(facade, method, json!({ "unit": "site/0" }))
            .await
            .unwrap();
    }
    until("the application's end", async || {
        house.store.application_names().await.unwrap().is_empty()
    })
    .await;
    assert!(!metrics(&house).await.contains("application=\"site\""));
    house.close().await;
}

#[tokio::test]
async fn figures_are_arrays_of_one_length() {
    let house = House::open().await;
    let introspection = house.state.introspection();
    let recorder = &introspection.observation.metrics;
    recorder.sample(&introspection);
    house.add_model("lab").await;
    let http = house.http().await;
    http.get("/v1/models").await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    recorder.sample(&introspection);
    let (status, figures) = http.get("/v1/controller/figures").await;
    assert_eq!(status, 200);
    assert_eq!(figures["step"], 10);
    assert_eq!(figures["times"].as_array().unwrap().len(), 1);
    for (name, values) in figures["series"].as_object().unwrap() {
        assert_eq!(values.as_array().unwrap().len(), 1, "{name}");
        assert!(figures["units"][name].is_string(), "{name}");
    }
    let first = |name: &str| figures["series"][name][0].clone();
    assert!(first("requests-per-second").as_f64().unwrap() > 0.0);
    assert!(first("commit-p99-seconds").as_f64().unwrap() > 0.0);
    assert_eq!(first("hook-p99-seconds"), Value::Null);
    assert!(first("resident-bytes").as_f64().unwrap() > 1e6);
    house.close().await;
}

#[tokio::test]
async fn an_agent_answers_through_the_controller() {
    let house = House::open().await;
    let model = house.add_model("lab").await;
    let mut agent = house.agent(&model).await;
    let watch = agent
        .call("periapt.AgentHost", "WatchQuestions", json!({}))
        .await
        .unwrap();
    let id = watch["watcher-id"].as_str().unwrap().to_owned();
    let answering = tokio::spawn(async move {
        loop {
            agent
                .call_id("Watcher", "Next", Some(&id), json!({}))
                .await
                .unwrap();
            let lock = json!({ "machine": "0", "holder": { "reason": "site/0: run install hook", "requested-at": 1, "acquired-at": 2, "released-at": null }, "queue": [], "history": [] });
            let times =
                json!({ "hook": "start", "part": "guest", "hooks": 3, "p50": 200, "p99": 300 });
            let nodes =
                json!({ "api-caller": { "state": "started", "inputs": [], "start-count": 1 } });
            let engine = json!({ "name": "agent", "state": "started", "manifolds": nodes });
            let look = json!({ "engine": engine, "machine-locks": [lock], "hook-times": [times] });
            let questions = agent
                .call("periapt.AgentHost", "Questions", json!({}))
                .await
                .unwrap();
            for question in questions.as_array().unwrap() {
                assert_eq!(question["asked"], "process");
                let told = json!({ "number": question["number"], "answer": { "process": look } });
                agent
                    .call("periapt.AgentHost", "PutAnswer", told)
                    .await
                    .unwrap();
            }
        }
    });
    let http = house.http().await;
    let (status, map) = http.get("/v1/models/lab/introspection/depengine").await;
    assert_eq!(status, 200, "{map}");
    assert_eq!(map["engines"][0]["id"], format!("agent/{model}"));
    assert_eq!(map["engines"][0]["nodes"][0]["name"], "api-caller");
    for path in [
        "/v1/controller/introspection/machinelock",
        "/v1/models/lab/introspection/machinelock",
    ] {
        let (_, locks) = http.get(path).await;
        assert_eq!(locks[0]["holder"]["reason"], "site/0: run install hook");
        assert_eq!(locks[0]["model"], model.to_string());
    }
    let (_, times) = http.get("/v1/models/lab/introspection/hooktimes").await;
    assert_eq!(times[0]["part"], "guest");
    assert_eq!(times[0]["model"], model.to_string());
    let (_, presence) = http.get("/v1/models/lab/introspection/presence").await;
    assert_eq!(presence[0]["state"], "connected", "{presence}");
    let (status, problem) = http.get("/v1/controller/introspection/moon").await;
    assert_eq!(
        (status, &problem["code"]),
        (404, &json!("report-not-found"))
    );
    let (status, leases) = http.get("/v1/controller/introspection/leases").await;
    assert_eq!((status, leases), (200, json!([])));
    answering.abort();
    house.close().await;
}

/// A collector on loopback that decodes what it is sent.
async fn collector() -> (String, mpsc::UnboundedReceiver<ExportTraceServiceRequest>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let take = |State(sender): State<mpsc::UnboundedSender<_>>, body: Bytes| async move {
        let _ = sender.send(ExportTraceServiceRequest::decode(body).unwrap());
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let routes = Router::new()
        .route("/v1/traces", post(take))
        .with_state(sender);
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (base, receiver)
}

fn attribute(span: &Span, name: &str) -> Option<String> {
    let found = span.attributes.iter().find(|found| found.key == name)?;
    match found.value.as_ref()?.value.as_ref()? {
        Any::StringValue(text) => Some(text.clone()),
        Any::IntValue(number) => Some(number.to_string()),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_and_hooks_are_traced_to_a_collector() {
    let (base, mut received) = collector().await;
    let settings = Settings::find(Some(&base), |_| None, "home", "1").unwrap();
    let traces = Spans::start(&settings).unwrap();
    let house = House::open_with(traces.clone(), Arc::new(OneRow)).await;
    let model = house.add_model("lab").await;
    house.deploy(&model, 1).await;
    let mut agent = house.agent(&model).await;
    let begins = json!({ "kind": "run-hook", "step": "pending", "hook": { "kind": "install" } });
    let failed = json!({ "status": "error", "message": "hook failed: \"install\"" });
    let run = json!({ "hook": "install", "charm": "local:site-0", "started-at": 1, "duration": 2500, "code": "trap", "message": "unreachable" });
    let call =
        json!({ "unit": "site/0", "from": 0, "operation": begins, "agent": failed, "run": run });
    agent
        .call("periapt.Uniter", "FailHook", call)
        .await
        .unwrap();
    let request = house.http().await.request("GET", "/v1/models/lab");
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let request = request.header("traceparent", format!("00-{trace}-b7ad6b7169203331-01"));
    assert_eq!(request.send().await.unwrap().status().as_u16(), 200);
    house.stranger().get("/v1/models/lab").await;
    traces.shut_down().await;
    house.close().await;
    let mut spans = Vec::new();
    while let Ok(request) = received.try_recv() {
        for resource in request.resource_spans {
            spans.extend(
                resource
                    .scope_spans
                    .into_iter()
                    .flat_map(|scope| scope.spans),
            );
        }
    }
    let named =
        |name: &str| -> Vec<&Span> { spans.iter().filter(|span| span.name == name).collect() };
    let calls = named("GET /v1/models/{model}");
    let of = |status: &str| {
        let found = calls
            .iter()
            .find(|span| attribute(span, "http.response.status_code").as_deref() == Some(status));
        *found.unwrap_or_else(|| panic!("{status} in {spans:?}"))
    };
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("{byte:02x}")).collect() };
    assert_eq!(hex(&of("200").trace_id), trace);
    assert_eq!(hex(&of("200").parent_span_id), "b7ad6b7169203331");
    assert_eq!(
        attribute(of("200"), "periapt.user.kind").as_deref(),
        Some("user")
    );
    assert_eq!(
        attribute(of("401"), "periapt.user.kind").as_deref(),
        Some("anonymous")
    );
    assert!(of("200").end_time_unix_nano > of("200").start_time_unix_nano);
    let hook = named("hook install")[0];
    assert_eq!(attribute(hook, "periapt.unit").as_deref(), Some("site/0"));
    assert_eq!(
        attribute(hook, "periapt.hook.result").as_deref(),
        Some("failed")
    );
    assert_eq!(hook.status.as_ref().unwrap().message, "unreachable");
    assert_eq!(
        attribute(named("periapt.Uniter.FailHook")[0], "periapt.user.kind").as_deref(),
        Some("agent")
    );
}
