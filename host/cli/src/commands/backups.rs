//! `create-backup`, `backups`, `download-backup`, `remove-backup`, `restore-backup`.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use periapt_controller::{RestoreOptions, RestoreResult};
use periapt_model::Digest;
use periapt_wire::rest::Backup;
use serde::Serialize;
use serde_json::Value;

use super::Context;
use super::bootstrap::{Start, absolute, start_and_wait};
use crate::arguments::{
    Backups, CreateBackup, DownloadBackup, ListFormat, RemoveBackup, RestoreBackup,
};
use crate::failure::{Exit, Failure, Outcome};
use crate::files::{Contents, Controller, Model};
use crate::output::document::Named;
use crate::output::table::{Cell, Table};
use crate::output::text;
use crate::output::time::Times;
use crate::processes;
use crate::session::Session;

#[derive(Serialize)]
struct Document {
    backups: Named<Entry>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Entry {
    created: String,
    size: u64,
    sha256: Digest,
    controller: String,
    version: String,
    database: String,
    models: u64,
    units: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
}

pub async fn create(context: &Context, arguments: CreateBackup) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    // Found out before the controller takes the trouble.
    let mut download = match arguments.no_download {
        true => None,
        false => Some(arguments.file.or(arguments.filename)),
    };
    if let Some(Some(file)) = &download {
        refuse_existing(file)?;
    }
    let backup = session.client.create_backup().await?;
    context.output.say(&format!(
        "Created backup {} of controller \"{}\": {} models, {} units, {}",
        backup.id,
        session.name,
        backup.models,
        backup.units,
        text::bytes(backup.size)
    ));
    if !backup.missing.is_empty() {
        context.output.say(&format!(
            "It does not contain the files of {} units on other machines: {}",
            backup.missing.len(),
            backup.missing.join(", ")
        ));
    }
    let storages = storages(&session).await?;
    if storages > 0 {
        context.output.say(&format!(
            "It does not contain storage: {}; `periapt storage` lists a model's storage",
            text::count(storages, "storage")
        ));
    }
    match download.take() {
        Some(file) => fetch(context, &session, &backup, file).await,
        None => {
            context.output.say(&format!(
                "The controller keeps it; download it with: periapt download-backup {}",
                backup.id
            ));
            Ok(())
        }
    }
}

/// How many storages there are that outlive their units, in all models.
async fn storages(session: &Session) -> Outcome<u64> {
    let mut all = 0;
    for model in session.client.models().await? {
        let storages = session.client.storages(model.uuid.as_str(), None).await;
        // One that is gone by now has none.
        all += storages
            .unwrap_or_default()
            .iter()
            .filter(|storage| storage.persistent)
            .count() as u64;
    }
    Ok(all)
}

pub async fn download(context: &Context, arguments: DownloadBackup) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let all = session.client.backups().await?;
    let found = all.into_iter().find(|backup| backup.id == arguments.id);
    let backup = found.ok_or_else(|| {
        Failure::new(
            Exit::NotFound,
            format!("backup \"{}\" not found", arguments.id),
        )
        .why("the controller has no backup with this id")
        .advice("periapt backups")
    })?;
    fetch(
        context,
        &session,
        &backup,
        arguments.file.or(arguments.filename),
    )
    .await
}

pub async fn remove(context: &Context, arguments: RemoveBackup) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    for id in &arguments.ids {
        let removed = session.client.remove_backup(id).await?;
        context
            .output
            .say(&format!("Removed backup {}", removed.id));
    }
    Ok(())
}

pub async fn list(context: &Context, arguments: Backups) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let backups = session.client.backups().await?;
    let output = context.output.to(&arguments.target)?;
    let times = Times::new(arguments.utc);
    match arguments.format {
        ListFormat::Json => output.json(&document(backups)),
        ListFormat::Yaml => output.yaml(&document(backups)),
        ListFormat::Tabular if backups.is_empty() => {
            output.say("The controller has no backups. Create one with: periapt create-backup");
            Ok(())
        }
        ListFormat::Tabular => output.data(&table(&backups, &times).render(output.paints())),
    }
}

fn document(backups: Vec<Backup>) -> Document {
    let utc = Times::new(true);
    let entry = |backup: Backup| {
        let entry = Entry {
            created: utc.micros(backup.created_at),
            size: backup.size,
            sha256: backup.sha256,
            controller: backup.controller,
            version: backup.version,
            database: backup.database,
            models: backup.models,
            units: backup.units,
            missing: backup.missing,
        };
        (backup.id, entry)
    };
    Document {
        backups: backups.into_iter().map(entry).collect(),
    }
}

fn table(backups: &[Backup], times: &Times) -> Table {
    let mut table = Table::new(&["Id", "Created", "Size", "Models", "Units", "Version"])
        .right("Size")
        .right("Models")
        .right("Units");
    for backup in backups {
        table.row(vec![
            Cell::from(backup.id.as_str()),
            times.micros(backup.created_at).into(),
            text::bytes(backup.size).into(),
            backup.models.to_string().into(),
            backup.units.to_string().into(),
            backup.version.as_str().into(),
        ]);
    }
    table
}

