//! May this one visit this route? Asked by the gate before a handler runs, and again by answers
//! that go on for long whenever an account changes.

use periapt_model::ModelUuid;
use periapt_store::{Store, StoreError};
use periapt_wire::rest::{ControllerAccess, ModelPermission};
use thiserror::Error;

use super::Visitor;
use crate::identity::Identity;

/// What a path names, as it was written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    pub model: String,
    pub user: String,
}

/// Why not.
#[derive(Debug, Error)]
pub(crate) enum Refusal {
    /// The account is disabled or gone.
    #[error("the account is closed")]
    Account,
    /// For them there is no such model.
    #[error("model \"{0}\" not found")]
    Model(String),
    #[error("permission denied")]
    Forbidden,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The model the path names, if it names one.
pub(crate) async fn decide(
    store: &Store,
    visitor: Visitor,
    identity: &Identity,
    named: &Named,
) -> Result<Option<ModelUuid>, Refusal> {
    let user = match (visitor, identity) {
        (Visitor::Anyone, _) => return Ok(None),
        (Visitor::AgentOfModel, Identity::Agent { model, .. }) => {
            let known = match store.model_by_name_or_uuid(&named.model).await {
                Err(StoreError::NotFound { .. }) => return Err(Refusal::Forbidden),
                known => known?,
            };
            return match known == *model {
                true => Ok(Some(known)),
                false => Err(Refusal::Forbidden),
            };
        }
        (Visitor::AgentOfModel, _) | (_, Identity::Agent { .. } | Identity::Controller { .. }) => {
            return Err(Refusal::Forbidden);
        }
        (_, Identity::User { name }) => name,
    };
    if let Visitor::Model(wanted) = visitor {
        return in_model(store, user, &named.model, wanted).await.map(Some);
    }
    let access = store.standing(user).await?.ok_or(Refusal::Account)?;
    let superuser = access == ControllerAccess::Superuser;
    let oneself = user.as_str() == named.user;
    let may = match visitor {
        Visitor::Login => true,
        Visitor::Superuser => superuser,
        Visitor::Oneself => oneself,
        Visitor::OneselfOrSuperuser => oneself || superuser,
        Visitor::Anyone | Visitor::AgentOfModel | Visitor::Model(_) => false,
    };
    if may {
        Ok(None)
    } else {
        Err(Refusal::Forbidden)
    }
}

async fn in_model(
    store: &Store,
    user: &periapt_model::UserName,
    model: &str,
    wanted: ModelPermission,
) -> Result<ModelUuid, Refusal> {
    match store.model_standing(user, model).await? {
        Some(standing) if standing.access >= wanted => Ok(standing.model),
        Some(_) => Err(Refusal::Forbidden),
        None => Err(Refusal::Model(model.to_owned())),
    }
}
