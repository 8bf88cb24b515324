use super::*;

const TABLES: [&Table; 2] = [&MODEL, &CONTROLLER];

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn every_default_passes_its_own_check_and_every_row_says_what_it_is() {
    for table in TABLES {
        let mut names: Vec<&str> = table.rows.iter().map(|row| row.name).collect();
        names.dedup();
        assert_eq!(names.len(), table.rows.len());
        for row in table.rows {
            assert!(row.description.ends_with('.'), "{}", row.name);
            if let Some(default) = row.default() {
                assert_eq!(table.check(row.name, &default), Ok(default), "{}", row.name);
            } else {
                assert_eq!(row.kind, Kind::Secret, "{}", row.name);
            }
        }
    }
}

#[test]
fn a_model_takes_the_options_that_scripts_of_juju_set() {
    for (name, value) in [
        ("test-mode", "true"),
        ("default-base", "ubuntu@24.04"),
        ("image-stream", "daily"),
        ("enable-os-upgrade", "false"),
        ("development", "true"),
        ("egress-subnets", "10.0.0.0/8"),
    ] {
        assert!(MODEL.check(name, &text(value)).is_ok(), "{name}");
    }
    let mut names: Vec<&str> = MODEL.rows.iter().map(|row| row.name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "no option has two rows");
}

#[test]
fn values_are_read_as_their_kind() {
    let model = |name, value| MODEL.check(name, &text(value));
    let controller = |name, value| CONTROLLER.check(name, &text(value));
    let no = Value::Boolean(false);
    assert_eq!(model("automatically-retry-hooks", "OFF"), Ok(no));
    assert_eq!(model("force-wait", " 1.5m "), Ok(text("1.5m")));
    assert_eq!(
        controller("audit-log-max-backups", "3"),
        Ok(Value::Integer(3))
    );
    assert_eq!(
        controller(
            "audit-log-exclude-methods",
            "periapt.Uniter.CommitHook, AgentMethods"
        ),
        Ok(text("periapt.Uniter.CommitHook,AgentMethods"))
    );
    for (name, value) in [
        ("automatically-retry-hooks", "perhaps"),
        ("force-wait", "soon"),
        ("collect-metrics-interval", "0s"),
        ("collect-metrics-interval", "500ms"),
        ("metrics-max-age", "59s"),
        ("max-status-history-size", "large"),
        ("provisioner-harvest-mode", "some"),
        ("logging-config", "<root>=LOUD"),
        ("logging-output", "printer"),
    ] {
        let error = model(name, value).unwrap_err();
        assert_eq!(error.refusal().code(), "model-option-invalid", "{name}");
        assert!(error.to_string().contains(value), "{error}");
    }
    for (name, value) in [
        ("audit-log-max-size", "0"),
        ("audit-log-max-backups", "-1"),
        ("audit-log-exclude-methods", "everything"),
        ("syslog-target", "somewhere"),
        ("syslog-allowed-hosts", "http://logs.example"),
    ] {
        let error = controller(name, value).unwrap_err();
        assert_eq!(
            error.refusal().code(),
            "controller-option-invalid",
            "{name}"
        );
    }
    for value in ["unix:/dev/log", "tcp:[::1]:514", ""] {
        assert_eq!(controller("syslog-target", value), Ok(text(value)));
    }
}

#[test]
fn sizes_are_megabytes() {
    assert_eq!(parse_size_mb("5G"), Some(5 << 10));
    assert_eq!(parse_size_mb("20"), Some(20));
    assert_eq!(parse_size_mb("1T"), Some(1 << 20));
    assert_eq!(parse_size_mb("many"), None);
}

#[test]
fn an_unknown_option_is_answered_with_the_nearest_one() {
    let error = MODEL.find("force-wiat").unwrap_err();
    assert_eq!(error.refusal().code(), "model-option-unknown");
    assert_eq!(
        error.to_string(),
        "model option \"force-wiat\" does not exist; did you mean \"force-wait\"?"
    );
    let error = CONTROLLER.find("nonsense").unwrap_err();
    assert_eq!(error.refusal().code(), "controller-option-unknown");
    let reset = ["force-wait".to_owned()];
    let both = MODEL.check_all(&[("force-wait".to_owned(), text("1m"))].into(), &reset);
    assert_eq!(both.unwrap_err().refusal().code(), "option-set-and-reset");
}

/// Whatever is shown of a model's options, and whatever a refusal says.
#[test]
fn a_secret_is_never_shown() {
    let key = "-----BEGIN PRIVATE KEY-----";
    let set: Values = [
        ("syslog-client-key".to_owned(), text(key)),
        ("force-wait".to_owned(), text("2m")),
    ]
    .into();
    let shown = MODEL.show(&set);
    assert!(!serde_json::to_string(&shown).unwrap().contains("BEGIN"));
    let secret = &shown["syslog-client-key"];
    assert_eq!(
        (secret.kind.as_str(), secret.source),
        ("secret", Source::Model)
    );
    assert_eq!((&secret.value, &secret.default), (&None, &None));
    assert_eq!(
        MODEL.show(&Values::new())["syslog-client-key"].source,
        Source::Default
    );
    assert!(!MODEL.effective(&set).contains_key("syslog-client-key"));
    let wait = &shown["force-wait"];
    assert_eq!(wait.value, Some(text("2m")));
    assert_eq!(wait.default, Some(text("1m")));

    let long = key.repeat(OPTION_BYTES.length() / key.len() + 1);
    let refused = MODEL.check("syslog-client-key", &text(&long)).unwrap_err();
    assert!(!refused.to_string().contains("BEGIN"), "{refused}");
}

#[test]
fn a_refusal_repeats_no_long_value() {
    let refused = MODEL
        .check("force-wait", &text(&"x".repeat(10_000)))
        .unwrap_err();
    assert!(refused.to_string().len() < 200, "{refused}");
    let unknown = MODEL.find(&"x".repeat(10_000)).unwrap_err();
    assert!(unknown.to_string().len() < 200, "{unknown}");
}

#[test]
fn an_option_that_a_model_does_not_set_has_the_value_of_the_nearest_that_does() {
    let of = |value: &str| Values::from([("force-wait".to_owned(), text(value))]);
    let (own, region, controller) = (of("1s"), of("2s"), of("3s"));
    let none = Values::new();
    for (set, region, controller, value, default, source) in [
        (&own, &region, &controller, "1s", "2s", Source::Model),
        (&none, &region, &controller, "2s", "2s", Source::Region),
        (&none, &none, &controller, "3s", "3s", Source::Controller),
        (&own, &none, &none, "1s", "1m", Source::Model),
        (&none, &none, &none, "1m", "1m", Source::Default),
    ] {
        let inherited = [(Source::Region, region), (Source::Controller, controller)];
        let shown = MODEL
            .show_over(set, &inherited)
            .remove("force-wait")
            .unwrap();
        let found = (shown.value, shown.default, shown.source);
        assert_eq!(found, (Some(text(value)), Some(text(default)), source));
    }
}
