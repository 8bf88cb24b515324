//! Restoring: a new directory and an empty database become the controller that was backed up. The
//! backup is read and checked as a whole before anything is made; `controller.json` is written
//! last, and what was made before a failure is removed, so that nothing half restored is left.

use std::fs::DirBuilder;
use std::io::{self, BufRead, BufReader, Read};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use periapt_model::ModelUuid;
use periapt_secrets::KEY_FILE;
use periapt_server::authority::Authority;
use periapt_store::backup::{Cell, ColumnKind, Restoring, Table};
use periapt_store::{CONTROLLER_CLOUD, StoreError};
use periapt_uniter::directories;
use serde_json::Value;
use tokio::runtime::Handle;

use super::manifest::{Kind, Manifest};
use super::parts::{PartsReader, damaged};
use crate::bootstrap::{free_port, store_options};
use crate::error::file;
use crate::{ControllerConfig, ControllerError, location, pki, private, running_pid};

/// Where the controller is to be.
#[derive(Clone, Debug)]
pub struct RestoreOptions {
    pub file: PathBuf,
    /// Made; if it is there it must be empty. None for the place of the backed up one.
    pub data_dir: Option<PathBuf>,
    /// URL of a PostgreSQL database that holds nothing; none for SQLite in the data directory.
    pub database: Option<String>,
    /// Where it listens; none for where it did.
    pub address: Option<IpAddr>,
    pub port: Option<u16>,
}

/// What a client needs to know of it.
#[derive(Clone, Debug)]
pub struct RestoreResult {
    pub uuid: ModelUuid,
    pub name: String,
    pub data_dir: PathBuf,
    /// `host:port`.
    pub api_endpoints: Vec<String>,
    pub ca_pem: String,
    pub cloud: String,
    pub controller_model: ModelUuid,
    pub manifest: Manifest,
    /// Messages of alerts that waited when the backup was made, and are not sent any more.
    pub given_up: u64,
}

/// Restores a backup. It starts nothing.
///
/// # Errors
/// A damaged backup, a directory or a database that holds something, a controller that still
/// runs, files, the store.
pub async fn restore(options: RestoreOptions) -> Result<RestoreResult, ControllerError> {
    let runtime = Handle::current();
    let done = tokio::task::spawn_blocking(move || restore_files(&options, &runtime)).await;
    done.map_err(|error| ControllerError::Internal(error.to_string()))?
}

fn restore_files(
    options: &RestoreOptions,
    runtime: &Handle,
) -> Result<RestoreResult, ControllerError> {
    let opened = PartsReader::open(&options.file);
    let mut parts = opened.map_err(|error| unreadable(&options.file, error))?;
    let manifest = parts.manifest.clone();
    let mut config = identity(&mut parts, &options.file)?;
    let authority = authority(&mut parts, &options.file)?;

    let data_dir = options
        .data_dir
        .clone()
        .unwrap_or(manifest.directory.clone());
    refuse_running(&data_dir)?;
    if ControllerConfig::read(&manifest.directory).is_ok_and(|there| there.uuid == config.uuid) {
        refuse_running(&manifest.directory)?;
    }
    let made_here = make(&data_dir)?;
    let restored = || {
        let _lock = crate::lock(&data_dir)?;
        config.address = options.address.unwrap_or(config.address);
        config.port = free_port(config.address, options.port.unwrap_or(config.port))?;
        config.database = options.database.clone();
        pki::store(&data_dir, &authority)?;
        keys(&mut parts, &options.file, &data_dir)?;
        trees(
            &mut parts,
            &options.file,
            &config.agents_directory(&data_dir),
        )?;
        // Late, since a database on a server cannot be taken back.
        let given_up = rows(&mut parts, options, &data_dir, &config, runtime)?;
        location::mark(&data_dir)?;
        config.write(&data_dir)?;
        Ok::<_, ControllerError>((config, given_up))
    };
    match restored() {
        Ok((config, given_up)) => Ok(RestoreResult {
            given_up,
            uuid: config.uuid.clone(),
            name: config.name.clone(),
            api_endpoints: vec![SocketAddr::new(config.reachable(), config.port).to_string()],
            ca_pem: authority.ca_pem().to_owned(),
            cloud: CONTROLLER_CLOUD.to_owned(),
            controller_model: config.controller_model.clone(),
            data_dir,
            manifest,
        }),
        Err(error) => {
            clear(&data_dir, made_here);
            Err(error)
        }
    }
}

/// A controller that lives would do everything twice with its restored self.
fn refuse_running(directory: &Path) -> Result<(), ControllerError> {
    match running_pid(directory) {
        Some(pid) => Err(ControllerError::AlreadyRunning {
            directory: directory.to_owned(),
            pid: Some(pid),
        }),
        None => Ok(()),
    }
}

/// Makes the directory, or finds it empty; whether it was made. Nobody else can look into it.
fn make(directory: &Path) -> Result<bool, ControllerError> {
    let is_new = match std::fs::read_dir(directory).map(|entries| entries.count()) {
        Ok(1..) => return Err(ControllerError::NotEmpty(directory.to_owned())),
        Ok(0) => false,
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(file("read", directory)(error)),
    };
    private::claim(directory)?;
    Ok(is_new)
}

/// Removes what was made of a restore that failed. The directory was empty before.
fn clear(directory: &Path, made_here: bool) {
    let failed = |path: &Path, error: io::Error| {
        tracing::warn!(path = %path.display(), %error, "what was restored cannot be removed");
    };
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let removed = match path.is_dir() && !path.is_symlink() {
            true => periapt_files::remove(&path),
            false => std::fs::remove_file(&path),
        };
        if let Err(error) = removed {
            failed(&path, error);
        }
    }
    if made_here && let Err(error) = std::fs::remove_dir(directory) {
        failed(directory, error);
    }
}

