//! The calls about relations.

use crate::host::Changes;
use crate::world::World;
use crate::world::bindings::periapt::charm::relation as wit;
use crate::{Bag, Context, HostError, Relation, RelationEvent, Result};

/// What a charm may ask of the host about relations.
#[allow(missing_docs)]
pub trait RelationHost {
    fn relation_ids(&self, endpoint: &str) -> Result<Vec<String>, HostError>;
    fn relation_units(&self, relation: &str) -> Result<Vec<String>, HostError>;
    fn relation_application(&self, relation: &str) -> Result<String, HostError>;
    fn relation_get(
        &self,
        relation: &str,
        member: &str,
    ) -> Result<Vec<(String, String)>, HostError>;
    fn relation_set(&self, relation: &str, bag: Bag, changes: &Changes) -> Result<(), HostError>;
    fn relation_model_uuid(&self, relation: &str) -> Result<String, HostError>;
}

impl RelationHost for World {
    fn relation_ids(&self, endpoint: &str) -> Result<Vec<String>, HostError> {
        Ok(wit::ids(endpoint)?)
    }

    fn relation_units(&self, relation: &str) -> Result<Vec<String>, HostError> {
        Ok(wit::units(relation)?)
    }

    fn relation_application(&self, relation: &str) -> Result<String, HostError> {
        Ok(wit::application(relation)?)
    }

    fn relation_get(
        &self,
        relation: &str,
        member: &str,
    ) -> Result<Vec<(String, String)>, HostError> {
        Ok(wit::get(relation, member)?)
    }

    fn relation_set(&self, relation: &str, bag: Bag, changes: &Changes) -> Result<(), HostError> {
        Ok(wit::set(relation, bag.into(), changes)?)
    }

    fn relation_model_uuid(&self, relation: &str) -> Result<String, HostError> {
        Ok(wit::model_uuid(relation)?)
    }
}

impl<'a, C> Context<'a, C> {
    /// The relations at an endpoint of the charm. A peer endpoint has one.
    pub fn relations(&self, endpoint: &str) -> Result<Vec<Relation<'a>>> {
        let ids = self.host.relation_ids(endpoint)?;
        Ok(ids
            .into_iter()
            .map(|id| Relation::new(self.host, id))
            .collect())
    }

    /// The relation that a hook is about.
    pub fn relation(&self, event: &RelationEvent) -> Relation<'a> {
        Relation::new(self.host, event.relation.as_str())
    }

    /// The relation of this id, `website:3` or its number.
    pub fn relation_by_id(&self, id: impl Into<String>) -> Relation<'a> {
        Relation::new(self.host, id)
    }
}

impl From<Bag> for wit::Bag {
    fn from(bag: Bag) -> Self {
        match bag {
            Bag::Unit => wit::Bag::Unit,
            Bag::Application => wit::Bag::Application,
        }
    }
}
