//! `actions.yaml`, made of what a charm says in [`Charm::ACTIONS`].

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::must;
use crate::{Action, Charm};

/// Set to anything, it has [`check_actions_yaml`] write the file.
const UPDATE: &str = "UPDATE_ACTIONS_YAML";

/// One action, in the order in which people read it.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Entry {
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    required: Option<Value>,
    #[serde(
        rename = "additionalProperties",
        skip_serializing_if = "Option::is_none"
    )]
    additional_properties: Option<Value>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    parallel: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    execution_group: &'static str,
}

impl Entry {
    fn of<C: Charm>(action: &Action<C>) -> Self {
        let schema = (action.declared.schema)();
        let taken = |key: &str| schema.get(key).cloned();
        Self {
            description: action.declared.description,
            params: taken("properties"),
            required: taken("required"),
            // The schema of further ones, as of a flattened map, has no place in the file.
            additional_properties: taken("additionalProperties").filter(Value::is_boolean),
            parallel: action.declared.parallel,
            execution_group: action.declared.execution_group,
        }
    }
}

fn entries<C: Charm>() -> BTreeMap<&'static str, Entry> {
    C::ACTIONS
        .iter()
        .map(|action| (action.name(), Entry::of(action)))
        .collect()
}

/// The `actions.yaml` of a charm: its actions with the schemas of their parameters.
///
/// # Panics
/// Where a schema cannot be written as YAML.
pub fn actions_yaml<C: Charm>() -> String {
    must(
        serde_saphyr::to_string(&entries::<C>()),
        "the actions cannot be written as YAML",
    )
}

/// Holds the charm's `actions.yaml` against its code: a test of one line,
/// `check_actions_yaml::<Hello>("actions.yaml")`. Comments and order are the file's own. With
/// `UPDATE_ACTIONS_YAML=1 cargo test` it writes the file.
///
/// # Panics
/// Where they differ, or the file cannot be read or written.
#[allow(clippy::panic)]
pub fn check_actions_yaml<C: Charm>(path: impl AsRef<Path>) {
    let path = path.as_ref();
    let code = actions_yaml::<C>();
    if std::env::var_os(UPDATE).is_some() {
        must(std::fs::write(path, &code), "the file cannot be written");
        return;
    }
    let file = must(std::fs::read_to_string(path), "the file cannot be read");
    let read = |text: &str| -> Result<Value, _> { serde_saphyr::from_str(text) };
    let said = must(read(&file), "the file is no YAML");
    if said != must(read(&code), "the actions are no YAML") {
        panic!(
            "{} does not say what the code does; {UPDATE}=1 cargo test writes it anew, as\n{code}",
            path.display()
        );
    }
}
