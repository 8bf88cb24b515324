//! What an operator sees of a controller: looks into it, metrics, probes, traces, lost agents.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span;
use periapt_tests::web::{free_port, get};
use periapt_tests::{Home, PATIENCE, charm, kill};
use prost::Message;
use rustix::process::{Signal, kill_process};
use serde_json::Value;

/// An agent is given up after two pings of 15 seconds without an answer, at the third tick.
const PING_TIMEOUT: Duration = Duration::from_secs(45);

fn deployed() -> Result<Home> {
    let home = Home::started()?;
    home.ok(["deploy", &charm("site").display().to_string(), "site"])?;
    home.until_workload("site/0", "active")?;
    Ok(home)
}

fn machine_is(status: &Value, wanted: &str) -> bool {
    status["machines"]["0"]["juju-status"]["current"] == wanted
}

fn json(home: &Home, arguments: &[&str]) -> Result<Value> {
    let arguments = [arguments, &["--format", "json"]].concat();
    Ok(serde_json::from_str(&home.ok(arguments)?)?)
}

#[test]
fn a_look_into_the_controller_and_its_agent() -> Result<()> {
    let home = deployed()?;
    let own = json(&home, &["introspect"])?;
    let engines = own["engines"].as_array().context("engines")?;
    let controller = &engines[0];
    assert_eq!(controller["id"], "controller");
    let node = |engine: &Value, name: &str| -> Value {
        let nodes = engine["nodes"].as_array().cloned().unwrap_or_default();
        let found = nodes.into_iter().find(|node| node["name"] == name);
        found.unwrap_or_default()
    };
    let api = node(controller, "api-server");
    assert_eq!(
        (&api["state"], &api["start-count"]),
        (&"started".into(), &1.into()),
        "{api}"
    );
    assert!(
        api["inputs"]
            .as_array()
            .is_some_and(|inputs| inputs.contains(&"presence".into()))
    );
    assert!(
        engines
            .iter()
            .filter(|engine| engine["kind"] == "model")
            .count()
            >= 2
    );

    let agent = json(&home, &["introspect", "--agent", "test"])?;
    let kinds: Vec<&str> = agent["engines"]
        .as_array()
        .context("engines")?
        .iter()
        .filter_map(|engine| engine["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["model", "agent", "machine", "unit"]);
    let uniter = node(&agent["engines"][3], "uniter");
    assert_eq!(uniter["state"], "started", "{uniter}");

    let units = json(&home, &["introspect", "units"])?;
    assert_eq!(
        (&units[0]["unit"], &units[0]["machine"]),
        (&"site/0".into(), &"0".into())
    );
    let locks = json(&home, &["introspect", "machinelock", "--agent", "test"])?;
    let history = locks[0]["history"].as_array().context("history")?;
    assert!(
        history.iter().any(|turn| turn["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("install"))),
        "{locks}"
    );
    let leases = json(&home, &["introspect", "leases"])?;
    assert!(
        leases
            .as_array()
            .is_some_and(|leases| leases.iter().any(|lease| lease["holder"] == "site/0")),
        "{leases}"
    );
    let presence = json(&home, &["introspect", "presence", "--agent", "test"])?;
    assert_eq!(presence[0]["state"], "connected");

    let metrics = home.ok(["introspect", "metrics"])?;
    let install = metrics
        .lines()
        .find(|line| line.starts_with("periapt_hooks_total{") && line.contains("hook=\"install\""))
        .context("a hook in the metrics")?;
    assert!(
        install.contains("application=\"site\"") && install.ends_with(" 1"),
        "{install}"
    );
    assert!(
        metrics.contains("process_resident_memory_bytes "),
        "{metrics}"
    );
    Ok(())
}

#[test]
fn a_killed_agent_is_down_until_it_is_back() -> Result<()> {
    let home = deployed()?;
    let started = Instant::now();
    let mut killed = Instant::now();
    // Its provider starts it again, later each time; for half a minute after its own start the
    // controller calls nobody lost.
    loop {
        for agent in home.agent_pids()? {
            kill(agent);
            killed = Instant::now();
        }
        if home
            .status()
            .is_ok_and(|status| machine_is(&status, "down"))
        {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "the machine is never down");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(killed.elapsed() < PING_TIMEOUT);
    home.until("the agent is back", |status| machine_is(status, "started"))?;
    home.until_workload("site/0", "active")?;
    Ok(())
}

#[test]
fn an_agent_that_hangs_is_down_within_the_ping_timeout() -> Result<()> {
    let home = deployed()?;
    let agent = home.agent_pids()?[0];
    kill_process(agent, Signal::STOP)?;
    let stopped = Instant::now();
    home.until("a hanging agent's machine is down", |status| {
        machine_is(status, "down")
    })?;
    assert!(
        stopped.elapsed() < PING_TIMEOUT + Duration::from_secs(15),
        "{:?}",
        stopped.elapsed()
    );
    kill_process(agent, Signal::CONT)?;
    home.until("the agent is back", |status| machine_is(status, "started"))?;
    Ok(())
}

/// A collector in this process; the spans it was sent.
fn collector() -> Result<(tokio::runtime::Runtime, String, mpsc::Receiver<Span>)> {
    let runtime = tokio::runtime::Runtime::new()?;
    let (sender, spans) = mpsc::channel();
    let take = |State(sender): State<mpsc::Sender<Span>>, body: Bytes| async move {
        let request = ExportTraceServiceRequest::decode(body).unwrap_or_default();
        for resource in request.resource_spans {
            for scope in resource.scope_spans {
                scope.spans.into_iter().for_each(|span| {
                    let _ = sender.send(span);
                });
            }
        }
    };
    let routes = Router::new()
        .route("/v1/traces", post(take))
        .with_state(sender);
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))?;
    let base = format!("http://{}", listener.local_addr()?);
    runtime.spawn(async move { axum::serve(listener, routes).await });
    Ok((runtime, base, spans))
}

fn attribute(span: &Span, name: &str) -> Option<String> {
    let found = span.attributes.iter().find(|found| found.key == name)?;
    match found.value.as_ref()?.value.as_ref()? {
        Any::StringValue(text) => Some(text.clone()),
        _ => None,
    }
}

/// A controller that knows a collector.
fn observed(base: &str) -> Result<Home> {
    let home = Home::new()?;
    let data = home.controller_directory();
    home.ok([
        OsStr::new("bootstrap"),
        "tester".as_ref(),
        "--port".as_ref(),
        "0".as_ref(),
        "--data-dir".as_ref(),
        data.as_os_str(),
        "--otlp-endpoint".as_ref(),
        base.as_ref(),
    ])?;
    home.ok(["add-model", "test"])?;
    Ok(home)
}

#[test]
fn calls_and_hooks_reach_a_configured_collector() -> Result<()> {
    let (_runtime, base, spans) = collector()?;
    let home = observed(&base)?;
    home.ok(["deploy", &charm("site").display().to_string(), "site"])?;
    home.until_workload("site/0", "active")?;
    let (mut hook, mut call) = (None, None);
    let started = Instant::now();
    while hook.is_none() || call.is_none() {
        let left = PATIENCE.saturating_sub(started.elapsed());
        let span = spans.recv_timeout(left).context("spans")?;
        match span.name.as_str() {
            "hook install" => hook = Some(span),
            "POST /v1/models/{model}/applications" => call = Some(span),
            _ => {}
        }
    }
    let (hook, call) = hook.zip(call).context("both")?;
    assert_eq!(attribute(&hook, "periapt.unit").as_deref(), Some("site/0"));
    assert_eq!(
        attribute(&hook, "periapt.hook.result").as_deref(),
        Some("ok")
    );
    assert!(hook.end_time_unix_nano > hook.start_time_unix_nano);
    assert_eq!(
        attribute(&call, "periapt.user.kind").as_deref(),
        Some("user")
    );
    Ok(())
}

#[test]
fn a_request_to_a_unit_is_one_trace_from_the_gate_to_what_the_unit_sends() -> Result<()> {
    let (_runtime, base, spans) = collector()?;
    let home = observed(&base)?;
    let port = free_port()?;
    home.ok(["controller-config", &format!("ingress-port={port}")])?;
    home.ok(["deploy", &charm("site").display().to_string(), "docs"])?;
    home.ok(["deploy".as_ref(), charm("gateway").as_os_str()])?;
    home.ok(["integrate", "gateway", "docs"])?;
    home.ok(["expose", "gateway"])?;
    for unit in ["docs/0", "gateway/0"] {
        home.until_workload(unit, "active")?;
    }
    let started = Instant::now();
    while get(port, "gateway.test.localhost", "/docs/").map_or(0, |(status, _)| status) != 200 {
        assert!(started.elapsed() < PATIENCE, "the gateway does not answer");
        std::thread::sleep(Duration::from_millis(50));
    }
    // The gate traces a share of what comes, of which one is whole.
    let mut parts: BTreeMap<Vec<u8>, Vec<Span>> = BTreeMap::new();
    let whole = loop {
        ensure!(started.elapsed() < PATIENCE, "no whole trace: {parts:#?}");
        let _ = get(port, "gateway.test.localhost", "/docs/")?;
        while let Ok(span) = spans.recv_timeout(Duration::from_millis(200)) {
            if attribute(&span, "periapt.part").is_some() {
                parts.entry(span.trace_id.clone()).or_default().push(span);
            }
        }
        if let Some(whole) = parts.values().find(|parts| parts.len() == 4) {
            break whole.clone();
        }
    };
    let part = |part: &str, unit: &str| {
        let found = whole.iter().find(|span| {
            let is = |name: &str, value: &str| attribute(span, name).as_deref() == Some(value);
            is("periapt.part", part) && is("periapt.unit", unit)
        });
        found.with_context(|| format!("{part} of {unit}: {whole:#?}"))
    };
    let gate = part("gate", "gateway/0")?;
    let instance = part("instance", "gateway/0")?;
    let call = part("call", "gateway/0")?;
    let called = part("instance", "docs/0")?;
    assert!(gate.parent_span_id.is_empty(), "{gate:?}");
    assert_eq!(instance.parent_span_id, gate.span_id);
    assert_eq!(call.parent_span_id, instance.span_id);
    assert_eq!(called.parent_span_id, call.span_id);
    let is = |span: &Span, name: &str| attribute(span, name).unwrap_or_default();
    assert_eq!(is(gate, "http.request.method"), "GET");
    assert_eq!(is(gate, "url.path"), "/docs/");
    assert_eq!(is(gate, "server.address"), "gateway.test.localhost");
    assert_eq!(is(call, "server.address"), "docs-0.internal");
    assert_eq!(
        (gate.name.as_str(), called.name.as_str()),
        ("GET gateway", "GET docs")
    );
    Ok(())
}
