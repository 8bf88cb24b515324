//! The methods about relations.

use periapt_model::UnitName;
use periapt_wire::rest::{
    ChangeRelation, Integrate, ListQuery, Reachability, RelationInfo, Removal, paths,
};
use reqwest::Method;

use super::{Removing, RestClient, RestError};

impl RestClient {
    /// Relates two endpoints, each `APPLICATION` or `APPLICATION:ENDPOINT`.
    pub async fn integrate(
        &self,
        model: &str,
        endpoints: [&str; 2],
    ) -> Result<RelationInfo, RestError> {
        let endpoints = endpoints.map(str::to_owned).to_vec();
        self.post(&paths::RELATIONS.at([model]), &Integrate { endpoints })
            .await
    }

    pub async fn relation(&self, model: &str, id: u64) -> Result<RelationInfo, RestError> {
        self.get(&paths::RELATION.at([model, &id.to_string()]))
            .await
    }

    /// Suspends or resumes a relation.
    pub async fn change_relation(
        &self,
        model: &str,
        id: u64,
        change: &ChangeRelation,
    ) -> Result<RelationInfo, RestError> {
        let id = id.to_string();
        self.patch(&paths::RELATION.at([model, &id]), change).await
    }

    /// Begins to remove a relation; the subordinate units that go with it.
    pub async fn remove_relation(
        &self,
        model: &str,
        id: u64,
        force: bool,
        timeout_ms: Option<u64>,
    ) -> Result<Removal, RestError> {
        let id = id.to_string();
        self.delete(
            &paths::RELATION.at([model, &id]),
            Removing::within(force, timeout_ms),
        )
        .await
    }

    /// The relations that fit the filters of `query`.
    pub async fn relations(
        &self,
        model: &str,
        query: &ListQuery,
    ) -> Result<Vec<RelationInfo>, RestError> {
        self.list(&paths::RELATIONS.at([model]), query).await
    }

    /// Who reaches the units of a model, or one of them.
    pub async fn reachability(
        &self,
        model: &str,
        unit: Option<&UnitName>,
    ) -> Result<Reachability, RestError> {
        let query: Vec<(&str, String)> = unit
            .map(|unit| ("unit", unit.to_string()))
            .into_iter()
            .collect();
        let path = paths::MODEL_REACHABILITY.at([model]);
        self.json(Method::GET, &path, |request| request.query(&query))
            .await
    }
}
