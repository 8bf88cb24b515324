//! `GET /v1/models/{model}/logs`: `debug-log`.

use axum::extract::State;
use axum::http::Method;
use axum::response::Response;
use axum::routing::get;
use periapt_model::ModelUuid;
use periapt_store::{Interest, LogPage, StoreError, Subscription, namespace};
use periapt_wire::rest::LogQuery;

use super::Row;
use super::extract::{Ending, InModel, Query};
use super::lines::{self, Lines};
use super::problem::Answer;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![(Method::GET, "/v1/models/{model}/logs", get(logs))]
}

#[derive(utoipa::OpenApi)]
#[openapi(paths(logs))]
pub(super) struct Described;

/// Shows the log of a model, a line of JSON for each record.
///
/// With `follow` the answer goes on as lines are written.
#[utoipa::path(get, path = "/v1/models/{model}/logs", responses((status = 200, body = String, content_type = "application/x-ndjson")))]
async fn logs(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<LogQuery>,
    ending: Ending,
) -> Result<Response, Answer> {
    // Before the first page is read, so that no line falls in between.
    let written = query.follow.then(|| {
        state
            .store()
            .changes()
            .subscribe(Interest::model(&model).all(namespace::LOG))
    });
    let first = state.store().logs(&model, &query, None).await?;
    Ok(lines::respond(ending, move |lines| async move {
        let stream = Logs {
            remaining: query.limit.unwrap_or(u64::MAX),
            state,
            model,
            query,
            lines,
        };
        if let Err(error) = stream.send(first, written).await {
            tracing::warn!(%error, "a log stream broke off");
        }
    }))
}

struct Logs {
    state: ServerState,
    model: ModelUuid,
    query: LogQuery,
    lines: Lines,
    /// Lines still wanted.
    remaining: u64,
}

impl Logs {
    async fn send(
        mut self,
        mut page: LogPage,
        mut written: Option<Subscription>,
    ) -> Result<(), StoreError> {
        loop {
            let wanted = page
                .records
                .len()
                .min(usize::try_from(self.remaining).unwrap_or(usize::MAX));
            self.remaining -= wanted as u64;
            if !self.lines.send(&page.records[..wanted]).await || self.remaining == 0 {
                return Ok(());
            }
            if page.complete {
                match &mut written {
                    Some(written) => written.next().await?,
                    None => return Ok(()),
                };
            }
            page = self
                .state
                .store()
                .logs(&self.model, &self.query, Some(page.position))
                .await?;
        }
    }
}
