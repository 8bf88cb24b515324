//! Who is asking, and facts about the workload.

use crate::relation::own_application;
use crate::world::World;
use crate::world::bindings::periapt::charm::unit as wit;
use crate::{Context, HostError, Result};

/// What a charm may ask of the host about the unit itself.
#[allow(missing_docs)]
pub trait UnitHost {
    fn unit_name(&self) -> String;
    fn model_name(&self) -> String;
    fn private_address(&self) -> Result<String, HostError>;
    fn public_address(&self) -> Result<String, HostError>;
    fn set_workload_version(&self, version: &str) -> Result<(), HostError>;
}

impl UnitHost for World {
    fn unit_name(&self) -> String {
        wit::name()
    }

    fn model_name(&self) -> String {
        wit::model_name()
    }

    fn private_address(&self) -> Result<String, HostError> {
        Ok(wit::private_address()?)
    }

    fn public_address(&self) -> Result<String, HostError> {
        Ok(wit::public_address()?)
    }

    fn set_workload_version(&self, version: &str) -> Result<(), HostError> {
        Ok(wit::workload_version_set(version)?)
    }
}

impl<C> Context<'_, C> {
    /// The unit's name, `site/0`.
    pub fn unit_name(&self) -> String {
        self.host.unit_name()
    }

    /// The unit's application, `site`.
    pub fn application_name(&self) -> String {
        own_application(self.host)
    }

    /// The model's name.
    pub fn model_name(&self) -> String {
        self.host.model_name()
    }

    /// The address of the unit's machine. What a workload serves is reached by other units as
    /// `site-0.internal`, through the relations between them.
    pub fn private_address(&self) -> Result<String> {
        Ok(self.host.private_address()?)
    }

    /// Where the outside reaches this unit, once it is exposed and has a port open; until then the address
    /// of its machine.
    pub fn public_address(&self) -> Result<String> {
        Ok(self.host.public_address()?)
    }

    /// Sets the version that status shows for the application, at once.
    pub fn set_workload_version(&self, version: &str) -> Result<()> {
        Ok(self.host.set_workload_version(version)?)
    }
}
