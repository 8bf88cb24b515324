//! Whether the unit under test leads, and what its leader told.

use std::cell::RefCell;
use std::collections::BTreeMap;

use periapt_contract::{CallError, LeadershipAnswers, leadership, settings};

use super::TestHost;
use crate::leadership::LeadershipHost;
use crate::{Changes, HostError};

impl LeadershipAnswers for TestHost {
    fn is_leader(&mut self) -> Result<bool, CallError> {
        Ok(self.leader)
    }

    fn leader_settings(&mut self) -> Result<BTreeMap<String, String>, CallError> {
        Ok(self.leader_settings.clone())
    }
}

pub(super) fn commit(host: &mut TestHost, changes: &leadership::Changes) -> Result<(), CallError> {
    settings::apply(&mut host.leader_settings, changes);
    Ok(())
}

impl LeadershipHost for RefCell<TestHost> {
    fn is_leader(&self) -> Result<bool, HostError> {
        self.borrow().unrestricted()?;
        Ok(self.borrow().leader)
    }

    fn leader_settings(&self) -> Result<Vec<(String, String)>, HostError> {
        let told = self
            .borrow_mut()
            .transaction(|txn, host| txn.leader_get(host))?;
        Ok(told.into_iter().collect())
    }

    fn set_leader_settings(&self, changes: &Changes) -> Result<(), HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.leader_set(host, changes.to_vec()))
    }
}
