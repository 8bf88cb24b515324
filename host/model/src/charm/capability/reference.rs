//! The page and the JSON Schema of what a charm may declare, which a test writes and holds against the grammar.

use std::path::Path;

use jsonschema::{Draft, Validator};
use serde_json::{Value, json};

use super::read::{ENTRIES, KEYS, REASON_BYTES};
use super::{Capability, INTERFACES, Needs, Tools, Via};
use crate::bounds::SHARED_DIRECTORIES;
use crate::charm::{Manifest, ManifestFiles, workload};

/// A kind of capability on the page.
struct Kind {
    /// As grants name it.
    text: &'static str,
    /// As a charm declares it; the metadata for storage.
    yaml: &'static str,
    /// What becomes of it in this version.
    now: &'static str,
}

const METADATA: &str = "name: site\nsummary: s\ncontainers: {web: {}}\n";

const PAGE: &[Kind] = &[
    Kind {
        text: "shared/logs:read-write",
        yaml: "shared: {logs: {access: read-write, why: keeps its access log there}}",
        now: "given where the other side declares it too",
    },
    Kind {
        text: "storage/pages:read-write",
        yaml: "storage: {pages: {type: filesystem, description: Pages that operators keep.}}",
        now: "given; declared in the metadata, and its description is the reason",
    },
    Kind {
        text: "workload/web",
        yaml: "workload: {web: {ports: [80/tcp], files: {site: /site}, why: serves the pages}}",
        now: "given; `root` is `none`, since no programs of the machine are run. Its ports are declared with it",
    },
    Kind {
        text: "port/80/tcp",
        yaml: "ports: {80/tcp: {why: serves the pages}}",
        now: "given: a hook may open those, and a component that opens ports needs one at least",
    },
    Kind {
        text: "egress/api.example.com:443/https",
        yaml: "egress: [{to: api.example.com:443, via: https, why: asks for the weather}]",
        now: "shown to operators; hooks and services have no network outside yet",
    },
    Kind {
        text: "tools/secret",
        yaml: "tools: {secret: {why: keeps the password of the database}}",
        now: "a component that imports them is refused without",
    },
    Kind {
        text: "environment/LANG",
        yaml: "environment: {LANG: {why: sorts names as readers expect}}",
        now: "shown to operators; no variable is passed on yet",
    },
    Kind {
        text: "memory/128MiB",
        yaml: "memory: {most: 128MiB, why: renders large pages}",
        now: "shown to operators; the limit is that of `periapt bootstrap --limits`",
    },
    Kind {
        text: "time/5s",
        yaml: "time: {most: 5s, why: renders all pages in one hook}",
        now: "shown to operators; the limit is that of `periapt bootstrap --limits`",
    },
];

fn page() -> String {
    let mut page = format!(
        "# Capabilities\n\n\
         What a charm may need beyond what every charm has. It declares each with a reason, in `capabilities.yaml` or under\n\
         `capabilities` of `charmcraft.yaml`, and `periapt charm inspect` shows them to whoever deploys it. A component that\n\
         imports more than its charm declares is not packed, and a controller refuses it. `periapt charm lint` names what is\n\
         declared and no component could use.\n\n\
         Reasons (`why`) have at most {REASON_BYTES} bytes. `ports`, `egress`, `tools` and `environment` have at most {ENTRIES} entries each,\n\
         `shared` has at most {}. A shared directory may be written short, without a reason: `shared: {{logs: read-only}}`;\n\
         a container may leave it out. `charm lint` names those that do.\n\
         [capabilities.schema.json](capabilities.schema.json) is the JSON Schema of `capabilities.yaml`, for editors and CI.\n\
         `cargo xtask openapi` generates both from `host/model/src/charm/capability`.\n\n\
         | capability | declared as | the charm | in this version |\n|---|---|---|---|\n",
        SHARED_DIRECTORIES.most
    );
    for kind in PAGE {
        let Kind { text, yaml, now } = kind;
        let words = text.parse::<Capability>().unwrap().words();
        page.push_str(&format!("| `{text}` | `{yaml}` | {words} | {now} |\n"));
    }
    page.push_str(
        "\nOne capability covers another if it allows all that the other does: `read-write` covers `read-only`, a range of\n\
         ports covers each port in it, `egress/*.example.com:443/tcp` covers `egress/api.example.com:443/https`, and more\n\
         memory or time covers less.\n\n\
         Grants and policies name capabilities by these texts, or with `*` for any letters: `tools/*`, `egress/*:443/https`, `*`.\n\
         [Decide what a charm may do](../how-to/capabilities.md) tells how.\n\n\
         ## Host functions\n\n\
         The interfaces of `guest-sdk/wit/charm.wit`. An interface is basic if it tells a charm only about its unit, its\n\
         application and its relations, or gives it nothing that its metadata does not name. Every component may import\n\
         those, and WASI; imports of WASI give it nothing by themselves. Any other interface has to be declared.\n\n\
         | interface | to declare | what it reaches |\n|---|---|---|\n",
    );
    for interface in INTERFACES {
        let declare = match interface.needs {
            None => "nothing".to_owned(),
            Some(Needs::Ports) => "a port".to_owned(),
            Some(Needs::Workload) => "a container under `workload`".to_owned(),
            Some(Needs::Tools(tools)) => format!("`tools/{tools}`"),
        };
        let (name, why) = (interface.name, interface.why);
        page.push_str(&format!("| `{name}` | {declare} | {why} |\n"));
    }
    page
}

