//! May this one make this call, or visit this route? One rule for both: asked before each call of a
//! connection, by the gate before a handler runs, and again by answers that go on for long whenever an
//! account changes.

use std::sync::Arc;

use axum::extract::RawPathParams;
use periapt_model::ModelUuid;
use periapt_store::{Store, StoreError};
use periapt_wire::rest::{ControllerAccess, ModelPermission};
use thiserror::Error;

use super::Visitor;
use crate::identity::Identity;

/// What a path names, as it was written and read once by the gate; or the model of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Named(Arc<[(String, String)]>);

impl Named {
    pub(crate) fn read(params: &RawPathParams) -> Self {
        let pair = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Named(params.iter().map(pair).collect())
    }

    /// What a connection to the controller, or to one of its models, is about.
    pub(crate) fn by_connection(model: Option<&ModelUuid>) -> Self {
        let pair = |model: &ModelUuid| ("model".to_owned(), model.to_string());
        Named(model.map(pair).into_iter().collect())
    }

    /// The part of the path that stands for this name; empty when the route has none.
    pub(crate) fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    }
}

/// Why not.
#[derive(Debug, Error)]
pub(crate) enum Denial {
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

/// The model that is named, if one is.
pub(crate) async fn decide(
    store: &Store,
    visitor: Visitor,
    identity: &Identity,
    named: &Named,
) -> Result<Option<ModelUuid>, Denial> {
    let user = match (visitor, identity) {
        (Visitor::Anyone, _)
        | (
            Visitor::Everyone | Visitor::Agents | Visitor::Controller,
            Identity::Controller { .. },
        ) => return Ok(None),
        (
            Visitor::Everyone | Visitor::Agents | Visitor::AgentOfModel,
            Identity::Agent { model, .. },
        ) => return own(store, model, named.get("model")).await.map(Some),
        (_, Identity::Agent { .. } | Identity::Controller { .. })
        | (Visitor::AgentOfModel | Visitor::Agents | Visitor::Controller, _) => {
            return Err(Denial::Forbidden);
        }
        (_, Identity::User { name }) => name,
    };
    match (visitor, named.get("model")) {
        (Visitor::Model(wanted), model) => {
            return in_model(store, user, model, wanted).await.map(Some);
        }
        (Visitor::Everyone, model) if !model.is_empty() => {
            return in_model(store, user, model, ModelPermission::Read)
                .await
                .map(Some);
        }
        _ => {}
    }
    let access = store.standing(user).await?.ok_or(Denial::Account)?;
    let superuser = access == ControllerAccess::Superuser;
    let oneself = user.as_str() == named.get("user");
    let may = match visitor {
        Visitor::Login | Visitor::Everyone => true,
        Visitor::Superuser => superuser,
        Visitor::Oneself => oneself,
        Visitor::OneselfOrSuperuser => oneself || superuser,
        Visitor::Anyone
        | Visitor::AgentOfModel
        | Visitor::Agents
        | Visitor::Controller
        | Visitor::Model(_) => false,
    };
    if may {
        Ok(None)
    } else {
        Err(Denial::Forbidden)
    }
}

/// The model that is named is the agent's own.
async fn own(store: &Store, model: &ModelUuid, named: &str) -> Result<ModelUuid, Denial> {
    if named == model.as_str() {
        return Ok(model.clone());
    }
    match store.model_by_name_or_uuid(named).await {
        Ok(known) if known == *model => Ok(known),
        Ok(_) | Err(StoreError::NotFound { .. }) => Err(Denial::Forbidden),
        Err(error) => Err(error.into()),
    }
}

async fn in_model(
    store: &Store,
    user: &periapt_model::UserName,
    model: &str,
    wanted: ModelPermission,
) -> Result<ModelUuid, Denial> {
    match store.model_standing(user, model).await? {
        Some(standing) if standing.access >= wanted => Ok(standing.model),
        Some(_) => Err(Denial::Forbidden),
        None => Err(Denial::Model(model.to_owned())),
    }
}
