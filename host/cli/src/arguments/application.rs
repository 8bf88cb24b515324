//! Verbs about applications, their units and the charms that they run.

use std::path::PathBuf;

use clap::Args;
use periapt_model::storage::StorageId;

use super::storage::{Given, given};
use super::{DetailFormat, ModelChoice, Placement, Target};
use crate::commands::grants::Decisions;

#[derive(Debug, Args)]
pub struct Deploy {
    /// A .charm file, a project with one in it, a bundle's .yaml file, or the name of a charm in a
    /// charm repository.
    pub path: PathBuf,
    /// Name of the application [default: the charm's].
    pub application: Option<String>,
    /// Number of units [default: 1; none for a subordinate, whose units come with relations].
    #[arg(short, long)]
    pub num_units: Option<u32>,
    #[command(flatten)]
    pub placement: Placement,
    /// Configuration: KEY=VALUE (KEY=@FILE takes a file's content), or a YAML file.
    #[arg(long, value_name = "KEY=VALUE|FILE")]
    pub config: Vec<String>,
    /// Attach a file to a resource that the charm declares; repeat for several.
    #[arg(long, value_name = "NAME=FILE")]
    pub resource: Vec<String>,
    /// Trust it with the cloud's credential; for a bundle, those applications that ask for it.
    #[arg(long)]
    pub trust: bool,
    #[command(flatten)]
    pub decisions: Decisions,
    /// Constraints on the machines created for its units, as in "mem=4G cores=2"; repeat to
    /// combine.
    #[arg(long, value_name = "KEY=VALUE ...")]
    pub constraints: Vec<String>,
    /// Storage for each unit, as its charm declares it; repeat for several.
    #[arg(long, value_name = "NAME=[POOL,][COUNT,][SIZE]", value_parser = given)]
    pub storage: Vec<Given>,
    /// Attach existing detached storage instead of creating new storage.
    #[arg(long, value_name = "STORAGE,...", value_delimiter = ',')]
    pub attach_storage: Vec<StorageId>,
    /// For a bundle: apply this overlay file; repeat for several, in order.
    #[arg(long, value_name = "FILE")]
    pub overlay: Vec<PathBuf>,
    /// For a bundle: show what would be done without doing it.
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub repository: Repository,
    /// Take this revision from the charm repository [default: the one that the channel is at].
    #[arg(long, value_name = "NUMBER")]
    pub revision: Option<u32>,
    #[command(flatten)]
    pub model: ModelChoice,
}

/// Where a charm is found by name.
#[derive(Debug, Args)]
pub struct Repository {
    /// Take the charm from this charm repository, a local directory or a URL [default: the
    /// controller's].
    #[arg(long = "repository", value_name = "DIR|URL")]
    pub place: Option<String>,
    /// The channel in the repository [default: the application's, or stable].
    #[arg(long, value_name = "NAME")]
    pub channel: Option<String>,
}

