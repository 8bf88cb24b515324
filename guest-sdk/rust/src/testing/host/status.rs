//! Statuses of the unit under test and its application.

use std::cell::RefCell;

use periapt_contract::leadership::leader_only;
use periapt_contract::{CallError, at_once};

use super::TestHost;
use crate::status::StatusHost;
use crate::{HostError, Status, StatusKind};

const LEADERS: &str = "has the status of the application";

impl StatusHost for RefCell<TestHost> {
    fn unit_status(&self) -> Result<Status, HostError> {
        self.borrow().unrestricted()?;
        Ok(self.borrow().unit_status.clone())
    }

    fn set_unit_status(&self, status: &Status) -> Result<(), HostError> {
        self.borrow_mut().transaction(|txn, host| {
            txn.at_once()?;
            host.unit_status = settable(status)?;
            Ok(())
        })
    }

    fn application_status(&self) -> Result<Status, HostError> {
        let mut host = self.borrow_mut();
        host.unrestricted()?;
        leader_only(&mut *host, LEADERS)?;
        Ok(host.application_status.clone())
    }

    fn set_application_status(&self, status: &Status) -> Result<(), HostError> {
        self.borrow_mut().transaction(|txn, host| {
            txn.at_once()?;
            let status = settable(status)?;
            leader_only(host, LEADERS)?;
            host.application_status = status;
            Ok(())
        })
    }
}

/// A status as the host keeps it.
fn settable(status: &Status) -> Result<Status, CallError> {
    match status.kind {
        StatusKind::Unknown | StatusKind::Error | StatusKind::Terminated => {
            Err(at_once::not_settable())
        }
        kind => Ok(Status::new(kind, at_once::message(&status.message))),
    }
}
