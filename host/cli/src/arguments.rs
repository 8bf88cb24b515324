//! The command line: every verb, every flag, and nothing else. What a verb does stands in
//! `commands`. A group of verbs that is one file there has its flags in that file too, and one line in
//! the list below.

mod accounts;
mod audit;
mod backups;
mod charm;
mod clouds;
mod controllers;
mod logs;
mod model;
mod placement;
mod storage;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::{
    actions, annotations, blocks, charm_revisions, constraints, credentials, defaults, find,
    machines, payloads, reach, relations, resources, secrets, show_model, storage as storages,
    tasks, terms, top, unit_files,
};

pub use accounts::{
    Access, AddToken, AddUser, ChangeUserPassword, Login, Logout, OneUser, PasswordInput, Register,
    RemoveUser, RevokeToken, ShowUser, Tokens, Users, Whoami,
};
pub use audit::{Audit, ControllerConfig};
pub use backups::{Backups, CreateBackup, DownloadBackup, RemoveBackup, RestoreBackup};
pub use charm::{CharmBuild, CharmCommand, CharmInit, CharmInspect, CharmPack, CharmPublish};
pub use clouds::{Clouds, Credentials};
pub use controllers::{
    Bootstrap, ControllerCommand, Controllers, Dashboard, DashboardFormat, DestroyController,
    InstallService, Introspect, JoinController, Nodes, RemoveNode, StartController, StopController,
    Switch, UninstallService,
};
pub use logs::{DebugLog, LogFormat, LogLines, Logs};
pub use model::{
    AddModel, AddUnit, Config, Deploy, DestroyModel, DiffBundle, Download, ExportBundle, Hooks,
    ModelConfig, Models, Refresh, Removal, RemoveApplication, RemoveUnit, Repository, Resolved,
    ShowApplication, ShowStatusLog, ShowUnit, StartAgent, Status, UnitAgents, WaitFor, WaitForKind,
    Workers, Workloads, duration,
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
of `exec` also that of the command.";

/// Models of applications whose charms are sandboxed WebAssembly components.
#[derive(Debug, Parser)]
#[command(name = "periapt", version, after_help = EXAMPLES, propagate_version = false, subcommand_required = true)]
pub struct Arguments {
    #[command(flatten)]
    pub general: General,
    #[command(subcommand)]
    pub command: Command,
}

/// What every verb understands.
#[derive(Clone, Debug, Default, Args)]
pub struct General {
    /// Say nothing but data and errors.
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Use colour even where the output is no terminal.
    #[arg(long, global = true, conflicts_with = "no_color")]
    pub color: bool,
    /// Use no colour (as does the variable NO_COLOR).
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
    /// Make a backup of a controller and download it.
    CreateBackup(CreateBackup),
    /// List the backups that a controller keeps.
    Backups(Backups),
    /// Download a backup that a controller keeps.
    DownloadBackup(DownloadBackup),
    /// Remove backups that a controller keeps.
    RemoveBackup(RemoveBackup),
    /// Make a controller of a backup on this machine, and start it.
    RestoreBackup(RestoreBackup),
    /// List the controllers known here.
    Controllers(Controllers),
    /// Show where the web page is and how to sign in, or open it in a browser.
    Dashboard(Dashboard),
    /// Show or change the controller and model that commands address.
    Switch(Switch),
    /// List the clouds in which models may be.
    Clouds(Clouds),
    /// List your credentials for clouds, and the models that use them.
    Credentials(Credentials),
    /// Add a model and switch to it.
    AddModel(AddModel),
    /// List the models of a controller.
    Models(Models),
    /// Show or change the configuration of a model.
    ModelConfig(ModelConfig),
    /// Show or change what options are in models that do not set them.
    ModelDefaults(defaults::ModelDefaults),
    /// Show a model in detail.
    ShowModel(show_model::ShowModel),
    /// Find charms, applications and machines of all models of a controller by words.
    Find(find::Find),
    /// Remove a model with everything in it.
    DestroyModel(DestroyModel),
    /// Stop a controller and remove it.
    DestroyController(DestroyController),
    /// Deploy a charm as an application, or a bundle.
    Deploy(Deploy),
    /// Download a charm that the model has.
    Download(Download),
    /// Show the model as a bundle.
    ExportBundle(ExportBundle),
    /// Show what differs between a bundle and the model.
    DiffBundle(DiffBundle),
    /// Give an application another revision of its charm.
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
    CharmRevisions(charm_revisions::Verb),
    #[command(flatten)]
    Resources(resources::Verb),
    #[command(flatten)]
    Terms(terms::Verb),
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
    Storage(storages::Verb),
    #[command(flatten)]
    StoragePools(storages::pools::Verb),
    /// Mark the failed hook of a unit as dealt with.
    Resolved(Resolved),
    /// Stop the agents of units: no hook runs until they are started again.
    StopUnit(UnitAgents),
    /// Start the agents of units that were stopped.
    StartUnit(UnitAgents),
    /// Start the agent of a model that was ended for good, as by SIGABRT.
    StartAgent(StartAgent),
    /// Show the state of a model.
    Status(Status),
    /// Show units in detail.
    ShowUnit(ShowUnit),
    /// Show applications in detail.
    ShowApplication(ShowApplication),
    /// Show the past statuses of an application, a unit or a machine.
    ShowStatusLog(ShowStatusLog),
    /// Show the hooks that ran, newest first: when, how long, how they ended, what they changed.
    Hooks(Hooks),
    /// Show what runs in the containers of units: started, ended, how often and why.
    Services(Workloads),
    /// Show the checks of units: up or down, and what happens on a failure.
    Checks(Workloads),
    /// Show what the services of a unit wrote.
    Logs(Logs),
    /// Show what charms measured of their units.
    Metrics(Workloads),
    /// Show the log of a model.
    DebugLog(DebugLog),
    /// Wait until an application, a unit, a machine, a relation or a model has reached a state.
    WaitFor(WaitFor),
    /// Make, build, pack and look into charms.
    #[command(subcommand)]
    Charm(CharmCommand),
    /// List all workers of the catalogue and what each is doing.
    Workers(Workers),
    /// Add a user to a controller.
    AddUser(AddUser),
    /// List the users of a controller.
    Users(Users),
    /// Show a user in detail.
    ShowUser(ShowUser),
    /// Shut a user out.
    DisableUser(OneUser),
    /// Let a disabled user in again.
    EnableUser(OneUser),
    /// Remove a user from a controller.
    RemoveUser(RemoveUser),
    /// Change the password of a user.
    ChangeUserPassword(ChangeUserPassword),
    /// Give a user access to models or to the controller.
    Grant(Access),
    /// Take access from a user.
    Revoke(Access),
    /// Log in to a controller.
    Login(Login),
    /// Log out of a controller.
    Logout(Logout),
    /// Show the controller, the model and the user that commands address.
    Whoami(Whoami),
    /// Join a controller with what `add-user` printed.
    Register(Register),
    /// List tokens for scripts, and sessions of browsers.
    Tokens(Tokens),
    /// Make a token for a script and print it.
    AddToken(AddToken),
    /// End a token or a session.
    RevokeToken(RevokeToken),
    /// Look into a controller's process, or into the agent of a model.
    Introspect(Introspect),
    /// Show the version.
    Version,
    /// Print a completion script for a shell.
    Completion {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Run an agent (started by a provider).
    #[command(subcommand, hide = true)]
    Agent(AgentCommand),
    /// Keep the workloads of a machine (started by a provider).
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
        /// Where it keeps its lock, its socket and what it was told.
        directory: std::path::PathBuf,
        /// Times and numbers, as JSON.
        #[arg(long, value_name = "JSON", default_value = "{}", hide = true)]
        settings: String,
    },
    /// Take the requests of strangers (started by its supervisor).
    Gate,
    /// Answer requests of one model (started by its supervisor).
    Serve,
}

/// The model a verb addresses.
#[derive(Clone, Debug, Default, Args)]
pub struct ModelChoice {
    /// The model, if not the current one.
    #[arg(short, long, value_name = "[CONTROLLER:]MODEL", env = "PERIAPT_MODEL")]
    pub model: Option<String>,
}

/// The controller a verb addresses.
#[derive(Clone, Debug, Default, Args)]
pub struct ControllerChoice {
    /// The controller, if not the current one.
    #[arg(short, long, value_name = "CONTROLLER", env = "PERIAPT_CONTROLLER")]
    pub controller: Option<String>,
}

/// Forms of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    #[default]
    Tabular,
    Json,
    Yaml,
}

