//! Puts the parts together and adds what holds for every route.

use periapt_wire::access::Visitor;
use periapt_wire::rest::MOST_ITEMS;
use serde_json::{Map, Value, json};

use super::super::route::{Lists, Route, Row};
use super::super::{Resource, conditions};
use super::{examples, names};

/// Parameters in paths: what they name, and the pattern or type of them.
const PATH_PARAMETERS: &[(&str, &str, &str)] = &[
    ("model", "UUID or name of a model", "^[a-z0-9][a-z0-9-]*$"),
    (
        "name",
        "Name of an application, or of a storage as charms declare it",
        "^[A-Za-z][A-Za-z0-9._-]*$",
    ),
    (
        "number",
        "Number of a unit or of a storage",
        "^(0|[1-9][0-9]{0,8})$",
    ),
    ("pool", "Name of a storage pool", "^[A-Za-z][A-Za-z0-9-]*$"),
    (
        "machine",
        "Id of a machine; that of a container has dashes, `0-lxd-1`",
        "^[0-9a-z-]+$",
    ),
    (
        "charm",
        "URL of a charm, `local:site-0`",
        "^local:[a-z][a-z0-9-]*$",
    ),
    (
        "node",
        "Number of a process of the controller",
        "^(0|[1-9][0-9]{0,8})$",
    ),
    ("relation", "Number of a relation", "^(0|[1-9][0-9]{0,8})$"),
    (
        "kind",
        "What is disabled: `destroy-model`, `remove-object` or `all`",
        "^(destroy-model|remove-object|all)$",
    ),
    (
        "resource",
        "Name of a resource that the charm declares",
        "^[A-Za-z][A-Za-z0-9._-]*$",
    ),
    (
        "secret",
        "Id of a secret, with `secret:` before it or without, or the name of a user secret",
        "^[A-Za-z0-9][A-Za-z0-9_.:-]*$",
    ),
    (
        "backend",
        "Name of a back end of secrets",
        "^[a-z][a-z0-9-]*$",
    ),
    ("alert", "Id of an alert", "^[1-9][0-9]{0,17}$"),
    ("rule", "Name of an alert rule", "^[a-z][a-z0-9-]*$"),
    ("receiver", "Name of an alert receiver", "^[a-z][a-z0-9-]*$"),
    (
        "application",
        "Name of an application",
        "^[a-z](-?[a-z0-9])*$",
    ),
    (
        "apply",
        "Number of a bundle that was applied",
        "^[1-9][0-9]{0,15}$",
    ),
    ("operation", "Number of an operation", "^[1-9][0-9]{0,15}$"),
    ("task", "Number of a task", "^[1-9][0-9]{0,15}$"),
    ("digest", "Name of a blob", "^[0-9a-f.]+$"),
    ("user", "Name of a user", "^[A-Za-z0-9][A-Za-z0-9.+-]*$"),
    ("id", "Id within its list", "^[0-9A-Za-z-]+$"),
    (
        "report",
        "Name of a report; `metrics` is one of the controller only",
        "^(depengine|hooktimes|leases|machinelock|metrics|presence|units)$",
    ),
];

/// Refusals: status, name, what it means.
const PROBLEMS: &[(u16, &str, &str)] = &[
    (
        400,
        "BadRequest",
        "The request cannot be read or contradicts a rule",
    ),
    (401, "Unauthorized", "Not logged in"),
    (403, "Forbidden", "Logged in, but this is not allowed"),
    (
        404,
        "NotFound",
        "Something that the address names does not exist",
    ),
    (408, "TimedOut", "What was waited for did not come in time"),
    (409, "Conflict", "Not possible in the present state"),
    (
        412,
        "PreconditionFailed",
        "What was to be changed has changed since its ETag was read",
    ),
    (413, "TooLarge", "The body is too large"),
    (
        415,
        "NotJson",
        "The body is not of the kind that is described",
    ),
    (
        422,
        "KeyReused",
        "The Idempotency-Key belongs to another request",
    ),
    (
        429,
        "TooManyRequests",
        "Too many failed logins, or too much at once",
    ),
    (500, "InternalError", "The controller failed"),
    (
        503,
        "Unavailable",
        "Not available now: the controller starts, stops or cannot reach its database",
    ),
    (507, "NoRoom", "The controller's disk is full"),
];

