//! `storage`, `show-storage`, `add-storage`, `attach-storage`, `detach-storage`, `remove-storage`,
//! `import-filesystem`: directories that units have and that may outlive them.

use clap::{Args, Subcommand};
use periapt_model::UnitName;
use periapt_model::storage::StorageId;
use periapt_wire::rest::{AddStorage as More, ImportFilesystem as Import, StorageRemoval};

use super::Context;
use crate::arguments::{DetailFormat, Given, ListFormat, ModelChoice, Shown, Target, more};
use crate::failure::{Failure, Outcome};
use crate::output::document::Named;
use crate::output::storage::{Combined, StorageDocument, filesystem_table, filesystems, table};
use crate::output::time::Times;
use crate::session::ModelSession;

pub mod going;
pub mod pools;
#[cfg(test)]
mod tests;
pub mod wanted;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the storage of a model.
    #[command(visible_alias = "list-storage")]
    Storage(Storage),
    /// Show storage in detail.
    ShowStorage(ShowStorage),
    /// Add storage to a unit.
    AddStorage(AddStorage),
    /// Attach detached storage to a unit.
    AttachStorage(AttachStorage),
    /// Detach storage from units; the storage is kept.
    DetachStorage(DetachStorage),
    /// Remove storage and its contents.
    RemoveStorage(RemoveStorage),
    /// Import a directory that `remove-storage --no-destroy` left behind as storage.
    ImportFilesystem(ImportFilesystem),
}

