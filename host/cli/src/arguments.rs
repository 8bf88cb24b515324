//! The command line: every verb, every flag, and nothing else. What a verb does stands in
//! `commands`. A group of verbs that is one file there has its flags in that file too, and one line in
//! the list below.

mod accounts;
mod application;
mod audit;
mod backups;
mod charm;
mod clouds;
mod controllers;
mod logs;
mod model;
mod placement;
mod storage;
#[cfg(test)]
mod tests;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::{
    actions, alerts, annotations, blocks, charm_revisions, constraints, credentials, defaults,
    find, grants, incidents, info, known, machines, payloads, reach, regions, relations, resources,
    scale, secrets, show_hook, show_model, storage as storages, tasks, terms, timeline, top,
    unit_files, version, why,
};

pub use accounts::{
    Access, AddToken, AddUser, ChangeUserPassword, Login, Logout, OneUser, PasswordInput, Register,
    RemoveUser, RevokeToken, ShowUser, Tokens, Users, Whoami,
};
pub use application::{
    AddUnit, Config, Deploy, DiffBundle, Download, ExportBundle, Refresh, Removal,
    RemoveApplication, RemoveUnit, Repository,
};
pub use audit::{Audit, ControllerConfig};
pub use backups::{Backups, CreateBackup, DownloadBackup, RemoveBackup, RestoreBackup};
pub use charm::{
    CharmBuild, CharmCommand, CharmInit, CharmInspect, CharmLint, CharmPack, CharmPublish,
    CharmTest, CharmVendor, CharmWatch,
};
pub use clouds::{Clouds, Credentials};
pub use controllers::{
    Bootstrap, ControllerCommand, Controllers, Dashboard, DashboardFormat, DestroyController,
    InstallService, Introspect, JoinController, Nodes, RemoveNode, StartController, StopController,
    Switch, UninstallService,
};
pub use logs::{DebugLog, LogFormat, LogLines, Logs};
pub use model::{
    AddModel, DestroyModel, Hooks, ModelConfig, Models, Resolved, ShowApplication, ShowStatusLog,
    ShowUnit, StartAgent, Status, UnitAgents, WaitFor, WaitForKind, Workers, Workloads, duration,
};
pub use placement::Placement;
pub use storage::{Given, by_name, more};

const EXAMPLES: &str = "\
Begin with:
  periapt bootstrap
  periapt add-model demo
  periapt charm init hello && periapt charm pack hello
  periapt deploy hello
  periapt status --watch

Exit status: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 conflict, 5 timed out;
of `exec` also that of the command. Called by the name of juju, it ends as Juju does: 0, 1 or 2.

Juju's commands are known here too: `periapt help commands` lists all, docs/reference/commands.md says what
each is. Juju's variables JUJU_DATA, JUJU_MODEL and JUJU_CONTROLLER count where PERIAPT_DATA,
PERIAPT_MODEL and PERIAPT_CONTROLLER are not set.";

/// Models of applications whose charms are sandboxed WebAssembly components.
#[derive(Debug, Parser)]
#[command(name = "periapt", version, after_help = EXAMPLES, propagate_version = false, subcommand_required = true)]
pub struct Arguments {
    #[command(flatten)]
    pub general: General,
    #[command(subcommand)]
    pub command: Command,
}

