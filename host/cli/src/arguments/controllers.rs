//! Verbs about controllers.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{ControllerChoice, DetailFormat, ListFormat, Target, duration};

#[derive(Debug, Args)]
pub struct Bootstrap {
    /// Name of the new controller; where two names stand, the first is Juju's cloud.
    #[arg(default_value = "local", value_name = "NAME|CLOUD[/REGION]")]
    pub name: String,
    /// Name of the new controller, behind a cloud.
    #[arg(value_name = "NAME")]
    pub controller: Option<String>,
    /// Options of the controller, or of the model in which it keeps itself: KEY=VALUE, or a YAML file.
    #[arg(long, value_name = "KEY=VALUE|FILE")]
    pub config: Vec<String>,
    /// Options that models have unless they set them: KEY=VALUE, or a YAML file.
    #[arg(long, value_name = "KEY=VALUE|FILE")]
    pub model_default: Vec<String>,
    /// Add a model of this name.
    #[arg(
        long,
        short = 'd',
        visible_alias = "default-model",
        value_name = "MODEL"
    )]
    pub add_model: Option<String>,
    /// Stay with the current controller.
    #[arg(long)]
    pub no_switch: bool,
    /// Directory of everything the controller keeps [default: controllers/NAME in the client's
    /// directory].
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Address to listen on.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub address: IpAddr,
    /// Port to listen on; 0 takes a free one [default: 17070, or the next free one].
    #[arg(long)]
    pub port: Option<u16>,
    /// Keep data in this PostgreSQL database and not in a file.
    #[arg(
        long,
        value_name = "URL",
        env = "PERIAPT_POSTGRES_URL",
        hide_env_values = true
    )]
    pub postgres_url: Option<String>,
    /// Bounds of a hook run: memory-bytes, table-elements, output-bytes, host-calls,
    /// wall-clock-ms, state-directory-bytes.
    #[arg(long, value_name = "NAME=VALUE")]
    pub limits: Vec<String>,
    /// Send traces to this OpenTelemetry collector (OTLP over HTTP); without it
    /// OTEL_EXPORTER_OTLP_ENDPOINT of the controller's environment counts.
    #[arg(long, value_name = "URL")]
    pub otlp_endpoint: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum ControllerCommand {
    /// Run a controller in the foreground.
    Run(ControllerRun),
    /// Make and start one more process of a controller that keeps its data in PostgreSQL.
    Join(JoinController),
    /// Start a controller of this machine in the background.
    Start(StartController),
    /// Stop a controller; its agents and units go on.
    Stop(StopController),
    /// Have this machine start a controller again after a crash or a reboot.
    InstallService(InstallService),
    /// Undo `install-service`; a controller that runs goes on.
    UninstallService(UninstallService),
    /// Start a controller again whenever it fails (started by `install-service`).
    #[command(hide = true)]
    Keep(KeepController),
    /// List the processes of a controller.
    Nodes(Nodes),
    /// Remove processes that are gone for good from a controller.
    RemoveNode(RemoveNode),
}

#[derive(Debug, Args)]
pub struct ControllerRun {
    /// The controller's directory.
    #[arg(long, value_name = "DIR")]
    pub data_dir: PathBuf,
    /// The directory was moved here, and nothing runs where it was before.
    #[arg(long)]
    pub accept_move: bool,
    /// Leave the terminal's session first.
    #[arg(long, hide = true)]
    pub detached: bool,
}

#[derive(Debug, Args)]
pub struct JoinController {
    /// Directory of a process of the controller; it may run.
    #[arg(long, value_name = "DIR")]
    pub from: PathBuf,
    /// Directory of the new process.
    #[arg(long, value_name = "DIR")]
    pub data_dir: PathBuf,
    /// Address to listen on.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub address: IpAddr,
    /// Port to listen on; 0 takes a free one [default: 17070, or the next free one].
    #[arg(long)]
    pub port: Option<u16>,
}

#[derive(Debug, Args)]
pub struct Nodes {
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    /// Show times in UTC, in ISO form.
    #[arg(long)]
    pub utc: bool,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct RemoveNode {
    /// Numbers of processes, as `controller nodes` lists them.
    #[arg(required = true, value_name = "NODE")]
    pub nodes: Vec<u32>,
    /// Remove one that runs, too; it then ends by itself.
    #[arg(long)]
    pub force: bool,
    /// Do not ask.
    #[arg(long, visible_alias = "yes", short = 'y')]
    pub no_prompt: bool,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct StartController {
    /// The controller, if not the current one.
    pub name: Option<String>,
    /// Where its directory is now, if it was moved; remembered.
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// The directory was moved, and nothing runs where it was before.
    #[arg(long)]
    pub accept_move: bool,
}

#[derive(Debug, Args)]
pub struct InstallService {
    /// The controller, if not the current one.
    pub name: Option<String>,
    /// Use Periapt's own keeper although systemd runs here. It survives no reboot.
    #[arg(long)]
    pub keeper: bool,
    /// Only print the systemd unit.
    #[arg(long, conflicts_with = "keeper")]
    pub print: bool,
}

#[derive(Debug, Args)]
pub struct UninstallService {
    /// The controller, if not the current one.
    pub name: Option<String>,
}

#[derive(Debug, Args)]
pub struct KeepController {
    /// The controller's directory.
    #[arg(long, value_name = "DIR")]
    pub data_dir: PathBuf,
}

#[derive(Debug, Args)]
pub struct StopController {
    /// The controller, if not the current one.
    pub name: Option<String>,
    /// Stop the agents too.
    #[arg(long)]
    pub agents: bool,
}

#[derive(Debug, Args)]
pub struct Dashboard {
    /// Open the page in a browser (the one that BROWSER names, else the desktop's).
    #[arg(long)]
    pub browser: bool,
    /// Do not show how to sign in.
    #[arg(long)]
    pub hide_credential: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: DashboardFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DashboardFormat {
    #[default]
    Text,
    Json,
    Yaml,
}

#[derive(Debug, Args)]
pub struct Introspect {
    /// What to see: depengine (engines and their nodes), hooktimes, machinelock, units, leases,
    /// presence, metrics.
    #[arg(default_value = "depengine")]
    pub report: String,
    /// Look into the agent of this model and into its units.
    #[arg(long, value_name = "[CONTROLLER:]MODEL", conflicts_with = "controller")]
    pub agent: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: DetailFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct Controllers {
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct Switch {
    /// A model, a controller, or both as CONTROLLER:MODEL; nothing shows the current one.
    pub name: Option<String>,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct DestroyController {
    /// The controller.
    pub name: String,
    /// Remove its models too.
    #[arg(long)]
    pub destroy_all_models: bool,
    /// Remove the storage of its models too, with what is in it.
    #[arg(long, requires = "destroy_all_models")]
    pub destroy_storage: bool,
    /// Give the storage of its models up: directories stay where they are as the machines' provider allows.
    #[arg(
        long,
        requires = "destroy_all_models",
        conflicts_with = "destroy_storage"
    )]
    pub release_storage: bool,
    /// Do not wait for units to stop in order.
    #[arg(long)]
    pub force: bool,
    /// Do not ask.
    #[arg(long, visible_alias = "yes", short = 'y')]
    pub no_prompt: bool,
    /// Give up waiting after this time.
    #[arg(long, short, value_name = "DURATION", default_value = "10m", value_parser = duration)]
    pub timeout: std::time::Duration,
}
