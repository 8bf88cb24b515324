use super::layer::CONCURRENCY;
use super::{Changes, Committed, Container, Current, Request, ServiceSeen};
use crate::bounds::{LAYER_BYTES, LAYERS, REQUESTS};
use crate::testing::{Unit, range, unit};
use crate::{CallErrorCode, Effect, Effects, HookTxn};

fn web() -> Unit {
    let mut unit = unit();
    unit.containers = vec![Container {
        name: "web".to_owned(),
        ports: vec![range("80/tcp"), range("8000-8010/tcp")],
        components: vec!["server.wasm".to_owned()],
        ..Container::default()
    }];
    unit
}

fn layer(port: u16) -> String {
    format!(
        "services: {{site: {{override: replace, kind: http, component: server.wasm, port: {port}, startup: enabled}}}}"
    )
}

/// The changes of a hook that adds one layer.
fn added(unit: &Unit, layer: &str) -> Changes {
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let done = txn.add_layer(&mut context, "web", "site", layer, true);
    done.unwrap();
    txn.into_effects().workload
}

fn refused(unit: &Unit, layer: &str) -> (CallErrorCode, String) {
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let refused = txn.add_layer(&mut context, "web", "site", layer, true);
    let error = refused.unwrap_err();
    assert_eq!(txn.into_effects(), Effects::default());
    (error.code, error.message)
}

#[test]
fn a_hook_sees_its_own_layers_and_the_commit_has_them_all() {
    let unit = web();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    assert_eq!(txn.plan(&mut context, "web").unwrap(), "{}");
    txn.add_layer(&mut context, "web", "site", &layer(80), false)
        .unwrap();
    let over = "services: {site: {override: merge, port: 8000}}";
    txn.add_layer(&mut context, "web", "port", over, false)
        .unwrap();
    let plan = txn.plan(&mut context, "web").unwrap();
    assert!(
        plan.contains("\"port\":8000") && plan.contains("server.wasm"),
        "{plan}"
    );
    // Seen by nobody before the commit.
    let services = txn.services(&mut context, "web").unwrap();
    assert_eq!(services[0].seen, ServiceSeen::default());
    txn.ask(
        &mut context,
        "web",
        Request::Restart(vec!["site".to_owned()]),
    )
    .unwrap();
    let effects = txn.into_effects();
    let change = &effects.workload["web"];
    assert_eq!(change.layers.as_ref().unwrap().iter().count(), 2);
    assert_eq!(effects.in_words(), ["planned web", "restart site in web"]);
}

#[test]
fn saying_the_same_again_changes_nothing() {
    let mut unit = web();
    let first = added(&unit, &layer(80));
    let committed = Committed::default().with(&first["web"]);
    assert_eq!((committed.number, committed.requests.len()), (1, 0));
    unit.layers.insert("web".to_owned(), committed.layers);
    assert!(added(&unit, &layer(80)).changes_nothing());
    assert!(!added(&unit, &layer(8001)).changes_nothing());
}

#[test]
fn a_layer_that_is_not_sound_or_names_what_the_charm_has_not_is_refused_with_the_cause() {
    let unit = web();
    for (layer, code, words) in [
        (
            layer(81),
            CallErrorCode::Invalid,
            "capabilities.workload.web.ports",
        ),
        (
            layer(80).replace("server", "other"),
            CallErrorCode::Invalid,
            "it has server.wasm",
        ),
        (
            layer(80).replace("kind", "knid"),
            CallErrorCode::Invalid,
            "did you mean \"kind\"",
        ),
        (
            layer(80).replace("port: 80,", ""),
            CallErrorCode::Invalid,
            "port",
        ),
        (
            "services: {db: {override: replace, command: postgres}}".to_owned(),
            CallErrorCode::Invalid,
            "runs no programs",
        ),
        (
            " ".repeat(LAYER_BYTES.length() + 1),
            CallErrorCode::Limit,
            "longer than",
        ),
    ] {
        let (found, message) = refused(&unit, &layer);
        assert_eq!(found, code, "{layer}: {message}");
        assert!(message.contains(words), "{layer}: {message}");
    }
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let error = txn
        .add_layer(&mut context, "wbe", "site", &layer(80), true)
        .unwrap_err();
    assert_eq!(error.code, CallErrorCode::NotFound);
    assert!(error.message.contains("it has web"), "{error}");
}

#[test]
fn a_key_that_would_do_nothing_is_refused_where_the_charm_hears_of_it() {
    let unit = web();
    for written in [
        "user: www",
        "user-id: 33",
        "group: www",
        "group-id: 33",
        "working-dir: /site",
        "kill-signal: SIGINT",
        "kill-delay: 2s",
        "ready: notify",
        "ready: 'after:2s'",
        "reload: SIGHUP",
        "reload: restart",
        "reuse: 10",
        "fence: leader",
        "once: true",
        "on-success: ignore",
    ] {
        let layer = layer(80).replace("port: 80", &format!("port: 80, {written}"));
        let (code, message) = refused(&unit, &layer);
        let key = written.split(':').next().unwrap();
        assert_eq!(code, CallErrorCode::Invalid, "{written}");
        let says = format!("\"{key}\" does nothing for kind http");
        assert!(message.contains(&says), "{written}: {message}");
    }
    let heeded = "reuse: 0, reload: none, once: false, on-success: restart, on-failure: ignore, \
        backoff-delay: 1s, environment: {A: b}, concurrency: 3, request-timeout: 5s";
    added(
        &unit,
        &layer(80).replace("port: 80", &format!("port: 80, {heeded}")),
    );
}

