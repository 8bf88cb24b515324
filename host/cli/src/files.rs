//! What the client remembers: controllers, accounts and models, in the files and shapes of Juju's
//! client, below `$PERIAPT_DATA` (or `$JUJU_DATA`, where that is not set). Keys that this program does not know are kept.
//!
//! Files are replaced as a whole and changed under a lock, so that two commands at a time leave a
//! sound result.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use periapt_wire::rest::ModelSummary;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::failure::{Exit, Failure, Outcome};

type Others = BTreeMap<String, Value>;

/// `controllers.yaml`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct ControllersFile {
    pub controllers: BTreeMap<String, Controller>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_controller: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Controller {
    pub uuid: String,
    pub api_endpoints: Vec<String>,
    pub ca_cert: String,
    pub cloud: String,
    pub agent_version: String,
    /// The controller's own directory, where it was bootstrapped on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_dir: Option<PathBuf>,
    #[serde(flatten)]
    pub others: Others,
}

/// `accounts.yaml`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AccountsFile {
    pub controllers: BTreeMap<String, Account>,
}

#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Account {
    pub user: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    pub last_known_access: String,
    /// What the last login gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    #[serde(flatten)]
    pub others: Others,
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// `models.yaml`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelsFile {
    pub controllers: BTreeMap<String, ControllerModels>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct ControllerModels {
    /// By `OWNER/NAME`.
    pub models: BTreeMap<String, Model>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_model: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Model {
    pub uuid: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub branch: String,
    #[serde(flatten)]
    pub others: Others,
}

impl Model {
    /// One in which machines run.
    pub fn new(uuid: impl Into<String>) -> Self {
        Model {
            uuid: uuid.into(),
            kind: "iaas".to_owned(),
            ..Model::default()
        }
    }

    pub fn of(model: &ModelSummary) -> Self {
        Model {
            kind: model.kind.clone(),
            ..Model::new(model.uuid.as_str())
        }
    }
}

/// The files together, as they were read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    pub controllers: ControllersFile,
    pub accounts: AccountsFile,
    pub models: ModelsFile,
}

impl Contents {
    /// Forgets a controller with all that belongs to it.
    pub fn forget_controller(&mut self, name: &str) {
        self.controllers.controllers.remove(name);
        self.accounts.controllers.remove(name);
        self.models.controllers.remove(name);
        if self.controllers.current_controller.as_deref() == Some(name) {
            self.controllers.current_controller =
                self.controllers.controllers.keys().next().cloned();
        }
    }

    /// Forgets a model, `OWNER/NAME`.
    pub fn forget_model(&mut self, controller: &str, model: &str) {
        if let Some(models) = self.models.controllers.get_mut(controller) {
            models.models.remove(model);
            models.current_model = models
                .current_model
                .take()
                .filter(|current| current != model);
        }
    }

    /// The current model of a controller, without its owner.
    pub fn current_model(&self, controller: &str) -> Option<&str> {
        let current = self
            .models
            .controllers
            .get(controller)?
            .current_model
            .as_deref()?;
        Some(short_name(current))
    }
}

/// `admin/demo` is `demo` to everyone who has only one owner to think of.
pub fn short_name(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or(model)
}

/// The client's directory.
#[derive(Clone, Debug)]
pub struct ClientFiles {
    directory: PathBuf,
}

impl ClientFiles {
    /// `$PERIAPT_DATA`, else `periapt` in the user's data directory.
    pub fn locate() -> Outcome<Self> {
        let set = |name: &str| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let directory = set("PERIAPT_DATA")
            .or_else(|| set("JUJU_DATA"))
            .or_else(|| set("XDG_DATA_HOME").map(|base| base.join("periapt")))
            .or_else(|| set("HOME").map(|home| home.join(".local/share/periapt")))
            .ok_or_else(|| {
                Failure::failed("there is no directory for the client's files")
                    .why("neither PERIAPT_DATA nor HOME is set")
                    .advice("set PERIAPT_DATA to one of your directories")
            })?;
        let directory = std::path::absolute(&directory).map_err(|error| {
            Failure::file("cannot use the client's directory", &directory, &error)
        })?;
        Ok(Self { directory })
    }

    #[cfg(test)]
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
        }
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    pub fn read(&self) -> Outcome<Contents> {
        Ok(Contents {
            controllers: self.read_file("controllers.yaml")?,
            accounts: self.read_file("accounts.yaml")?,
            models: self.read_file("models.yaml")?,
        })
    }

    /// Changes the files under their lock; what did not change is not written.
    pub fn change<T>(&self, change: impl FnOnce(&mut Contents) -> T) -> Outcome<T> {
        self.make_directory(&self.directory)?;
        let _lock = self.lock()?;
        let before = self.read()?;
        let mut after = before.clone();
        let result = change(&mut after);
        // Python's client of Juju opens models.yaml and the cookies unasked.
        let missing = !self.directory.join("models.yaml").exists();
        if after.models != before.models || missing {
            self.write_file("models.yaml", &after.models)?;
        }
        if after.accounts != before.accounts {
            self.write_file("accounts.yaml", &after.accounts)?;
        }
        if after.controllers != before.controllers {
            self.make_directory(&self.directory.join("cookies"))?;
            for name in after.controllers.controllers.keys() {
                let cookies = self.directory.join("cookies").join(format!("{name}.json"));
                if !cookies.exists() {
                    self.replace(&cookies, "[]\n")?;
                }
            }
            self.write_file("controllers.yaml", &after.controllers)?;
        }
        Ok(result)
    }

    fn read_file<T: DeserializeOwned + Default>(&self, name: &str) -> Outcome<T> {
        let path = self.directory.join(name);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(T::default()),
            Err(error) => {
                return Err(Failure::file(
                    "cannot read the client's files",
                    &path,
                    &error,
                ));
            }
        };
        if text.trim().is_empty() {
            return Ok(T::default());
        }
        serde_saphyr::from_str(&text).map_err(|error| {
            Failure::new(Exit::Failed, "cannot read the client's files")
                .why(format!("{}: {}", path.display(), error.without_snippet()))
                .advice("correct the file, or move it away and bootstrap again")
        })
    }

    fn write_file(&self, name: &str, value: &impl Serialize) -> Outcome {
        let text = serde_saphyr::to_string(value).map_err(|error| {
            Failure::failed("cannot write the client's files").why(error.to_string())
        })?;
        self.replace(&self.directory.join(name), &text)
    }

    /// All or nothing, and for the user's eyes only.
    fn replace(&self, path: &Path, text: &str) -> Outcome {
        let failed =
            |error: std::io::Error| Failure::file("cannot write the client's files", path, &error);
        let fresh = path.with_extension(format!("new-{}", std::process::id()));
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&fresh)
            .map_err(failed)?;
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(failed)?;
        fs::rename(&fresh, path).map_err(failed)
    }

    fn make_directory(&self, path: &Path) -> Outcome {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(|error| Failure::file("cannot create the client's directory", path, &error))
    }

    fn lock(&self) -> Outcome<File> {
        let path = self.directory.join("lock");
        let failed =
            |error: std::io::Error| Failure::file("cannot lock the client's files", &path, &error);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(file)
    }
}
