//! The shape of the files. A separate file wins over the same part of `charmcraft.yaml`, as it does on
//! a controller.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Declared, Endpoint, Opt, Role, Storage};

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Main {
    name: String,
    subordinate: bool,
    provides: Option<BTreeMap<String, Value>>,
    requires: Option<BTreeMap<String, Value>>,
    peers: Option<BTreeMap<String, Value>>,
    storage: Option<BTreeMap<String, StorageEntry>>,
    resources: Option<BTreeMap<String, Value>>,
    payloads: Option<BTreeMap<String, Payload>>,
    containers: Option<BTreeMap<String, Value>>,
    extra_bindings: Option<BTreeMap<String, Value>>,
}

/// What `charmcraft.yaml` has of the other files.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Parts {
    config: Option<Options>,
    actions: Option<BTreeMap<String, Value>>,
    capabilities: Option<Capabilities>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Options {
    options: Option<BTreeMap<String, Opt>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Capabilities {
    shared: Option<BTreeMap<String, Value>>,
    ports: Option<BTreeMap<String, Value>>,
    workload: Option<BTreeMap<String, Value>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metrics {
    metrics: Option<BTreeMap<String, Value>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct StorageEntry {
    shared: bool,
    read_only: bool,
    multiple: Option<Multiple>,
}

#[derive(Deserialize)]
struct Multiple {
    range: Value,
}

#[derive(Deserialize)]
struct Payload {
    #[serde(rename = "type", default)]
    kind: String,
}

pub fn read(texts: &[(&str, &str)]) -> Result<Declared, String> {
    let text = |file: &str| texts.iter().find(|(name, _)| *name == file);
    let charmcraft = text("charmcraft.yaml");
    let main = text("metadata.yaml").or(charmcraft).ok_or_else(|| {
        "there is neither charmcraft.yaml nor metadata.yaml beside Cargo.toml".to_owned()
    })?;
    let parts: Parts = match charmcraft.or(Some(main)) {
        Some(file) => yaml(file)?,
        None => Parts::default(),
    };
    // The older main file has capabilities, and neither options nor actions.
    let elsewhere = charmcraft.is_none();
    let options: Option<Options> = match text("config.yaml") {
        Some(file) => Some(yaml(file)?),
        None => parts.config.filter(|_| !elsewhere),
    };
    let actions: Option<BTreeMap<String, Value>> = match text("actions.yaml") {
        Some(file) => Some(yaml(file)?),
        None => parts.actions.filter(|_| !elsewhere),
    };
    let capabilities: Capabilities = match text("capabilities.yaml") {
        Some(file) => yaml(file)?,
        None => parts.capabilities.unwrap_or_default(),
    };
    let metrics: Metrics = match text("metrics.yaml") {
        Some(file) => yaml(file)?,
        None => Metrics::default(),
    };
    let main: Main = yaml(main)?;

    let mut endpoints = BTreeMap::new();
    for (role, declared) in [
        (Role::Provides, main.provides),
        (Role::Requires, main.requires),
        (Role::Peers, main.peers),
    ] {
        for (name, entry) in declared.unwrap_or_default() {
            endpoints.insert(name, endpoint(role, &entry));
        }
    }
    let workload = capabilities.workload.unwrap_or_default();
    let containers = main.containers.unwrap_or_default().into_keys();
    let containers = containers.map(|name| {
        let ports = workload.get(&name).map(ports).unwrap_or_default();
        (name, ports)
    });
    let storage = main.storage.unwrap_or_default().into_iter();
    let metrics = metrics.metrics.unwrap_or_default().into_iter();
    Ok(Declared {
        name: main.name,
        subordinate: main.subordinate,
        endpoints,
        options: options
            .and_then(|options| options.options)
            .unwrap_or_default(),
        storage: storage.map(|(name, entry)| (name, entry.into())).collect(),
        actions: actions.unwrap_or_default().into_keys().collect(),
        resources: main.resources.unwrap_or_default().into_keys().collect(),
        payloads: main
            .payloads
            .unwrap_or_default()
            .into_iter()
            .map(|(class, payload)| (class, payload.kind))
            .collect(),
        containers: containers.collect(),
        ports: capabilities.ports.unwrap_or_default().into_keys().collect(),
        shared: capabilities
            .shared
            .unwrap_or_default()
            .into_keys()
            .collect(),
        metrics: metrics
            .map(|(name, entry)| {
                let kind = entry["type"].as_str().unwrap_or("gauge").to_owned();
                (name, kind)
            })
            .collect(),
        bindings: main
            .extra_bindings
            .unwrap_or_default()
            .into_keys()
            .collect(),
    })
}

/// `{interface: …, scope: …}`, or the interface alone.
fn endpoint(role: Role, entry: &Value) -> Endpoint {
    let interface = entry.as_str().or_else(|| entry["interface"].as_str());
    Endpoint {
        role,
        interface: interface.unwrap_or_default().to_owned(),
        container: entry["scope"] == "container",
    }
}

fn ports(workload: &Value) -> Vec<String> {
    let ports = workload["ports"].as_array().into_iter().flatten();
    ports
        .map(|port| match port.as_str() {
            Some(text) => text.to_owned(),
            None => port.to_string(),
        })
        .collect()
}

impl From<StorageEntry> for Storage {
    fn from(entry: StorageEntry) -> Self {
        let (least, most) = match entry.multiple {
            None => (1, Some(1)),
            Some(multiple) => range(&multiple.range),
        };
        Self {
            least,
            most,
            shared: entry.shared,
            read_only: entry.read_only,
        }
    }
}

/// `2`, `0-3`, `1-` or `1+`.
fn range(range: &Value) -> (u32, Option<u32>) {
    let text = match range.as_str() {
        Some(text) => text.to_owned(),
        None => range.to_string(),
    };
    let text = text.trim();
    if let Some(least) = text.strip_suffix(['-', '+']) {
        return (least.parse().unwrap_or(0), None);
    }
    match text.split_once('-') {
        Some((least, most)) => (least.parse().unwrap_or(0), most.parse().ok()),
        None => {
            let count = text.parse().unwrap_or(1);
            (count, Some(count))
        }
    }
}

/// The error is one line with file and place. An empty file says nothing.
fn yaml<T: DeserializeOwned + Default>((file, text): &(&str, &str)) -> Result<T, String> {
    let says_nothing =
        |line: &str| matches!(line.trim(), "" | "---" | "{}") || line.trim_start().starts_with('#');
    if text.lines().all(says_nothing) {
        return Ok(T::default());
    }
    serde_saphyr::from_str(text).map_err(|error| format!("{file}: {}", error.without_snippet()))
}
