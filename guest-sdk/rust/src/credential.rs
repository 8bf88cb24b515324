//! The cloud of the unit's model, and how it lets one in.

use std::collections::BTreeMap;

use crate::world::World;
use crate::world::bindings::periapt::charm::credential as wit;
use crate::{Context, HostError, Result};

/// A cloud with the credential that the model uses there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CloudAccess {
    /// As operators call it.
    pub name: String,
    /// Its type, which says whose provider gives its machines.
    pub kind: String,
    /// Where in it the model is.
    pub region: String,
    /// Where its API is; none of a cloud that has none, such as `local`.
    pub endpoint: Option<String>,
    /// `empty` where there is nothing to prove who one is with.
    pub auth_type: String,
    /// What proves it; nothing for `empty`.
    pub attributes: BTreeMap<String, String>,
}

/// What a charm may ask of the host about the cloud.
#[allow(missing_docs)]
pub trait CredentialHost {
    fn cloud_access(&self) -> Result<CloudAccess, HostError>;
}

impl CredentialHost for World {
    fn cloud_access(&self) -> Result<CloudAccess, HostError> {
        let known = wit::get()?;
        Ok(CloudAccess {
            name: known.name,
            kind: known.kind,
            region: known.region,
            endpoint: known.endpoint,
            auth_type: known.auth_type,
            attributes: known.attributes.into_iter().collect(),
        })
    }
}

impl<C> Context<'_, C> {
    /// The cloud of the unit's model, with what lets one in.
    ///
    /// # Errors
    /// `denied` unless an operator trusts the application.
    pub fn cloud_access(&self) -> Result<CloudAccess> {
        Ok(self.host.cloud_access()?)
    }
}
