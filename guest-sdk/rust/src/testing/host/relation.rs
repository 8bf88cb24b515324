//! Relations of the unit under test.

use std::cell::RefCell;
use std::collections::BTreeMap;

use periapt_contract::relation::{Changes as Effect, find, ids};
use periapt_contract::{
    CallError, Member, OwnBag, RelationAnswers, RelationInfo, UnitAnswers, settings,
};

use super::TestHost;
use crate::relation::RelationHost;
use crate::{Bag, Changes, HostError};

impl RelationAnswers for TestHost {
    fn knows_endpoint(&self, name: &str) -> bool {
        self.endpoints.iter().any(|endpoint| endpoint == name)
    }

    fn relations(&self) -> Vec<RelationInfo> {
        let relations = self.relations.iter();
        relations
            .map(|(&id, relation)| RelationInfo {
                id,
                endpoint: relation.endpoint.clone(),
                remote_application: relation.application.clone(),
                members: relation.units.iter().cloned().collect(),
            })
            .collect()
    }

    fn relation_settings(
        &mut self,
        relation: u64,
        of: &Member,
    ) -> Result<BTreeMap<String, String>, CallError> {
        let (Member::Unit(name) | Member::Application(name)) = of;
        let held = self.relations.get(&relation);
        let said = held.and_then(|relation| relation.bags.get(name));
        Ok(said.cloned().unwrap_or_default())
    }
}

pub(super) fn commit(host: &mut TestHost, changes: &Effect) -> Result<(), CallError> {
    let (unit, application) = (host.unit.clone(), host.application());
    for (id, changes) in changes {
        if let Some(relation) = host.relations.get_mut(id) {
            settings::apply(relation.bag_mut(&unit), &changes.unit);
            settings::apply(relation.bag_mut(&application), &changes.application);
        }
    }
    Ok(())
}

impl RelationHost for RefCell<TestHost> {
    fn relation_ids(&self, endpoint: &str) -> Result<Vec<String>, HostError> {
        self.borrow().unrestricted()?;
        Ok(ids(&*self.borrow(), endpoint)?)
    }

    fn relation_units(&self, relation: &str) -> Result<Vec<String>, HostError> {
        self.borrow().unrestricted()?;
        Ok(find(&*self.borrow(), relation)?.members)
    }

    fn relation_application(&self, relation: &str) -> Result<String, HostError> {
        self.borrow().unrestricted()?;
        Ok(find(&*self.borrow(), relation)?.remote_application)
    }

    fn relation_get(
        &self,
        relation: &str,
        member: &str,
    ) -> Result<Vec<(String, String)>, HostError> {
        let said = self
            .borrow_mut()
            .transaction(|txn, host| txn.relation_get(host, relation, member))?;
        Ok(said.into_iter().collect())
    }

    fn relation_set(&self, relation: &str, bag: Bag, changes: &Changes) -> Result<(), HostError> {
        let own = match bag {
            Bag::Unit => OwnBag::Unit,
            Bag::Application => OwnBag::Application,
        };
        self.borrow_mut()
            .transaction(|txn, host| txn.relation_set(host, relation, own, changes.to_vec()))
    }

    fn relation_model_uuid(&self, relation: &str) -> Result<String, HostError> {
        let host = self.borrow();
        host.unrestricted()?;
        find(&*host, relation)?;
        Ok(host.model_uuid())
    }
}
