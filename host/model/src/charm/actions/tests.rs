use serde_json::json;

use super::{Action, Parameters};

fn action(text: &str) -> Action {
    serde_saphyr::from_str(text).unwrap()
}

fn object(value: serde_json::Value) -> Parameters {
    value.as_object().unwrap().clone()
}

const BACKUP: &str = "
params:
  target: {type: string, minLength: 1}
  level: {type: integer, default: 3, minimum: 1, maximum: 9}
  keep:
    type: object
    properties: {days: {type: integer, default: 7}, weeks: {type: integer}}
  mode: {type: string, enum: [full, part], default: full}
required: [target]
additionalProperties: false
";

#[test]
fn defaults_are_filled_in_also_within_objects() {
    let given = object(json!({"target": "x", "keep": {"weeks": 2}}));
    assert_eq!(
        action(BACKUP).parameters(&given).unwrap(),
        object(json!({"target": "x", "level": 3, "mode": "full", "keep": {"days": 7, "weeks": 2}}))
    );
    let given = object(json!({"target": "x", "level": 9}));
    assert_eq!(
        action(BACKUP).parameters(&given).unwrap(),
        object(json!({"target": "x", "level": 9, "mode": "full"}))
    );
}

#[test]
fn what_does_not_fit_is_said_with_its_name() {
    let wrong = |given| {
        action(BACKUP)
            .parameters(&object(given))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(wrong(json!({})), "\"target\" is a required property");
    let level = wrong(json!({"target": "x", "level": 10}));
    assert!(level.starts_with("level: 10 is greater than"), "{level}");
    let kind = wrong(json!({"target": 3}));
    assert!(kind.starts_with("target: 3 is not of type"), "{kind}");
    let unknown = wrong(json!({"target": "x", "levle": 3}));
    assert!(unknown.contains("levle"), "{unknown}");
    let inner = wrong(json!({"target": "x", "keep": {"days": "all"}}));
    assert!(inner.starts_with("keep.days: "), "{inner}");
}

#[test]
fn without_additional_properties_anything_more_is_taken_as_in_juju() {
    let any = action("params: {a: {type: integer}}");
    let given = object(json!({"a": 1, "b": [2]}));
    assert_eq!(any.parameters(&given).unwrap(), given);
    assert_eq!(Action::default().parameters(&given).unwrap(), given);
}

#[test]
fn a_schema_that_is_none_is_refused_and_nothing_is_fetched() {
    let mistaken = action("params: {a: {type: 7}}");
    assert!(mistaken.is_sound().is_err());
    let elsewhere = action("params: {a: {$ref: 'http://127.0.0.1:9/schema.json'}}");
    assert!(elsewhere.is_sound().is_err());
    let pattern = action("params: {a: {type: string, pattern: '('}}");
    assert!(pattern.is_sound().is_err());
}

proptest::proptest! {
    #[test]
    fn whatever_is_given_is_refused_or_complete(level in proptest::num::i64::ANY, keep in 0..20u8) {
        let given = object(json!({"target": "x", "level": level, "keep": {"days": keep}}));
        match action(BACKUP).parameters(&given) {
            Ok(whole) => {
                assert!((1..=9).contains(&level));
                assert_eq!(whole.get("mode"), Some(&json!("full")));
                assert_eq!(action(BACKUP).parameters(&whole).unwrap(), whole);
            }
            Err(_) => assert!(!(1..=9).contains(&level)),
        }
    }
}
