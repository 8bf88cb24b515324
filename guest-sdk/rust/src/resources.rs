//! Files that the operator gives the application beside its charm, as `resources` in its metadata declares
//! them.

use std::path::PathBuf;

use crate::world::World;
use crate::world::bindings::periapt::charm::resources as wit;
use crate::{Context, ErrorCode, HostError, Result};

/// What a charm may ask of the host about resources.
#[allow(missing_docs)]
pub trait ResourcesHost {
    fn resource(&self, name: &str) -> Result<Option<String>, HostError>;
}

impl ResourcesHost for World {
    fn resource(&self, name: &str) -> Result<Option<String>, HostError> {
        Ok(wit::get(name)?)
    }
}

impl<C> Context<'_, C> {
    /// The file of a resource that the charm cannot do without. It is there to be read until the hook ends;
    /// ask again in the next one, since the operator may have attached another.
    ///
    /// # Errors
    /// Where nobody attached it: the text says how it is. An author who can wait for it sets the status to
    /// blocked with it, see [`Context::optional_resource`].
    pub fn resource(&self, name: &str) -> Result<PathBuf> {
        let missing = || HostError::new(ErrorCode::NotFound, self.how_to_attach(name));
        let path = self.optional_resource(name)?;
        Ok(path.ok_or_else(missing)?)
    }

    /// The same of a resource that may be left out: none where nobody attached it.
    ///
    /// # Errors
    /// Where the charm does not declare it, and where it cannot be fetched at the moment.
    pub fn optional_resource(&self, name: &str) -> Result<Option<PathBuf>> {
        Ok(self.host.resource(name)?.map(PathBuf::from))
    }

    /// What an operator is told who did not attach a resource.
    pub fn how_to_attach(&self, name: &str) -> String {
        let application = self.application_name();
        format!("attach resource {name}: periapt attach-resource {application} {name}=FILE")
    }
}