/// Forms of a detailed description.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DetailFormat {
    Json,
    #[default]
    Yaml,
}

/// Forms of `status`, by Juju's names.
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
    /// Show times in UTC, in ISO form.
    #[arg(long)]
    pub utc: bool,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

/// Where data goes.
#[derive(Clone, Debug, Default, Args)]
pub struct Target {
    /// Write to a file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<std::path::PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn verbs_users_know_are_read() {
        for line in [
            "bootstrap",
            "bootstrap prod --port 0 --data-dir /tmp/x --limits wall-clock-ms=500 --limits memory-bytes=32MiB",
            "controller run --data-dir /tmp/x",
            "controller nodes -c prod --format json",
            "dashboard --browser --hide-credential -c prod",
            "controller start prod --data-dir /tmp/y --accept-move",
            "controller install-service prod --keeper",
            "controller uninstall-service",
            "create-backup",
            "create-backup /safe/lab.zip -c lab",
            "create-backup --no-download",
            "backups --format json",
            "download-backup 20261122-094512-a1b2c3 lab.zip",
            "remove-backup 20261122-094512-a1b2c3",
            "restore-backup lab.zip --data-dir /tmp/x --port 0 --postgres-url postgresql://x@y/z",
            "controller remove-node 1 2 --force --no-prompt",
            "download local:site-0 --filepath -",
            "export-bundle --filename bundle.yaml --charms .",
            "add-model demo --config update-status-hook-interval=1m",
            "add-model demo local/default --credential lab",
            "clouds --format yaml -c prod",
            "credentials --format json",
            "deploy ./site.charm blog -n 3 --config greeting=hi --config site.yaml",
            "status --format json --utc -m prod:demo site 'db/*'",
            "status --watch",
            "status --watch 2s site",
            "config site greeting=hi --reset colour,size",
            "remove-application site --force --no-wait --no-prompt",
            "refresh site --path ./site.charm",
            "refresh site --resource theme=./theme.css",
            "refresh site --path ./site.charm --config title=News --config site.yaml --force-units",
            "refresh site --revision 0",
            "refresh site --force-units",
            "refresh site",
            "refresh site --channel edge",
            "refresh site --repository ./charms --channel edge",
            "refresh-charm-revisions -m prod:demo --format json",
            "deploy site docs --channel edge",
            "deploy site --repository https://charms.example/shop",
            "deploy site docs --repository ./charms --channel edge",
            "deploy ./site.charm --resource theme=./theme.css --resource words=./words.txt",
            "attach-resource site theme=./theme.css",
            "resources site --details --format yaml",
            "list-resources site",
            "deploy ./site.charm -n 2 --to 0,1",
            "add-unit site -n 2 --to 0",
            "trust site --remove -m demo",
            "deploy ./site.charm --trust --constraints 'mem=4G cores=2'",
            "add-machine -n 2 --constraints arch=amd64",
            "show-machine 0 1 --format json --utc",
            "constraints site --format yaml",
            "set-constraints site mem=4G cores=2 -m demo",
            "set-model-constraints arch=amd64 zones=a,b",
            "model-defaults force-wait=2m --region default --reset logging-config",
            "show-model prod:demo --format json --utc",
            "find site web -c prod --format json",
            "set-meter-status site/0 RED pay up",
            "set-application-base site ubuntu@24.04 -m demo",
            "min-units site 2 -m demo",
            "integrate front:website site",
            "relate front site -m demo",
            "remove-relation front site:website --force",
            "remove-relation 3",
            "suspend-relation 3 4 --message moving",
            "resume-relation 3",
            "add-machine -n 2",
            "remove-machine 0 1 --force --no-prompt",
            "machines --format yaml",
            "wait-for relation 3",
            "wait-for operation 1 --query 'status==\"completed\"' --timeout 5m",
            "wait-for task 2",
            "actions site --schema --format json",
            "list-actions site",
            "show-action site backup --format yaml",
            "run site/0 site/1 backup out=x.tar file.kind=xz --params backup.yaml --wait 2m",
            "run site/leader backup --background --string-args --parallel=false --utc",
            "run site/0 backup --timeout 5m --execution-group disk --format json -o result.json",
            "exec --unit site/0,site/1 --format yaml -- list --long",
            "exec -a site,db --wait 30s --parallel check",
            "exec --all -m prod:demo list -m",
            "operations --units site/0 --apps site --actions backup --status failed --limit 5",
            "list-operations --after 12 --format yaml --utc",
            "show-operation 1 --wait 2m",
            "show-task 2 --watch --format json",
            "cancel-task 2 3",
            "disable-command remove-object 'ask Ann first'",
            "enable-command all -m demo",
            "disabled-commands --all --format json",
            "list-disabled-commands -m prod:demo",
            "annotate site/0 owner=ann rack=",
            "annotate team=web -m demo",
            "annotations site/0 --format yaml",
            "payloads site/0 running --format yaml",
            "list-payloads -m demo",
            "top --by memory --limit 5 --seconds 60 --format yaml",
            "files ls site/0 --format json",
            "files cat site/0:/state/index.html -m demo",
            "files cp -r site/0:/state copy",
            "storage --filesystem --format yaml",
            "list-storage --volume --utc",
            "show-storage data/0 data/1 --format json",
            "add-storage site/0 data=loop,1,10G cache",
            "attach-storage site/0 data/0 -m demo",
            "detach-storage data/0 data/1 --force",
            "remove-storage data/0 --force --no-destroy",
            "import-filesystem rootfs data-0 data",
            "storage-pools --name fast --provider loop,tmpfs --format json",
            "create-storage-pool fast loop filesystem-type=xfs",
            "remove-storage-pool fast",
            "deploy ./site.charm --storage data=loop,1,10G --attach-storage logs/0",
            "add-unit site --attach-storage data/0,logs/1",
            "remove-unit site/0 --destroy-storage",
            "remove-machine 0 --destroy-storage",
            "destroy-model demo --release-storage",
            "destroy-controller prod --destroy-all-models --destroy-storage",
            "status --storage",
            "resolved site/0 --no-retry",
            "resolved --all",
            "stop-unit site/0 site/1",
            "start-unit site/0 -m demo",
            "start-agent -m demo",
            "debug-log --include unit-site-0 --level WARNING --replay --no-tail --limit 100 -n 20",
            "wait-for application site --query 'status==\"active\"' --timeout 5m",
            "charm inspect site.charm",
            "charm publish site.charm ./charms --channel edge --revision 3",
            "workers --format json",
            "audit --user bob --matching models --since 1h --limit 5 --format json",
            "audit -m demo --refused",
            "controller-config auditing-enabled=false --reset audit-log-max-size",
            "destroy-model demo --no-prompt",
            "add-user bob 'Bob' -c prod",
            "users --all --format yaml",
            "change-user-password bob --password-stdin",
            "grant bob write demo other",
            "revoke bob superuser",
            "login -u bob --password-stdin",
            "login --token - -c prod",
            "register abc= --controller-name prod --replace",
            "add-token ci --expires-in 7d",
            "revoke-token ci",
            "agent run --config agent.json",
            "compile-component",
            "completion bash",
        ] {
            let words: Vec<String> = line
                .split(' ')
                .map(|word| word.trim_matches('\'').to_owned())
                .collect();
            let parsed =
                Arguments::try_parse_from(std::iter::once("periapt".to_owned()).chain(words));
            assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
        }
    }
}