/// Of `capabilities.yaml`. Names of containers and what a text means within its pattern are the reader's to check.
fn schema() -> Value {
    let why = json!({
        "type": "string", "minLength": 1, "maxLength": REASON_BYTES, "pattern": "\\S",
        "description": "What the charm needs it for, for the operator who reads it."
    });
    let reasoned = json!({
        "type": "object", "properties": {"why": why.clone()}, "required": ["why"], "additionalProperties": false
    });
    let limit = |pattern: &str| {
        json!({
            "type": ["object", "null"],
            "properties": {"most": {"type": "string", "pattern": pattern}, "why": why.clone()},
            "required": ["most", "why"], "additionalProperties": false
        })
    };
    let named = |pattern: &str| {
        json!({
            "type": ["object", "null"], "maxProperties": ENTRIES,
            "propertyNames": {"pattern": pattern}, "additionalProperties": reasoned.clone()
        })
    };
    let access = json!({"enum": ["read-only", "read-write"]});
    let container = json!({
        "type": ["object", "null"],
        "properties": {
            "root": {"enum": ["none"]},
            "files": {
                "type": "object", "maxProperties": 16,
                "additionalProperties": {"type": "string", "pattern": "^/"}
            },
            "ports": {
                "type": "array", "maxItems": 16,
                "items": {"type": "string", "pattern": "^[0-9]+(-[0-9]+)?/tcp$"}
            },
            "why": why.clone()
        },
        "additionalProperties": false
    });
    let tools = Tools::ALL.map(|tools| (tools.as_str().to_owned(), reasoned.clone()));
    let tools = Value::Object(tools.into_iter().collect());
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "capabilities.yaml of a Periapt charm",
        "description": "What a charm needs beyond what every charm has, each with its reason.",
        "type": ["object", "null"],
        "properties": {
            "shared": {
                "type": ["object", "null"], "maxProperties": SHARED_DIRECTORIES.most,
                "propertyNames": {"pattern": "^[a-z][a-z0-9-]{0,63}$"},
                "additionalProperties": {"anyOf": [access.clone(), {
                    "type": "object", "properties": {"access": access, "why": why.clone()},
                    "required": ["access", "why"], "additionalProperties": false
                }]}
            },
            "workload": {"type": ["object", "null"], "additionalProperties": container},
            "ports": named("^(icmp|[0-9]+(-[0-9]+)?/(tcp|udp))$"),
            "egress": {
                "type": ["array", "null"], "maxItems": ENTRIES,
                "items": {
                    "type": "object",
                    "properties": {
                        "to": {"type": "string", "pattern": "^.+:[0-9]+$"},
                        "via": {"enum": Via::ALL.map(Via::as_str)},
                        "why": why.clone()
                    },
                    "required": ["to", "via", "why"], "additionalProperties": false
                }
            },
            "tools": {"type": ["object", "null"], "properties": tools, "additionalProperties": false},
            "environment": named("^[A-Za-z_][A-Za-z0-9_]{0,63}$"),
            "memory": limit("^[0-9]+(MiB|GiB)$"),
            "time": limit("^[0-9.]+(ms|s|m|h)$")
        },
        "additionalProperties": false
    })
}

fn validator() -> Validator {
    jsonschema::options()
        .with_draft(Draft::Draft7)
        .build(&schema())
        .unwrap()
}

