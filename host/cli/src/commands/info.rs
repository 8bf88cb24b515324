//! `info`: what a charm repository has of a charm.

use clap::{Args, Subcommand};
use periapt_model::charm::repository::ranges;
use serde::Serialize;

use super::{Context, repository};
use crate::arguments::{ControllerChoice, ListFormat, Target};
use crate::failure::Outcome;
use crate::output::document::Named;
use crate::output::table::Table;
use crate::output::text::bytes;
use crate::session::Session;

/// The verb of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show the channels of a charm in a charm repository and their revisions.
    Info(Info),
}

#[derive(Debug, Args)]
pub struct Info {
    /// The charm.
    pub charm: String,
    /// Use this charm repository, a local directory or a URL [default: the controller's].
    #[arg(long = "repository", value_name = "DIR|URL")]
    pub place: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Serialize)]
struct Document {
    name: String,
    repository: String,
    channels: Named<ChannelDocument>,
    /// All of them, older ones included.
    revisions: Vec<u32>,
}

#[derive(Serialize)]
struct ChannelDocument {
    revision: u32,
    size: u64,
    sha256: String,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    let Verb::Info(arguments) = verb;
    let place = match arguments.place {
        Some(place) => Some(place),
        None => {
            let session = Session::open(&context.files, &arguments.controller).await?;
            repository::of_controller(&session.client).await?
        }
    };
    let place = place.ok_or_else(|| repository::nowhere(&arguments.charm))?;
    let published = repository::published(&place, &arguments.charm).await?;
    let output = context.output.to(&arguments.target)?;
    let document = || {
        let channels = published.channels.iter().map(|channel| {
            let document = ChannelDocument {
                revision: channel.revision,
                size: channel.release.size,
                sha256: channel.release.sha256.to_string(),
            };
            (channel.name.clone(), document)
        });
        Document {
            name: arguments.charm.clone(),
            repository: place.clone(),
            channels: channels.collect(),
            revisions: published.revisions.clone(),
        }
    };
    match arguments.format {
        ListFormat::Json => output.json(&document()),
        ListFormat::Yaml => output.yaml(&document()),
        ListFormat::Tabular => {
            let mut table = Table::new(&["Channel", "Revision", "Size"]).right("Revision");
            for channel in &published.channels {
                table.row(vec![
                    (&channel.name).into(),
                    channel.revision.to_string().into(),
                    bytes(channel.release.size).into(),
                ]);
            }
            let table = table.render(output.paints());
            let revisions = ranges(published.revisions.iter().copied());
            output.data(&format!("{table}\nRevisions: {revisions}"))
        }
    }
}
