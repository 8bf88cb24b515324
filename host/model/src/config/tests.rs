use super::*;

fn schema() -> Schema {
    let option = |kind, default| ConfigOption {
        kind,
        description: String::new(),
        default,
    };
    Schema {
        options: BTreeMap::from([
            (
                "title".to_owned(),
                option(Kind::String, Some(Value::Text("Home".to_owned()))),
            ),
            (
                "port".to_owned(),
                option(Kind::Int, Some(Value::Integer(80))),
            ),
            ("ratio".to_owned(), option(Kind::Float, None)),
            (
                "debug".to_owned(),
                option(Kind::Boolean, Some(Value::Boolean(false))),
            ),
        ]),
    }
}

#[test]
fn text_becomes_the_declared_type() {
    let schema = schema();
    assert_eq!(schema.parse("port", "8080"), Ok(Value::Integer(8080)));
    assert_eq!(schema.parse("ratio", "2"), Ok(Value::Number(2.0)));
    assert_eq!(schema.parse("debug", "True"), Ok(Value::Boolean(true)));
    for (name, text) in [("port", "many"), ("ratio", "NaN"), ("debug", "maybe")] {
        let error = schema.parse(name, text).expect_err("refused");
        assert_eq!(error.refusal().code(), "config-wrong-type");
        assert!(error.to_string().contains(text));
    }
}

#[test]
fn an_unknown_option_names_the_known_ones() {
    let error = schema().parse("colour", "red").expect_err("refused");
    assert_eq!(error.refusal().code(), "config-unknown-option");
    assert!(error.to_string().contains("debug, port, ratio, title"));
}

#[test]
fn settings_stand_over_defaults_and_unset_options_are_absent() {
    let settings = Values::from([
        ("port".to_owned(), Value::Text("81".to_owned())),
        ("gone".to_owned(), Value::Text("x".to_owned())),
    ]);
    let effective = schema().effective(&settings);
    assert_eq!(effective.get("port"), Some(&Value::Integer(81)));
    assert_eq!(
        effective.get("title"),
        Some(&Value::Text("Home".to_owned()))
    );
    assert!(!effective.contains_key("ratio") && !effective.contains_key("gone"));
}

#[test]
fn the_hash_depends_on_values_alone() {
    let a = schema().effective(&Values::new());
    assert_eq!(hash(&a), hash(&a.clone()));
    let b = schema().effective(&Values::from([("port".to_owned(), Value::Integer(81))]));
    assert_ne!(hash(&a), hash(&b));
}

#[test]
fn trust_makes_another_digest_of_the_same_values() {
    let values = Values::from([("port".to_owned(), Value::Integer(80))]);
    let trusted = hash_with_trust(&values, true);
    assert_eq!(hash_with_trust(&values, false), hash(&values));
    assert_ne!(trusted, hash(&values));
    assert_eq!(trusted, hash_with_trust(&values, true));
    assert_ne!(trusted, hash_with_trust(&Values::new(), true));
}