fn checkout(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

fn read(capabilities: &str) -> Result<Manifest, crate::charm::ManifestError> {
    Manifest::read(ManifestFiles {
        metadata: Some(METADATA),
        capabilities: Some(capabilities),
        ..ManifestFiles::default()
    })
}

#[test]
fn the_page_of_capabilities_and_its_schema_in_the_checkout_are_the_grammar() {
    let schema = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    for (file, wanted) in [
        ("docs/reference/capabilities.md", page()),
        ("docs/reference/capabilities.schema.json", schema),
    ] {
        if std::env::var_os("PERIAPT_WRITE_REFERENCE").is_some() {
            std::fs::write(checkout(file), wanted).unwrap();
            continue;
        }
        let kept = std::fs::read_to_string(checkout(file)).unwrap_or_default();
        assert!(
            kept == wanted,
            "{file} differs from the grammar; write it anew with: cargo xtask openapi"
        );
    }
}

#[test]
fn each_example_of_the_page_declares_what_stands_beside_it() {
    let validator = validator();
    for Kind { text, yaml, .. } in PAGE {
        let manifest = match text.starts_with("storage/") {
            true => Manifest::read(ManifestFiles {
                metadata: Some(&format!("{METADATA}{yaml}\n")),
                ..ManifestFiles::default()
            }),
            false => {
                let value: Value = serde_saphyr::from_str(yaml).unwrap();
                assert!(validator.is_valid(&value), "{yaml}");
                read(yaml)
            }
        };
        let declared = manifest.unwrap_or_else(|error| panic!("{error}")).declared;
        let found = declared
            .iter()
            .find(|one| one.capability.to_string() == *text);
        assert!(
            found.is_some_and(|one| one.why.is_some()),
            "{yaml} declares {text} with a reason"
        );
    }
    let keys = PAGE
        .iter()
        .filter(|kind| !kind.text.starts_with("storage/"));
    for (key, kind) in KEYS.iter().zip(keys) {
        assert!(kind.yaml.starts_with(&format!("{key}:")), "{key}");
    }
    assert_eq!(PAGE.len(), KEYS.len() + 1, "and storage");
}

#[test]
fn the_schema_has_every_key_that_is_read_and_no_other() {
    let schema = schema();
    let keys = |value: &Value| -> Vec<String> {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    let mut read = KEYS.map(str::to_owned);
    read.sort();
    assert_eq!(keys(&schema["properties"]), read);
    let container = &schema["properties"]["workload"]["additionalProperties"]["properties"];
    let mut read: Vec<&str> = workload::KEYS.to_vec();
    read.sort_unstable();
    assert_eq!(keys(container), read);
}

#[test]
fn the_schema_accepts_every_declaration_of_the_repository() {
    let validator = validator();
    let mut seen = 0;
    let mut accept = |file: &Path, value: &Value| {
        let told: Vec<String> = validator
            .iter_errors(value)
            .map(|error| error.to_string())
            .collect();
        assert!(told.is_empty(), "{}: {told:?}", file.display());
        seen += 1;
    };
    for folder in std::fs::read_dir(checkout("charms")).unwrap() {
        let file = folder.unwrap().path().join("capabilities.yaml");
        if let Ok(text) = std::fs::read_to_string(&file) {
            accept(&file, &serde_saphyr::from_str(&text).unwrap());
        }
    }
    for folder in std::fs::read_dir(checkout("host/packing/templates")).unwrap() {
        let folder = folder.unwrap().path();
        let own = folder.join("capabilities.yaml.template");
        if let Ok(text) = std::fs::read_to_string(&own) {
            accept(&own, &serde_saphyr::from_str(&text).unwrap());
        }
        let main = folder.join("charmcraft.yaml.template");
        if let Ok(text) = std::fs::read_to_string(&main) {
            let text = text.replace("{{name}}", "site");
            let value: Value = serde_saphyr::from_str(&text).unwrap();
            if let Some(capabilities) = value.get("capabilities") {
                accept(&main, capabilities);
            }
        }
    }
    assert!(seen > 8, "{seen} declarations");
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let validator = validator();
    for wrong in [
        "teleport: {}",
        "storage: {pages: {why: keeps them}}",
        "shared: {logs: append}",
        "shared: {Logs: read-only}",
        "shared: {logs: {access: read-only}}",
        "shared: {logs: {why: reads}}",
        "shared: {logs: {access: read-only, why: reads, mode: 7}}",
        "workload: {web: {port: [80/tcp]}}",
        "workload: {web: {root: machine}}",
        "workload: {web: {programs: [/usr/bin/psql]}}",
        "workload: {web: {ports: [80/udp]}}",
        "workload: {web: {why: ''}}",
        "ports: [80/tcp]",
        "ports: {80/tcp: {}}",
        "ports: {'80': {why: serves}}",
        "egress: {}",
        "egress: [api.example.com:443]",
        "egress: [{to: api.example.com, via: https, why: asks}]",
        "egress: [{to: 'api.example.com:443', via: ssh, why: asks}]",
        "egress: [{to: 'api.example.com:443', via: https}]",
        "tools: [secret]",
        "tools: {secret: true}",
        "tools: {secret: {why: ' '}}",
        "tools: {config: {why: reads options}}",
        "environment: {'A B': {why: reads it}}",
        "memory: 128MiB",
        "memory: {most: 128M, why: renders}",
        "time: {most: 5, why: renders}",
        "time: {most: 5s}",
    ] {
        let value: Value = serde_saphyr::from_str(wrong).unwrap();
        assert!(!validator.is_valid(&value), "the schema accepts {wrong}");
        assert!(read(wrong).is_err(), "the reader accepts {wrong}");
    }
}