/// Options that every verb takes.
#[derive(Clone, Debug, Default, Args)]
pub struct General {
    /// Print only data and errors.
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Use colour even if the output is not a terminal.
    #[arg(long, global = true, conflicts_with = "no_color")]
    pub color: bool,
    /// Do not use colour (like the variable NO_COLOR).
    #[arg(long, global = true)]
    pub no_color: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a controller on this machine, start it and log in.
    Bootstrap(Bootstrap),
    /// Run, start or stop a controller.
    #[command(subcommand)]
    Controller(ControllerCommand),
    /// Show or change the configuration of a controller.
    ControllerConfig(ControllerConfig),
    /// Show who changed what: the audit log.
    Audit(Audit),
    /// Create a backup of a controller and download it.
    CreateBackup(CreateBackup),
    /// List the backups that a controller keeps.
    Backups(Backups),
    /// Download a backup that a controller keeps.
    DownloadBackup(DownloadBackup),
    /// Remove backups that a controller keeps.
    RemoveBackup(RemoveBackup),
    /// Restore a controller from a backup on this machine, and start it.
    RestoreBackup(RestoreBackup),
    /// List the controllers known here.
    Controllers(Controllers),
    /// Show the address of the web page and how to sign in, or open it in a browser.
    Dashboard(Dashboard),
    /// Show or change the current controller and model.
    Switch(Switch),
    /// List the clouds available for models.
    Clouds(Clouds),
    #[command(flatten)]
    Regions(regions::Verb),
    /// List your credentials for clouds, and the models that use them.
    Credentials(Credentials),
    /// Add a model and switch to it.
    AddModel(AddModel),
    /// List the models of a controller.
    Models(Models),
    /// Show or change the configuration of a model.
    ModelConfig(ModelConfig),
    /// Show or change the default values of model options.
    ModelDefaults(defaults::ModelDefaults),
    /// Show a model in detail.
    ShowModel(show_model::ShowModel),
    /// Search for charms, applications and machines in all models of a controller.
    Find(find::Find),
    #[command(flatten)]
    Info(info::Verb),
    /// Remove a model with everything in it.
    DestroyModel(DestroyModel),
    /// Stop a controller and remove it.
    DestroyController(DestroyController),
    #[command(flatten)]
    Known(known::Verb),
    /// Deploy a charm as an application, or a bundle.
    Deploy(Deploy),
    /// Download a charm from the model.
    Download(Download),
    /// Export the model as a bundle.
    ExportBundle(ExportBundle),
    /// Show the differences between a bundle and the model.
    DiffBundle(DiffBundle),
    /// Change an application to another revision of its charm.
    Refresh(Refresh),
    /// Show or change the configuration of an application.
    Config(Config),
    /// Add units to an application.
    AddUnit(AddUnit),
    /// Remove units.
    RemoveUnit(RemoveUnit),
    /// Remove applications with all their units.
    RemoveApplication(RemoveApplication),
    #[command(flatten)]
    Scale(scale::Verb),
    #[command(flatten)]
    CharmRevisions(charm_revisions::Verb),
    #[command(flatten)]
    Resources(resources::Verb),
    #[command(flatten)]
    Terms(terms::Verb),
    #[command(flatten)]
    Grants(grants::Verb),
    #[command(flatten)]
    Constraints(constraints::Verb),
    #[command(flatten)]
    Payloads(payloads::Verb),
    #[command(flatten)]
    Files(unit_files::Verb),
    #[command(flatten)]
    Top(top::Verb),
    #[command(flatten)]
    Relations(relations::Verb),
    #[command(flatten)]
    Reach(reach::Verb),
    #[command(flatten)]
    Machines(machines::Verb),
    #[command(flatten)]
    Credential(credentials::Verb),
    #[command(flatten)]
    Actions(actions::Verb),
    #[command(flatten)]
    Tasks(tasks::Verb),
    #[command(flatten)]
    Blocks(blocks::Verb),
    #[command(flatten)]
    Annotations(annotations::Verb),
    #[command(flatten)]
    Secrets(secrets::Verb),
    #[command(flatten)]
    SecretBackends(secrets::backends::Verb),
    #[command(flatten)]
    Alerts(alerts::Verb),
    #[command(flatten)]
    Storage(storages::Verb),
    #[command(flatten)]
    StoragePools(storages::pools::Verb),
    /// Retry or skip the failed hook of a unit.
    Resolved(Resolved),
    /// Stop the agents of units: no hooks run until you start them again.
    StopUnit(UnitAgents),
    /// Start stopped agents of units.
    StartUnit(UnitAgents),
    /// Start the agent of a model after it was stopped for good, for example by SIGABRT.
    StartAgent(StartAgent),
    /// Show the status of a model.
    Status(Status),
    /// Show units in detail.
    ShowUnit(ShowUnit),
    /// Show applications in detail.
    ShowApplication(ShowApplication),
    /// Show the past statuses of an application, a unit or a machine.
    ShowStatusLog(ShowStatusLog),
    /// Show past hook runs, newest first: time, duration, result and changes.
    Hooks(Hooks),
    #[command(flatten)]
    ShowHook(show_hook::Verb),
    #[command(flatten)]
    Why(why::Verb),
    #[command(flatten)]
    Incidents(incidents::Verb),
    #[command(flatten)]
    Timeline(timeline::Verb),
    /// Show the services in the containers of units: state, restarts and reasons.
    Services(Workloads),
    /// Show the health checks of units: up or down, and what a failure does.
    Checks(Workloads),
    /// Show the output of a unit's services.
    Logs(Logs),
    /// Show the metrics that charms report about their units.
    Metrics(Workloads),
    /// Show the log of a model.
    DebugLog(DebugLog),
    /// Wait until an application, a unit, a machine, a relation or a model reaches a state.
    WaitFor(WaitFor),
    /// Create, test, build, pack, publish and inspect charms.
    #[command(subcommand)]
    Charm(CharmCommand),
    /// List all workers and what each is doing.
    Workers(Workers),
    /// Add a user to a controller.
    AddUser(AddUser),
    /// List the users of a controller.
    Users(Users),
    /// Show a user in detail.
    ShowUser(ShowUser),
    /// Disable a user.
    DisableUser(OneUser),
    /// Enable a disabled user again.
    EnableUser(OneUser),
    /// Remove a user from a controller.
    RemoveUser(RemoveUser),
    /// Change the password of a user.
    ChangeUserPassword(ChangeUserPassword),
    /// Grant a user access to models or to the controller.
    Grant(Access),
    /// Revoke a user's access to models or to the controller.
    Revoke(Access),
    /// Log in to a controller.
    Login(Login),
    /// Log out of a controller.
    Logout(Logout),
    /// Show the current controller, model and user.
    Whoami(Whoami),
    /// Register with a controller using the string that `add-user` printed.
    Register(Register),
    /// List tokens for scripts, and browser sessions.
    Tokens(Tokens),
    /// Create a token for a script and print it.
    AddToken(AddToken),
    /// Revoke a token or a session.
    RevokeToken(RevokeToken),
    /// Inspect a controller's process, or the agent of a model.
    Introspect(Introspect),
    /// Show the version.
    Version(version::Version),
    /// Print a completion script for a shell.
    Completion {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Run an agent (started by a provider).
    #[command(subcommand, hide = true)]
    Agent(AgentCommand),
    /// Supervise the workloads of a machine (started by a provider).
    #[command(subcommand, hide = true)]
    Workloads(WorkloadsCommand),
    /// Compile a component from standard input (started by a controller).
    #[command(hide = true)]
    CompileComponent,
}

#[derive(Debug, Subcommand)]
pub enum AgentCommand {
    /// Host the machines and units of one model.
    Run {
        /// The agent's configuration.
        #[arg(long, value_name = "FILE")]
        config: std::path::PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub enum WorkloadsCommand {
    /// Supervise the workloads of all models of a directory of agents.
    Run {
        /// Directory of its lock, its socket and its instructions.
        directory: std::path::PathBuf,
        /// Times and limits, as JSON.
        #[arg(long, value_name = "JSON", default_value = "{}", hide = true)]
        settings: String,
    },
    /// Accept outside requests (started by its supervisor).
    Gate,
    /// Answer requests of one model (started by its supervisor).
    Serve,
}

/// The model a verb addresses.
#[derive(Clone, Debug, Default, Args)]
pub struct ModelChoice {
    /// The model [default: the current one].
    #[arg(short, long, value_name = "[CONTROLLER:]MODEL", env = "PERIAPT_MODEL")]
    pub model: Option<String>,
}

/// The controller a verb addresses.
#[derive(Clone, Debug, Default, Args)]
pub struct ControllerChoice {
    /// The controller [default: the current one].
    #[arg(short, long, value_name = "CONTROLLER", env = "PERIAPT_CONTROLLER")]
    pub controller: Option<String>,
}

/// Output formats of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    // Juju calls it otherwise here and there.
    #[default]
    #[value(aliases = ["default", "smart", "constraints"])]
    Tabular,
    Json,
    Yaml,
}

/// Output formats of a detailed description.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DetailFormat {
    Json,
    #[default]
    #[value(aliases = ["default", "smart"])]
    Yaml,
}

/// Output formats of `status`, by Juju's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum StatusFormat {
    #[default]
    Tabular,
    Json,
    Yaml,
    Short,
    Oneline,
    Line,
    Summary,
}

/// How the details of something in a model are shown.
#[derive(Clone, Debug, Args)]
pub struct Shown {
    #[arg(long, value_enum, default_value_t)]
    pub format: DetailFormat,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

/// Where output is written.
#[derive(Clone, Debug, Default, Args)]
pub struct Target {
    /// Write to a file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<std::path::PathBuf>,
}
