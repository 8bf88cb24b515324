//! Relations by the names that charms use.

use super::{RelationAnswers, RelationInfo};
use crate::{CallError, text};

/// The relation that a charm names `ENDPOINT:NUMBER`, or by its number alone.
///
/// # Errors
/// `Invalid` for what is no name of a relation, `NotFound` for a relation the unit is not in.
pub fn find(
    agent: &(impl RelationAnswers + ?Sized),
    name: &str,
) -> Result<RelationInfo, CallError> {
    let number = name.rsplit_once(':').map_or(name, |(_, number)| number);
    let shown = || text::clean_line_at_most(name, 100);
    let number: u64 = number.parse().map_err(|_| {
        CallError::invalid(format!(
            "\"{}\" is not a relation; one is named like \"website:3\"",
            shown()
        ))
    })?;
    let mut relations = agent.relations().into_iter();
    relations
        .find(|relation| relation.id == number)
        .filter(|relation| !name.contains(':') || relation.name() == name)
        .ok_or_else(|| CallError::not_found(format!("the unit is not in relation {}", shown())))
}

/// Names of the relations at an endpoint of the charm.
///
/// # Errors
/// `NotFound` for an endpoint that the charm does not have.
pub fn ids(
    agent: &(impl RelationAnswers + ?Sized),
    endpoint: &str,
) -> Result<Vec<String>, CallError> {
    let relations = agent.relations().into_iter();
    let there: Vec<String> = relations
        .filter(|relation| relation.endpoint == endpoint)
        .map(|relation| relation.name())
        .collect();
    if there.is_empty() && !agent.knows_endpoint(endpoint) {
        let endpoint = text::clean_line_at_most(endpoint, 100);
        let unknown = format!("the charm has no endpoint \"{endpoint}\"");
        return Err(CallError::not_found(unknown));
    }
    Ok(there)
}
