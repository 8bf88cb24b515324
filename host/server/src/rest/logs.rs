//! `GET /v1/models/{model}/logs`: `debug-log`, as lines of JSON or as server-sent events.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use periapt_model::ModelUuid;
use periapt_store::{Interest, LogPage, StoreError, Subscription, namespace};
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::rest::{LogQuery, paths};
use utoipa_axum::routes;

use super::extract::{Ending, InModel, Query};
use super::lines::{self, Lines};
use super::problem::Answer;
use super::route::{READ, Row, row};
use super::sse;
use crate::feed::HEARTBEAT;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![row(READ, routes!(logs)).with::<LogRecord>()]
}

/// Shows the log of a model, a line of JSON for each record.
///
/// With `follow` the answer goes on as lines are written. With `Accept: text/event-stream` each record is an event `log`; the last event is `dropped`.
#[utoipa::path(get, path = paths::MODEL_LOGS.text, operation_id = "readLogs", params(LogQuery), responses((status = 200, content((String = "application/x-ndjson"), (String = "text/event-stream")))))]
async fn logs(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<LogQuery>,
    headers: HeaderMap,
    ending: Ending,
) -> Result<Response, Answer> {
    // Before the first page is read, so that no line falls in between.
    let written = query.follow.then(|| {
        state
            .store()
            .changes()
            .subscribe(Interest::model(&model).all(namespace::LOG))
    });
    let events = sse::is_asked_for(&headers);
    let after = match events {
        true => sse::last_event_id(&headers).and_then(|id| id.parse().ok()),
        false => None,
    };
    let first = state.store().logs(&model, &query, after).await?;
    let write = move |lines| async move {
        let stream = Logs {
            remaining: query.limit.unwrap_or(u64::MAX),
            state,
            model,
            query,
            lines,
            events,
        };
        if let Err(error) = stream.send(first, written).await {
            tracing::warn!(%error, "a log stream broke off");
        }
    };
    Ok(match events {
        true => lines::respond_with_events(ending, write),
        false => lines::respond(ending, write),
    })
}

struct Logs {
    state: ServerState,
    model: ModelUuid,
    query: LogQuery,
    lines: Lines,
    /// Lines still wanted.
    remaining: u64,
    /// Whether they go out as server-sent events.
    events: bool,
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
            if !self.put(&page, wanted).await {
                return Ok(());
            }
            if self.remaining == 0 {
                self.complete().await;
                return Ok(());
            }
            if page.complete {
                let Some(written) = &mut written else {
                    self.complete().await;
                    return Ok(());
                };
                if !self.wait(written, page.position).await? {
                    return Ok(());
                }
            }
            page = self
                .state
                .store()
                .logs(&self.model, &self.query, Some(page.position))
                .await?;
        }
    }

    /// Sends so many lines of a page; whether anybody still reads.
    async fn put(&self, page: &LogPage, wanted: usize) -> bool {
        if !self.events {
            return self
                .lines
                .send(page.records.get(..wanted).unwrap_or_default())
                .await;
        }
        let mut bytes = Vec::new();
        for (record, position) in page.records.iter().zip(&page.positions).take(wanted) {
            if let Ok(data) = serde_json::to_vec(record) {
                sse::log(&mut bytes, *position, &data);
            }
        }
        self.lines.send_bytes(Bytes::from(bytes)).await
    }

    /// Waits for lines; whether anybody still reads.
    async fn wait(&self, written: &mut Subscription, position: i64) -> Result<bool, StoreError> {
        if !self.events {
            written.next().await?;
            return Ok(true);
        }
        loop {
            tokio::select! {
                lines = written.next() => {
                    lines?;
                    return Ok(true);
                }
                () = self.state.clock().sleep(HEARTBEAT) => {
                    if !self.lines.send_bytes(sse::heartbeat(&position)).await {
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// A browser would ask again for a stream that just ends.
    async fn complete(&self) {
        if self.events {
            let end = sse::dropped("complete", "these are all the lines that were asked for");
            self.lines.send_bytes(end).await;
        }
    }
}
