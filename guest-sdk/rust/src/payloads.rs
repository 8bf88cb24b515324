//! Payloads: what a charm runs by itself, beside its containers. The controller starts and stops nothing of
//! it; it shows what the charm says.

use crate::world::World;
use crate::world::bindings::periapt::charm::payloads as wit;
use crate::{Context, HostError, Result};

/// How a payload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadStatus {
    /// It begins.
    Starting,
    /// It does what it is there for.
    Running,
    /// It ends.
    Stopping,
    /// It has ended.
    Stopped,
}

/// What a charm may ask of the host about payloads.
#[allow(missing_docs)]
pub trait PayloadsHost {
    fn register_payload(
        &self,
        class: &str,
        kind: &str,
        id: &str,
        labels: &[&str],
    ) -> Result<(), HostError>;
    fn set_payload_status(
        &self,
        class: &str,
        id: &str,
        status: PayloadStatus,
    ) -> Result<(), HostError>;
    fn unregister_payload(&self, class: &str, id: &str) -> Result<(), HostError>;
}

impl PayloadsHost for World {
    fn register_payload(
        &self,
        class: &str,
        kind: &str,
        id: &str,
        labels: &[&str],
    ) -> Result<(), HostError> {
        let labels: Vec<String> = labels.iter().map(|&label| label.to_owned()).collect();
        Ok(wit::register(class, kind, id, &labels)?)
    }

    fn set_payload_status(
        &self,
        class: &str,
        id: &str,
        status: PayloadStatus,
    ) -> Result<(), HostError> {
        let status = match status {
            PayloadStatus::Starting => wit::PayloadStatus::Starting,
            PayloadStatus::Running => wit::PayloadStatus::Running,
            PayloadStatus::Stopping => wit::PayloadStatus::Stopping,
            PayloadStatus::Stopped => wit::PayloadStatus::Stopped,
        };
        Ok(wit::set_status(class, id, status)?)
    }

    fn unregister_payload(&self, class: &str, id: &str) -> Result<(), HostError> {
        Ok(wit::unregister(class, id)?)
    }
}

impl<C> Context<'_, C> {
    /// Says that a payload runs: one of a class that the charm's metadata declares under `payloads`, with the
    /// type it has there. One that is registered already is as it is said now.
    ///
    /// # Errors
    /// `not-found` for a class that is not declared, `invalid` for another type and for an id or a label
    /// that is not one word, `limit` for too many.
    pub fn register_payload(
        &self,
        class: &str,
        kind: &str,
        id: &str,
        labels: &[&str],
    ) -> Result<()> {
        Ok(self.host.register_payload(class, kind, id, labels)?)
    }

    /// Says how a payload is.
    ///
    /// # Errors
    /// `not-found` for one that is not registered.
    pub fn set_payload_status(&self, class: &str, id: &str, status: PayloadStatus) -> Result<()> {
        Ok(self.host.set_payload_status(class, id, status)?)
    }

    /// Takes a payload away. One that is not registered is no error.
    pub fn unregister_payload(&self, class: &str, id: &str) -> Result<()> {
        Ok(self.host.unregister_payload(class, id)?)
    }
}
