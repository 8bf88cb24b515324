//! Making a backup: a snapshot of the database, the files of units that it names, its rows.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use periapt_model::digest::{Digest, Digester};
use periapt_model::{ModelUuid, UnitName};
use periapt_secrets::KEY_FILE;
use periapt_server::backups::BackupError;
use periapt_store::Store;
use periapt_store::backup::{Cell, Moment, Table};
use periapt_uniter::directories;
use serde_json::{Value, json};
use tokio::runtime::Handle;

use super::FORMAT;
use super::manifest::{Kind, Manifest, Tree};
use super::parts::PartsWriter;
use crate::ControllerConfig;

/// How often a moment is taken anew because files of a unit were replaced under it.
const TRIES: u32 = 5;

/// What a backup is made of.
#[derive(Clone)]
pub struct Source {
    pub config: ControllerConfig,
    pub data_dir: PathBuf,
    pub store: Store,
}

/// A backup on the disk.
pub struct Made {
    pub manifest: Manifest,
    pub size: u64,
    pub sha256: Digest,
}

/// Writes a backup to a new file, readable by its owner only. Blocks; one that was not finished
/// is removed.
pub fn create(
    source: &Source,
    id: &str,
    path: &Path,
    runtime: &Handle,
) -> Result<Made, BackupError> {
    let mut tried = 0;
    loop {
        tried += 1;
        match attempt(source, id, path, runtime) {
            Err(BackupError::Restless(_)) if tried < TRIES => {}
            made => {
                if made.is_err() {
                    // What is left of it is of no use, and perhaps filled the disk.
                    let _ = std::fs::remove_file(path);
                }
                return made;
            }
        }
    }
}

fn attempt(source: &Source, id: &str, path: &Path, runtime: &Handle) -> Result<Made, BackupError> {
    if let Some(parent) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(parent)
            .map_err(file("make", parent))?;
    }
    let out = OpenOptions::new()
        .create(true)
        .read(true)
        .write(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
        .map_err(file("write", path))?;
    // The rows of that moment are sealed under a key that was in force before it, or is after it.
    let keys = keys(source)?;
    let mut moment = runtime.block_on(source.store.moment())?;
    let (models, units) = runtime.block_on(moment.counts())?;
    let manifest = Manifest {
        format: FORMAT,
        id: id.to_owned(),
        created_at: source.store.clock().now().as_microsecond(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        directory: source.data_dir.clone(),
        database: source.store.database_kind().to_owned(),
        schema: moment.schema(),
        models,
        units,
        missing: Vec::new(),
        tables: Vec::new(),
        trees: Vec::new(),
        parts: Default::default(),
    };
    let mut parts = PartsWriter::new(out, manifest);
    let writing = |error: Failure| error.into_backup(path);
    // First, since generations go away as units go on.
    trees(source, &mut parts, runtime, &mut moment).map_err(writing)?;
    identity(source, keys, &mut parts).map_err(writing)?;
    tables(&mut parts, runtime, &mut moment).map_err(writing)?;
    drop(moment);
    let (mut out, manifest) = parts.finish().map_err(file("write", path))?;
    let finished = out.sync_all().and_then(|()| digest(&mut out));
    let (size, sha256) = finished.map_err(file("write", path))?;
    Ok(Made {
        manifest,
        size,
        sha256,
    })
}

/// What goes wrong while parts are written.
enum Failure {
    Io(io::Error),
    Backup(BackupError),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

impl From<periapt_store::StoreError> for Failure {
    fn from(error: periapt_store::StoreError) -> Self {
        Failure::Backup(error.into())
    }
}

impl Failure {
    fn into_backup(self, path: &Path) -> BackupError {
        match self {
            Failure::Io(error) => file("write", path)(error),
            Failure::Backup(error) => error,
        }
    }
}

fn trees(
    source: &Source,
    parts: &mut PartsWriter,
    runtime: &Handle,
    moment: &mut Moment,
) -> Result<(), Failure> {
    let agents = source.config.agents_directory(&source.data_dir);
    for (model, unit, generation) in runtime.block_on(moment.generations())? {
        let agent = agents.join(model.as_str());
        let state = directories::state(&agent, &unit);
        let wanted = directories::generation(&agent, &unit, generation);
        if wanted.is_dir() {
            tree(parts, &wanted, &model, &unit, Kind::State(generation))?;
        } else if generation > 0 && state.is_dir() {
            return Err(Failure::Backup(BackupError::Restless(unit.to_string())));
        } else if generation > 0 {
            parts.manifest().missing.push(format!("{model}/{unit}"));
        }
        let shared = directories::shared(&agent, &unit);
        if shared.is_dir() {
            tree(parts, &shared, &model, &unit, Kind::Shared)?;
        }
    }
    Ok(())
}

fn tree(
    parts: &mut PartsWriter,
    root: &Path,
    model: &ModelUuid,
    unit: &UnitName,
    what: Kind,
) -> Result<(), Failure> {
    let part = format!("files/{}", parts.manifest().trees.len());
    let packed = parts.part(&part, |out| periapt_files::pack(root, out).map(|_| ()));
    if let Err(error) = packed {
        // It went away while it was read, or the disk is full.
        if root.is_dir() {
            return Err(error.into());
        }
        return Err(Failure::Backup(BackupError::Restless(unit.to_string())));
    }
    // A generation is removed as a whole, and perhaps was while it was read.
    if !root.is_dir() {
        return Err(Failure::Backup(BackupError::Restless(unit.to_string())));
    }
    parts.manifest().trees.push(Tree {
        part,
        model: model.clone(),
        unit: unit.clone(),
        what,
    });
    Ok(())
}

/// The file of the keys of secrets as it is now; none before there is one.
fn keys(source: &Source) -> Result<Option<String>, BackupError> {
    let path = source.data_dir.join(KEY_FILE);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file("read", &path)(error)),
    }
}

