//! `storage-pools`, `create-storage-pool`, `remove-storage-pool`: from what storage is made.

use std::collections::BTreeMap;

use clap::{Args, Subcommand};
use periapt_wire::rest::{NewStoragePool, StoragePoolInfo};
use serde::Serialize;

use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::commands::Context;
use crate::failure::{Failure, Outcome};
use crate::output::document::Named;
use crate::output::table::Table;
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List storage pools.
    #[command(visible_alias = "list-storage-pools")]
    StoragePools(StoragePools),
    /// Create a storage pool.
    CreateStoragePool(CreateStoragePool),
    /// Remove an unused storage pool.
    RemoveStoragePool(RemoveStoragePool),
}

#[derive(Debug, Args)]
pub struct StoragePools {
    /// Only pools with these names.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub name: Vec<String>,
    /// Only pools of these providers: rootfs, tmpfs, loop.
    #[arg(long, value_name = "PROVIDER", value_delimiter = ',')]
    pub provider: Vec<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct CreateStoragePool {
    /// Its name.
    pub name: String,
    /// Its provider: rootfs, tmpfs or loop.
    pub provider: String,
    /// Options of the pool, as in filesystem-type=xfs.
    #[arg(value_name = "KEY=VALUE")]
    pub attributes: Vec<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct RemoveStoragePool {
    /// The pool.
    pub name: String,
    #[command(flatten)]
    pub model: ModelChoice,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::StoragePools(arguments) => list(context, arguments).await,
        Verb::CreateStoragePool(arguments) => create(context, arguments).await,
        Verb::RemoveStoragePool(arguments) => remove(context, arguments).await,
    }
}

/// A pool, by Juju's names.
#[derive(Debug, Serialize)]
struct PoolDocument {
    provider: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attrs: BTreeMap<String, String>,
}

async fn list(context: &Context, arguments: StoragePools) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let mut pools = here.client().storage_pools(&here.model).await?;
    pools.retain(|pool| {
        let of = |wanted: &[String], has: &str| {
            wanted.is_empty() || wanted.iter().any(|wanted| wanted == has)
        };
        of(&arguments.name, &pool.name) && of(&arguments.provider, pool.provider.as_str())
    });
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&documents(&pools)),
        ListFormat::Yaml => output.yaml(&documents(&pools)),
        ListFormat::Tabular if pools.is_empty() => {
            output.say("No storage pools to display.");
            Ok(())
        }
        ListFormat::Tabular => output.data(&table(&pools).render(output.paints())),
    }
}

fn documents(pools: &[StoragePoolInfo]) -> Named<PoolDocument> {
    let each = pools.iter().map(|pool| {
        let document = PoolDocument {
            provider: pool.provider.as_str(),
            attrs: pool.attributes.clone(),
        };
        (pool.name.clone(), document)
    });
    each.collect()
}

fn table(pools: &[StoragePoolInfo]) -> Table {
    let mut table = Table::new(&["Name", "Provider", "Attrs"]);
    for pool in pools {
        let attributes = pool.attributes.iter();
        let attributes = attributes.map(|(key, value)| format!("{key}={value}"));
        table.row(vec![
            (&pool.name).into(),
            pool.provider.as_str().into(),
            attributes.collect::<Vec<_>>().join(" ").into(),
        ]);
    }
    table
}

async fn create(context: &Context, arguments: CreateStoragePool) -> Outcome {
    let attributes = attributes(&arguments.attributes)?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let request = NewStoragePool {
        name: arguments.name,
        provider: arguments.provider,
        attributes,
    };
    let made = here
        .client()
        .create_storage_pool(&here.model, &request)
        .await?;
    context
        .output
        .say(&format!("Created storage pool \"{}\"", made.name));
    Ok(())
}

fn attributes(words: &[String]) -> Outcome<BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    for word in words {
        let (key, value) = word.split_once('=').ok_or_else(|| {
            Failure::usage(format!("\"{word}\" is not an attribute of a pool"))
                .why("an attribute has a value")
                .advice("write KEY=VALUE, as in filesystem-type=xfs")
        })?;
        if all.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(Failure::usage(format!("\"{key}\" is given twice"))
                .why("an attribute has one value")
                .advice("write it once"));
        }
    }
    Ok(all)
}

async fn remove(context: &Context, arguments: RemoveStoragePool) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    here.client()
        .remove_storage_pool(&here.model, &arguments.name)
        .await?;
    context
        .output
        .say(&format!("Removed storage pool \"{}\"", arguments.name));
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pools_are_a_table_and_a_document_by_their_names() {
        let pools = json!([
            { "name": "fast", "provider": "loop", "attributes": { "filesystem-type": "xfs" },
              "built-in": false, "storages": 2 },
            { "name": "rootfs", "provider": "rootfs", "built-in": true, "storages": 0 },
        ]);
        let pools: Vec<StoragePoolInfo> = serde_json::from_value(pools).unwrap();
        let expected = "\
Name    Provider  Attrs
fast    loop      filesystem-type=xfs
rootfs  rootfs
";
        assert_eq!(table(&pools).render(false), expected);
        assert_eq!(
            serde_json::to_value(documents(&pools)).unwrap(),
            json!({
                "fast": { "provider": "loop", "attrs": { "filesystem-type": "xfs" } },
                "rootfs": { "provider": "rootfs" },
            })
        );
    }

    #[test]
    fn attributes_have_values_each_once() {
        let read = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            attributes(&words)
        };
        assert_eq!(read(&["a=b=c"]).unwrap()["a"], "b=c");
        assert!(read(&["a"]).is_err());
        assert!(read(&["a=1", "a=2"]).is_err());
    }
}
