//! `charm init`, `vendor`, `build`, `pack`, `inspect`: the author's side. `test`, `lint` and `watch` have files of
//! their own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use periapt_model::charm::{Archive, Metrics, never_run};
use periapt_model::hook::Limits;
use periapt_packing::{BuildReport, InitOptions, Options, PackingError};
use serde::Serialize;

use super::{Context, deploy, repository};
use crate::arguments::{
    CharmBuild, CharmCommand, CharmInit, CharmInspect, CharmPack, CharmVendor, DetailFormat,
};
use crate::failure::{Failure, Outcome};
use crate::output::text::{bytes, clean, clean_line};
use crate::processes;

mod lint;
mod test;
mod watch;

pub async fn run(context: &Context, command: CharmCommand) -> Outcome {
    match command {
        CharmCommand::Init(arguments) => init(context, arguments),
        CharmCommand::Vendor(arguments) => vendor(context, &arguments),
        CharmCommand::Test(arguments) => test::test(context, &arguments),
        CharmCommand::Lint(arguments) => lint::lint(context, &arguments),
        CharmCommand::Watch(arguments) => watch::watch(context, &arguments).await,
        CharmCommand::Build(arguments) => build(context, &arguments).map(|_| ()),
        CharmCommand::Pack(arguments) => pack(context, &arguments),
        CharmCommand::Inspect(arguments) => inspect(context, &arguments),
        CharmCommand::Publish(arguments) => repository::publish(context, &arguments),
    }
}

fn init(context: &Context, arguments: CharmInit) -> Outcome {
    let dir = arguments
        .directory
        .unwrap_or_else(|| PathBuf::from(&arguments.name));
    let not_made = |error| failed("the project was not made", &error);
    let template = arguments.template.as_deref().map(str::parse).transpose();
    let report = periapt_packing::init(
        &arguments.name,
        &dir,
        &InitOptions {
            template: template.map_err(not_made)?.unwrap_or_default(),
            sdk: arguments.sdk,
        },
    )
    .map_err(not_made)?;
    context
        .output
        .say(&format!("Made {}:", report.dir.display()));
    for file in &report.files {
        context.output.say(&format!("  {file}"));
    }
    for (number, step) in report.next_steps.iter().enumerate() {
        context.output.say(&format!("{}. {step}", number + 1));
    }
    Ok(())
}

fn vendor(context: &Context, arguments: &CharmVendor) -> Outcome {
    let project = &arguments.project;
    let not_written = |error| failed("the SDK was not written", &error);
    periapt_packing::manifest(project).map_err(not_written)?;
    let files = periapt_packing::sdk::vendor(project).map_err(not_written)?;
    context.output.say(&format!(
        "Wrote the SDK of periapt {} to {} ({files} files)",
        env!("CARGO_PKG_VERSION"),
        project.join(periapt_packing::sdk::FOLDER).display()
    ));
    Ok(())
}

/// The folder of intermediate results.
fn target_dir(arguments: &CharmBuild) -> Outcome<PathBuf> {
    let dir = match &arguments.target_dir {
        Some(dir) => dir.clone(),
        None => target_of_checkout()
            .or_else(cache_dir)
            .unwrap_or_else(|| arguments.project.join("target")),
    };
    // The compiler runs in the project's folder; the path is meant from here.
    std::path::absolute(&dir)
        .map_err(|error| Failure::file("cannot use the target folder", &dir, &error))
}

/// The target folder of the checkout that this program lies in, if charms were built there: what they share with
/// others, the standard library before all, is not compiled again.
fn target_of_checkout() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let target = program.parent()?.parent()?;
    let is_of_checkout = target.join("guests").is_dir()
        && target.parent()?.join("guest-sdk/rust/Cargo.toml").is_file();
    is_of_checkout.then(|| target.to_owned())
}

fn build(context: &Context, arguments: &CharmBuild) -> Outcome<BuildReport> {
    let target_dir = target_dir(arguments)?;
    if !target_dir.join("guests").is_dir() {
        context.output.say(
            "The first build compiles the SDK and, on some machines, a standard library; this takes a minute or two",
        );
    }
    let mut options = Options::new(target_dir);
    options.jobs = arguments.jobs;
    // A build in CI runs for minutes as well, and says what it is at.
    options.quiet = context.output.is_quiet();
    let report = periapt_packing::build(&arguments.project, &options).map_err(|error| {
        if let PackingError::Compile { output } = &error {
            context.output.report(output);
        }
        failed("the charm was not built", &error)
    })?;
    context.output.say(&format!(
        "Built {} ({}, {:.1} s, {})",
        report.component.display(),
        bytes(report.size),
        report.duration.as_secs_f64(),
        report.way
    ));
    Ok(report)
}

