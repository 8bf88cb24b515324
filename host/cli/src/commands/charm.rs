//! `charm init`, `vendor`, `build`, `pack`: the author's side. `inspect`, `test`, `lint` and `watch` have files of
//! their own.

use std::path::{Path, PathBuf};

use periapt_model::charm::capability::{Imports, unused};
use periapt_model::charm::{Archive, never_run};
use periapt_packing::{BuildReport, InitOptions, Options, PackingError};

use super::{Context, deploy, repository};
use crate::arguments::{CharmBuild, CharmCommand, CharmInit, CharmPack, CharmVendor};
use crate::failure::{Failure, Outcome};
use crate::output::text::bytes;
use crate::processes;

mod inspect;
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
        CharmCommand::Inspect(arguments) => inspect::inspect(context, &arguments),
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

/// Says which hooks of the packed component its metadata gives no occasion for, what of its web workloads nobody
/// could ever ask, and which capabilities no component could use.
fn warn(context: &Context, charm: &Path) -> Outcome {
    let bytes = deploy::read_archive(charm)?;
    let archive = read(charm, &bytes)?;
    let inside = processes::inspect(archive.component())?;
    let never = never_run(
        &archive.metadata,
        &archive.metrics,
        &archive.actions,
        &inside.hooks,
    )
    .into_iter();
    let servers = inspect::imports_of(&inspect::servers(&archive)?);
    let imports = Imports {
        charm: &inside.imports,
        servers: &servers,
    };
    let unused = unused(&archive.declared, imports).into_iter();
    let unused = unused.map(|one| one.words());
    let never = never.chain(periapt_packing::never_asked(&archive));
    for sentence in never.chain(unused) {
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
    let advice = match error {
        PackingError::Undeclared(undeclared) => undeclared.refusal().advice(),
        _ => "correct it and try again",
    };
    Failure::failed(what)
        .why(format!("{error} ({})", error.code()))
        .advice(advice)
}
