use super::{Kind, Metrics, read};

fn parse(text: &str) -> Result<Metrics, String> {
    read(&serde_saphyr::from_str(text).unwrap())
}

#[test]
fn what_a_charm_measures_is_declared_with_a_type() {
    let metrics = parse(
        "metrics:\n  pings:\n    type: gauge\n    description: Pings that were answered.\n  bytes-sent: {type: absolute}\n",
    )
    .unwrap();
    assert_eq!(metrics["pings"].kind, Kind::Gauge);
    assert_eq!(metrics["pings"].description, "Pings that were answered.");
    assert_eq!(metrics["bytes-sent"].kind, Kind::Absolute);
    assert!(parse("metrics: {}").unwrap().is_empty());
}

#[test]
fn what_is_not_known_is_refused_with_what_is() {
    let many: Vec<String> = (0..65).map(|n| format!("m{n}: {{type: gauge}}")).collect();
    let many = format!("metrics: {{{}}}", many.join(", "));
    for (text, reason) in [
        ("metric: {}", "did you mean \"metrics\"?"),
        ("metrics: [pings]", "name the metrics"),
        ("metrics: {pings: {typ: gauge}}", "did you mean \"type\"?"),
        ("metrics: {pings: {type: guage}}", "did you mean \"gauge\"?"),
        ("metrics: {pings: {}}", "needs a type: gauge or absolute"),
        ("metrics: {pings: gauge}", "needs a type"),
        ("metrics: {juju-units: {type: gauge}}", "without \"juju-\""),
        ("metrics: {p_x: {type: gauge}}", "not a valid name"),
        (
            "metrics: {pings: {type: gauge, description: [a]}}",
            "no text",
        ),
        (many.as_str(), "65 metrics, 64 at most"),
    ] {
        let refused = parse(text).unwrap_err();
        assert!(refused.contains(reason), "{text}: {refused}");
    }
}
