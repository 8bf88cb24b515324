use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::layer::{Signal, Startup};

fn layer(text: &str) -> Layer {
    Layer::parse(text).unwrap()
}

fn plan(text: &str) -> Plan {
    Layers::default().add("base", layer(text), false).unwrap()
}

fn refused(text: &str) -> WorkloadError {
    let mut layers = Layers::default();
    let error = layers.add("base", layer(text), false).unwrap_err();
    assert_eq!(layers, Layers::default(), "a refusal changes nothing");
    for line in [error.to_string(), error.why(), error.advice()] {
        assert!(
            !line.is_empty() && !line.contains('\n'),
            "{error:?}: {line}"
        );
    }
    error
}

fn hup() -> Signal {
    "SIGHUP".parse().unwrap()
}

#[test]
fn a_higher_layer_merges_or_replaces() {
    let mut layers = Layers::default();
    let below = "
services:
  web:
    override: replace
    command: web
    startup: enabled
    after: [db]
    environment: {A: 1, B: 1}
  db: {override: replace, command: db, summary: old}
checks:
  up: {override: replace, period: 20s, http: {url: http://x/, headers: {A: a}}}
";
    layers.add("below", layer(below), false).unwrap();
    let above = "
services:
  web: {override: merge, command: web --fast, after: [db, cache], environment: {B: 2, C: 2}}
  db: {override: replace, command: other}
  cache: {override: merge, command: cache}
checks:
  up: {override: merge, threshold: 5, http: {headers: {B: b}}}
";
    let plan = layers.add("above", layer(above), false).unwrap();
    let web = &plan.services["web"];
    assert_eq!(web.command.as_deref(), Some("web --fast"));
    assert_eq!(web.startup(), Startup::Enabled);
    assert_eq!(web.after, ["db", "cache"]);
    let environment: Vec<(&str, &str)> = web
        .environment
        .iter()
        .map(|(k, v)| (k.as_str(), v.as_str()))
        .collect();
    assert_eq!(environment, [("A", "1"), ("B", "2"), ("C", "2")]);
    assert_eq!(plan.services["db"].summary, None);
    let up = &plan.checks["up"];
    assert_eq!((up.period(), up.threshold()), (Duration::from_secs(20), 5));
    let headers = &up.http.as_ref().unwrap().headers;
    assert_eq!(headers.len(), 2);
    assert_eq!(plan.services["cache"].overrides, Some(Override::Replace));
}

#[test]
fn a_label_is_used_once_unless_the_layers_are_combined() {
    let mut layers = Layers::default();
    let web = "services: {web: {override: replace, command: web, summary: x}}";
    layers.add("base", layer(web), false).unwrap();
    let error = layers.add("base", layer(web), false).unwrap_err();
    assert_eq!(error.code(), "layer-label-taken");
    let more = "services: {web: {override: merge, command: more}}";
    let plan = layers.add("base", layer(more), true).unwrap();
    assert_eq!(plan.services["web"].command.as_deref(), Some("more"));
    assert_eq!(plan.services["web"].summary.as_deref(), Some("x"));
    layers.add("other", Layer::default(), true).unwrap();
    let labels: Vec<&str> = layers.iter().map(|layer| layer.label.as_str()).collect();
    assert_eq!(labels, ["base", "other"]);
    for label in ["", "pebble-x", "a\nb", &"x".repeat(129)] {
        let error = layers.add(label, Layer::default(), false).unwrap_err();
        assert_eq!(error.code(), "layer-name-invalid", "{label}");
    }
    layers
        .add("the web's layer, 2", Layer::default(), false)
        .unwrap();
}

#[test]
fn a_layer_that_is_combined_changes_the_plan_where_it_lies() {
    let mut layers = Layers::default();
    let add = |layers: &mut Layers, label: &str, text: &str, combine| {
        layers.add(label, layer(text), combine).unwrap()
    };
    add(
        &mut layers,
        "low",
        "services: {a: {override: replace, command: low}}",
        false,
    );
    add(
        &mut layers,
        "high",
        "services: {a: {override: merge, command: high}}",
        false,
    );
    let plan = add(
        &mut layers,
        "low",
        "services: {a: {override: merge, command: new, summary: s}}",
        true,
    );
    assert_eq!(plan.services["a"].command.as_deref(), Some("high"));
    assert_eq!(plan.services["a"].summary.as_deref(), Some("s"));
}

#[test]
fn what_contradicts_itself_is_refused_with_its_key() {
    let base = "override: replace";
    for (key, service) in [
        ("command", ""),
        ("command", ", command: ''"),
        ("command", ", command: \"a\\0b\""),
        ("component", ", command: x, component: y.wasm"),
        ("port", ", command: x, port: 80"),
        ("reuse", ", command: x, reuse: 1"),
        ("component", ", kind: http, port: 80"),
        ("port", ", kind: http, component: y"),
        ("port", ", kind: http, component: y, port: 0"),
        (
            "command",
            ", kind: http, component: y, port: 80, command: x",
        ),
        (
            "concurrency",
            ", kind: http, component: y, port: 80, concurrency: 0",
        ),
        (
            "request-timeout",
            ", kind: http, component: y, port: 80, request-timeout: 0s",
        ),
        ("component", ", kind: command, command: x"),
        (
            "port",
            ", kind: command, command: x, component: y, port: 80",
        ),
        ("backoff-factor", ", command: x, backoff-factor: 0.5"),
        ("backoff-factor", ", command: x, backoff-factor: .nan"),
        ("backoff-limit", ", command: x, backoff-delay: 60s"),
        ("backoff-limit", ", command: x, backoff-limit: 9000h"),
        ("kill-delay", ", command: x, kill-delay: 400d"),
        ("kill-delay", ", command: x, fence: leader, kill-delay: 30s"),
        ("environment", ", command: x, environment: {'A=B': c}"),
        ("requires-finished", ", command: x, requires-finished: [b]"),
    ] {
        let error = refused(&format!(
            "services: {{a: {{{base}{service}}}, b: {{override: replace, command: b}}}}"
        ));
        match &error {
            WorkloadError::Invalid { of, key: wrong, .. } => {
                assert_eq!((of.as_str(), *wrong), ("service \"a\"", key), "{service}");
            }
            other => panic!("{service}: {other:?}"),
        }
        assert_eq!(error.code(), "plan-invalid");
    }
    for (key, check) in [
        ("http", ""),
        ("http", ", tcp: {port: 80}, http: {url: http://x/}"),
        ("url", ", http: {}"),
        ("url", ", http: {url: localhost}"),
        ("port", ", tcp: {}"),
        ("port", ", tcp: {port: 0}"),
        ("command", ", exec: {}"),
        ("threshold", ", tcp: {port: 80}, threshold: 0"),
        ("timeout", ", tcp: {port: 80}, timeout: 10s"),
        ("timeout", ", tcp: {port: 80}, timeout: 0s"),
        ("period", ", tcp: {port: 80}, period: 400d"),
    ] {
        match refused(&format!("checks: {{c: {{{base}{check}}}}}")) {
            WorkloadError::Invalid { key: wrong, .. } => assert_eq!(wrong, key, "{check}"),
            other => panic!("{check}: {other:?}"),
        }
    }
    let many: Vec<String> = (0..257)
        .map(|n| format!("s{n}: {{override: replace, command: x}}"))
        .collect();
    assert_eq!(
        refused(&format!("services: {{{}}}", many.join(","))).code(),
        "plan-invalid"
    );
}

#[test]
fn names_that_are_not_there_are_refused_with_the_nearest() {
    for keys in [
        "after: [databse]",
        "before: [databse]",
        "requires: [databse]",
        "requires-ready: [databse]",
        "requires-finished: [databse]",
    ] {
        let error = refused(&format!(
            "services: {{web: {{override: replace, command: x, {keys}}}, database: {{override: replace, command: x}}}}"
        ));
        assert_eq!(error.code(), "plan-reference-missing", "{keys}");
        assert_eq!(error.advice(), "did you mean \"database\"?");
    }
    for keys in ["on-check-failure: {up: restart}", "ready: 'check:up'"] {
        let error = refused(&format!(
            "services: {{a: {{override: replace, command: x, {keys}}}}}"
        ));
        assert_eq!(
            error.advice(),
            "add the check \"up\" in the same or an earlier layer"
        );
    }
    let error = refused("checks: {c: {override: replace, exec: {command: x, service-context: a}}}");
    assert_eq!(error.code(), "plan-reference-missing");
}

#[test]
fn services_that_wait_for_one_another_are_refused() {
    let error = refused(
        "services: {a: {override: replace, command: x, after: [b]}, b: {override: replace, command: x, requires-ready: [c]}, c: {override: replace, command: x, after: [a]}}",
    );
    assert_eq!(error.code(), "plan-cycle");
    assert!(
        error
            .why()
            .starts_with("a waits for b waits for c waits for a"),
        "{}",
        error.why()
    );
    let error = refused("services: {a: {override: replace, command: x, requires: [a]}}");
    assert_eq!(error.code(), "plan-cycle");
}

#[test]
fn what_a_new_plan_asks_of_each_service() {
    let base = "override: replace, command: x";
    let before = plan(&format!("services: {{a: {{{base}}}, gone: {{{base}}}}}"));
    let after = |keys: &str, files| {
        let after = plan(&format!(
            "services: {{a: {{{base}{keys}}}, gone: {{{base}}}}}"
        ));
        before.changes(&after, files).remove("a")
    };
    assert_eq!(after("", false), None);
    assert_eq!(after("", true), Some(Change::Restart));
    assert_eq!(after(", reload: SIGHUP", true), Some(Change::Reload(hup())));
    assert_eq!(after(", reload: none", true), Some(Change::InPlace));
    for keys in [
        "summary: s",
        "description: d",
        "startup: enabled",
        "after: [gone]",
        "on-failure: ignore",
        "backoff-delay: 1s",
        "kill-delay: 1s",
        "kill-signal: SIGINT",
        "ready: notify",
        "fence: leader",
    ] {
        assert_eq!(
            after(&format!(", {keys}"), false),
            Some(Change::InPlace),
            "{keys}"
        );
    }
    for keys in [
        "environment: {A: b}",
        "user: u",
        "user-id: 1",
        "working-dir: /",
        "group: g",
    ] {
        assert_eq!(
            after(&format!(", {keys}"), false),
            Some(Change::Restart),
            "{keys}"
        );
        // A definition that changed is started anew, whatever it wants for its files.
        let both = after(&format!(", reload: SIGHUP, {keys}"), true);
        assert_eq!(both, Some(Change::Restart), "{keys}");
    }
    // The default in so many words is the default.
    let written = plan(&format!(
        "services: {{a: {{{base}, kind: native}}, new: {{{base}}}}}"
    ));
    let changes = before.changes(&written, false);
    let changes: Vec<(&str, Change)> = changes
        .iter()
        .map(|(name, change)| (name.as_str(), *change))
        .collect();
    let expected = [
        ("a", Change::InPlace),
        ("gone", Change::Removed),
        ("new", Change::Added),
    ];
    assert_eq!(changes, expected);
}

#[test]
fn checks_that_differ_begin_anew_and_know_what_they_look_at() {
    let before = plan(
        "checks: {a: {override: replace, tcp: {port: 1}}, b: {override: replace, tcp: {port: 2}}, c: {override: replace, tcp: {port: 3}}}",
    );
    let after = plan(
        "checks: {a: {override: replace, tcp: {port: 1}}, b: {override: replace, tcp: {port: 20}}, d: {override: replace, tcp: {port: 3}}}",
    );
    let changed: Vec<String> = before.changed_checks(&after).into_iter().collect();
    assert_eq!(changed, ["b", "c", "d"]);
    let plan = plan(
        "
services:
  reacts: {override: replace, command: x, on-check-failure: {up: restart}}
  waits: {override: replace, command: x, ready: 'check:up'}
  other: {override: replace, command: x}
  context: {override: replace, command: x}
checks:
  up: {override: replace, exec: {command: x, service-context: context}}
  alone: {override: replace, tcp: {port: 1}}
",
    );
    let looked_at: Vec<&str> = plan.looked_at_by("up").into_iter().collect();
    assert_eq!(looked_at, ["context", "reacts", "waits"]);
    assert!(plan.looked_at_by("alone").is_empty());
}

/// Layers of three services, where each entry merges or replaces.
fn any_layer() -> impl Strategy<Value = Layer> {
    let entry = (
        any::<bool>(),
        0..3_u8,
        0..3_u8,
        prop::collection::btree_map("[A-C]", "[0-2]", 0..3),
    );
    prop::collection::btree_map("[a-c]", entry, 0..4).prop_map(|entries| {
        let mut layer = Layer::default();
        for (name, (merge, command, delay, environment)) in entries {
            let service = Service {
                overrides: Some(if merge {
                    Override::Merge
                } else {
                    Override::Replace
                }),
                command: Some(format!("run {command}")),
                kill_delay: (delay > 0).then(|| Duration::from_millis(u64::from(delay) * 500)),
                environment,
                ..Service::default()
            };
            layer.services.insert(name, service);
        }
        layer
    })
}

proptest! {
    /// To combine two layers is to lay the second on the first.
    #[test]
    fn a_combined_layer_is_as_good_as_two(first in any_layer(), second in any_layer(), third in any_layer()) {
        let mut combined = Layers::default();
        combined.add("below", first.clone(), false).unwrap();
        combined.add("a", second.clone(), false).unwrap();
        combined.add("a", third.clone(), true).unwrap();
        let mut stacked = Layers::default();
        stacked.add("below", first, false).unwrap();
        stacked.add("a", second, false).unwrap();
        stacked.add("b", third, false).unwrap();
        prop_assert_eq!(combined.plan(), stacked.plan());
    }

    #[test]
    fn equal_plans_are_equal_text_which_is_read_as_the_same_plan(
        layers in prop::collection::vec(any_layer(), 0..5),
    ) {
        let mut all = Layers::default();
        for (number, layer) in layers.into_iter().enumerate() {
            all.add(&number.to_string(), layer, false).unwrap();
        }
        let plan = all.plan();
        let read = Plan::parse(&plan.to_json()).unwrap();
        prop_assert_eq!(&read, &plan);
        prop_assert_eq!(read.to_json(), plan.to_json());
        prop_assert!(plan.changes(&read, false).is_empty());
        let kept: Layers = serde_json::from_str(&serde_json::to_string(&all).unwrap()).unwrap();
        prop_assert_eq!(kept, all);
    }
}