const ABOUT: &str = "The HTTP API of a Periapt controller.

Log in with `POST /v1/login` and send the token as `Authorization: Bearer TOKEN`. Every refusal is
a `Problem`: a stable code for programs, what went wrong, why, and what to do.

A parameter or a member that is not described is refused, with the name that was probably meant.

Lists come in pages: `items`, and `next` when there is more, to be handed back as `?after=`.

Times are RFC 3339 in UTC. Durations have their unit in their name or in their description.

A status is a word, a message and since when, whatever it is about. Entities are named as in `site/0`; where one of
any kind may stand (who did something, what a line of the log is about), the tag says the kind: `unit-site-0`.

A change answers 201 with `Location` when it made something new, 202 when it has begun and goes on
after the answer, and 200 when it is done.

What can be changed has an `ETag`. A change with `If-Match: ETAG` is made only if nobody else
changed it meanwhile; otherwise the answer is 412 and nothing happened. The tag is the version of
what people set; statuses shown with it do not change it.

A change with an `Idempotency-Key` can be sent again without fear: for 24 hours the same request
with the same key gets the first answer again, with `Idempotency-Replayed: true`, and nothing is
done twice.";

/// The whole document, of what is under `/v1`.
pub(super) fn make(resources: &[Resource]) -> Value {
    let mut paths = Map::new();
    let mut schemas = Map::new();
    let mut tags = Vec::new();
    for Resource { tag, about, rows } in resources {
        if !about.is_empty() {
            tags.push(json!({ "name": tag, "description": about }));
        }
        for row in rows.iter().filter(|row| row.route.path.starts_with("/v1/")) {
            let methods = paths.entry(row.route.path).or_insert_with(|| json!({}));
            methods[row.route.method.to_ascii_lowercase()] = complete(tag, row);
            for (name, schema) in &row.schemas {
                let schema = serde_json::to_value(schema).unwrap_or_default();
                schemas.insert(name.clone(), schema);
            }
        }
    }
    schemas.insert("Problem".to_owned(), schema_of::<periapt_wire::Problem>());
    name_items(&mut schemas);
    for (name, schema) in &mut schemas {
        if let (Some(example), Some(schema)) = (examples::of(name), schema.as_object_mut()) {
            schema.insert("examples".to_owned(), json!([example]));
        }
    }
    // Sorted, so that the text depends on nothing else.
    let mut paths: Vec<(String, Value)> = paths.into_iter().collect();
    paths.sort_by(|(a, _), (b, _)| a.cmp(b));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Periapt",
            "version": "1.0.0",
            "description": ABOUT,
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "/", "description": "The controller that serves this description" }],
        "tags": tags,
        "paths": Map::from_iter(paths),
        "components": {
            "schemas": schemas,
            "responses": problems(),
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer", "description": "A token of `POST /v1/login`, or one made for a program." },
                "basic": { "type": "http", "scheme": "basic", "description": "A user's name or an agent's tag, and its password." },
                "session": { "type": "apiKey", "in": "cookie", "name": "periapt-session", "description": "The cookie of a browser's login. Changes repeat the session's `csrf` in the header `X-Periapt-CSRF`." },
            },
        },
    })
}

fn schema_of<T: utoipa::PartialSchema>() -> Value {
    serde_json::to_value(T::schema()).unwrap_or_default()
}

