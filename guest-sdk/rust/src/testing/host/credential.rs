//! The cloud of the unit under test.

use std::cell::RefCell;

use periapt_contract::credential::require_trust;

use super::TestHost;
use crate::credential::CredentialHost;
use crate::testing::Harness;
use crate::{Charm, CloudAccess, HostError};

impl<C: Charm> Harness<C> {
    /// Trusts the application with the credential of a cloud, as an operator does.
    pub fn trust_with(&mut self, cloud: CloudAccess) {
        self.host.get_mut().cloud = Some(cloud);
    }
}

impl CredentialHost for RefCell<TestHost> {
    fn cloud_access(&self) -> Result<CloudAccess, HostError> {
        let host = self.borrow();
        host.unrestricted()?;
        require_trust(host.cloud.is_some())?;
        Ok(host.cloud.clone().unwrap_or_default())
    }
}
