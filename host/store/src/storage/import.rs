//! A directory that was given up becomes a storage again.

use periapt_model::refusal::Subject;
use periapt_model::storage::is_storage_name;
use periapt_model::{AgentName, ModelUuid, Refusal};
use periapt_wire::rest::{ImportFilesystem, StorageInfo};

use super::create::{New, directory_of, insert};
use super::options::Stock;
use super::reading::info;
use crate::db::{Session, params};
use crate::error::StoreError;
use crate::{Result, Store, require_alive_model};

/// Bytes of the name of a directory; file systems take 255, and a name has an ending now and then.
const MOST_BYTES: usize = 128;

impl Store {
    /// Adds a storage whose directory is there already. It is looked for afterwards, and its size is known then.
    pub async fn import_filesystem(
        &self,
        model: &ModelUuid,
        request: ImportFilesystem,
    ) -> Result<StorageInfo> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                require_alive_model(&mut tx.db, &model).await?;
                let ImportFilesystem {
                    pool: pool_name,
                    provider_id,
                    storage,
                } = request;
                let stock = Stock::of(&mut tx.db, &model).await?;
                let pool = stock.pools.find(&pool_name)?;
                if !pool.provider.is_persistent() {
                    return Err(invalid(format!(
                        "storage pool \"{pool_name}\" is of {}, which keeps nothing that could be imported",
                        pool.provider
                    )));
                }
                if !is_storage_name(&storage) {
                    return Err(invalid(
                        "a storage is called as charms declare it: start with a letter, go on with letters, digits, dashes, dots and underscores, 64 at most",
                    ));
                }
                if !is_directory_name(&provider_id) {
                    return Err(invalid(format!(
                        "a directory is imported by its name, letters, digits, dashes, dots and underscores, {MOST_BYTES} at most, as in data-0"
                    )));
                }
                if let Some(id) = directory_of(&mut tx.db, &model, &provider_id).await? {
                    return Err(StoreError::Refused {
                        refusal: Refusal::AlreadyExists(Subject::Storage),
                        message: format!("the directory {provider_id} is that of storage {id}"),
                    });
                }
                let agent = only_agent(&mut tx.db, &model).await?;
                let new = New {
                    name: &storage,
                    shared: false,
                    owner: "",
                    pool_name: &pool_name,
                    pool,
                    size: 0,
                    directory: Some(&provider_id),
                };
                let id = insert(tx, &model, new).await?;
                let sql = "UPDATE storage SET agent = $3 WHERE model_uuid = $1 AND id = $2";
                let agent = agent.map(|agent| agent.to_string());
                let values = params![&model, id.to_string(), agent];
                tx.db.execute(sql, values).await?;
                info(&mut tx.db, &model, &id).await
            })
        })
        .await
    }
}

/// Where directories are: with the agent of all machines, also while there is none. Where machines have agents of
/// their own nobody knows which one has it before a unit does.
async fn only_agent(db: &mut Session, model: &ModelUuid) -> Result<Option<AgentName>> {
    let sql = "SELECT DISTINCT agent FROM machine
        WHERE model_uuid = $1 AND instance_id IS NOT NULL ORDER BY agent";
    let agents: Vec<AgentName> = db.words("agent", sql, params![model]).await?;
    match agents.as_slice() {
        [] => Ok(Some(AgentName::Host)),
        [one] => Ok(Some(one.clone())),
        _ => Ok(None),
    }
}

fn is_directory_name(name: &str) -> bool {
    name.len() <= MOST_BYTES
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

fn invalid(message: impl Into<String>) -> StoreError {
    StoreError::Refused {
        refusal: Refusal::StorageInvalid,
        message: message.into(),
    }
}
