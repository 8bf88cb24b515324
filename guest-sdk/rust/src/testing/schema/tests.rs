use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(dead_code)]
struct Backup {
    /// Where it goes.
    #[schemars(length(min = 1))]
    target: String,
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 9))]
    level: u8,
    keep_for: Option<Keep>,
    #[serde(default)]
    mode: Mode,
    title: Option<String>,
    #[serde(default)]
    labels: BTreeMap<String, f64>,
}

fn three() -> u8 {
    3
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Keep {
    #[serde(default = "three")]
    days: u8,
}

#[derive(Default, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    /// Everything.
    #[default]
    Full,
    /// What changed.
    Part,
}

#[test]
fn schemas_are_as_people_write_them() {
    let schema = schema_of::<Backup>();
    assert_eq!(schema["required"], json!(["target"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    let properties = &schema["properties"];
    assert_eq!(
        properties["target"],
        json!({"type": "string", "minLength": 1, "description": "Where it goes."})
    );
    assert_eq!(
        properties["level"],
        json!({"type": "integer", "minimum": 1, "maximum": 9, "default": 3})
    );
    assert_eq!(properties["title"], json!({"type": "string"}));
    assert_eq!(properties["keep-for"]["type"], json!("object"));
    assert_eq!(
        properties["keep-for"]["properties"]["days"]["default"],
        json!(3)
    );
    assert_eq!(properties["mode"]["default"], json!("full"));
    let text = schema.to_string();
    for later in ["\"const\"", "\"$ref\"", "\"$schema\"", "null", "format"] {
        assert!(!text.contains(later), "{later}: {text}");
    }
}

#[test]
fn an_action_without_parameters_has_no_properties() {
    assert_eq!(schema_of::<()>().get("properties"), None);
}

#[test]
fn defaults_are_filled_in_also_within_objects() {
    let schema = schema_of::<Backup>();
    let mut given = json!({"target": "x", "level": 5, "keep-for": {}});
    complete(&mut given, &schema);
    assert_eq!(
        given,
        json!({
            "target": "x", "level": 5, "keep-for": {"days": 3}, "mode": "full", "labels": {}
        })
    );
}

#[test]
fn ranges_and_lengths_are_held() {
    let schema = schema_of::<Backup>();
    let wrong = |given: Value| check(&given, &schema).unwrap_err();
    assert_eq!(
        wrong(json!({"level": 0})),
        "level: 0 does not keep to minimum: 1"
    );
    assert_eq!(
        wrong(json!({"level": 10})),
        "level: 10 does not keep to maximum: 9"
    );
    assert_eq!(
        wrong(json!({"target": ""})),
        "target: \"\" does not keep to minLength: 1"
    );
    let within = wrong(json!({"keep-for": {"days": 300}}));
    assert!(
        within.starts_with("keep-for: days: 300 does not"),
        "{within}"
    );
    assert_eq!(check(&json!({"level": 9, "unknown": 1}), &schema), Ok(()));
}
