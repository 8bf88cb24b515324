//! Verbs about applications, their units and the charms that they run.

use std::path::PathBuf;

use clap::Args;
use periapt_model::storage::StorageId;

use super::storage::{Given, given};
use super::{DetailFormat, ModelChoice, Placement, Target};

#[derive(Debug, Args)]
pub struct Deploy {
    /// A .charm file, a project with one in it, a bundle's .yaml file, or the name of a charm in a
    /// charm repository.
    pub path: PathBuf,
    /// Name of the application [default: the charm's].
    pub application: Option<String>,
    /// Units to begin with [default: 1; none for a subordinate, whose units come with relations].
    #[arg(short, long)]
    pub num_units: Option<u32>,
    #[command(flatten)]
    pub placement: Placement,
    /// Configuration: KEY=VALUE (KEY=@FILE takes a file's content), or a YAML file.
    #[arg(long, value_name = "KEY=VALUE|FILE")]
    pub config: Vec<String>,
    /// Give it a file that its charm declares as a resource; several one by one.
    #[arg(long, value_name = "NAME=FILE")]
    pub resource: Vec<String>,
    /// Trust it with the cloud's credential; of a bundle, the applications of which it says that.
    #[arg(long)]
    pub trust: bool,
    /// What machines have to be like that are made for its units, as in "mem=4G cores=2"; several are put together.
    #[arg(long, value_name = "KEY=VALUE ...")]
    pub constraints: Vec<String>,
    /// What each unit is given of a storage of its charm; several one by one.
    #[arg(long, value_name = "NAME=[POOL,][COUNT,][SIZE]", value_parser = given)]
    pub storage: Vec<Given>,
    /// Give the unit storage that no unit has, in place of new one.
    #[arg(long, value_name = "STORAGE,...", value_delimiter = ',')]
    pub attach_storage: Vec<StorageId>,
    /// Of a bundle: lay this file over it; several in their order.
    #[arg(long, value_name = "FILE")]
    pub overlay: Vec<PathBuf>,
    /// Of a bundle: show what would be done, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub repository: Repository,
    #[command(flatten)]
    pub model: ModelChoice,
}

/// Where a charm is taken from by its name.
#[derive(Debug, Args)]
pub struct Repository {
    /// Take the charm from this charm repository, a directory of this machine or a URL [default: the
    /// controller's].
    #[arg(long = "repository", value_name = "DIR|URL")]
    pub place: Option<String>,
    /// The channel there [default: that of the application, or stable].
    #[arg(long, value_name = "NAME")]
    pub channel: Option<String>,
}

#[derive(Debug, Args)]
pub struct Download {
    /// A charm as the model names it (local:site-0), or an application that runs it.
    pub charm: String,
    /// Write to this file; - writes to standard output [default: NAME-REVISION.charm].
    #[arg(long, value_name = "FILE")]
    pub filepath: Option<PathBuf>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct ExportBundle {
    /// Write the bundle to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub filename: Option<PathBuf>,
    /// Write the charms into this folder and name them by their paths there, so that the bundle
    /// can be deployed anywhere.
    #[arg(long, value_name = "DIR", requires = "filename")]
    pub charms: Option<PathBuf>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct DiffBundle {
    /// The bundle's .yaml file, or a folder with a bundle.yaml.
    pub path: PathBuf,
    /// Lay this file over it; several in their order.
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
    /// A revision of its charm that the model has already, an older one too.
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["place", "channel", "path"])]
    pub revision: Option<u32>,
    /// Set options in the same step: KEY=VALUE (KEY=@FILE takes a file's content), or a YAML file.
    #[arg(long, value_name = "KEY=VALUE|FILE")]
    pub config: Vec<String>,
    /// Give it a file that its charm declares as a resource; several one by one.
    #[arg(long, value_name = "NAME=FILE")]
    pub resource: Vec<String>,
    /// Storage that later units are given, and present units where the charm has it anew; one option for each storage.
    #[arg(long, value_name = "NAME=[POOL,][COUNT,][SIZE]", value_parser = given)]
    pub storage: Vec<Given>,
    /// Change units in error too; alone, those that wait in error with an earlier charm.
    #[arg(long)]
    pub force_units: bool,
    /// Trust the application with the cloud's credential.
    #[arg(long)]
    pub trust: bool,
    #[command(flatten)]
    pub repository: Repository,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct Config {
    /// The application.
    pub application: String,
    /// KEY=VALUE sets (KEY=@FILE takes a file's content), KEY alone shows one value, nothing
    /// shows all.
    #[arg(value_name = "KEY[=VALUE]")]
    pub settings: Vec<String>,
    /// Go back to the default.
    #[arg(long, value_name = "KEY,...", value_delimiter = ',')]
    pub reset: Vec<String>,
    /// Set what a YAML file says.
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
    /// How many.
    #[arg(short, long, default_value_t = 1)]
    pub num_units: u32,
    #[command(flatten)]
    pub placement: Placement,
    /// Give the unit storage that no unit has, in place of new one.
    #[arg(long, value_name = "STORAGE,...", value_delimiter = ',')]
    pub attach_storage: Vec<StorageId>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct RemoveUnit {
    /// The units; with --num-units the applications.
    #[arg(required = true, value_name = "UNIT|APPLICATION")]
    pub units: Vec<String>,
    /// Remove so many units of each application, the newest ones.
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
    /// Remove what does not go by itself within a bounded time.
    #[arg(long)]
    pub force: bool,
    /// With --force: do not wait for anything.
    #[arg(long, requires = "force")]
    pub no_wait: bool,
    /// Remove their storage too, with what is in it.
    #[arg(long)]
    pub destroy_storage: bool,
    /// Show what would be removed, and remove nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask.
    #[arg(long, visible_alias = "yes", short = 'y')]
    pub no_prompt: bool,
}
