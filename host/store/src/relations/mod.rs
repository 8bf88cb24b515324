//! Relations: who is in scope, with which settings, and what begins and ends with them.

use std::collections::BTreeMap;

use periapt_model::relation::EndpointName;
use periapt_model::{ModelUuid, Tag, UnitName};
use periapt_wire::agent::uniter::GoalState;
use periapt_wire::rest::{RelationInfo, Removal, UnitRelation};

use crate::error::StoreError;
use crate::{Result, Store};

fn unbuilt() -> StoreError {
    StoreError::bad_request("relations are not built yet")
}

impl Store {
    /// Relates two endpoints. Asked again it is refused as existing already.
    pub async fn integrate(
        &self,
        _model: &ModelUuid,
        _endpoints: [EndpointName; 2],
    ) -> Result<RelationInfo> {
        Err(unbuilt())
    }

    /// Suspends or resumes a relation.
    pub async fn change_relation(
        &self,
        _model: &ModelUuid,
        _id: u64,
        _suspended: bool,
        _reason: &str,
    ) -> Result<RelationInfo> {
        Err(unbuilt())
    }

    /// Begins to remove a relation; the subordinate units that go with it.
    pub async fn remove_relation(
        &self,
        _model: &ModelUuid,
        _id: u64,
        _force: bool,
    ) -> Result<Removal> {
        Err(unbuilt())
    }

    /// The relations of a unit with all settings, for people.
    pub async fn unit_relations(
        &self,
        _model: &ModelUuid,
        _unit: &UnitName,
    ) -> Result<Vec<UnitRelation>> {
        Ok(Vec::new())
    }

    /// Adds machines that no unit asked for.
    pub async fn add_machines(
        &self,
        _model: &ModelUuid,
        _count: u32,
    ) -> Result<Vec<periapt_wire::rest::MachineInfo>> {
        Err(unbuilt())
    }

    /// Begins to remove a machine.
    pub async fn remove_machine(
        &self,
        _model: &ModelUuid,
        _machine: &periapt_model::MachineId,
        _force: bool,
    ) -> Result<Removal> {
        Err(unbuilt())
    }

    /// Settings of a unit or an application, as `unit` may read them.
    pub async fn relation_settings(
        &self,
        _model: &ModelUuid,
        _unit: &UnitName,
        _relation: u64,
        _of: &Tag,
    ) -> Result<BTreeMap<String, String>> {
        Err(unbuilt())
    }

    /// What the leader of the unit's application told its units.
    pub async fn leader_settings(
        &self,
        _model: &ModelUuid,
        _unit: &UnitName,
    ) -> Result<BTreeMap<String, String>> {
        Err(unbuilt())
    }

    /// What will be there for a unit once the model has settled.
    pub async fn goal_state(&self, _model: &ModelUuid, _unit: &UnitName) -> Result<GoalState> {
        Err(unbuilt())
    }
}
