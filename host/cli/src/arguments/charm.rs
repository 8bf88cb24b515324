//! Verbs of charm authors.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use periapt_model::charm::repository::CHANNEL;

use super::DetailFormat;

#[derive(Debug, Subcommand)]
pub enum CharmCommand {
    /// Make a charm project to start from.
    Init(CharmInit),
    /// Build the component of a charm project.
    Build(CharmBuild),
    /// Pack a charm project into a .charm file, building it first.
    Pack(CharmPack),
    /// Show what a charm is, runs and may do.
    Inspect(CharmInspect),
    /// Put a packed charm into a repository, a directory that others deploy from.
    Publish(CharmPublish),
}

#[derive(Debug, Args)]
pub struct CharmInit {
    /// Name of the charm.
    pub name: String,
    /// Folder to make it in [default: ./NAME].
    pub directory: Option<PathBuf>,
    /// What it begins with: hooks, or web for hooks with a server of web pages [default: hooks].
    #[arg(long)]
    pub template: Option<String>,
    /// The guest SDK, if not the one this program was built with.
    #[arg(long, value_name = "DIR", env = "PERIAPT_GUEST_SDK")]
    pub sdk: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct CharmBuild {
    /// The charm project.
    #[arg(default_value = ".")]
    pub project: PathBuf,
    /// Folder of intermediate results, shared by all charms [default: periapt in the user's cache
    /// folder].
    #[arg(long, value_name = "DIR", env = "PERIAPT_CHARM_TARGET_DIR")]
    pub target_dir: Option<PathBuf>,
    /// Compile so many things at a time.
    #[arg(short, long)]
    pub jobs: Option<u32>,
}

#[derive(Debug, Args)]
pub struct CharmPack {
    #[command(flatten)]
    pub build: CharmBuild,
    /// File or folder to write [default: the project].
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Pack what was built before.
    #[arg(long)]
    pub no_build: bool,
}

#[derive(Debug, Args)]
pub struct CharmInspect {
    /// A .charm file, or a project with one in it.
    #[arg(default_value = ".")]
    pub path: PathBuf,
    /// As data [default: for reading].
    #[arg(long, value_enum)]
    pub format: Option<DetailFormat>,
}

#[derive(Debug, Args)]
pub struct CharmPublish {
    /// A .charm file, or a project with one in it.
    pub path: PathBuf,
    /// The repository's directory, made if it is not there.
    pub directory: PathBuf,
    /// The channel that is at this charm from now on.
    #[arg(long, value_name = "NAME", default_value = CHANNEL)]
    pub channel: String,
    /// Its revision, higher than any there is [default: the next].
    #[arg(long, value_name = "NUMBER")]
    pub revision: Option<u32>,
}
