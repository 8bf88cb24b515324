use serde_json::json;

use super::*;

fn model() -> ModelUuid {
    "11111111-2222-4333-8444-555555555555".parse().unwrap()
}

fn node(state: &str, inputs: &[&str], report: Value) -> Value {
    json!({ "state": state, "inputs": inputs, "start-count": 1, "started-at": "2026-01-02T03:04:05Z", "report": report })
}

fn agent() -> Value {
    let uniter = node(
        "started",
        &["api-caller"],
        json!({ "operation": "continue", "hook": null }),
    );
    let resting = json!({ "state": "stopped", "inputs": ["environ"], "start-count": 3, "error": "dependency not available: environ", "waits-for": "environ" });
    let unit = json!({ "name": "site/0", "state": "started", "manifolds": { "uniter": uniter, "resting": resting } });
    let units = json!({ "workers": { "site/0": { "state": "started", "started-at": "2026-01-02T03:04:05Z", "report": unit } } });
    let machine = json!({ "name": "0", "state": "started", "manifolds": { "deployer": node("started", &[], units) }, "uninstalled": { "lxdcontainers": "no LXD here" } });
    let machines = json!({ "workers": { "0": { "state": "started", "report": machine } } });
    json!({ "name": "agent", "state": "started", "manifolds": { "machines": node("started", &["api-caller"], machines), "api-caller": node("started", &[], Value::Null) } })
}

#[test]
fn nested_engines_become_a_list_that_knows_its_parents() {
    let views = engines::agent(&model(), agent());
    let ids: Vec<&str> = views.iter().map(|view| view.id.as_str()).collect();
    let agent = format!("agent/{}", model());
    let machine = format!("{agent}/machine/0");
    let unit = format!("{machine}/unit/site/0");
    assert_eq!(ids, [agent.as_str(), machine.as_str(), unit.as_str()]);
    assert_eq!(views[0].parent, None);
    assert_eq!(views[1].parent.as_deref(), Some(agent.as_str()));
    assert_eq!(views[1].parent_node.as_deref(), Some("machines"));
    assert_eq!(
        (views[2].kind.as_str(), views[2].name.as_str()),
        ("unit", "site/0")
    );
    let machines = views[0]
        .nodes
        .iter()
        .find(|node| node.name == "machines")
        .unwrap();
    assert_eq!(machines.report, json!({ "engines": 1 }));
    assert_eq!(machines.inputs, ["api-caller"]);
    let resting = views[2]
        .nodes
        .iter()
        .find(|node| node.name == "resting")
        .unwrap();
    assert_eq!(
        (
            resting.state.as_str(),
            resting.waits_for.as_deref(),
            resting.start_count
        ),
        ("stopped", Some("environ"), 3)
    );
    let uninstalled = views[1]
        .nodes
        .iter()
        .find(|node| node.state == "uninstalled")
        .unwrap();
    assert_eq!(uninstalled.error.as_deref(), Some("no LXD here"));
    let started = views[2]
        .nodes
        .iter()
        .find(|node| node.name == "uniter")
        .unwrap();
    assert_eq!(started.started_at, Some(1_767_323_045_000_000));
}

#[test]
fn units_are_read_from_the_deployers_of_the_machines() {
    let units = engines::units(&model(), agent());
    assert_eq!(units.len(), 1);
    assert_eq!(units[0].unit.as_str(), "site/0");
    assert_eq!(
        (units[0].machine.as_str(), units[0].state.as_str()),
        ("0", "started")
    );
    assert_eq!(units[0].uniter["operation"], "continue");
}

#[test]
fn an_agent_that_says_nonsense_is_left_out() {
    assert!(engines::agent(&model(), json!({ "state": 7 })).is_empty());
    assert!(engines::units(&model(), Value::Null).is_empty());
}
