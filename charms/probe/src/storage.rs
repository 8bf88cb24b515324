//! Commands that do to storage what they are told, and print what they found.

use std::fs;

use periapt_charm::{Context, Result, Storage};

use crate::{Config, Probe};

/// The storage of the probe's metadata.
pub const STORAGE: &[&str] = &["data", "cache", "pool"];

impl Probe {
    /// `storage-ids [NAME]`
    pub(crate) fn storage_ids(
        &mut self,
        context: &Context<Config>,
        arguments: &[String],
    ) -> Result<u8> {
        let ids: Vec<String> = match arguments.first() {
            Some(name) => context
                .storage_named(name)?
                .into_iter()
                .map(|one| one.id)
                .collect(),
            None => context.storage_ids()?,
        };
        for id in ids {
            println!("{id}");
        }
        Ok(0)
    }

    /// `storage-get [ID]`: `id kind location`
    pub(crate) fn storage_get(
        &mut self,
        context: &Context<Config>,
        arguments: &[String],
    ) -> Result<u8> {
        let found = match arguments.first() {
            Some(id) => context.storage(id)?,
            None => context.hook_storage()?,
        };
        println!("{}", line(&found));
        Ok(0)
    }

    /// `storage-add NAME COUNT`
    pub(crate) fn storage_add(
        &mut self,
        context: &Context<Config>,
        arguments: &[String],
    ) -> Result<u8> {
        let [name, count] = arguments else {
            return Err("write storage-add NAME COUNT".into());
        };
        let count = count.parse().map_err(|_| "a count is a number")?;
        context.add_storage(name, count)?;
        Ok(0)
    }

    /// `storage-write ID FILE TEXT...`
    pub(crate) fn storage_write(
        &mut self,
        context: &Context<Config>,
        arguments: &[String],
    ) -> Result<u8> {
        let [id, file, text @ ..] = arguments else {
            return Err("write storage-write ID FILE TEXT".into());
        };
        let path = context.storage(id)?.location.join(file);
        fs::write(path, format!("{}\n", text.join(" ")))?;
        Ok(0)
    }

    /// `storage-read ID FILE`
    pub(crate) fn storage_read(
        &mut self,
        context: &Context<Config>,
        arguments: &[String],
    ) -> Result<u8> {
        let [id, file] = arguments else {
            return Err("write storage-read ID FILE".into());
        };
        let path = context.storage(id)?.location.join(file);
        print!("{}", fs::read_to_string(path)?);
        Ok(0)
    }
}

fn line(storage: &Storage) -> String {
    let Storage {
        id, kind, location, ..
    } = storage;
    format!("{id} {kind} {}", location.display())
}
