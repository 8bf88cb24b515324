use std::time::Duration;

use super::*;
use crate::WorkloadError;

fn refused(text: &str) -> WorkloadError {
    let error = Layer::parse(text).unwrap_err();
    for line in [error.to_string(), error.why(), error.advice()] {
        assert!(
            !line.is_empty() && !line.contains('\n'),
            "{error:?}: {line}"
        );
    }
    error
}

/// The design's own example, and Pebble's keys.
const POSTGRES: &str = "
summary: a server
services:
  postgres:
    override: replace
    command: /usr/lib/postgresql/15/bin/postgres -D /data
    startup: enabled
    ready: notify
    reload: SIGHUP
    requires-ready: []
    requires-finished: [initdb]
    fence: leader
    kill-signal: SIGINT
    environment: {PGPORT: 5432, LANG: C}
    on-check-failure: {up: restart}
    backoff-delay: 1m30s
    backoff-factor: 3
    user-id: 999
  web: {override: replace, kind: http, component: server.wasm, port: 80, reuse: 0, concurrency: 32, request-timeout: 1m}
  relay: {override: merge, kind: command, component: relay.wasm, command: relay --port 7000}
  initdb: {override: replace, command: initdb, once: true}
checks:
  up: {override: replace, level: ready, period: 2s, timeout: 1s, threshold: 3, exec: {command: pg_isready -q}}
  page: {override: replace, http: {url: http://localhost/, headers: {X-From: check}}}
  port: {override: replace, startup: disabled, tcp: {port: 80}}
";

#[test]
fn a_layer_says_what_pebbles_say_and_more() {
    let layer = Layer::parse(POSTGRES).unwrap();
    let postgres = &layer.services["postgres"];
    assert_eq!(postgres.startup(), Startup::Enabled);
    assert_eq!(postgres.kind(), Kind::Native);
    assert_eq!(postgres.ready(), Ready::Notify);
    assert_eq!(postgres.reload().to_string(), "SIGHUP");
    assert_eq!(postgres.fence, Some(Fence::Leader));
    assert_eq!(postgres.kill_signal().as_str(), "SIGINT");
    assert_eq!(postgres.environment["PGPORT"], "5432");
    assert_eq!(postgres.on_check_failure("up"), OnCheckFailure::Restart);
    assert_eq!(postgres.backoff_delay(), Duration::from_secs(90));
    assert_eq!(postgres.backoff_factor(), 3.0);
    let web = &layer.services["web"];
    assert_eq!(
        (web.kind(), web.port, web.concurrency()),
        (Kind::Http, Some(80), 32)
    );
    assert_eq!(web.request_timeout(), Duration::from_secs(60));
    assert!(matches!(layer.checks["up"].probe(), Some(Probe::Exec(_))));
    assert!(matches!(layer.checks["page"].probe(), Some(Probe::Http(_))));
    assert_eq!(layer.checks["port"].startup(), Startup::Disabled);
}

#[test]
fn what_is_left_out_has_pebbles_defaults_and_ours() {
    let layer =
        Layer::parse("{services: {a: {override: replace}}, checks: {c: {override: replace}}}")
            .unwrap();
    let (service, check) = (&layer.services["a"], &layer.checks["c"]);
    assert_eq!(service.startup(), Startup::Disabled);
    assert_eq!(service.kind(), Kind::Native);
    assert_eq!(
        (service.reuse(), service.concurrency()),
        (0, super::CONCURRENCY)
    );
    assert_eq!(service.request_timeout(), Duration::from_secs(30));
    assert_eq!(service.ready(), Ready::After(Duration::from_secs(1)));
    assert_eq!(service.reload(), Reload::Restart);
    assert_eq!(service.on_success(), OnSuccess::Restart);
    assert_eq!(service.on_failure(), OnFailure::Restart);
    assert_eq!(service.on_check_failure("c"), OnCheckFailure::Ignore);
    assert_eq!(service.backoff_delay(), Duration::from_millis(500));
    assert_eq!(service.backoff_factor(), 2.0);
    assert_eq!(service.backoff_limit(), Duration::from_secs(30));
    assert_eq!(service.kill_signal(), Signal::TERM);
    assert_eq!(service.kill_delay(), Duration::from_secs(5));
    assert_eq!(check.startup(), Startup::Enabled);
    assert_eq!(check.level(), Level::Unset);
    assert_eq!(check.period(), Duration::from_secs(10));
    assert_eq!(check.timeout(), Duration::from_secs(3));
    assert_eq!(check.threshold(), 3);
    assert_eq!(check.probe(), None);
}

#[test]
fn one_that_runs_once_is_not_started_again_when_it_ended_well() {
    let once = Service {
        once: Some(true),
        ..Service::default()
    };
    assert_eq!(once.on_success(), OnSuccess::Ignore);
    assert_eq!(once.on_failure(), OnFailure::Restart);
}

#[test]
fn json_is_a_layer_too_and_text_without_anything_is_an_empty_one() {
    let json =
        r#"{"services":{"a":{"override":"replace","environment":{"N":"1"},"kill-delay":"500ms"}}}"#;
    let layer = Layer::parse(json).unwrap();
    assert_eq!(layer.services["a"].kill_delay(), Duration::from_millis(500));
    assert_eq!(serde_json::to_string(&layer).unwrap(), json);
    for empty in ["", "{}", "# nothing\n", "services:\nchecks:\n"] {
        assert_eq!(Layer::parse(empty).unwrap(), Layer::default(), "{empty}");
    }
}

#[test]
fn equal_values_are_equal_text() {
    let text = |delay: &str| {
        let layer = format!(
            "services: {{a: {{override: merge, backoff-limit: {delay}, ready: 'after:{delay}'}}}}"
        );
        serde_json::to_string(&Layer::parse(&layer).unwrap()).unwrap()
    };
    assert_eq!(text("1m"), text("60s"));
    assert!(text("1m").contains(r#""backoff-limit":"60s""#));
    assert!(text("1500ms").contains("1500ms"));
    assert!(text("0").contains(r#""0s""#));
}

#[test]
fn what_is_written_is_read_again() {
    let layer = Layer::parse(POSTGRES).unwrap();
    let text = serde_json::to_string(&layer).unwrap();
    assert_eq!(Layer::parse(&text).unwrap(), layer);
    assert_eq!(serde_json::from_str::<Layer>(&text).unwrap(), layer);
}

#[test]
fn an_unknown_key_is_refused_with_its_place_and_the_nearest_name() {
    let error = refused("services:\n  web:\n    override: replace\n    comand: x\n");
    assert_eq!(error.code(), "layer-unknown-name");
    assert!(
        error.why().contains("comand") && error.why().contains('4'),
        "{}",
        error.why()
    );
    assert_eq!(error.advice(), "did you mean \"command\"?");
    for (text, meant) in [
        ("service: {}", "services"),
        (
            "checks: {up: {override: replace, treshold: 3}}",
            "threshold",
        ),
        (
            "checks: {up: {override: replace, exec: {comand: x}}}",
            "command",
        ),
        ("services: {a: {override: replase}}", "replace"),
        ("services: {a: {override: merge, kind: htpp}}", "http"),
        (
            "services: {a: {override: merge, on-failure: restrat}}",
            "restart",
        ),
        (
            "services: {a: {override: merge, requires-redy: []}}",
            "requires-ready",
        ),
    ] {
        let error = refused(text);
        assert_eq!(error.code(), "layer-unknown-name", "{text}");
        assert_eq!(
            error.advice(),
            format!("did you mean \"{meant}\"?"),
            "{text}"
        );
    }
    let error = refused("services: {a: {override: merge, zzzzzzzz: 1}}");
    assert_eq!(error.advice(), "take it out of the layer");
}

#[test]
fn values_of_another_shape_are_refused_with_what_to_write() {
    for (value, says) in [
        ("kill-delay: 10", "is not a duration"),
        ("kill-delay: 10 s", "is not a duration"),
        ("kill-delay: fast", "is not a duration"),
        ("ready: soon", "notify, check:NAME, after:DURATION"),
        ("ready: 'check:'", "notify, check:NAME, after:DURATION"),
        ("reload: HUP", "restart, none, a signal as SIGHUP"),
        ("kill-signal: SIGTREM", "did you mean \"SIGTERM\"?"),
        ("port: 70000", ""),
        ("after: 1", ""),
        ("override: replace", ""),
    ] {
        let error = refused(&format!("services: {{a: {{override: merge, {value}}}}}"));
        assert_eq!(error.code(), "layer-unreadable", "{value}");
        assert!(error.why().contains(says), "{value}: {}", error.why());
    }
    assert_eq!(refused("services: [").code(), "layer-unreadable");
    assert_eq!(refused("just words").code(), "layer-unreadable");
}

#[test]
fn log_targets_names_and_missing_overrides_are_refused_by_their_own_words() {
    let error = refused("log-targets: {loki: {override: replace, type: loki}}");
    assert_eq!(error.code(), "layer-log-targets");
    for name in ["''", "-a", "a/b", "'a b'", ".", "..", "ä"] {
        let error = refused(&format!("services: {{{name}: {{override: merge}}}}"));
        assert_eq!(error.code(), "layer-name-invalid", "{name}");
    }
    let error = refused("services: {a: {command: x}}");
    assert_eq!(error.code(), "layer-override-missing");
    assert_eq!(
        refused("checks: {c: {level: alive}}").code(),
        "layer-override-missing"
    );
}
