//! `/v1/controller/nodes`: the processes of the controller, and removing one that is gone for
//! good.

use axum::Json;
use axum::extract::{Path, State};
use periapt_model::refusal::Subject;
use periapt_store::{KnownNode, StoreError};
use periapt_wire::access::Visitor;
use periapt_wire::rest::{ControllerNode, ListQuery, NodeState, Page, paths};
use serde::Deserialize;
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::changed_to;
use super::extract::{Query, flag};
use super::page::page;
use super::problem::Answer;
use super::route::{Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Superuser, routes!(list)).lists::<ControllerNode>(),
        row(Visitor::Superuser, routes!(remove)),
    ]
}

/// Lists the processes of the controller.
///
/// With SQLite there is one; on PostgreSQL others can join.
#[utoipa::path(get, path = paths::CONTROLLER_NODES.text, params(ListQuery), responses((status = 200, body = Page<ControllerNode>)))]
async fn list(
    State(state): State<ServerState>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    let nodes = state.store().controller_nodes().await?;
    let nodes = nodes.into_iter().map(|node| shown(&state, node));
    page(nodes.collect(), &query)
}

#[derive(Deserialize, Default, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
struct Forced {
    /// Remove it although it runs; it then ends.
    #[serde(deserialize_with = "flag")]
    force: bool,
}

/// Removes a process from the controller.
///
/// For one that is gone for good: agents and clients are not told of its address any more, and
/// the models it was responsible for go to others at once. It cannot serve again unless it joins
/// anew. The last one cannot be removed.
#[utoipa::path(delete, path = paths::CONTROLLER_NODE.text, params(Forced), responses((status = 200, body = ControllerNode)))]
async fn remove(
    State(state): State<ServerState>,
    path: Path<(String,)>,
    Query(query): Query<Forced>,
) -> Result<Json<ControllerNode>, Answer> {
    let Path((text,)) = path;
    let node: u32 = text.parse().map_err(|_| StoreError::NotFound {
        kind: Subject::ControllerNode,
        name: text,
    })?;
    let removed = state.store().remove_controller_node(node, query.force);
    let here = state.clone();
    changed_to(removed, move |node| shown(&here, node.clone())).await
}

fn shown(state: &ServerState, known: KnownNode) -> ControllerNode {
    // One that answers lives; where it is the only one it writes no signs of life.
    let answers = known.node == state.controller().node;
    let node_state = match known.seen_at {
        _ if answers || known.alive => NodeState::Running,
        0 => NodeState::New,
        _ => NodeState::Lost,
    };
    ControllerNode {
        node: known.node,
        address: known.address,
        state: node_state,
        seen_at: known.seen_at,
        answers,
    }
}
