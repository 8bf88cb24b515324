//! Verbs of charm authors.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use periapt_model::charm::repository::CHANNEL;

use super::{DetailFormat, ModelChoice};

#[derive(Debug, Subcommand)]
pub enum CharmCommand {
    /// Create a charm project from a template.
    Init(CharmInit),
    /// Replace the SDK in a charm project with the one of this program.
    Vendor(CharmVendor),
    /// Run the tests of a charm project, without a controller, and then its scenarios if it has any.
    Test(CharmTest),
    /// Compare what a charm declares with what its code handles.
    Lint(CharmLint),
    /// Build the component of a charm project.
    Build(CharmBuild),
    /// Pack a charm project into a .charm file, building it first.
    Pack(CharmPack),
    /// Build and pack a charm project whenever a file of it is saved, and refresh its application.
    Watch(CharmWatch),
    /// Show a charm's metadata, its hooks and what it may do.
    Inspect(CharmInspect),
    /// Publish a packed charm to a repository, a directory that others deploy from.
    Publish(CharmPublish),
}

#[derive(Debug, Args)]
pub struct CharmInit {
    /// Name of the charm.
    pub name: String,
    /// Folder to create it in [default: ./NAME].
    pub directory: Option<PathBuf>,
    /// Template: minimal, web, database-client, subordinate or peers [default: minimal].
    #[arg(long)]
    pub template: Option<String>,
    /// Use the guest SDK in this folder instead of a copy of the one built into this program.
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
    /// Arguments for the tests, after --: part of a test's name, or other options of Rust test
    /// programs.
    #[arg(last = true, value_name = "ARGUMENT")]
    pub arguments: Vec<String>,
}

#[derive(Debug, Args)]
pub struct CharmLint {
    #[command(flatten)]
    pub build: CharmBuild,
    /// Check an earlier build; if there is none, only the files and the source.
    #[arg(long)]
    pub no_build: bool,
    /// Also fail on warnings.
    #[arg(long)]
    pub strict: bool,
    /// Output format [default: text].
    #[arg(long, value_enum)]
    pub format: Option<DetailFormat>,
}

#[derive(Debug, Args)]
pub struct CharmWatch {
    #[command(flatten)]
    pub build: CharmBuild,
    /// The application, deployed if it does not exist [default: the charm's name].
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
    /// Folder for intermediate build files, shared by all charms [default: periapt in the user's
    /// cache folder].
    #[arg(long, value_name = "DIR", env = "PERIAPT_CHARM_TARGET_DIR")]
    pub target_dir: Option<PathBuf>,
    /// Number of parallel compile jobs.
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
    /// Pack the existing build.
    #[arg(long)]
    pub no_build: bool,
}

#[derive(Debug, Args)]
pub struct CharmInspect {
    /// A .charm file, or a project with one in it.
    #[arg(default_value = ".")]
    pub path: PathBuf,
    /// Output format [default: text].
    #[arg(long, value_enum)]
    pub format: Option<DetailFormat>,
}

#[derive(Debug, Args)]
pub struct CharmPublish {
    /// A .charm file, or a project with one in it.
    pub path: PathBuf,
    /// The repository's directory, created if missing.
    pub directory: PathBuf,
    /// The channel to set to this charm.
    #[arg(long, value_name = "NAME", default_value = CHANNEL)]
    pub channel: String,
    /// Its revision, higher than all existing ones [default: the next].
    #[arg(long, value_name = "NUMBER")]
    pub revision: Option<u32>,
}
