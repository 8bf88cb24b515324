//! What units of a story have beside relations: storage and secrets, given, taken and asked for at random.

use std::fs;

use periapt_client::rest::Removing;
use periapt_model::secret::OwnerKind;
use periapt_model::storage::StorageId;
use periapt_testing::ScenarioError;
use periapt_wire::rest::{EnqueueOperation, StorageInfo, StorageRemoval, TaskInfo};
use rand::Rng;

use super::{How, MODEL, OTHERS, Story, What};
use crate::removal::left::{self, KEEPER, KEEPERS_STORAGE};

/// The secret of the model that the keeper may read until the end.
const WORD: &str = "word";
const PASSWORD: &str = "password=of-all";
/// What is in the keeper's storage.
const NOTE: &str = "note";

fn is_keepers(storage: &StorageInfo) -> bool {
    storage.id.to_string() == KEEPERS_STORAGE
}

fn printed(task: &TaskInfo) -> &str {
    let results = task.results.as_ref();
    let printed = results.and_then(|results| results.get("stdout")?.as_str());
    printed.unwrap_or_default()
}

impl Story {
    /// What the keeper has from the beginning, and is to have at the end.
    pub(super) async fn provide_keeper(&mut self) -> Result<(), ScenarioError> {
        let directory = self.scenario.storage_directory(KEEPERS_STORAGE).await?;
        fs::write(directory.join(NOTE), "kept").map_err(|source| ScenarioError::File {
            what: "writing",
            path: directory,
            source,
        })?;
        let values: Vec<_> = PASSWORD.split_once('=').into_iter().collect();
        self.scenario.add_secret(WORD, &values).await?;
        self.scenario.grant_secret(WORD, KEEPER).await?;
        Ok(())
    }