/// The user's cache folder, so that a standard library built once serves every charm.
fn cache_dir() -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("periapt"))
}

fn pack(context: &Context, arguments: &CharmPack) -> Outcome {
    let project = &arguments.build.project;
    if !arguments.no_build {
        build(context, &arguments.build)?;
    }
    let out = arguments.output.as_deref().unwrap_or(project);
    let report = periapt_packing::pack(project, out)
        .map_err(|error| failed("the charm was not packed", &error))?;
    warn(context, &report.path)?;
    context.output.say(&format!(
        "Packed charm \"{}\" ({}, {} files, sha256 {})",
        report.name,
        bytes(report.size),
        report.files.len(),
        report.sha256
    ));
    context.output.data(&report.path.display().to_string())
}

/// Says which hooks of the packed component its metadata gives no occasion for, and what of its web workloads nobody
/// could ever ask.
fn warn(context: &Context, charm: &Path) -> Outcome {
    let bytes = deploy::read_archive(charm)?;
    let archive = read(charm, &bytes)?;
    let hooks = processes::inspect(archive.component())?.hooks;
    let never = never_run(
        &archive.metadata,
        &archive.metrics,
        &archive.actions,
        &hooks,
    )
    .into_iter();
    for sentence in never.chain(periapt_packing::never_asked(&archive)) {
        context.output.say(&format!("warning: {sentence}"));
    }
    Ok(())
}

fn read(path: &Path, bytes: &[u8]) -> Outcome<Archive> {
    Archive::read(bytes).map_err(|error| {
        Failure::failed(format!("{} is not a charm", path.display()))
            .why(format!("{error} ({})", error.refusal()))
            .advice(error.refusal().advice())
    })
}

fn failed(what: &str, error: &PackingError) -> Failure {
    Failure::failed(what)
        .why(format!("{error} ({})", error.code()))
        .advice("correct it and try again")
}

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
    exports: Vec<String>,
    imports: Vec<String>,
    /// Those of web workloads, by their files.
    components: BTreeMap<String, Server>,
    config: BTreeMap<String, ConfigEntry>,
    actions: Vec<String>,
    capabilities: Vec<String>,
    metrics: Metrics,
    limits: Limits,
    files: Vec<String>,
}

/// The component of a web workload.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Server {
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

fn inspect(context: &Context, arguments: &CharmInspect) -> Outcome {
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
    let servers = archive
        .components()
        .map(|(name, component)| -> Outcome<(String, Server)> {
            let outside = periapt_packing::inspect(component)
                .map_err(|error| failed(&format!("{name} cannot be read"), &error))?;
            let server = Server {
                size: component.len() as u64,
                runs: periapt_packing::when(&archive),
                exports: outside.exports,
                imports: outside.imports,
            };
            Ok((name.to_owned(), server))
        });
    let components = servers.collect::<Outcome<_>>()?;
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
        exports: outside.exports,
        imports: outside.imports,
        components,
        config: config.collect(),
        actions: archive.actions.keys().cloned().collect(),
        capabilities: archive.declared.words(),
        metrics: archive.metrics.clone(),
        limits: Limits::default(),
        files: archive.files().map(|(path, _)| path.to_owned()).collect(),
    })
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
    let limits = &document.limits;
    let limits = vec![
        format!("memory {}", bytes(limits.memory_bytes)),
        format!("wall clock {} ms", limits.wall_clock_ms),
        format!("state directory {}", bytes(limits.state_directory_bytes)),
        format!("output {}", bytes(limits.output_bytes)),
        format!("{} host calls", limits.host_calls),
        format!("{} table elements", limits.table_elements),
    ];
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
        ("Imports", none(document.imports.clone())),
        ("Exports", none(document.exports.clone())),
        ("Components", none(components.collect())),
        ("Config", none(config.collect())),
        ("Actions", none(document.actions.clone())),
        ("Capabilities", none(document.capabilities.clone())),
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
