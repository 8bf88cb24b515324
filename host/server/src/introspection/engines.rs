//! Reports of engines, with engines nested in what their workers report, made flat: a list of
//! engines that know their parents, each with its nodes and no engine in them.

use periapt_engine::{EngineReport, EngineState, NodeReport, NodeState};
use periapt_model::{ModelUuid, UnitName};
use periapt_wire::rest::{EngineView, NodeView, UnitWorker};
use serde_json::{Value, json};

/// The node of the controller that runs models' engines, and those of the agent that run
/// machines' and units'.
const MODELS: &str = "model-worker-manager";
const MACHINES: &str = "machines";
const DEPLOYER: &str = "deployer";
const UNITER: &str = "uniter";

pub(super) fn controller(report: EngineReport) -> Vec<EngineView> {
    // The models' engines are asked by themselves.
    let mut views = flatten(report, "controller", "controller", "controller", None);
    views.truncate(1);
    views
}

/// `nested`: within the controller's engine.
pub(super) fn model(model: &ModelUuid, report: EngineReport, nested: bool) -> EngineView {
    let parent = nested.then(|| ("controller".to_owned(), MODELS.to_owned()));
    view(
        &report,
        "model",
        format!("model/{model}"),
        model.to_string(),
        parent,
    )
}

/// The agent's engine with all engines in it.
pub(super) fn agent(model: &ModelUuid, report: Value) -> Vec<EngineView> {
    let Ok(report) = serde_json::from_value::<EngineReport>(report) else {
        return Vec::new();
    };
    flatten(
        report,
        "agent",
        &format!("agent/{model}"),
        model.as_str(),
        None,
    )
}

/// What runs the units.
pub(super) fn units(model: &ModelUuid, agent: Value) -> Vec<UnitWorker> {
    let Ok(agent) = serde_json::from_value::<EngineReport>(agent) else {
        return Vec::new();
    };
    let mut units = Vec::new();
    for (machine, entry) in workers(&agent, MACHINES) {
        let Some(machine_engine) = engine(entry) else {
            continue;
        };
        for (name, entry) in workers(&machine_engine, DEPLOYER) {
            let Ok(unit) = name.parse::<UnitName>() else {
                continue;
            };
            let text = |key: &str| entry.get(key).and_then(Value::as_str);
            let uniter = entry
                .pointer(&format!("/report/manifolds/{UNITER}/report"))
                .cloned();
            units.push(UnitWorker {
                model: model.clone(),
                unit,
                machine: machine.clone(),
                state: text("state").unwrap_or_default().to_owned(),
                started_at: text("started-at").and_then(microseconds),
                error: text("error").map(str::to_owned),
                uniter: uniter.unwrap_or(Value::Null),
            });
        }
    }
    units
}

/// The engine, and after it all that are nested in it.
fn flatten(
    mut report: EngineReport,
    kind: &'static str,
    id: &str,
    name: &str,
    parent: Option<(String, String)>,
) -> Vec<EngineView> {
    let mut below = Vec::new();
    for (node, node_report) in &mut report.manifolds {
        let Some(Value::Object(entries)) = node_report.report.get("workers") else {
            continue;
        };
        let mut engines = 0;
        for (worker, entry) in entries {
            if let Some(nested) = engine(entry) {
                let kind = kind_below(kind);
                let nested_id = format!("{id}/{kind}/{worker}");
                let parent = Some((id.to_owned(), node.clone()));
                below.extend(flatten(nested, kind, &nested_id, worker, parent));
                engines += 1;
            }
        }
        if engines > 0 {
            node_report.report = json!({ "engines": engines });
        }
    }
    let mut views = vec![view(&report, kind, id.to_owned(), name.to_owned(), parent)];
    views.append(&mut below);
    views
}

fn kind_below(kind: &str) -> &'static str {
    match kind {
        "controller" => "model",
        "agent" => "machine",
        _ => "unit",
    }
}

fn engine(entry: &Value) -> Option<EngineReport> {
    serde_json::from_value(entry.get("report")?.clone()).ok()
}

/// The workers in the runner that a node reports.
fn workers<'a>(
    report: &'a EngineReport,
    node: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let entries = report
        .manifolds
        .get(node)
        .and_then(|node| node.report.get("workers"))
        .and_then(Value::as_object);
    entries.into_iter().flatten()
}

fn view(
    report: &EngineReport,
    kind: &str,
    id: String,
    name: String,
    parent: Option<(String, String)>,
) -> EngineView {
    let (parent, parent_node) = parent.unzip();
    let mut nodes: Vec<NodeView> = report
        .manifolds
        .iter()
        .map(|(name, node)| node_view(name, node))
        .collect();
    nodes.extend(report.uninstalled.iter().map(|(name, reason)| NodeView {
        name: name.clone(),
        state: "uninstalled".to_owned(),
        inputs: Vec::new(),
        start_count: 0,
        started_at: None,
        error: Some(reason.clone()),
        waits_for: None,
        report: Value::Null,
    }));
    EngineView {
        id,
        kind: kind.to_owned(),
        name,
        parent,
        parent_node,
        state: match report.state {
            EngineState::Started => "started",
            EngineState::Stopping => "stopping",
            EngineState::Stopped => "stopped",
        }
        .to_owned(),
        error: report.error.clone(),
        nodes,
    }
}

fn node_view(name: &str, node: &NodeReport) -> NodeView {
    NodeView {
        name: name.to_owned(),
        state: match node.state {
            NodeState::Starting => "starting",
            NodeState::Started => "started",
            NodeState::Stopping => "stopping",
            NodeState::Stopped => "stopped",
        }
        .to_owned(),
        inputs: node.inputs.clone(),
        start_count: node.start_count,
        started_at: node.started_at.map(|time| time.as_microsecond()),
        error: node.error.clone(),
        waits_for: node.waits_for.clone(),
        report: node.report.clone(),
    }
}

fn microseconds(text: &str) -> Option<i64> {
    let time: jiff::Timestamp = text.parse().ok()?;
    Some(time.as_microsecond())
}
