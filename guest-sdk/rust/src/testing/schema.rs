//! The schema of an action's parameters: made from their struct, as plain as people write it, and what
//! the controller does with it before it runs an action.
//!
//! Schemas of charms are JSON Schema of draft 4 and name nothing outside of themselves, so that none of what
//! later drafts have is left here.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, ReplaceConstValue};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

#[cfg(test)]
mod tests;

/// The schema of a struct of parameters.
pub(crate) fn schema_of<P: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft07()
        .with(|settings| {
            settings.meta_schema = None;
            settings.inline_subschemas = true;
        })
        .with_transform(RecursiveTransform(ReplaceConstValue::default()))
        .with_transform(RecursiveTransform(plain));
    let mut schema: Value = settings.into_generator().into_root_schema_for::<P>().into();
    schema.sort_all_objects();
    schema
}

/// Leaves out what says nothing to people: how many bits a number has, and that an optional parameter
/// could be null, which nobody would give.
fn plain(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    let of_numbers = |format: &Value| {
        let format = format.as_str().unwrap_or_default();
        ["int", "uint", "float", "double"]
            .iter()
            .any(|kind| format.starts_with(kind))
    };
    if object.get("format").is_some_and(of_numbers) {
        object.remove("format");
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    if let Some(Value::Array(kinds)) = object.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            object.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(kinds)) = object.get_mut("anyOf") {
        kinds.retain(|kind| kind.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(only)] = kinds.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
}

/// Adds the defaults of the schema's properties, also within objects that are there.
pub(super) fn complete(value: &mut Value, schema: &Value) {
    let (Some(object), Some(properties)) = (
        value.as_object_mut(),
        schema.get("properties").and_then(Value::as_object),
    ) else {
        return;
    };
    for (name, property) in properties {
        if let Some(default) = property.get("default") {
            object.entry(name).or_insert_with(|| default.clone());
        }
        if let Some(within) = object.get_mut(name) {
            complete(within, property);
        }
    }
}

/// Holds ranges and lengths against the schema: all that a struct does not hold by its types.
pub(super) fn check(value: &Value, schema: &Value) -> Result<(), String> {
    check_one(value, schema)?;
    for (name, within) in value.as_object().into_iter().flatten() {
        if let Some(property) = schema.get("properties").and_then(|all| all.get(name)) {
            check(within, property).map_err(|reason| format!("{name}: {reason}"))?;
        }
    }
    for within in value.as_array().into_iter().flatten() {
        if let Some(items) = schema.get("items") {
            check(within, items)?;
        }
    }
    Ok(())
}

fn check_one(value: &Value, schema: &Value) -> Result<(), String> {
    let (size, least, most) = match value {
        Value::Number(number) => (number.as_f64(), "minimum", "maximum"),
        Value::String(text) => (Some(text.chars().count() as f64), "minLength", "maxLength"),
        Value::Array(items) => (Some(items.len() as f64), "minItems", "maxItems"),
        _ => return Ok(()),
    };
    let Some(size) = size else { return Ok(()) };
    let bound = |key: &'static str| Some((key, schema.get(key)?.as_f64()?));
    let under = bound(least).filter(|(_, bound)| size < *bound);
    let over = bound(most).filter(|(_, bound)| size > *bound);
    match under.or(over) {
        Some((key, bound)) => Err(format!("{value} does not keep to {key}: {bound}")),
        None => Ok(()),
    }
}
