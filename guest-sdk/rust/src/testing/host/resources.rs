//! Resources of a unit under test: what the test attached.

use std::cell::RefCell;

use super::TestHost;
use crate::HostError;
use crate::resources::ResourcesHost;

impl ResourcesHost for RefCell<TestHost> {
    /// The harness has no metadata, so a resource that was never set is one that nobody attached.
    fn resource(&self, name: &str) -> Result<Option<String>, HostError> {
        let host = self.borrow();
        host.unrestricted()?;
        let path = host.resources.get(name);
        Ok(path.map(|path| path.display().to_string()))
    }
}