#[derive(Debug, Args)]
pub struct Storage {
    /// Show filesystems with their machines and locations.
    #[arg(long, conflicts_with = "volume")]
    pub filesystem: bool,
    /// Show volumes; there are none, since sandboxes have no block devices.
    #[arg(long)]
    pub volume: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct ShowStorage {
    /// The storages, as in data/0.
    #[arg(required = true, value_name = "STORAGE")]
    pub ids: Vec<StorageId>,
    #[command(flatten)]
    pub shown: Shown,
}

#[derive(Debug, Args)]
pub struct AddStorage {
    /// The unit.
    pub unit: String,
    /// Storage that its charm declares; parts left out are as for the application's other units.
    #[arg(required = true, value_name = "NAME[=[POOL,][COUNT,][SIZE]]", value_parser = more)]
    pub storage: Vec<Given>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct AttachStorage {
    /// The unit.
    pub unit: String,
    /// The storages, as in data/0.
    #[arg(required = true, value_name = "STORAGE")]
    pub ids: Vec<StorageId>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct DetachStorage {
    /// The storages, as in data/0.
    #[arg(required = true, value_name = "STORAGE")]
    pub ids: Vec<StorageId>,
    /// Detach it even if the unit's charm needs it.
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct RemoveStorage {
    /// The storages, as in data/0.
    #[arg(required = true, value_name = "STORAGE")]
    pub ids: Vec<StorageId>,
    /// Also remove attached storage, which is detached first.
    #[arg(long)]
    pub force: bool,
    /// Keep the directory and its contents, which can be imported again.
    #[arg(long)]
    pub no_destroy: bool,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct ImportFilesystem {
    /// The pool that it came from.
    pub pool: String,
    /// The name of its directory, as shown by `show-storage`.
    pub provider_id: String,
    /// The storage name in charms.
    #[arg(value_name = "NAME")]
    pub storage: String,
    #[command(flatten)]
    pub model: ModelChoice,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::Storage(arguments) => list(context, arguments).await,
        Verb::ShowStorage(arguments) => show(context, arguments).await,
        Verb::AddStorage(arguments) => add(context, arguments).await,
        Verb::AttachStorage(arguments) => attach(context, arguments).await,
        Verb::DetachStorage(arguments) => detach(context, arguments).await,
        Verb::RemoveStorage(arguments) => remove(context, arguments).await,
        Verb::ImportFilesystem(arguments) => import(context, arguments).await,
    }
}

async fn list(context: &Context, arguments: Storage) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let mut storages = here.client().storages(&here.model, None).await?;
    if arguments.volume {
        storages.clear();
    }
    let output = context.output.to(&arguments.target)?;
    let times = Times::new(arguments.utc);
    let parts = || std::collections::BTreeMap::from([part(&arguments, &storages, &times)]);
    let whole = || Combined::of(&storages, &times);
    let in_parts = arguments.filesystem || arguments.volume;
    match (arguments.format, in_parts) {
        (ListFormat::Json, true) => output.json(&parts()),
        (ListFormat::Json, false) => output.json(&whole()),
        (ListFormat::Yaml, true) => output.yaml(&parts()),
        (ListFormat::Yaml, false) => output.yaml(&whole()),
        (ListFormat::Tabular, _) if storages.is_empty() => {
            output.say(match (arguments.filesystem, arguments.volume) {
                (true, _) => "No filesystems to display.",
                (_, true) => "No volumes to display: sandboxes have no block devices.",
                _ => "No storage to display.",
            });
            Ok(())
        }
        (ListFormat::Tabular, _) => {
            let table = match arguments.filesystem {
                true => filesystem_table(&storages),
                false => table(&storages),
            };
            output.data(&table.render(output.paints()))
        }
    }
}

/// One part of all storage, by its name.
fn part(
    arguments: &Storage,
    storages: &[periapt_wire::rest::StorageInfo],
    times: &Times,
) -> (
    &'static str,
    Named<crate::output::storage::FilesystemDocument>,
) {
    match arguments.volume {
        true => ("volumes", Named::default()),
        false => ("filesystems", filesystems(storages, times)),
    }
}

async fn show(context: &Context, arguments: ShowStorage) -> Outcome {
    let shown = &arguments.shown;
    let here = ModelSession::open(&context.files, &shown.model).await?;
    let times = Times::new(shown.utc);
    let mut documents = Vec::new();
    for id in &arguments.ids {
        let storage = here.client().storage(&here.model, id).await?;
        documents.push((id.to_string(), StorageDocument::whole(&storage, &times)));
    }
    let documents: Named<StorageDocument> = documents.into_iter().collect();
    let output = context.output.to(&shown.target)?;
    match shown.format {
        DetailFormat::Json => output.json(&documents),
        DetailFormat::Yaml => output.yaml(&documents),
    }
}

async fn add(context: &Context, arguments: AddStorage) -> Outcome {
    let unit: UnitName = arguments.unit.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    for Given { name, asked } in arguments.storage {
        let request = More {
            storage: name,
            asked,
        };
        let added = here
            .client()
            .add_storage(&here.model, &unit, &request)
            .await?;
        for storage in added {
            context
                .output
                .say(&format!("Added storage {} to {unit}", storage.id));
        }
    }
    Ok(())
}

async fn attach(context: &Context, arguments: AttachStorage) -> Outcome {
    let unit: UnitName = arguments.unit.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    for id in &once(&arguments.ids)? {
        here.client().attach_storage(&here.model, id, &unit).await?;
        context.output.say(&format!("Attaching {id} to {unit}"));
    }
    Ok(())
}

async fn detach(context: &Context, arguments: DetachStorage) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    for id in &once(&arguments.ids)? {
        here.client()
            .detach_storage(&here.model, id, arguments.force)
            .await?;
        context.output.say(&format!("Detaching {id}"));
    }
    Ok(())
}

async fn remove(context: &Context, arguments: RemoveStorage) -> Outcome {
    let removal = StorageRemoval {
        force: arguments.force,
        no_destroy: arguments.no_destroy,
    };
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    for id in &once(&arguments.ids)? {
        let storage = here.client().storage(&here.model, id).await?;
        here.client()
            .remove_storage(&here.model, id, &removal)
            .await?;
        context.output.say(&match arguments.no_destroy {
            true => format!(
                "Removing {id}; its directory stays: periapt import-filesystem {} {} {}",
                storage.pool,
                storage.provider_id,
                id.name()
            ),
            false => format!("Removing {id}"),
        });
    }
    Ok(())
}

/// The storages, unless one is named twice.
fn once(ids: &[StorageId]) -> Outcome<Vec<StorageId>> {
    let mut all: Vec<StorageId> = Vec::new();
    for id in ids {
        if all.contains(id) {
            return Err(Failure::usage(format!("storage {id} is named twice"))
                .why("each is dealt with once")
                .advice("name it once"));
        }
        all.push(id.clone());
    }
    Ok(all)
}

async fn import(context: &Context, arguments: ImportFilesystem) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let request = Import {
        pool: arguments.pool,
        provider_id: arguments.provider_id,
        storage: arguments.storage,
    };
    context.output.say(&format!(
        "Importing \"{}\" from storage pool \"{}\" as a filesystem",
        request.provider_id, request.pool
    ));
    let imported = here
        .client()
        .import_filesystem(&here.model, &request)
        .await?;
    context
        .output
        .say(&format!("Imported storage {}", imported.id));
    Ok(())
}
