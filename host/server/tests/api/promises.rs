//! The API keeps what it promised: `docs/reference/api-v1-promises.txt` holds a line for every operation, parameter,
//! body, answer and member, and no later version takes one back or asks for more. What is added is added there.
//!
//! `cargo xtask openapi` writes the file anew, and refuses to where a promise would be broken. What may change
//! without breaking anybody: what was needed may be left out, and what was sometimes told may always be.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::common::House;

/// What the description promises, a line each.
fn promises(document: &Value) -> BTreeSet<String> {
    let mut writer = Writer {
        document,
        lines: BTreeSet::new(),
        asked: BTreeSet::new(),
        told: BTreeSet::new(),
    };
    for (path, methods) in members(&document["paths"]) {
        for (method, operation) in members(methods) {
            writer.operation(path, method, operation);
        }
    }
    // What the description has beside: events and lines of streams, which somebody reads.
    let named: Vec<&String> = members(&document["components"]["schemas"])
        .map(|(name, _)| name)
        .collect();
    for name in named {
        if !writer.asked.contains(name) {
            writer.reach(name, false);
        }
    }
    let asked: Vec<String> = writer.asked.iter().cloned().collect();
    for name in asked {
        writer.schema(&name, Way::In);
    }
    let told: Vec<String> = writer.told.iter().cloned().collect();
    for name in told {
        writer.schema(&name, Way::Out);
    }
    writer.lines
}

/// Whether a shape is sent to the API or comes from it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

struct Writer<'a> {
    document: &'a Value,
    lines: BTreeSet<String>,
    /// Schemas within requests, and within answers.
    asked: BTreeSet<String>,
    told: BTreeSet<String>,
}

impl<'a> Writer<'a> {
    fn operation(&mut self, path: &str, method: &str, operation: &'a Value) {
        let id = operation["operationId"].as_str().unwrap();
        self.say(id, &format!("is {} {path}", method.to_uppercase()));
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let (name, place) = (&parameter["name"], &parameter["in"]);
            let (name, place) = (name.as_str().unwrap(), place.as_str().unwrap());
            let must = match parameter["required"] == true {
                true => "needs",
                false => "takes",
            };
            let kind = kind(&parameter["schema"]);
            self.say(id, &format!("{must} {place} {name}: {kind}"));
        }
        for (media, content) in members(&operation["requestBody"]["content"]) {
            let must = match operation["requestBody"]["required"] == true {
                true => "needs",
                false => "takes",
            };
            let shape = &content["schema"];
            self.say(id, &format!("{must} body {media}: {}", kind(shape)));
            self.references(shape, true);
        }
        for (status, answer) in members(&operation["responses"]) {
            if !status.starts_with('2') {
                continue;
            }
            self.say(id, &format!("answers {status}"));
            for (media, content) in members(&answer["content"]) {
                let shape = &content["schema"];
                self.say(id, &format!("answers {status} {media}: {}", kind(shape)));
                self.references(shape, false);
            }
            for (header, _) in members(&answer["headers"]) {
                self.say(id, &format!("answers {status} with {header}"));
            }
        }
    }

    fn say(&mut self, subject: &str, text: &str) {
        self.lines.insert(format!("{subject} {text}"));
    }

    /// Notes all that a shape refers to, however deep.
    fn references(&mut self, shape: &'a Value, asked: bool) {
        match shape {
            Value::Object(all) => {
                if let Some(reference) = all.get("$ref").and_then(Value::as_str) {
                    self.reach(last(reference), asked);
                }
                for value in all.values() {
                    self.references(value, asked);
                }
            }
            Value::Array(all) => {
                for value in all {
                    self.references(value, asked);
                }
            }
            _ => {}
        }
    }

    fn reach(&mut self, name: &str, asked: bool) {
        let known = match asked {
            true => &mut self.asked,
            false => &mut self.told,
        };
        if known.insert(name.to_owned()) {
            let document = self.document;
            self.references(&document["components"]["schemas"][name], asked);
        }
    }

    fn schema(&mut self, name: &str, way: Way) {
        let subject = match way {
            Way::In => format!("{name} in"),
            Way::Out => format!("{name} out"),
        };
        let document = self.document;
        let shape = &document["components"]["schemas"][name];
        self.say(&subject, &format!("is {}", kind(shape)));
        self.shape(&subject, "", shape, way);
    }

    /// The members of a shape, and of those within that have no name of their own.
    fn shape(&mut self, subject: &str, within: &str, shape: &Value, way: Way) {
        for value in shape["enum"].as_array().into_iter().flatten() {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            self.say(subject, &format!("may be {within} {value}"));
        }
        let required: Vec<&str> = shape["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (name, member) in members(&shape["properties"]) {
            let word = match (way, required.contains(&name.as_str())) {
                (Way::In, true) => "needs",
                (Way::In, false) => "takes",
                (Way::Out, true) => "has",
                (Way::Out, false) => "may have",
            };
            let path = format!("{within}.{name}");
            self.say(subject, &format!("{word} {path}: {}", kind(member)));
            self.shape(subject, &path, member, way);
        }
        for (key, mark) in [("items", "[]"), ("additionalProperties", "{}")] {
            if shape[key].is_object() {
                self.shape(subject, &format!("{within}{mark}"), &shape[key], way);
            }
        }
        for key in ["oneOf", "anyOf", "allOf"] {
            for choice in shape[key].as_array().into_iter().flatten() {
                self.shape(subject, within, choice, way);
            }
        }
    }
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn last(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or_default()
}