#[derive(Debug, Args)]
pub struct Download {
    /// The model's name of a charm (local:site-0), an application that runs it, or the name of a charm in a
    /// charm repository.
    pub charm: String,
    /// A revision of the application's charm that the model has; with --channel or --repository, one of the
    /// charm repository.
    #[arg(long, value_name = "NUMBER")]
    pub revision: Option<u32>,
    /// Download from this charm repository, a local directory or a URL, not from the model.
    #[arg(long = "repository", value_name = "DIR|URL")]
    pub place: Option<String>,
    /// Download from this channel of a charm repository [default: stable], by default the controller's.
    #[arg(long, value_name = "NAME")]
    pub channel: Option<String>,
    /// Write to this file; - writes to standard output [default: NAME-REVISION.charm].
    #[arg(long, value_name = "FILE")]
    pub filepath: Option<PathBuf>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct ExportBundle {
    /// Also write the options that have their charm's default value, so that another revision's defaults do not
    /// replace them.
    #[arg(long)]
    pub include_charm_defaults: bool,
    /// Write the bundle to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub filename: Option<PathBuf>,
    /// Write the charms into this folder and refer to them by path, so that the bundle can be
    /// deployed anywhere.
    #[arg(long, value_name = "DIR", requires = "filename")]
    pub charms: Option<PathBuf>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct DiffBundle {
    /// The bundle's .yaml file, or a folder with a bundle.yaml.
    pub path: PathBuf,
    /// Apply this overlay file; repeat for several, in order.
    #[arg(long, value_name = "FILE")]
    pub overlay: Vec<PathBuf>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct Refresh {
    /// The application.
    pub application: String,
    /// A .charm file, or a project with one in it.
    #[arg(long, conflicts_with_all = ["place", "channel"])]
    pub path: Option<PathBuf>,
    /// A revision of its charm that the model already has, older ones included; with --channel or
    /// --repository, one of the charm repository.
    #[arg(long, value_name = "NUMBER", conflicts_with = "path")]
    pub revision: Option<u32>,
    /// Set options in the same step: KEY=VALUE (KEY=@FILE takes a file's content), or a YAML file.
    #[arg(long, value_name = "KEY=VALUE|FILE")]
    pub config: Vec<String>,
    /// Attach a file to a resource that the charm declares; repeat for several.
    #[arg(long, value_name = "NAME=FILE")]
    pub resource: Vec<String>,
    /// Storage for later units, and for existing units where it is new in the charm; repeat for
    /// each storage.
    #[arg(long, value_name = "NAME=[POOL,][COUNT,][SIZE]", value_parser = given)]
    pub storage: Vec<Given>,
    /// Also upgrade units in error; without other options, those still in error with an earlier
    /// charm.
    #[arg(long)]
    pub force_units: bool,
    /// Trust the application with the cloud's credential.
    #[arg(long)]
    pub trust: bool,
    #[command(flatten)]
    pub decisions: Decisions,
    #[command(flatten)]
    pub repository: Repository,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct Config {
    /// The application.
    pub application: String,
    /// KEY=VALUE sets an option (KEY=@FILE reads a file), KEY shows one, nothing shows all.
    #[arg(value_name = "KEY[=VALUE]")]
    pub settings: Vec<String>,
    /// Reset these options to their defaults.
    #[arg(long, value_name = "KEY,...", value_delimiter = ',')]
    pub reset: Vec<String>,
    /// Set options from a YAML file.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    pub format: DetailFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct AddUnit {
    /// The application.
    pub application: String,
    /// Number to add.
    #[arg(short, long, default_value_t = 1)]
    pub num_units: u32,
    #[command(flatten)]
    pub placement: Placement,
    /// Attach existing detached storage instead of creating new storage.
    #[arg(long, value_name = "STORAGE,...", value_delimiter = ',')]
    pub attach_storage: Vec<StorageId>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct RemoveUnit {
    /// The units, or with --num-units the applications.
    #[arg(required = true, value_name = "UNIT|APPLICATION")]
    pub units: Vec<String>,
    /// Remove this many units of each application, newest first.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub num_units: Option<u32>,
    #[command(flatten)]
    pub removal: Removal,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct RemoveApplication {
    /// The applications.
    #[arg(required = true, value_name = "APPLICATION")]
    pub applications: Vec<String>,
    #[command(flatten)]
    pub removal: Removal,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Clone, Debug, Args)]
pub struct Removal {
    /// Force the removal after a limited time.
    #[arg(long)]
    pub force: bool,
    /// With --force: do not wait for anything.
    #[arg(long, requires = "force")]
    pub no_wait: bool,
    /// Also remove their storage and its contents.
    #[arg(long)]
    pub destroy_storage: bool,
    /// Show what would be removed without removing it.
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask for confirmation.
    #[arg(long, visible_alias = "yes", short = 'y')]
    pub no_prompt: bool,
}
