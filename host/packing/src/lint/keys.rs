//! Keys that no tool reads. A controller passes over them, since charms bring keys of tools that it does not know; an
//! author means one of those that are known.

use std::fs;
use std::path::Path;

use periapt_model::nearest::suggestion;
use serde_json::Value;

use super::Finding;
use crate::PackingError;
use crate::error::At;

/// What the main file may say: keys of charmcraft, of Juju's older metadata, and `capabilities`.
const MAIN: &[&str] = &[
    "actions",
    "analysis",
    "assumes",
    "base",
    "bases",
    "build-base",
    "capabilities",
    "charm-libs",
    "charm-user",
    "charmhub",
    "config",
    "contact",
    "containers",
    "description",
    "devices",
    "display-name",
    "docs",
    "extensions",
    "extra-bindings",
    "issues",
    "language",
    "license",
    "links",
    "maintainer",
    "maintainers",
    "min-juju-version",
    "name",
    "parts",
    "payloads",
    "peers",
    "platforms",
    "provides",
    "requires",
    "resources",
    "series",
    "source",
    "storage",
    "subordinate",
    "summary",
    "tags",
    "terms",
    "title",
    "type",
    "website",
];

/// Keys of each entry below a key of the main file.
const ENTRIES: &[(&str, &[&str])] = &[
    ("provides", ENDPOINT),
    ("requires", ENDPOINT),
    ("peers", ENDPOINT),
    (
        "storage",
        &[
            "description",
            "location",
            "minimum-size",
            "multiple",
            "properties",
            "read-only",
            "shared",
            "type",
        ],
    ),
    (
        "resources",
        &["description", "filename", "type", "upstream-source"],
    ),
    ("containers", &["bases", "gid", "mounts", "resource", "uid"]),
    ("payloads", &["type"]),
    ("actions", ACTION),
];

const ENDPOINT: &[&str] = &[
    "description",
    "interface",
    "limit",
    "optional",
    "schema",
    "scope",
];

const ACTION: &[&str] = &[
    "additionalProperties",
    "description",
    "execution-group",
    "parallel",
    "params",
    "required",
    "title",
];

const CONFIG: &[&str] = &["options"];
const OPTION: &[&str] = &["default", "description", "type"];

/// A finding for each key of the project's files that nobody knows.
pub(super) fn unknown(project: &Path) -> Result<Vec<Finding>, PackingError> {
    let mut found = Vec::new();
    for file in ["metadata.yaml", "charmcraft.yaml"] {
        if let Some((text, value)) = read(project, file)? {
            let mut keys = Keys::of(file, &text, &mut found);
            keys.check(&value, "", MAIN);
            for (part, known) in ENTRIES {
                keys.check_each(&value[*part], part, known);
            }
            keys.check(&value["config"], "config", CONFIG);
            keys.check_each(&value["config"]["options"], "config.options", OPTION);
        }
    }
    if let Some((text, value)) = read(project, "config.yaml")? {
        let mut keys = Keys::of("config.yaml", &text, &mut found);
        keys.check(&value, "", CONFIG);
        keys.check_each(&value["options"], "options", OPTION);
    }
    if let Some((text, value)) = read(project, "actions.yaml")? {
        Keys::of("actions.yaml", &text, &mut found).check_each(&value, "", ACTION);
    }
    Ok(found)
}

/// The text of a file, and what it says; none where there is none, and where it is no YAML: that is said elsewhere.
fn read(project: &Path, file: &str) -> Result<Option<(String, Value)>, PackingError> {
    let path = project.join(file);
    if !path.is_file() {
        return Ok(None);
    }
    let text = fs::read_to_string(&path).at(&path)?;
    let value = serde_saphyr::from_str(&text).ok();
    Ok(value.map(|value| (text, value)))
}

struct Keys<'a> {
    file: &'static str,
    text: &'a str,
    found: &'a mut Vec<Finding>,
}

impl<'a> Keys<'a> {
    fn of(file: &'static str, text: &'a str, found: &'a mut Vec<Finding>) -> Self {
        Self { file, text, found }
    }

    fn check(&mut self, value: &Value, inside: &str, known: &[&str]) {
        let Value::Object(entries) = value else {
            return;
        };
        for key in entries.keys().filter(|key| !known.contains(&key.as_str())) {
            // Charmcraft passes over these, too.
            if key.starts_with("x-") {
                continue;
            }
            let place = match inside {
                "" => String::new(),
                inside => format!(" of {inside}"),
            };
            let meant = suggestion(key, known.iter().copied());
            self.found.push(Finding::error(
                line(self.file, self.text, key),
                format!("nothing reads the key \"{key}\"{place}{meant}"),
            ));
        }
    }

    fn check_each(&mut self, value: &Value, inside: &str, known: &[&str]) {
        let Value::Object(entries) = value else {
            return;
        };
        for (name, entry) in entries {
            let path = match inside {
                "" => name.clone(),
                inside => format!("{inside}.{name}"),
            };
            self.check(entry, &path, known);
        }
    }
}

/// `FILE:LINE` of the first line with a key.
fn line(file: &str, text: &str, key: &str) -> String {
    let has = |line: &str| {
        let rest = line.trim_start().trim_start_matches(['"', '\'']);
        let rest = rest.strip_prefix(key);
        rest.is_some_and(|rest| rest.trim_start_matches(['"', '\'']).starts_with(':'))
    };
    match text.lines().position(has) {
        Some(number) => format!("{file}:{}", number + 1),
        None => file.to_owned(),
    }
}
