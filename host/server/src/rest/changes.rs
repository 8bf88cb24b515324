//! `GET /v1/models/{model}/changes`: a line for every settled change, for whoever shows a model
//! live. The first line is empty and says where the reader joined.

use std::collections::BTreeSet;
use std::time::Duration;

use axum::extract::State;
use axum::http::Method;
use axum::response::Response;
use axum::routing::get;
use periapt_store::{Change, Interest, namespace};
use periapt_wire::rest::ChangeLine;

use super::Row;
use super::extract::{Ending, InModel};
use super::lines;
use crate::state::ServerState;

/// What comes within this time of a change goes into its line: a deploy touches a dozen rows,
/// and an eye sees no difference.
const SETTLE: Duration = Duration::from_millis(20);

pub(super) fn routes() -> Vec<Row> {
    vec![(Method::GET, "/v1/models/{model}/changes", get(changes))]
}

#[derive(utoipa::OpenApi)]
#[openapi(paths(changes))]
pub(super) struct Described;

/// Follows the changes of a model, a line of JSON for each.
///
/// The first line is empty and says where the reader joined; then comes one for every settled change, until the reader goes away.
#[utoipa::path(get, path = "/v1/models/{model}/changes", responses((status = 200, body = String, content_type = "application/x-ndjson")))]
async fn changes(
    State(state): State<ServerState>,
    InModel(model): InModel,
    ending: Ending,
) -> Response {
    let stream = state.store().changes();
    let mut subscription = stream.subscribe(Interest::model(&model).everything());
    lines::respond(ending, move |lines| async move {
        let mut position = stream.position();
        if !lines
            .send(&[ChangeLine {
                position,
                changed: Vec::new(),
            }])
            .await
        {
            return;
        }
        while let Ok(mut batch) = subscription.next().await {
            state.clock().sleep(SETTLE).await;
            batch.extend(subscription.take_now());
            position = batch
                .iter()
                .map(|change| change.position)
                .fold(position, i64::max);
            let changed = names(&batch);
            if !changed.is_empty() && !lines.send(&[ChangeLine { position, changed }]).await {
                return;
            }
        }
    })
}

/// Log lines are not a change of the model; they have their own stream.
fn names(batch: &[Change]) -> Vec<String> {
    let names: BTreeSet<String> = batch
        .iter()
        .filter(|change| change.namespace != namespace::LOG)
        .map(|change| format!("{}/{}", change.namespace, change.key))
        .collect();
    names.into_iter().collect()
}
