//! What the supervisor keeps on disk in its own directory: the documents of models, and of each unit what
//! is not said again, such as which requests were carried out.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use periapt_model::reach::published::Published;
use periapt_model::{ModelUuid, UnitName};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::failure::file;

/// Of a unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Record {
    /// How often its containers were made.
    pub boot: u64,
    pub containers: BTreeMap<String, Container>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Container {
    /// The last request that was carried out.
    pub requests: u64,
    /// Services that are to run, and that are not.
    pub wanted: BTreeMap<String, bool>,
    /// Checks that were started and stopped by hand.
    pub checks: BTreeMap<String, bool>,
}

pub struct Kept {
    directory: PathBuf,
}

impl Kept {
    pub fn open(directory: PathBuf) -> Result<Self, Failure> {
        for folder in ["models", "units"] {
            let path = directory.join(folder);
            fs::create_dir_all(&path).map_err(file("make", &path))?;
        }
        Ok(Self { directory })
    }

    /// Those that can be read; of the others the provider tells.
    pub fn documents(&self) -> Vec<(ModelUuid, Published)> {
        let Ok(entries) = fs::read_dir(self.directory.join("models")) else {
            return Vec::new();
        };
        let read = entries.filter_map(|entry| {
            let path = entry.ok()?.path();
            let model = path.file_stem()?.to_str()?.parse().ok()?;
            path.extension().filter(|ending| *ending == "json")?;
            Some((model, read(&path)?))
        });
        read.collect()
    }

    pub fn set_document(&self, model: &ModelUuid, document: Option<&Published>) -> io::Result<()> {
        let path = self.directory.join("models").join(format!("{model}.json"));
        match document {
            Some(document) => replace(&path, document),
            None => remove(fs::remove_file(path)),
        }
    }

    pub fn record(&self, model: &ModelUuid, unit: &UnitName) -> Record {
        read(&self.unit(model, unit)).unwrap_or_default()
    }

    pub fn set_record(&self, model: &ModelUuid, unit: &UnitName, record: &Record) {
        let path = self.unit(model, unit);
        let made = match path.parent() {
            Some(folder) => fs::create_dir_all(folder),
            None => Ok(()),
        };
        if let Err(error) = made.and_then(|()| replace(&path, record)) {
            tracing::warn!(%unit, %error, "what is known of a unit is not kept");
        }
    }

    pub fn forget_unit(&self, model: &ModelUuid, unit: &UnitName) {
        let removed = remove(fs::remove_file(self.unit(model, unit)));
        if let Err(error) = removed {
            tracing::warn!(%unit, %error, "what was known of a unit stays");
        }
    }

    /// Forgets units of which there is no file of this name any more.
    pub fn forget_others(&self, model: &ModelUuid, names: &[String]) {
        let Ok(entries) = fs::read_dir(self.directory.join("units").join(model.as_str())) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if !names.iter().any(|other| name == other.as_str()) {
                // It is tried again by the next one.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    pub fn forget_model(&self, model: &ModelUuid) {
        let removed = remove(fs::remove_dir_all(
            self.directory.join("units").join(model.as_str()),
        ));
        if let Err(error) = removed {
            tracing::warn!(%model, %error, "what was known of a model stays");
        }
    }

    fn unit(&self, model: &ModelUuid, unit: &UnitName) -> PathBuf {
        let name = periapt_model::workload::desired::file_name(unit.as_str());
        self.directory.join("units").join(model.as_str()).join(name)
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let bytes = fs::read(path).ok()?;
    let read = serde_json::from_slice(&bytes);
    if let Err(error) = &read {
        tracing::warn!(path = %path.display(), %error, "a file of the supervisor is damaged");
    }
    read.ok()
}

fn replace(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let aside = path.with_extension("next");
    fs::write(&aside, serde_json::to_vec(value)?)?;
    fs::rename(&aside, path)
}

fn remove(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
