//! The description as a page: plain HTML without scripts or requests to anybody.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use periapt_model::Digest;
use serde_json::Value;

/// A page and the policy under which a browser shows it.
pub(super) struct Page {
    pub html: Bytes,
    pub policy: String,
}

const STYLE: &str = "
:root { color-scheme: light dark; --line: #8885; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
h1, h2 { line-height: 1.2; }
h2 { border-bottom: 1px solid var(--line); margin-top: 3rem; }
nav ul { columns: 16rem; padding-left: 1.2rem; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: 0 .8rem; }
summary { cursor: pointer; padding: .5rem 0; }
summary b { display: inline-block; min-width: 4.5rem; }
code, pre { background: var(--soft); border-radius: .2rem; font: 14px/1.4 ui-monospace, monospace; }
code { overflow-wrap: anywhere; padding: .1rem .3rem; }
pre { overflow-x: auto; padding: .6rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .8rem .3rem 0; text-align: left; vertical-align: top; }
";

pub(super) fn render(document: &Value) -> Page {
    let digest = BASE64_STANDARD.encode(Digest::of(STYLE).as_bytes());
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let mut html = String::from(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Periapt: the HTTP API</title><style>",
    );
    html.push_str(STYLE);
    html.push_str("</style></head><body><main><h1>The HTTP API</h1>");
    prose(&mut html, text(&document["info"]["description"]));
    html.push_str("<p>For programs: <a href=\"/v1/openapi.json\">openapi.json</a>.</p>");
    contents(&mut html, document);
    for tag in list(&document["tags"]) {
        let name = text(&tag["name"]);
        html.push_str(&format!("<h2 id=\"{0}\">{0}</h2>", escape(name)));
        prose(&mut html, text(&tag["description"]));
        for (path, method, operation) in operations(document) {
            if operation["tags"][0] == name {
                describe(&mut html, path, method, operation);
            }
        }
    }
    html.push_str("<h2 id=\"schemas\">Types</h2>");
    for (name, schema) in members(&document["components"]["schemas"]) {
        html.push_str(&format!(
            "<details id=\"type-{0}\"><summary><code>{0}</code></summary>",
            escape(name)
        ));
        prose(&mut html, text(&schema["description"]));
        properties(&mut html, schema);
        example(&mut html, &schema["examples"][0]);
        html.push_str("</details>");
    }
    html.push_str("</main></body></html>\n");
    Page {
        html: Bytes::from(html),
        policy,
    }
}

fn contents(html: &mut String, document: &Value) {
    html.push_str("<nav><ul>");
    for tag in list(&document["tags"]) {
        let name = escape(text(&tag["name"]));
        html.push_str(&format!("<li><a href=\"#{name}\">{name}</a></li>"));
    }
    html.push_str("<li><a href=\"#schemas\">Types</a></li></ul></nav>");
}

fn describe(html: &mut String, path: &str, method: &str, operation: &Value) {
    html.push_str(&format!(
        "<details id=\"{}\"><summary><b>{}</b> <code>{}</code> {}</summary>",
        escape(text(&operation["operationId"])),
        escape(&method.to_uppercase()),
        escape(path),
        escape(text(&operation["summary"])),
    ));
    prose(html, text(&operation["description"]));
    let parameters = list(&operation["parameters"]);
    if !parameters.is_empty() {
        html.push_str("<table><tr><th>Parameter</th><th>In</th><th>Type</th><th></th></tr>");
        for parameter in parameters {
            html.push_str(&format!(
                "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>",
                escape(text(&parameter["name"])),
                escape(text(&parameter["in"])),
                kind(&parameter["schema"]),
                escape(text(&parameter["description"])),
            ));
        }
        html.push_str("</table>");
    }
    for (media, content) in members(&operation["requestBody"]["content"]) {
        html.push_str(&format!(
            "<p>Body, <code>{}</code>: {}</p>",
            escape(media),
            kind(&content["schema"])
        ));
    }
    html.push_str("<table><tr><th>Answer</th><th></th><th>Type</th></tr>");
    for (status, response) in members(&operation["responses"]) {
        let (about, shape) = match response["$ref"].as_str() {
            Some(reference) => (
                last(reference).to_owned(),
                "<a href=\"#type-Problem\">Problem</a>".to_owned(),
            ),
            None => {
                let shapes: Vec<String> = members(&response["content"])
                    .map(|(media, content)| {
                        format!(
                            "{} <code>{}</code>",
                            kind(&content["schema"]),
                            escape(media)
                        )
                    })
                    .collect();
                (text(&response["description"]).to_owned(), shapes.join(", "))
            }
        };
        html.push_str(&format!(
            "<tr><td>{}</td><td>{}</td><td>{shape}</td></tr>",
            escape(status),
            escape(&about)
        ));
    }
    html.push_str("</table></details>");
}

fn properties(html: &mut String, schema: &Value) {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values
            .iter()
            .map(|value| format!("<code>{}</code>", escape(text(value))))
            .collect();
        html.push_str(&format!("<p>One of {}.</p>", values.join(", ")));
        return;
    }
    if !schema["properties"].is_object() {
        html.push_str(&format!("<p>{}</p>", kind(schema)));
        return;
    }
    html.push_str("<table><tr><th>Member</th><th>Type</th><th></th></tr>");
    let required = list(&schema["required"]);
    for (name, property) in members(&schema["properties"]) {
        let optional = if required.iter().any(|one| *one == name) {
            ""
        } else {
            " (may be left out)"
        };
        html.push_str(&format!(
            "<tr><td><code>{}</code></td><td>{}</td><td>{}{optional}</td></tr>",
            escape(name),
            kind(property),
            escape(text(&property["description"])),
        ));
    }
    html.push_str("</table>");
}

/// The type of a schema in a word or two.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = escape(last(reference));
        return format!("<a href=\"#type-{name}\">{name}</a>");
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        if let Some(choices) = schema[choice].as_array() {
            let kinds: Vec<String> = choices.iter().map(kind).collect();
            return kinds.join(" or ");
        }
    }
    match &schema["type"] {
        Value::String(name) if name == "array" => format!("list of {}", kind(&schema["items"])),
        Value::String(name) if name == "object" && schema["additionalProperties"].is_object() => {
            format!("map to {}", kind(&schema["additionalProperties"]))
        }
        Value::String(name) => escape(name),
        Value::Array(names) => {
            let names: Vec<String> = names.iter().map(|name| escape(text(name))).collect();
            names.join(" or ")
        }
        _ => "any".to_owned(),
    }
}

fn example(html: &mut String, value: &Value) {
    if !value.is_null() {
        let shown = serde_json::to_string_pretty(value).unwrap_or_default();
        html.push_str(&format!("<pre>{}</pre>", escape(&shown)));
    }
}

fn operations(document: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    members(&document["paths"]).flat_map(|(path, item)| {
        members(item).map(move |(method, operation)| (path, method, operation))
    })
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn last(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or_default()
}

/// Paragraphs, with `code` between backquotes.
fn prose(html: &mut String, text: &str) {
    for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
        html.push_str("<p>");
        for (index, piece) in paragraph.split('`').enumerate() {
            let piece = escape(piece);
            if index % 2 == 1 {
                html.push_str(&format!("<code>{piece}</code>"));
            } else {
                html.push_str(&piece);
            }
        }
        html.push_str("</p>");
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