/// The operation of a route, with what its row and its address say.
fn complete(tag: &str, row: &Row) -> Value {
    let Route { path, visitor, .. } = row.route;
    let method = &*row.route.method.to_ascii_lowercase();
    let mut operation = row.operation.clone();
    let writes = row.route.changes();
    let conditional = row.route.about.is_some();
    let given = operation["operationId"].as_str().unwrap_or_default();
    let paged = lists(&operation);
    let name = names::of(method, path, given, paged);
    operation["operationId"] = json!(name);
    operation["tags"] = json!([tag]);
    operation["security"] = match visitor {
        Visitor::Anyone => json!([]),
        Visitor::AgentOfModel => json!([{ "basic": [] }]),
        _ => json!([{ "bearer": [] }, { "session": [] }, { "basic": [] }]),
    };
    let mut parameters = path_parameters(path);
    if let Value::Array(given) = operation["parameters"].take() {
        parameters.extend(
            given
                .into_iter()
                .filter(|parameter| parameter["in"] != "path"),
        );
    }
    parameters = parameters
        .into_iter()
        .filter_map(|parameter| of_list(row.lists, parameter))
        .collect();
    for parameter in &mut parameters {
        without_null(&mut parameter["schema"]);
        if paged && parameter["name"] == "limit" {
            parameter["schema"] = json!({ "type": "integer", "minimum": 1, "maximum": MOST_ITEMS });
        }
    }
    let people = !matches!(visitor, Visitor::Anyone | Visitor::AgentOfModel);
    if writes && people {
        parameters.push(header(
            "Idempotency-Key",
            "A fresh key, such as a UUID, that makes it safe to send the request again",
            "^[!-~]{1,255}$",
        ));
        if conditional {
            parameters.push(header(
                "If-Match",
                "The ETag at which to make the change, or `*`",
                "^(\\*|\"[0-9]+\")$",
            ));
        }
    }
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    } else if let Some(operation) = operation.as_object_mut() {
        operation.remove("parameters");
    }
    let has_body = operation.get("requestBody").is_some();
    if has_body {
        // A removal says in its description what it takes when it has none.
        operation["requestBody"]["required"] = json!(method != "delete");
    }
    files(&mut operation);
    let by_fields = of_fields(&operation);
    let responses = &mut operation["responses"];
    if let Some(fine) = responses.get_mut("200") {
        if fine["description"].as_str().unwrap_or_default().is_empty() {
            fine["description"] = json!("Done");
        }
        if conditions::shows_definition(&row.route) {
            fine["headers"]["ETag"] = json!({ "description": "The definition's version", "schema": { "type": "string" } });
        }
        if writes && people {
            fine["headers"]["Idempotency-Replayed"] = json!({ "description": "`true` on an answer that was given before", "schema": { "type": "string" } });
        }
        if by_fields {
            let schema = fine["content"]["application/json"]["schema"].take();
            fine["content"]["application/json"]["schema"] = json!({ "anyOf": [schema, {
                "type": "object",
                "description": "With `fields`: the items have the members that were asked for.",
                "required": ["items"],
                "properties": {
                    "items": { "type": "array", "items": { "type": "object" } },
                    "next": { "type": "string" },
                },
            }] });
        }
    }
    succeeds(responses, &row.route);
    let mut refusals = vec![400, 500, 503];
    if visitor != Visitor::Anyone || writes {
        refusals.extend([401, 403, 429]);
    }
    if path.contains('{') || (path == "/v1/session" && !writes) {
        refusals.push(404);
    }
    if writes {
        refusals.extend([409, 422, 507]);
        if conditional {
            refusals.push(412);
        }
        if has_body {
            refusals.extend([408, 413, 415]);
        }
    }
    if path.ends_with("/wait") {
        refusals.push(408);
    }
    for (status, name, _) in PROBLEMS {
        if refusals.contains(status) && responses.get(status.to_string()).is_none() {
            let reference = format!("#/components/responses/{name}");
            responses[status.to_string()] = json!({ "$ref": reference });
        }
    }
    operation
}

/// Whether it answers with a page of a list.
fn lists(operation: &Value) -> bool {
    operation
        .pointer("/responses/200/content/application~1json/schema/$ref")
        .and_then(Value::as_str)
        .is_some_and(|reference| reference.contains("/Page_"))
}

