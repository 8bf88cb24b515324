//! What the description allows a request to hold. A parameter or member that is not described is
//! refused by its name, with the one that was probably meant: it would do nothing, and whoever
//! sent it believes that it did.

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::extract::{Query, Request, State};
use axum::http::Uri;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use periapt_model::Refusal;
use periapt_model::nearest::suggestion;
use periapt_wire::Problem;
use serde_json::{Map, Value};

use super::DOCUMENT;
use crate::rest::problem::Answer;
use crate::rest::{At, Route};

/// What requests of one route may hold.
struct Known {
    parameters: Vec<&'static str>,
    /// Schema of a JSON body.
    body: Option<&'static Value>,
}

static KNOWN: LazyLock<HashMap<(String, &'static str), Known>> = LazyLock::new(|| {
    let paths = DOCUMENT["paths"].as_object().into_iter().flatten();
    let of_path = |(path, methods): (&'static String, &'static Value)| {
        let methods = methods.as_object().into_iter().flatten();
        methods.map(move |(method, operation)| {
            let key = (method.to_ascii_uppercase(), path.as_str());
            (key, known(operation))
        })
    };
    paths.flat_map(of_path).collect()
});

fn known(operation: &'static Value) -> Known {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    Known {
        parameters: parameters
            .filter(|parameter| parameter["in"] == "query")
            .filter_map(|parameter| parameter["name"].as_str())
            .collect(),
        body: operation.pointer("/requestBody/content/application~1json/schema"),
    }
}

fn of(route: &'static Route) -> Option<&'static Known> {
    KNOWN.get(&(route.method.to_owned(), route.path))
}

/// Lets a request through whose query is described.
pub(in crate::rest) async fn described(
    State((_, route)): State<At>,
    request: Request,
    next: Next,
) -> Response {
    match query(route, request.uri()) {
        Ok(()) => next.run(request).await,
        Err(answer) => answer.into_response(),
    }
}

/// Refuses a query with a parameter that the route does not have.
fn query(route: &'static Route, uri: &Uri) -> Result<(), Answer> {
    if uri.query().is_none_or(str::is_empty) {
        return Ok(());
    }
    let names: &[&str] = of(route).map_or(&[], |known| known.parameters.as_slice());
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri)?;
    let unknown = pairs
        .iter()
        .find(|(name, _)| !names.contains(&name.as_str()));
    match unknown {
        None => Ok(()),
        Some((name, _)) => Err(refused(
            Refusal::QueryParameterUnknown,
            "parameter",
            name,
            names,
        )),
    }
}

/// Refuses a JSON body with a member that the route's body does not have.
pub(in crate::rest) fn body(route: &'static Route, body: &Value) -> Result<(), Answer> {
    match of(route).and_then(|known| known.body) {
        Some(schema) => members(schema, body),
        None => Ok(()),
    }
}

/// As deep as the description goes.
fn members(schema: &'static Value, value: &Value) -> Result<(), Answer> {
    let schema = resolved(schema);
    match value {
        Value::Object(members) => of_object(schema, members),
        Value::Array(items) => match schema.get("items") {
            Some(schema) => items
                .iter()
                .try_for_each(|item| self::members(schema, item)),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn of_object(schema: &'static Value, members: &Map<String, Value>) -> Result<(), Answer> {
    let (known, others) = (schema.get("properties"), schema.get("additionalProperties"));
    let others = others.filter(|others| **others != Value::Bool(false));
    // Not described as an object with names of its own.
    let Some(known) = known.and_then(Value::as_object) else {
        return match others {
            Some(others) => members
                .values()
                .try_for_each(|value| self::members(others, value)),
            None => Ok(()),
        };
    };
    for (name, value) in members {
        match known.get(name).or(others) {
            Some(schema) => self::members(schema, value)?,
            None => {
                let names: Vec<&str> = known.keys().map(String::as_str).collect();
                return Err(refused(Refusal::BodyMemberUnknown, "member", name, &names));
            }
        }
    }
    Ok(())
}

/// What a reference, or something that may be null, stands for.
fn resolved(schema: &'static Value) -> &'static Value {
    let mut schema = schema;
    // References of references, and no circle for ever.
    for _ in 0..8 {
        if let Some(reference) = schema["$ref"].as_str() {
            match DOCUMENT.pointer(reference.trim_start_matches('#')) {
                Some(referred) => schema = referred,
                None => break,
            }
            continue;
        }
        let choices = schema.get("oneOf").or_else(|| schema.get("anyOf"));
        let choices = choices.and_then(Value::as_array).into_iter().flatten();
        let mut choices = choices.filter(|choice| choice["type"] != "null");
        match (choices.next(), choices.next()) {
            (Some(only), None) => schema = only,
            _ => break,
        }
    }
    schema
}

fn refused(refusal: Refusal, kind: &str, name: &str, known: &[&str]) -> Answer {
    let shown: String = name.chars().take(64).collect();
    let meant = suggestion(name, known.iter().copied());
    let advice = match known {
        [] => format!("this request takes no {kind}s"),
        known => format!("there are {}", known.join(", ")),
    };
    Answer(
        Problem::new(refusal)
            .why(format!("there is no {kind} {shown:?}{meant}"))
            .advice(advice),
    )
}
