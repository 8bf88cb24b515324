//! Charm state of the unit under test.

use std::cell::RefCell;
use std::collections::BTreeMap;

use periapt_contract::{CallError, StateAnswers, settings, state};

use super::TestHost;
use crate::HostError;
use crate::state::StateHost;

impl StateAnswers for TestHost {
    fn state(&mut self) -> Result<BTreeMap<String, String>, CallError> {
        Ok(self.state.clone())
    }
}

pub(super) fn commit(host: &mut TestHost, changes: &state::Changes) -> Result<(), CallError> {
    settings::apply(&mut host.state, changes);
    Ok(())
}

impl StateHost for RefCell<TestHost> {
    fn state_get(&self, key: &str) -> Result<Option<String>, HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.state_get(host, key))
    }

    fn state_set(&self, key: &str, value: &str) -> Result<(), HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.state_set(host, key.to_owned(), value.to_owned()))
    }

    fn state_delete(&self, key: &str) -> Result<(), HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.state_delete(host, key.to_owned()))
    }

    fn state_all(&self) -> Result<Vec<(String, String)>, HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.state_all(host))
    }
}