/// Has pages refer to their items, so that generators give those the one name that they have elsewhere.
fn name_items(schemas: &mut Map<String, Value>) {
    let names: Vec<String> = schemas.keys().cloned().collect();
    for item in names {
        if let Some(page) = schemas.get_mut(&format!("Page_{item}")) {
            let reference = format!("#/components/schemas/{item}");
            page["properties"]["items"]["items"] = json!({ "$ref": reference });
        }
    }
}

/// Bytes are a file, to whoever makes a client of this, and no list of numbers.
fn files(operation: &mut Value) {
    let bytes = |schema: &Value| schema["type"] == "array" && schema["items"]["format"] == "int32";
    let file = |content: Option<&mut Value>| {
        for (_, content) in content.and_then(Value::as_object_mut).into_iter().flatten() {
            if bytes(&content["schema"]) {
                content["schema"] = json!({ "type": "string", "format": "binary" });
            }
        }
    };
    file(operation.pointer_mut("/requestBody/content"));
    file(operation.pointer_mut("/responses/200/content"));
}

/// Puts the answer of a change that only begins, or that makes something, at the status it has.
fn succeeds(responses: &mut Value, route: &Route) {
    let place = json!({ "description": "Where to look at it", "schema": { "type": "string", "format": "uri-reference" } });
    if route.success == 200 {
        if route.place.is_some() && responses["202"].is_object() {
            responses["202"]["headers"]["Location"] = place;
        }
        return;
    }
    let Some(mut fine) = responses
        .as_object_mut()
        .and_then(|responses| responses.remove("200"))
    else {
        return;
    };
    if fine["description"] == "Done" {
        let about = match route.success {
            201 => "Created",
            _ => "Begun",
        };
        fine["description"] = json!(about);
    }
    if route.place.is_some() {
        fine["headers"]["Location"] = place;
    }
    responses[route.success.to_string()] = fine;
}

fn path_parameters(path: &str) -> Vec<Value> {
    path.split('/')
        .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| {
            let known = PATH_PARAMETERS.iter().find(|(known, ..)| *known == name);
            let (description, schema) = match known {
                Some((_, about, pattern)) => {
                    (*about, json!({ "type": "string", "pattern": pattern }))
                }
                None => ("", json!({ "type": "string", "minLength": 1 })),
            };
            json!({ "name": name, "in": "path", "required": true, "description": description, "schema": schema })
        })
        .collect()
}

fn header(name: &str, description: &str, pattern: &str) -> Value {
    json!({ "name": name, "in": "header", "required": false, "description": description,
        "schema": { "type": "string", "pattern": pattern } })
}

/// A parameter that may be left out is left out, not sent as null.
fn without_null(schema: &mut Value) {
    if let Some(types) = schema["type"].as_array() {
        let types: Vec<Value> = types
            .iter()
            .filter(|one| **one != "null")
            .cloned()
            .collect();
        if let [one] = types.as_slice() {
            schema["type"] = one.clone();
        }
    }
}

/// The query parameters of a list as that list takes them.
fn of_list(lists: Option<Lists>, mut parameter: Value) -> Option<Value> {
    let Some((filters, fields)) = lists else {
        return Some(parameter);
    };
    if parameter["in"] != "query" {
        return Some(parameter);
    }
    match parameter["name"].as_str().unwrap_or_default() {
        "status" | "application" | "machine" => {
            let name = parameter["name"].as_str()?;
            filters.contains(&name).then_some(parameter)
        }
        "fields" => {
            parameter["schema"] =
                json!({ "type": "array", "items": { "type": "string", "enum": fields } });
            parameter["style"] = json!("form");
            parameter["explode"] = json!(false);
            Some(parameter)
        }
        _ => Some(parameter),
    }
}

/// Whether a request can choose the members of the items.
fn of_fields(operation: &Value) -> bool {
    operation["parameters"]
        .as_array()
        .is_some_and(|all| all.iter().any(|parameter| parameter["name"] == "fields"))
}

fn problems() -> Value {
    let answers = PROBLEMS.iter().map(|(status, name, about)| {
        let answer = json!({
            "description": about,
            "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
        });
        debug_assert!((400..600).contains(status));
        ((*name).to_owned(), answer)
    });
    Value::Object(answers.collect())
}