    /// How much of the storage `data` each unit of a new application has; none is given none.
    pub(super) fn storage_of_new(&mut self) -> Option<&'static str> {
        ["1", "2"]
            .get(self.random.random_range(0..3_usize))
            .copied()
    }

    async fn any_unit(&mut self) -> Result<Option<String>, ScenarioError> {
        for _ in 0..4 {
            if let Some(What::Unit(unit)) = self.choose().await? {
                return Ok(Some(unit.to_string()));
            }
        }
        Ok(None)
    }

    async fn any_storage(&mut self) -> Result<Option<StorageId>, ScenarioError> {
        let all = self.scenario.storages().await?.into_iter();
        let others = all.filter(|storage| !is_keepers(storage));
        let ids: Vec<StorageId> = others.map(|storage| storage.id).collect();
        Ok(self.any(&ids))
    }

    pub(super) async fn step_of_storage(&mut self) -> Result<(), ScenarioError> {
        match self.random.random_range(0..4) {
            0 => {
                if let Some(unit) = self.any_unit().await? {
                    let added = self.scenario.add_storage(&unit, "data", "").await;
                    self.note(&format!("add storage to {unit}"), added);
                }
            }
            1 => {
                let storage = self.any_storage().await?;
                if let (Some(id), Some(unit)) = (storage, self.any_unit().await?) {
                    let id = id.to_string();
                    let attached = self.scenario.attach_storage(&unit, &id).await;
                    self.note(&format!("attach {id} to {unit}"), attached);
                }
            }
            2 => {
                if let Some(id) = self.any_storage().await? {
                    let force = self.random.random_bool(0.5);
                    let id = id.to_string();
                    let detached = self.scenario.detach_storage(&id, force).await;
                    self.note(&format!("detach {id} force={force}"), detached);
                }
            }
            _ => {
                if let Some(id) = self.any_storage().await? {
                    let force = self.random.random_bool(0.5);
                    let id = id.to_string();
                    let removed = self.scenario.remove_storage(&id, force).await;
                    self.note(&format!("remove {id} force={force}"), removed);
                }
            }
        }
        Ok(())
    }

    pub(super) async fn step_of_secrets(&mut self) -> Result<(), ScenarioError> {
        let to = self.any(&OTHERS).unwrap_or("one");
        match self.random.random_range(0..6) {
            0 => {
                let granted = self.scenario.grant_secret(WORD, to).await;
                self.note(&format!("grant the word to {to}"), granted);
            }
            1 => {
                let revoked = self.scenario.revoke_secret(WORD, to).await;
                self.note(&format!("take the word from {to}"), revoked);
            }
            2 => {
                let number = self.random.random_range(0..1000_u32).to_string();
                let values = [("password", "of-all"), ("number", number.as_str())];
                let updated = self.scenario.update_secret(WORD, &values).await;
                self.note("change the word", updated);
            }
            3 => {
                let word = self.scenario.secret(WORD).await?.id.to_string();
                if let Some(unit) = self.any_unit().await? {
                    self.ask(unit, &["secret-get", &word, "refresh"]).await;
                }
            }
            4 => {
                let owner = self.any(&["application", "unit"]).unwrap_or("unit");
                if let Some(unit) = self.any_unit().await? {
                    self.ask(unit, &["secret-add", owner, "password=of-a-charm"])
                        .await;
                }
            }
            _ => self.grant_in_a_relation().await?,
        }
        Ok(())
    }

    /// Has the owner of some secret grant it in some relation.
    async fn grant_in_a_relation(&mut self) -> Result<(), ScenarioError> {
        let all = self.scenario.secrets().await?.into_iter();
        let of_charms = all.filter(|secret| secret.owner.kind != OwnerKind::Model);
        let of_charms: Vec<_> = of_charms
            .map(|secret| (secret.id.to_string(), secret.owner.name))
            .collect();
        let status = self.scenario.status().await?;
        let relations = status.relations.iter().map(|relation| relation.id);
        let relations: Vec<u64> = relations.collect();
        let (Some((secret, owner)), Some(relation)) = (self.any(&of_charms), self.any(&relations))
        else {
            return Ok(());
        };
        let unit = match owner.contains('/') {
            true => owner,
            false => format!("{owner}/leader"),
        };
        let endpoint = match unit.split('/').next() {
            Some("one") => "upstream",
            Some("two") => "downstream",
            _ => "host",
        };
        let relation = format!("{endpoint}:{relation}");
        self.ask(unit, &["secret-grant", &secret, &relation]).await;
        Ok(())
    }

    /// Asks a unit for a command and does not wait for it.
    async fn ask(&mut self, unit: String, command: &[&str]) {
        let what = format!("ask {unit} for {command:?}");
        let request = EnqueueOperation {
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            units: vec![unit],
            ..EnqueueOperation::default()
        };
        let client = self.scenario.client();
        let asked = client.enqueue_operation(MODEL, &request).await;
        self.note(&what, asked);
    }

    /// Storage that units left behind is removed, and goes.
    pub(super) async fn remove_storage_left(&mut self) -> Result<(), ScenarioError> {
        let left = self.scenario.storages().await?.into_iter();
        for storage in left.filter(|storage| !is_keepers(storage)) {
            let removal = StorageRemoval {
                force: true,
                no_destroy: false,
            };
            let client = self.scenario.client();
            let removed = client.remove_storage(MODEL, &storage.id, &removal).await;
            self.note(&format!("remove {} at the end", storage.id), removed);
        }
        let scenario = &self.scenario;
        let gone = scenario.until_true("only the keeper's storage to be left", async || {
            Ok(scenario.storages().await?.iter().all(is_keepers))
        });
        gone.await
    }

    /// The keeper has what it had, and reads a secret for as long as it may.
    pub(super) async fn look_at_keeper(&mut self) -> Result<(), ScenarioError> {
        let directory = self.scenario.storage_directory(KEEPERS_STORAGE).await?;
        match fs::read_to_string(directory.join(NOTE)) {
            Ok(text) if text == "kept" => {}
            other => return Err(left::error("but the keeper's note", other)),
        }
        let unit = format!("{KEEPER}/0");
        let word = self.scenario.secret(WORD).await?.id.to_string();
        let command = ["secret-get", word.as_str(), "refresh"];
        let read = self.scenario.exec(&unit, &command).await?;
        if !printed(&read).contains(PASSWORD) {
            return Err(left::error("unread of what the keeper may read", read));
        }
        self.scenario.revoke_secret(WORD, KEEPER).await?;
        let read = self.scenario.exec(&unit, &command).await?;
        match printed(&read).is_empty() {
            true => Ok(()),
            false => Err(left::error("readable after it was revoked", read)),
        }
    }

    /// A model with storage that outlives units is not destroyed without a word on it.
    pub(super) async fn destroy_model(&mut self, how: How) -> Result<(), ScenarioError> {
        let client = self.scenario.client().clone();
        let silent = Removing::within(how.force(), how.timeout());
        match client.destroy_model(MODEL, silent).await {
            Err(error) if error.code() == "model-has-persistent-storage" => {}
            other => return Err(left::error("unsaid about the keeper's storage", other)),
        }
        let destroying = Removing {
            destroy_storage: Some(true),
            ..silent
        };
        let done = client.destroy_model(MODEL, destroying).await;
        self.note(&format!("destroy the model {how:?}"), done);
        Ok(())
    }
}