fn identity(
    source: &Source,
    keys_before: Option<String>,
    parts: &mut PartsWriter,
) -> Result<(), Failure> {
    // Neither the password in a URL nor places of this machine are any use elsewhere.
    let config = ControllerConfig {
        database: None,
        agents_directory: None,
        ..source.config.clone()
    };
    let config = serde_json::to_vec_pretty(&config).map_err(io::Error::from)?;
    parts.part("identity/controller.json", |out| out.write_all(&config))?;
    for name in ["ca.crt", "ca.key"] {
        let path = source.data_dir.join("pki").join(name);
        let bytes =
            std::fs::read(&path).map_err(|error| Failure::Backup(file("read", &path)(error)))?;
        parts.part(&format!("identity/{name}"), |out| out.write_all(&bytes))?;
    }
    let keys = match (keys_before, keys(source).map_err(Failure::Backup)?) {
        (Some(before), Some(now)) => {
            let both = periapt_secrets::union(&before, &now);
            Some(both.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?)
        }
        (before, now) => now.or(before),
    };
    if let Some(keys) = keys {
        let name = format!("identity/{KEY_FILE}");
        parts.part(&name, |out| out.write_all(keys.as_bytes()))?;
    }
    Ok(())
}

fn tables(parts: &mut PartsWriter, runtime: &Handle, moment: &mut Moment) -> Result<(), Failure> {
    for table in runtime.block_on(moment.tables())? {
        parts.part(&format!("database/{}", table.name), |out| {
            line(out, &columns(&table))?;
            let take = |row: Vec<Cell>| {
                let cells: Vec<Value> = row.into_iter().map(value).collect();
                Ok::<(), Failure>(line(&mut *out, &Value::Array(cells))?)
            };
            runtime.block_on(moment.rows(&table, take)).map(|_| ())
        })?;
        parts.manifest().tables.push(table.name);
    }
    Ok(())
}

/// The first line of a table: names and kinds of its columns.
fn columns(table: &Table) -> Value {
    let column = |(name, kind): &(String, _)| json!([name, format!("{kind:?}").to_lowercase()]);
    Value::Array(table.columns.iter().map(column).collect())
}

fn value(cell: Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Integer(number) => number.into(),
        Cell::Text(text) => text.into(),
        Cell::Bytes(bytes) => BASE64_STANDARD.encode(bytes).into(),
    }
}

fn line(out: &mut impl Write, value: &Value) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

fn digest(file: &mut File) -> io::Result<(u64, Digest)> {
    use std::io::Seek;
    file.rewind()?;
    let mut digester = Digester::default();
    let size = io::copy(file, &mut digester)?;
    Ok((size, digester.digest()))
}

pub fn file(
    doing: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(io::Error) -> BackupError {
    let path = path.into();
    move |source| BackupError::File {
        doing,
        path,
        source,
    }
}
