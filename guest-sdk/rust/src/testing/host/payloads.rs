//! Payloads of the unit under test.

use std::cell::RefCell;
use std::collections::BTreeMap;

use periapt_contract::payloads::{self, Payload, PayloadKey, PayloadStatus as HostStatus};
use periapt_contract::{CallError, PayloadsAnswers};

use super::TestHost;
use crate::payloads::PayloadsHost;
use crate::testing::Harness;
use crate::{Charm, HostError, PayloadStatus};

impl<C: Charm> Harness<C> {
    /// Declares a class of payloads, as `payloads` in the charm's metadata does.
    pub fn declare_payload(&mut self, class: &str, kind: &str) {
        let classes = &mut self.host.get_mut().payload_classes;
        classes.insert(class.to_owned(), kind.to_owned());
    }

    /// The committed payloads by class and id, with what the charm said of each last.
    pub fn payloads(&self) -> BTreeMap<(String, String), PayloadStatus> {
        let host = self.host.borrow();
        let payloads = host.payloads.iter();
        payloads
            .map(|payload| {
                let key = (payload.class.clone(), payload.id.clone());
                (key, payload.status.into())
            })
            .collect()
    }
}

impl PayloadsAnswers for TestHost {
    fn payloads(&mut self) -> Result<Vec<Payload>, CallError> {
        Ok(self.payloads.clone())
    }

    fn payload_classes(&mut self) -> Result<BTreeMap<String, String>, CallError> {
        Ok(self.payload_classes.clone())
    }
}

pub(super) fn commit(host: &mut TestHost, changes: &payloads::Changes) -> Result<(), CallError> {
    host.payloads = changes.applied(&host.payloads);
    Ok(())
}

impl PayloadsHost for RefCell<TestHost> {
    fn register_payload(
        &self,
        class: &str,
        kind: &str,
        id: &str,
        labels: &[&str],
    ) -> Result<(), HostError> {
        let payload = Payload {
            class: class.to_owned(),
            id: id.to_owned(),
            kind: kind.to_owned(),
            status: HostStatus::Running,
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
        };
        self.borrow_mut()
            .transaction(|txn, host| txn.payload_register(host, payload))
    }

    fn set_payload_status(
        &self,
        class: &str,
        id: &str,
        status: PayloadStatus,
    ) -> Result<(), HostError> {
        let key = key(class, id);
        self.borrow_mut()
            .transaction(|txn, host| txn.payload_status_set(host, &key, status.into()))
    }

    fn unregister_payload(&self, class: &str, id: &str) -> Result<(), HostError> {
        let key = key(class, id);
        self.borrow_mut()
            .transaction(|txn, host| txn.payload_unregister(host, &key))
    }
}

fn key(class: &str, id: &str) -> PayloadKey {
    PayloadKey {
        class: class.to_owned(),
        id: id.to_owned(),
    }
}

impl From<HostStatus> for PayloadStatus {
    fn from(status: HostStatus) -> Self {
        match status {
            HostStatus::Starting => PayloadStatus::Starting,
            HostStatus::Running => PayloadStatus::Running,
            HostStatus::Stopping => PayloadStatus::Stopping,
            HostStatus::Stopped => PayloadStatus::Stopped,
        }
    }
}

impl From<PayloadStatus> for HostStatus {
    fn from(status: PayloadStatus) -> Self {
        match status {
            PayloadStatus::Starting => HostStatus::Starting,
            PayloadStatus::Running => HostStatus::Running,
            PayloadStatus::Stopping => HostStatus::Stopping,
            PayloadStatus::Stopped => HostStatus::Stopped,
        }
    }
}
