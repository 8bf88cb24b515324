//! The index of the controller's charm repository.
//!
//! Where it is only a superuser says, so it is read wherever that is. Nothing is kept: whoever asks reads it anew.

use periapt_model::Refusal;
use periapt_model::charm::repository::Index;
use periapt_model::config::Value;
use periapt_model::options::CHARM_REPOSITORY;
use periapt_repository::Repository;
use periapt_store::{Store, StoreError};

/// Where it is; empty for nowhere.
pub(crate) async fn place(store: &Store) -> Result<String, StoreError> {
    let config = store.controller_config().await?;
    Ok(match config.get(CHARM_REPOSITORY) {
        Some(Value::Text(place)) => place.clone(),
        _ => String::new(),
    })
}

/// Its index; none where there is no repository.
///
/// # Errors
/// It cannot be read, and those of the store.
pub(crate) async fn index(store: &Store) -> Result<Option<Index>, StoreError> {
    let place = place(store).await?;
    if place.is_empty() {
        return Ok(None);
    }
    let read = async { Repository::at(&place)?.index().await };
    let refused = |why| StoreError::Refused {
        refusal: Refusal::CharmRepositoryUnavailable,
        message: format!("the charm repository {place} cannot be used: {why}"),
    };
    read.await
        .map(Some)
        .map_err(|fault| refused(fault.to_string()))
}
