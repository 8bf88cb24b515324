//! `charm inspect`: what a packed charm is, needs and does, for whoever decides whether to deploy it.

use std::collections::BTreeMap;
use std::path::Path;

use periapt_model::charm::capability::{Declared, Imports, unused};
use periapt_model::charm::{Archive, CharmMetadata, Metrics, Scope, Workload};
use periapt_model::hook::Limits;
use serde::Serialize;

use super::super::{Context, deploy};
use super::{failed, read};
use crate::arguments::{CharmInspect, DetailFormat};
use crate::failure::Outcome;
use crate::output::text::{bytes, clean, clean_line};
use crate::processes;

/// What `charm inspect` tells.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document {
    name: String,
    summary: String,
    size: u64,
    sha256: String,
    component_size: u64,
    compiled_size: u64,
    initial_memory: u64,
    hooks: Vec<String>,
    endpoints: BTreeMap<String, EndpointEntry>,
    exports: Vec<String>,
    imports: Vec<String>,
    /// Those of web workloads, by their files.
    components: BTreeMap<String, Server>,
    config: BTreeMap<String, ConfigEntry>,
    actions: Vec<String>,
    capabilities: Vec<CapabilityEntry>,
    /// What the component imports and the charm does not declare, for which every controller refuses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    undeclared: Option<String>,
    /// What the services of each container may have.
    containers: BTreeMap<String, Workload>,
    metrics: Metrics,
    limits: Limits,
    files: Vec<String>,
}

/// One end of a relation that the charm can take part in.
#[derive(Serialize)]
struct EndpointEntry {
    role: &'static str,
    interface: String,
    scope: Scope,
    optional: bool,
}

/// What the charm needs beyond what every charm has.
#[derive(Serialize)]
struct CapabilityEntry {
    #[serde(flatten)]
    declared: Declared,
    /// What the charm may do, in words.
    allows: String,
    /// Whether a component of the charm could use it.
    used: bool,
}

/// The component of a web workload.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Server {
    size: u64,
    /// When it does, in words.
    runs: String,
    exports: Vec<String>,
    imports: Vec<String>,
}

#[derive(Serialize)]
struct ConfigEntry {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<periapt_model::config::Value>,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
}

pub(super) fn inspect(context: &Context, arguments: &CharmInspect) -> Outcome {
    let document = look_into(&arguments.path)?;
    match arguments.format {
        Some(DetailFormat::Json) => context.output.json(&document),
        Some(DetailFormat::Yaml) => context.output.yaml(&document),
        None => context.output.data(&describe(&document)),
    }
}

fn look_into(path: &Path) -> Outcome<Document> {
    let archive = read(path, &deploy::read_archive(path)?)?;
    let component = archive.component();
    let outside = periapt_packing::inspect(component)
        .map_err(|error| failed("cannot read the component", &error))?;
    let inside = processes::inspect(component)?;
    let components = servers(&archive)?;
    let undeclared = archive.declared.allows(&outside.imports).err();
    let config = archive.config.options.iter().map(|(name, option)| {
        let entry = ConfigEntry {
            kind: option.kind.as_str(),
            default: option.default.clone(),
            description: clean(&option.description),
        };
        (name.clone(), entry)
    });
    Ok(Document {
        name: archive.metadata.name.clone(),
        summary: clean(&archive.metadata.summary),
        size: archive.size,
        sha256: archive.sha256.clone(),
        component_size: component.len() as u64,
        compiled_size: inside.code_bytes,
        initial_memory: inside.initial_memory_bytes,
        hooks: inside.hooks,
        endpoints: endpoints(&archive.metadata),
        capabilities: capabilities(&archive, &outside.imports, &imports_of(&components)),
        undeclared: undeclared.map(|undeclared| undeclared.to_string()),
        containers: archive.workload.clone(),
        exports: outside.exports,
        imports: outside.imports,
        components,
        config: config.collect(),
        actions: archive.actions.keys().cloned().collect(),
        metrics: archive.metrics.clone(),
        limits: Limits::default(),
        files: archive.files().map(|(path, _)| path.to_owned()).collect(),
    })
}

/// The components of web workloads, by their files.
pub(super) fn servers(archive: &Archive) -> Outcome<BTreeMap<String, Server>> {
    let servers = archive
        .components()
        .map(|(name, component)| -> Outcome<(String, Server)> {
            let outside = periapt_packing::inspect(component)
                .map_err(|error| failed(&format!("{name} cannot be read"), &error))?;
            let server = Server {
                size: component.len() as u64,
                runs: periapt_packing::when(archive),
                exports: outside.exports,
                imports: outside.imports,
            };
            Ok((name.to_owned(), server))
        });
    servers.collect()
}

pub(super) fn imports_of(servers: &BTreeMap<String, Server>) -> Vec<String> {
    let servers = servers.values();
    servers
        .flat_map(|server| server.imports.iter().cloned())
        .collect()
}