/// Writes a backup to a file that only its owner can read; it is there as a whole or not at all.
async fn fetch(
    context: &Context,
    session: &Session,
    backup: &Backup,
    file: Option<PathBuf>,
) -> Outcome {
    let file = file.unwrap_or_else(|| PathBuf::from(format!("periapt-backup-{}.zip", backup.id)));
    refuse_existing(&file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let partial = file.with_file_name(format!(".{name}.{}", std::process::id()));
    let unwritten =
        |error: std::io::Error| Failure::file("the backup cannot be written", &file, &error);
    let mut out = private(&partial).map_err(unwritten)?;
    let fetched = session
        .client
        .download_backup(backup, |bytes| out.write_all(bytes))
        .await
        .map_err(Failure::from)
        .and_then(|()| {
            out.sync_all()
                .and_then(|()| std::fs::rename(&partial, &file))
                .map_err(unwritten)
        });
    if let Err(failure) = fetched {
        // What is left of it is of no use.
        let _ = std::fs::remove_file(&partial);
        return Err(failure.advice(format!(
            "the controller keeps it: periapt download-backup {}",
            backup.id
        )));
    }
    context.output.say(&format!(
        "Downloaded to {}; keep it where only you can read it, since it contains the controller's keys",
        file.display()
    ));
    Ok(())
}

fn private(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(path)
}

fn refuse_existing(file: &Path) -> Outcome {
    match file.exists() {
        false => Ok(()),
        true => Err(
            Failure::new(Exit::Conflict, format!("{} already exists", file.display()))
                .why("existing files are not overwritten")
                .advice("name another file"),
        ),
    }
}

pub async fn restore(context: &Context, arguments: RestoreBackup) -> Outcome {
    let file = arguments.file;
    if !file.is_file() {
        return Err(Failure::new(
            Exit::NotFound,
            format!("there is no file {}", file.display()),
        )
        .why("a backup is a file created by create-backup")
        .advice(
            "download it again with periapt download-backup ID FILE, if the controller still runs",
        ));
    }
    let restored = processes::restore(RestoreOptions {
        file: file.clone(),
        data_dir: arguments.data_dir.as_deref().map(absolute).transpose()?,
        database: arguments.postgres_url,
        address: arguments.address,
        port: arguments.port,
    })
    .await?;
    let RestoreResult {
        name,
        data_dir,
        api_endpoints,
        ca_pem,
        manifest,
        ..
    } = &restored;
    let times = Times::new(false);
    context.output.say(&format!(
        "Restored controller \"{name}\" as of {} to {}: {} models, {} units",
        times.micros(manifest.created_at),
        data_dir.display(),
        manifest.models,
        manifest.units
    ));
    if !manifest.missing.is_empty() {
        context.output.say(&format!(
            "The files of {} units were on other machines and are not in the backup: {}",
            manifest.missing.len(),
            manifest.missing.join(", ")
        ));
    }
    match restored.given_up {
        0 => {}
        1 => context.output.say(
            "Gave up 1 alert message that waited when the backup was made; alerts that still hold are announced anew",
        ),
        count => context.output.say(&format!(
            "Gave up {count} alert messages that waited when the backup was made; alerts that still hold are announced anew"
        )),
    }
    let known = context
        .files
        .change(|contents| remember(contents, &restored))?;
    start_and_wait(Start::PROCESS, data_dir, api_endpoints, ca_pem).await?;
    let address = api_endpoints
        .first()
        .map(String::as_str)
        .unwrap_or_default();
    context.output.say(&format!(
        "Controller \"{known}\" is ready at https://{address}"
    ));
    context.output.say(&format!(
        "To have it restarted after a crash or a reboot, run: periapt controller install-service {known}"
    ));
    Ok(())
}

/// Writes the controller into the client's files, under the name that it has there already or
/// one that is free; that name.
fn remember(contents: &mut Contents, restored: &RestoreResult) -> String {
    let uuid = restored.uuid.to_string();
    let controllers = &mut contents.controllers.controllers;
    let known = controllers.iter().find(|(_, known)| known.uuid == uuid);
    let name = match known {
        Some((name, _)) => name.clone(),
        None => (1..)
            .map(|number| match number {
                1 => restored.name.clone(),
                number => format!("{}-{number}", restored.name),
            })
            .find(|name| !controllers.contains_key(name))
            .unwrap_or_else(|| restored.name.clone()),
    };
    let controller = controllers
        .entry(name.clone())
        .or_insert_with(|| Controller {
            uuid,
            cloud: restored.cloud.clone(),
            others: [
                "controller-machine-count",
                "active-controller-machine-count",
            ]
            .map(|key| (key.to_owned(), Value::from(1)))
            .into(),
            ..Controller::default()
        });
    controller.api_endpoints = restored.api_endpoints.clone();
    controller.ca_cert = restored.ca_pem.clone();
    controller.agent_version = env!("CARGO_PKG_VERSION").to_owned();
    controller.data_dir = Some(restored.data_dir.clone());
    contents.controllers.current_controller = Some(name.clone());
    let own_model = "admin/controller".to_owned();
    let models = contents.models.controllers.entry(name.clone()).or_default();
    models
        .models
        .entry(own_model.clone())
        .or_insert_with(|| Model::new(restored.controller_model.to_string()));
    models.current_model.get_or_insert(own_model);
    name
}
