//! Who the unit under test is.

use std::cell::RefCell;

use periapt_contract::{UnitAnswers, at_once};

use super::TestHost;
use crate::HostError;
use crate::unit::UnitHost;

impl UnitAnswers for TestHost {
    fn unit_name(&self) -> String {
        self.unit.clone()
    }

    fn model_name(&self) -> String {
        "test".to_owned()
    }

    fn model_uuid(&self) -> String {
        "00000000-0000-4000-8000-000000000000".to_owned()
    }
}

impl UnitHost for RefCell<TestHost> {
    fn unit_name(&self) -> String {
        self.borrow().unit.clone()
    }

    fn model_name(&self) -> String {
        self.borrow().model_name()
    }

    fn private_address(&self) -> Result<String, HostError> {
        self.borrow().unrestricted()?;
        Ok(self.borrow().address.clone())
    }

    fn public_address(&self) -> Result<String, HostError> {
        self.borrow().unrestricted()?;
        Ok(self.borrow().address.clone())
    }

    fn set_workload_version(&self, version: &str) -> Result<(), HostError> {
        self.borrow_mut().transaction(|txn, host| {
            txn.at_once()?;
            host.workload_version = Some(at_once::message(version));
            Ok(())
        })
    }
}