/// A type in a word or two.
fn kind(shape: &Value) -> String {
    if let Some(reference) = shape["$ref"].as_str() {
        return last(reference).to_owned();
    }
    for key in ["oneOf", "anyOf", "allOf"] {
        if let Some(choices) = shape[key].as_array() {
            let choices: Vec<String> = choices.iter().map(kind).collect();
            return choices.join(" or ");
        }
    }
    let word = |name: &str| match name {
        "array" => format!("list of {}", kind(&shape["items"])),
        "object" if shape["additionalProperties"].is_object() => {
            format!("map to {}", kind(&shape["additionalProperties"]))
        }
        "string" if shape["format"].is_string() => {
            format!("string {}", shape["format"].as_str().unwrap_or_default())
        }
        name => name.to_owned(),
    };
    match &shape["type"] {
        Value::String(name) => word(name),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str).map(word);
            names.collect::<Vec<String>>().join(" or ")
        }
        _ => "anything".to_owned(),
    }
}

/// What a later description breaks, and what it promises beyond.
fn compared(kept: &BTreeSet<String>, now: &BTreeSet<String>) -> (Vec<String>, Vec<String>) {
    let loosened = |line: &str| {
        [(" needs ", " takes "), (" may have ", " has ")]
            .iter()
            .any(|(was, is)| line.contains(was) && now.contains(&line.replacen(was, is, 1)))
    };
    let mut broken: Vec<String> = kept
        .iter()
        .filter(|line| !now.contains(*line) && !loosened(line))
        .map(|line| format!("taken back: {line}"))
        .collect();
    let subject = |line: &str| {
        let end = [" needs ", " takes ", " is "]
            .iter()
            .filter_map(|word| line.find(word))
            .min();
        line[..end.unwrap_or(line.len())].to_owned()
    };
    let subjects: BTreeMap<String, ()> = kept.iter().map(|line| (subject(line), ())).collect();
    let mut added = Vec::new();
    for line in now.difference(kept) {
        match line.contains(" needs ") && subjects.contains_key(&subject(line)) {
            true => broken.push(format!("asked for beyond: {line}")),
            false => added.push(line.clone()),
        }
    }
    (broken, added)
}