#[test]
fn a_service_leaves_room_to_others() {
    let unit = web();
    let with = |requests: u32| {
        layer(80).replace("port: 80", &format!("port: 80, concurrency: {requests}"))
    };
    let (code, message) = refused(&unit, &with(CONCURRENCY + 1));
    assert_eq!(code, CallErrorCode::Invalid);
    let words = "service \"site\": \"concurrency\" is 33, and 32 is the most";
    assert!(message.starts_with(words), "{message}");
    added(&unit, &with(CONCURRENCY));
}

#[test]
fn a_check_that_could_not_look_is_refused() {
    let unit = web();
    for (probe, words) in [
        ("exec: {command: pg_isready}", "runs no programs"),
        ("http: {url: 'https://localhost/'}", "no TLS"),
        (
            "http: {url: 'http://example.com/'}",
            "look at the unit itself",
        ),
        (
            "http: {url: 'http://localhost@example.com/'}",
            "look at the unit itself",
        ),
        (
            "tcp: {port: 80, host: example.com}",
            "look at the unit itself",
        ),
    ] {
        let layer = format!("checks: {{up: {{override: replace, {probe}}}}}");
        let (code, message) = refused(&unit, &layer);
        assert_eq!(code, CallErrorCode::Invalid, "{probe}");
        assert!(
            message.starts_with("check \"up\": ") && message.contains(words),
            "{probe}: {message}"
        );
    }
    for probe in [
        "http: {url: 'http://localhost:8000/up?x=1'}",
        "http: {url: 'http://127.0.0.1'}",
        "http: {url: 'http://[::1]:80/'}",
        "tcp: {port: 80}",
        "tcp: {port: 80, host: localhost}",
    ] {
        added(
            &unit,
            &format!("checks: {{up: {{override: replace, {probe}}}}}"),
        );
    }
}

#[test]
fn a_signal_to_what_is_no_process_is_refused() {
    let unit = web();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    txn.add_layer(&mut context, "web", "site", &layer(80), true)
        .unwrap();
    let signal = Request::Signal("SIGHUP".to_owned(), vec!["site".to_owned()]);
    let error = txn.ask(&mut context, "web", signal).unwrap_err();
    assert_eq!(error.code, CallErrorCode::Invalid);
    assert_eq!(
        error.message,
        "service \"site\" has no process that SIGHUP could be sent to; restart it"
    );
    assert!(txn.into_effects().workload["web"].requests.is_empty());
}

#[test]
fn requests_name_services_and_checks_of_the_plan_and_are_bounded() {
    let unit = web();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    txn.add_layer(&mut context, "web", "site", &layer(80), true)
        .unwrap();
    let stranger = Request::Stop(vec!["stie".to_owned()]);
    let error = txn.ask(&mut context, "web", stranger).unwrap_err();
    assert_eq!(error.code, CallErrorCode::NotFound);
    let check = Request::StartChecks(vec!["site".to_owned()]);
    assert!(
        txn.ask(&mut context, "web", check).is_err(),
        "a service is no check"
    );
    for _ in 0..REQUESTS.most {
        txn.ask(&mut context, "web", Request::Replan).unwrap();
    }
    let error = txn.ask(&mut context, "web", Request::Replan).unwrap_err();
    assert_eq!(error.code, CallErrorCode::Limit);
}

#[test]
fn a_container_has_a_bounded_number_of_layers() {
    let unit = web();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    for number in 0..LAYERS.most {
        let label = format!("layer {number}");
        txn.add_layer(&mut context, "web", &label, &layer(80), false)
            .unwrap();
    }
    let error = txn.add_layer(&mut context, "web", "one more", &layer(80), false);
    assert_eq!(error.unwrap_err().code, CallErrorCode::Limit);
}

#[test]
fn what_was_asked_is_numbered_and_the_oldest_is_forgotten() {
    let unit = web();
    let mut committed = Committed::default();
    for round in 1..=REQUESTS.most + 7 {
        let (mut txn, mut context) = (HookTxn::default(), unit.context());
        txn.ask(&mut context, "web", Request::Replan).unwrap();
        committed = committed.with(&txn.into_effects().workload["web"]);
        assert_eq!(committed.number, round);
        assert_eq!(committed.requests.last().unwrap().id, round);
    }
    assert_eq!(committed.requests.len() as u64, REQUESTS.most);
    assert_eq!(committed.requests[0].id, 8);
}

#[test]
fn services_are_shown_as_they_were_seen() {
    let mut unit = web();
    let first = added(&unit, &layer(80));
    unit.layers.insert(
        "web".to_owned(),
        Committed::default().with(&first["web"]).layers,
    );
    let active = ServiceSeen {
        current: Current::Active,
        ..ServiceSeen::default()
    };
    unit.seen.services.insert("site".to_owned(), active.clone());
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let services = txn.services(&mut context, "web").unwrap();
    assert_eq!(
        (services[0].name.as_str(), &services[0].seen),
        ("site", &active)
    );
}

/// Another revision of the charm may have lost a component that is in a committed layer.
#[test]
fn what_an_earlier_revision_planned_is_not_held_against_this_one() {
    let mut unit = web();
    let first = added(&unit, &layer(80));
    let committed = Committed::default().with(&first["web"]);
    unit.layers.insert("web".to_owned(), committed.layers);
    unit.containers[0].components = vec!["other.wasm".to_owned()];
    let other =
        "services: {next: {override: replace, kind: http, component: other.wasm, port: 80}}";
    assert_eq!(
        added(&unit, other)["web"]
            .layers
            .as_ref()
            .unwrap()
            .plan()
            .services
            .len(),
        2
    );
    assert!(refused(&unit, &layer(80)).1.contains("it has other.wasm"));
}