fn endpoints(metadata: &CharmMetadata) -> BTreeMap<String, EndpointEntry> {
    let roles = [
        ("provides", &metadata.provides),
        ("requires", &metadata.requires),
        ("peers", &metadata.peers),
    ];
    let all = roles.into_iter().flat_map(|(role, endpoints)| {
        endpoints.iter().map(move |(name, endpoint)| {
            let entry = EndpointEntry {
                role,
                interface: endpoint.interface.clone(),
                scope: endpoint.scope,
                optional: endpoint.optional,
            };
            (name.clone(), entry)
        })
    });
    all.collect()
}

fn capabilities(archive: &Archive, charm: &[String], servers: &[String]) -> Vec<CapabilityEntry> {
    let unused = unused(&archive.declared, Imports { charm, servers });
    let declared = archive.declared.iter();
    declared
        .map(|one| CapabilityEntry {
            allows: one.capability.words(),
            used: unused
                .iter()
                .all(|other| other.capability != one.capability),
            declared: one,
        })
        .collect()
}

/// The document for reading.
fn describe(document: &Document) -> String {
    let none = |words: Vec<String>| {
        if words.is_empty() {
            vec!["none".to_owned()]
        } else {
            words
        }
    };
    let config = document.config.iter().map(|(name, entry)| {
        let default = entry
            .default
            .as_ref()
            .map(|default| format!(", default {default}"))
            .unwrap_or_default();
        format!("{name} ({}{default})", entry.kind)
    });
    let metrics = document.metrics.iter().map(|(name, metric)| {
        let kind = metric.kind.as_str();
        match metric.description.as_str() {
            "" => format!("{name} ({kind})"),
            description => format!("{name} ({kind}): {description}"),
        }
    });
    let components = document.components.iter().flat_map(|(name, server)| {
        let first = format!("{name}, {}: {}", bytes(server.size), server.runs);
        let imports = server
            .imports
            .iter()
            .map(move |it| format!("{name} imports {it}"));
        let exports = server
            .exports
            .iter()
            .map(move |it| format!("{name} exports {it}"));
        [first].into_iter().chain(imports).chain(exports)
    });
    let endpoints = document.endpoints.iter().map(|(name, endpoint)| {
        let EndpointEntry {
            role, interface, ..
        } = endpoint;
        let scope = match endpoint.scope {
            Scope::Global => "",
            Scope::Container => ", beside each other",
        };
        let optional = match endpoint.optional {
            true => ", optional",
            false => "",
        };
        format!("{name} ({role} {interface}{scope}{optional})")
    });
    let capabilities = document.capabilities.iter().map(|one| {
        let unused = match one.used {
            true => "",
            false => " (no component of the charm could use it)",
        };
        let Declared { capability, .. } = &one.declared;
        format!("{capability}: {}{unused}", one.declared.words())
    });
    let containers = document.containers.iter();
    let containers = containers.map(|(name, workload)| format!("{name}: {}", workload.words()));
    let limits = &document.limits;
    let limits = vec![
        format!("memory {}", bytes(limits.memory_bytes)),
        format!("wall clock {} ms", limits.wall_clock_ms),
        format!("state directory {}", bytes(limits.state_directory_bytes)),
        format!("output {}", bytes(limits.output_bytes)),
        format!("{} host calls", limits.host_calls),
        format!("{} table elements", limits.table_elements),
    ];
    let undeclared: Vec<String> = document.undeclared.iter().cloned().collect();
    let sections: Vec<(&str, Vec<String>)> = vec![
        ("Charm", vec![document.name.clone()]),
        ("Summary", vec![document.summary.clone()]),
        (
            "Archive",
            vec![format!(
                "{}, sha256 {}",
                bytes(document.size),
                document.sha256
            )],
        ),
        (
            "Component",
            vec![format!(
                "{}, {} compiled",
                bytes(document.component_size),
                bytes(document.compiled_size)
            )],
        ),
        (
            "Memory",
            vec![format!("{} to begin with", bytes(document.initial_memory))],
        ),
        ("Hooks", none(document.hooks.clone())),
        ("Endpoints", none(endpoints.collect())),
        ("Imports", none(document.imports.clone())),
        ("Exports", none(document.exports.clone())),
        ("Components", none(components.collect())),
        ("Config", none(config.collect())),
        ("Actions", none(document.actions.clone())),
        ("Capabilities", none(capabilities.collect())),
        ("Undeclared", undeclared),
        ("Containers", none(containers.collect())),
        ("Metrics", none(metrics.collect())),
        ("Limits", limits),
        ("Files", document.files.clone()),
    ];
    let mut out = String::new();
    for (label, values) in sections {
        for (index, value) in values.iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            out.push_str(format!("{label:<13} {}", clean_line(value)).trim_end());
            out.push('\n');
        }
    }
    out
}
