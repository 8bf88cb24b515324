//! `resources`, `attach-resource`: files of an application beside its charm.

use clap::{Args, Subcommand};
use periapt_model::ApplicationName;
use periapt_model::charm::ResourceKind;
use periapt_wire::rest::{ApplicationResources, ResourceInfo};

use super::Context;
use super::deploy::progress;
use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::failure::{Failure, Outcome};
use crate::output::table::Table;
use crate::output::text;
use crate::output::time::Times;
use crate::session::ModelSession;

mod files;
#[cfg(test)]
mod tests;

pub use files::{Files, Paths};

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Attach a file to a resource of an application.
    AttachResource(AttachResource),
    /// List the resources of an application.
    #[command(visible_alias = "list-resources")]
    Resources(Resources),
}

#[derive(Debug, Args)]
pub struct AttachResource {
    /// The application.
    pub application: String,
    /// The resource and its new file.
    #[arg(value_name = "NAME=FILE")]
    pub resource: String,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct Resources {
    /// The application.
    pub application: String,
    /// Show digests, files and the revision of each unit.
    #[arg(long)]
    pub details: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::AttachResource(arguments) => attach(context, arguments).await,
        Verb::Resources(arguments) => list(context, arguments).await,
    }
}

async fn attach(context: &Context, arguments: AttachResource) -> Outcome {
    let application: ApplicationName = arguments.application.parse()?;
    let paths = Paths::parse(std::slice::from_ref(&arguments.resource))?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    // Nothing is uploaded under a name that the charm does not declare.
    let before = here.client().resources(&here.model, &application).await?;
    for (name, file) in paths.read_of(&before)?.into_all() {
        let size = file.len() as u64;
        let (bar, progress) = progress(context, size, "storing");
        let client = here.client();
        let attached = client
            .attach_resource(&here.model, &application, &name, file, progress)
            .await;
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        let attached = attached?;
        let resources = before.resources.iter();
        let known = resources
            .filter(|resource| resource.name == name)
            .any(|resource| resource.attached.as_ref() == Some(&attached));
        context.output.say(&match known {
            true => format!(
                "\"{application}\" already has this \"{name}\", as revision {}",
                attached.revision
            ),
            false => format!(
                "Attached \"{name}\" to \"{application}\" as revision {} ({})",
                attached.revision,
                text::bytes(size)
            ),
        });
    }
    Ok(())
}

async fn list(context: &Context, arguments: Resources) -> Outcome {
    let application: ApplicationName = arguments.application.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let found = here.client().resources(&here.model, &application).await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => return output.json(&found),
        ListFormat::Yaml => return output.yaml(&found),
        ListFormat::Tabular => {}
    }
    if found.resources.is_empty() {
        output.say(&format!(
            "The charm of {application} declares no resources."
        ));
        return Ok(());
    }
    let table = match arguments.details {
        true => details(&found),
        false => table(&found, &Times::new(false)),
    };
    output.data(&table.render(output.paints()))
}

fn table(found: &ApplicationResources, times: &Times) -> Table {
    let mut table = Table::new(&[
        "Resource",
        "Revision",
        "Size",
        "Uploaded",
        "By",
        "Description",
    ])
    .right("Revision")
    .right("Size");
    for resource in &found.resources {
        let Some(attached) = &resource.attached else {
            let nothing = missing(resource);
            table.row(vec![
                (&resource.name).into(),
                "-".into(),
                "-".into(),
                nothing.into(),
                "".into(),
                (&resource.description).into(),
            ]);
            continue;
        };
        table.row(vec![
            (&resource.name).into(),
            attached.revision.to_string().into(),
            text::bytes(attached.size).into(),
            times.micros(attached.uploaded_at).into(),
            (&attached.uploaded_by).into(),
            (&resource.description).into(),
        ]);
    }
    table
}

/// A row for each unit that has one, and one for what nobody has yet.
fn details(found: &ApplicationResources) -> Table {
    let mut table = Table::new(&[
        "Resource", "Unit", "Revision", "Expected", "File", "SHA-256",
    ])
    .right("Revision")
    .right("Expected");
    for resource in &found.resources {
        let attached = resource.attached.as_ref();
        let expected = attached.map_or("-".to_owned(), |attached| attached.revision.to_string());
        let digest = attached.map_or(missing(resource), |attached| attached.sha256.as_str());
        let mut row = |unit: &str, revision: &str| {
            table.row(vec![
                (&resource.name).into(),
                unit.into(),
                revision.into(),
                (&expected).into(),
                (&resource.file_name).into(),
                digest.into(),
            ]);
        };
        for of_unit in &resource.units {
            row(of_unit.unit.as_str(), &of_unit.revision.to_string());
        }
        if resource.units.is_empty() {
            row("-", "-");
        }
    }
    table
}

/// Why there is nothing.
fn missing(resource: &ResourceInfo) -> &'static str {
    match resource.kind {
        ResourceKind::File => "not attached",
        ResourceKind::OciImage => "an image, of no use here",
    }
}

/// A word of `NAME=FILE` that is none.
fn unreadable(word: &str) -> Failure {
    Failure::usage(format!("\"{word}\" is not NAME=FILE"))
        .why("a resource is its name in the charm's metadata, =, and the path of a file")
        .advice("write it as theme=./theme.css")
}