#[tokio::test]
async fn the_reference_of_promises_is_kept() {
    let house = House::open().await;
    let request = house.stranger().request("GET", "/v1/openapi.json");
    let served: Value = request.send().await.unwrap().json().await.unwrap();
    house.close().await;
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/api-v1-promises.txt");
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let kept: BTreeSet<String> = kept.lines().map(str::to_owned).collect();
    let now = promises(&served);
    let (broken, added) = compared(&kept, &now);
    assert!(
        broken.is_empty(),
        "programs that were written for /v1 would fail:\n  {}",
        broken.join("\n  ")
    );
    if std::env::var_os("PERIAPT_WRITE_REFERENCE").is_some() {
        let lines: Vec<String> = now.into_iter().collect();
        std::fs::write(path, lines.join("\n") + "\n").unwrap();
        return;
    }
    assert!(
        added.is_empty(),
        "docs/reference/api-v1-promises.txt lacks what is promised from now on; add it with: cargo xtask openapi\n  {}",
        added.join("\n  ")
    );
}

/// A description with one operation and its body.
fn small() -> Value {
    serde_json::json!({
        "paths": { "/v1/doors": { "post": {
            "operationId": "addDoor",
            "parameters": [{ "name": "wide", "in": "query", "required": false, "schema": { "type": "boolean" } }],
            "requestBody": { "required": true, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/NewDoor" } } } },
            "responses": { "201": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Door" } } } } },
        } } },
        "components": { "schemas": {
            "NewDoor": { "type": "object", "required": ["name"], "properties": { "name": { "type": "string" }, "color": { "type": "string", "enum": ["red", "blue"] } } },
            "Door": { "type": "object", "required": ["name"], "properties": { "name": { "type": "string" }, "lock": { "type": "string" } } },
        } },
    })
}

/// What becomes of the promises when the description is changed.
fn after(change: impl Fn(&mut Value)) -> (Vec<String>, Vec<String>) {
    let mut later = small();
    change(&mut later);
    compared(&promises(&small()), &promises(&later))
}

#[test]
fn what_is_taken_back_or_asked_for_beyond_is_found() {
    let operation = "/paths/~1v1~1doors/post";
    let (broken, _) = after(|later| later["paths"]["/v1/doors"] = Value::Null);
    assert!(
        broken
            .iter()
            .any(|line| line.contains("addDoor is POST /v1/doors"))
    );
    let (broken, _) = after(|later| {
        later.pointer_mut(operation).unwrap()["parameters"] = Value::Null;
    });
    assert_eq!(broken, ["taken back: addDoor takes query wide: boolean"]);
    let (broken, _) = after(|later| {
        later["components"]["schemas"]["NewDoor"]["required"] =
            serde_json::json!(["name", "color"]);
    });
    assert!(
        broken.contains(&"asked for beyond: NewDoor in needs .color: string".to_owned()),
        "{broken:?}"
    );
    let (broken, _) = after(|later| {
        later["components"]["schemas"]["NewDoor"]["properties"]["color"]["enum"] =
            serde_json::json!(["red"]);
    });
    assert_eq!(broken, ["taken back: NewDoor in may be .color blue"]);
    let (broken, _) = after(|later| {
        later["components"]["schemas"]["Door"]["required"] = serde_json::json!([]);
    });
    assert_eq!(broken, ["taken back: Door out has .name: string"]);
    let (broken, _) = after(|later| {
        later["components"]["schemas"]["Door"]["properties"]["name"]["type"] =
            serde_json::json!("integer");
    });
    assert_eq!(broken, ["taken back: Door out has .name: string"]);
}

#[test]
fn what_is_added_or_loosened_breaks_nobody() {
    let (broken, added) = after(|later| {
        let schemas = &mut later["components"]["schemas"];
        schemas["NewDoor"]["required"] = serde_json::json!([]);
        schemas["Door"]["required"] = serde_json::json!(["name", "lock"]);
        schemas["Door"]["properties"]["size"] = serde_json::json!({ "type": "integer" });
    });
    assert_eq!(broken, [""; 0]);
    assert!(
        added.contains(&"Door out may have .size: integer".to_owned()),
        "{added:?}"
    );
    let (broken, added) = after(|_| {});
    assert!(broken.is_empty() && added.is_empty());
}
