//! Verbs of charm authors.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use periapt_model::charm::repository::CHANNEL;

use super::{DetailFormat, ModelChoice};

#[derive(Debug, Subcommand)]
pub enum CharmCommand {
    /// Make a charm project to start from.
    Init(CharmInit),
    /// Put the SDK of this program into a charm project, in the place of the one that it has.
    Vendor(CharmVendor),
    /// Run the tests of a charm project, without a controller, and then its scenarios if it has any.
    Test(CharmTest),
    /// Compare what a charm declares with what it answers.
    Lint(CharmLint),
    /// Build the component of a charm project.
    Build(CharmBuild),
    /// Pack a charm project into a .charm file, building it first.
    Pack(CharmPack),
    /// Build and pack a charm project whenever a file of it is saved, and refresh its application.
    Watch(CharmWatch),
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
    /// What it begins with: minimal, web, database-client, subordinate or peers [default: minimal].
    #[arg(long)]
    pub template: Option<String>,
    /// Use the guest SDK in this folder, in place of a copy of the one this program was built with.
    #[arg(long, value_name = "DIR", env = "PERIAPT_GUEST_SDK")]
    pub sdk: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct CharmVendor {
    /// The charm project.
    #[arg(default_value = ".")]
    pub project: PathBuf,
}

#[derive(Debug, Args)]
pub struct CharmTest {
    #[command(flatten)]
    pub build: CharmBuild,
    /// For the tests themselves, after --: a part of their names, or what else Rust's test programs take.
    #[arg(last = true, value_name = "ARGUMENT")]
    pub arguments: Vec<String>,
}

#[derive(Debug, Args)]
pub struct CharmLint {
    #[command(flatten)]
    pub build: CharmBuild,
    /// Look at what was built before; if nothing was, at the files and the source alone.
    #[arg(long)]
    pub no_build: bool,
    /// Fail for warnings as well.
    #[arg(long)]
    pub strict: bool,
    /// As data [default: for reading].
    #[arg(long, value_enum)]
    pub format: Option<DetailFormat>,
}

#[derive(Debug, Args)]
pub struct CharmWatch {
    #[command(flatten)]
    pub build: CharmBuild,
    /// The application, deployed if it is not there yet [default: the charm's name].
    #[arg(short, long, value_name = "NAME")]
    pub application: Option<String>,
    #[command(flatten)]
    pub model: ModelChoice,
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