fn identity(parts: &mut PartsReader, source: &Path) -> Result<ControllerConfig, ControllerError> {
    let config = parts.part("identity/controller.json", |part| {
        serde_json::from_reader(part).map_err(io::Error::from)
    });
    config.map_err(|error| unreadable(source, error))
}

fn authority(parts: &mut PartsReader, source: &Path) -> Result<Authority, ControllerError> {
    let mut text = |name: &str| {
        let text = parts.part(&format!("identity/{name}"), |part| io::read_to_string(part));
        text.map_err(|error| unreadable(source, error))
    };
    let (certificate, key) = (text("ca.crt")?, text("ca.key")?);
    Ok(Authority::load(&certificate, &key)?)
}

/// The keys of secrets; a backup from before there were any has none.
fn keys(parts: &mut PartsReader, source: &Path, data_dir: &Path) -> Result<(), ControllerError> {
    let name = format!("identity/{KEY_FILE}");
    if !parts.manifest.parts.contains_key(&name) {
        return Ok(());
    }
    let text = parts.part(&name, |part| io::read_to_string(part));
    let text = text.map_err(|error| unreadable(source, error))?;
    let path = data_dir.join(KEY_FILE);
    periapt_secrets::put(&path, &text).map_err(file("write", &path))
}

fn trees(parts: &mut PartsReader, source: &Path, agents: &Path) -> Result<(), ControllerError> {
    for tree in parts.manifest.trees.clone() {
        let agent = agents.join(tree.model.as_str());
        let to = match tree.what {
            Kind::State(generation) => directories::generation(&agent, &tree.unit, generation),
            Kind::Shared => directories::shared(&agent, &tree.unit),
        };
        if let Some(parent) = to.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(parent)
                .map_err(file("make", parent))?;
        }
        let unpacked = parts.part(&tree.part, |mut part| {
            periapt_files::unpack(&mut part, &to)?;
            periapt_files::sync(&to)
        });
        unpacked.map_err(|error: io::Error| match error.kind() {
            io::ErrorKind::InvalidData => unreadable(source, error),
            _ => file("write", &to)(error),
        })?;
    }
    Ok(())
}

/// Writes the database; how many messages of alerts were given up in that.
fn rows(
    parts: &mut PartsReader,
    options: &RestoreOptions,
    data_dir: &Path,
    config: &ControllerConfig,
    runtime: &Handle,
) -> Result<u64, ControllerError> {
    let database = store_options(data_dir, options.database.as_deref());
    let begun = runtime.block_on(Restoring::begin(&database, parts.manifest.schema));
    let mut restoring = begun.map_err(|error| match error {
        StoreError::AlreadyExists { .. } => ControllerError::DatabaseNotEmpty,
        error => error.into(),
    })?;
    for name in parts.manifest.tables.clone() {
        let read = parts.part(&format!("database/{name}"), |part| {
            runtime.block_on(table(&mut restoring, &name, part))
        });
        read.map_err(|error| match error {
            Failure::Io(error) => unreadable(&options.file, error),
            Failure::Store(error) => error.into(),
        })?;
    }
    Ok(runtime.block_on(restoring.finish(config.node))?)
}

/// What goes wrong while rows are written.
enum Failure {
    Io(io::Error),
    Store(StoreError),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Failure::Store(error)
    }
}

async fn table(restoring: &mut Restoring, name: &str, part: &mut dyn Read) -> Result<(), Failure> {
    let mut lines = BufReader::new(part).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let columns: Vec<(String, String)> = serde_json::from_str(&first).map_err(io::Error::from)?;
    let columns = columns.into_iter().map(|(column, kind)| {
        let kind = match kind.as_str() {
            "integer" => ColumnKind::Integer,
            "text" => ColumnKind::Text,
            "bytes" => ColumnKind::Bytes,
            other => return Err(damaged(format!("{name}.{column} is of the kind {other}"))),
        };
        Ok((column, kind))
    });
    let columns: Vec<(String, ColumnKind)> = columns.collect::<io::Result<_>>()?;
    let kinds: Vec<ColumnKind> = columns.iter().map(|(_, kind)| *kind).collect();
    restoring
        .table(Table {
            name: name.to_owned(),
            columns,
        })
        .await?;
    for line in lines {
        let row: Vec<Value> = serde_json::from_str(&line?).map_err(io::Error::from)?;
        if row.len() != kinds.len() {
            return Err(damaged(format!("a row of {name} is too long or too short")).into());
        }
        let cells = row
            .into_iter()
            .zip(&kinds)
            .map(|(value, kind)| cell(value, *kind));
        let cells = cells
            .collect::<Option<Vec<Cell>>>()
            .ok_or_else(|| damaged(format!("a row of {name} cannot be read")))?;
        restoring.row(cells).await?;
    }
    Ok(())
}

fn cell(value: Value, kind: ColumnKind) -> Option<Cell> {
    Some(match (value, kind) {
        (Value::Null, _) => Cell::Null,
        (Value::Number(number), ColumnKind::Integer) => Cell::Integer(number.as_i64()?),
        (Value::String(text), ColumnKind::Text) => Cell::Text(text),
        (Value::String(text), ColumnKind::Bytes) => Cell::Bytes(BASE64_STANDARD.decode(text).ok()?),
        _ => return None,
    })
}

fn unreadable(path: &Path, error: io::Error) -> ControllerError {
    match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => ControllerError::Backup {
            path: path.to_owned(),
            reason: error.to_string(),
        },
        _ => file("read", path)(error),
    }
}
