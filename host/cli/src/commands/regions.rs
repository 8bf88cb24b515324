//! `regions` and `show-cloud`: a cloud in detail.

use clap::{Args, Subcommand};
use periapt_client::rest::RestClient;
use periapt_wire::rest::Cloud;
use serde::Serialize;

use super::Context;
use crate::arguments::{ControllerChoice, DetailFormat, ListFormat, Target};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::document::Named;
use crate::session::Session;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the regions of a cloud.
    Regions(Regions),
    /// Show a cloud in detail.
    ShowCloud(ShowCloud),
}

#[derive(Debug, Args)]
pub struct Regions {
    /// The cloud.
    pub cloud: String,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct ShowCloud {
    /// The cloud.
    pub cloud: String,
    #[arg(long, value_enum, default_value_t)]
    pub format: DetailFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

/// A region has nothing but its name.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Region {}

#[derive(Serialize)]
struct Document {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    regions: Named<Region>,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::Regions(arguments) => regions(context, arguments).await,
        Verb::ShowCloud(arguments) => show(context, arguments).await,
    }
}

async fn regions(context: &Context, arguments: Regions) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let cloud = cloud(&session.client, &arguments.cloud).await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&by_name(&cloud)),
        ListFormat::Yaml => output.yaml(&by_name(&cloud)),
        ListFormat::Tabular => output.data(&cloud.regions.join("\n")),
    }
}

async fn show(context: &Context, arguments: ShowCloud) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let cloud = cloud(&session.client, &arguments.cloud).await?;
    let output = context.output.to(&arguments.target)?;
    let document = Document {
        regions: by_name(&cloud),
        name: cloud.name,
        kind: cloud.kind,
    };
    match arguments.format {
        DetailFormat::Json => output.json(&document),
        DetailFormat::Yaml => output.yaml(&document),
    }
}

fn by_name(cloud: &Cloud) -> Named<Region> {
    let names = cloud.regions.iter().cloned();
    names.map(|name| (name, Region::default())).collect()
}

async fn cloud(client: &RestClient, wanted: &str) -> Outcome<Cloud> {
    let all = client.clouds().await?;
    let names: Vec<String> = all.iter().map(|cloud| cloud.name.clone()).collect();
    let found = all.into_iter().find(|cloud| cloud.name == wanted);
    found.ok_or_else(|| {
        Failure::new(Exit::NotFound, format!("cloud \"{wanted}\" not found"))
            .why(format!("the controller has {}", names.join(", ")))
            .advice("periapt clouds")
    })
}
