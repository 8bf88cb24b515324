//! Verbs about backups.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

use super::{ControllerChoice, ListFormat, Target};

const HOLDS: &str = "\
A backup has the database, the charms, the keys, and the files of every unit on the controller's machine, all from the same moment.
It does not contain storage, which you have to copy yourself.";

#[derive(Debug, Args)]
#[command(after_help = HOLDS)]
pub struct CreateBackup {
    /// Path of the file [default: periapt-backup-ID.zip in this folder].
    pub file: Option<PathBuf>,
    /// The same, under Juju's name.
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub filename: Option<PathBuf>,
    /// Do not download it; `download-backup` fetches it later.
    #[arg(long, conflicts_with_all = ["file", "filename"])]
    pub no_download: bool,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct Backups {
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct DownloadBackup {
    /// Id of the backup, as listed by `backups`.
    pub id: String,
    /// Path of the file [default: periapt-backup-ID.zip in this folder].
    pub file: Option<PathBuf>,
    /// The same, under Juju's name.
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub filename: Option<PathBuf>,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct RemoveBackup {
    /// Ids of the backups, as listed by `backups`.
    #[arg(required = true)]
    pub ids: Vec<String>,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct RestoreBackup {
    /// The backup file.
    pub file: PathBuf,
    /// Directory of the restored controller, empty or missing [default: its directory at the time
    /// of the backup].
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Address to listen on [default: the one it had].
    #[arg(long, value_name = "IP")]
    pub address: Option<IpAddr>,
    /// Port to listen on; 0 takes a free one [default: the one it had].
    #[arg(long)]
    pub port: Option<u16>,
    /// Keep data in this empty PostgreSQL database instead of a file, whatever the original
    /// controller used.
    #[arg(
        long,
        value_name = "URL",
        env = "PERIAPT_POSTGRES_URL",
        hide_env_values = true
    )]
    pub postgres_url: Option<String>,
}
