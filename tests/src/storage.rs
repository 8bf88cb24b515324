//! Storage as people see it, and charms that declare it in other ways than the project's own do.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{Home, charm};

/// All storage of the model, by its ids.
pub fn all(home: &Home) -> Result<Value> {
    Ok(home.json(["storage"])?["storage"].clone())
}

/// One, with all that is known of it.
pub fn shown(home: &Home, id: &str) -> Result<Value> {
    Ok(home.json(["show-storage", id])?[id].clone())
}

/// Units that have it, by their names.
pub fn units(home: &Home, id: &str) -> Result<Vec<String>> {
    let storage = shown(home, id)?;
    let units = storage["attachments"]["units"].as_object();
    Ok(units.map_or_else(Vec::new, |units| units.keys().cloned().collect()))
}

/// Waits until a storage has this status.
pub fn until(home: &Home, id: &str, status: &str) -> Result<()> {
    home.until(&format!("storage {id} {status}"), |model| {
        model["storage"]["storage"][id]["status"]["current"] == status
    })?;
    Ok(())
}

/// Waits until there is no such storage.
pub fn until_gone(home: &Home, id: &str) -> Result<()> {
    home.until(&format!("storage {id} to be gone"), |model| {
        model["storage"]["storage"][id].is_null()
    })?;
    Ok(())
}

/// Where the agents have the directory of a storage.
pub fn directories(home: &Home, name: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for agent in std::fs::read_dir(home.controller_directory().join("agents"))? {
        let directory = agent?.path().join("storage").join(name);
        if directory.is_dir() {
            found.push(directory);
        }
    }
    Ok(found)
}

/// The hooks that a unit ran, in their order.
pub fn hooks(home: &Home, unit: &str) -> Result<Vec<String>> {
    let runs = home.json(["hooks", unit, "--limit", "1000"])?;
    let runs = runs.as_array().context("no list of hooks")?;
    let names = runs.iter().filter_map(|run| run["hook"].as_str());
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.reverse();
    Ok(names)
}

/// The charm `probe` with a storage declared in another way. `change` is laid over what its metadata says of it.
pub fn probe_with(home: &Home, file: &str, storage: &str, change: &Value) -> Result<String> {
    const METADATA: &str = "metadata.yaml";
    let path = home.path().join(file);
    let mut from = zip::ZipArchive::new(File::open(charm("probe"))?)?;
    let mut into = zip::ZipWriter::new(File::create(&path)?);
    for index in 0..from.len() {
        let mut entry = from.by_index(index)?;
        let name = entry.name()?.into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content)?;
        if name == METADATA {
            let mut metadata: Value = serde_saphyr::from_str(std::str::from_utf8(&content)?)?;
            let declared = &mut metadata["storage"][storage];
            ensure!(declared.is_object(), "probe declares no storage {storage}");
            for (key, value) in change.as_object().context("no change")? {
                declared[key] = value.clone();
            }
            content = serde_json::to_vec(&metadata)?;
        }
        into.start_file(name, zip::write::SimpleFileOptions::default())?;
        into.write_all(&content)?;
    }
    into.finish()?;
    Ok(path.display().to_string())
}
