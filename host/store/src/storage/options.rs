//! The model's option that names the pool of which storage is made.

use periapt_model::ModelUuid;
use periapt_model::Refusal;
use periapt_model::config::Value;
use periapt_model::storage::{DEFAULT_POOL, Pools};

use super::pools::pools;
use crate::Result;
use crate::db::Session;
use crate::error::StoreError;
use crate::model::config::effective;

const OPTION: &str = "storage-default-filesystem-source";

/// Refuses a value of the option that names no pool of the model.
pub(crate) async fn require_default_pool(
    db: &mut Session,
    model: &ModelUuid,
    name: &str,
) -> Result<()> {
    require_among(&pools(db, model).await?, name)
}

/// Refuses a value of the option, as a default of models, that names a pool which not every model has.
pub(crate) fn require_pool_of_all(name: &str) -> Result<()> {
    require_among(&Pools::with(std::iter::empty()), name)
}

fn require_among(pools: &Pools, name: &str) -> Result<()> {
    let found = pools.find(name);
    found.map(|_| ()).map_err(|refused| StoreError::Refused {
        refusal: Refusal::ModelOptionInvalid,
        message: format!("option \"{OPTION}\" names a storage pool: {refused}"),
    })
}

/// What storage of a model is made from.
pub(super) struct Stock {
    pub pools: Pools,
    pub default_pool: String,
}

impl Stock {
    pub async fn of(db: &mut Session, model: &ModelUuid) -> Result<Self> {
        let values = effective(db, model).await?;
        let named = values.get(OPTION).map(Value::to_string);
        Ok(Self {
            pools: pools(db, model).await?,
            default_pool: named.unwrap_or_else(|| DEFAULT_POOL.to_owned()),
        })
    }
}
