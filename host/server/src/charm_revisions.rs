//! The controller's charm repository: its index, and charms of it.
//!
//! Where it is only a superuser says, so it is read wherever that is. Nothing is kept: whoever asks reads it anew.

use periapt_model::Refusal;
use periapt_model::charm::repository::{Index, RepositoryError};
use periapt_model::config::Value;
use periapt_model::options::CHARM_REPOSITORY;
use periapt_model::refusal::Subject;
use periapt_repository::{Fault, Repository, Taken};
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
    read.await
        .map(Some)
        .map_err(|fault| refused(&place, &fault))
}

/// The archive of a charm: that of `revision`, or the one that the channel is at.
///
/// # Errors
/// There is no repository, no such charm, channel or revision, it cannot be read, and those of the store.
pub(crate) async fn take(
    store: &Store,
    charm: &str,
    channel: &str,
    revision: Option<u32>,
) -> Result<Taken, StoreError> {
    let place = place(store).await?;
    if place.is_empty() {
        return Err(StoreError::Refused {
            refusal: Refusal::CharmRepositoryMissing,
            message: "the controller has no charm repository".to_owned(),
        });
    }
    let read = async { Repository::at(&place)?.take(charm, channel, revision).await };
    read.await.map_err(|fault| refused(&place, &fault))
}

fn refused(place: &str, fault: &Fault) -> StoreError {
    let refusal = match fault {
        Fault::Index(
            RepositoryError::NoCharm { .. }
            | RepositoryError::NoChannel { .. }
            | RepositoryError::NoRevision { .. },
        ) => Refusal::NotFound(Subject::Charm),
        _ => Refusal::CharmRepositoryUnavailable,
    };
    StoreError::Refused {
        refusal,
        message: format!("the charm repository {place} cannot be used: {fault}"),
    }
}
