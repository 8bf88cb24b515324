//! What one process of the controller asks another, and how it answers.
//!
//! An agent is connected to one of the processes, and a person asks any. Who that is, and whether they may, is
//! checked and recorded by the process that they ask, and no credential of theirs goes further. It leaves the
//! question in the store and shows the other process the secret that takes it from there: once, within seconds,
//! and at that process alone. The other proves to be one of the controller's by its certificate, and is told of
//! the question by a store that nobody but the controller's processes writes. So a stranger can ask nothing here, and
//! a secret that was caught is good for one question, which is not the stranger's to choose, until it is taken. The
//! answer comes over the connection, part by part, and never stands in the store.
//!
//! Who is asked never asks a third: where an agent has gone meanwhile, that is the answer.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use axum::routing::post;
use periapt_client::rest::{NodeAnswer, RestClient, RestError};
use periapt_engine::SharedClock;
use periapt_engine::clock::timeout;
use periapt_model::{ModelUuid, Refusal, UnitName};
use periapt_store::KnownNode;
use periapt_wire::Problem;
use periapt_wire::rest::paths;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::authenticator::{AuthError, bearer};
use crate::identity::Identity;
use crate::listener::Connection;
use crate::rest::problem::{Answer, crowded, failed, upgrading};
use crate::rest::unit_files;
use crate::state::ServerState;

#[cfg(test)]
mod tests;

/// How long the other process has to answer, and for each further part: as long as an agent has, and the way.
const BOUND: Duration = Duration::from_secs(crate::questions::FILES_BOUND.as_secs() + 5);
/// Questions of this process whose answers may be outstanding at once.
const WAITING: usize = 64;

/// What is asked, about files of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Question {
    pub model: ModelUuid,
    pub unit: UnitName,
    /// As charms see it.
    pub path: String,
    pub wanted: Wanted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Wanted {
    /// The entries of a directory.
    Listing,
    /// All of a file.
    Content,
}

/// What this process asks others. Clones share the places.
#[derive(Clone)]
pub(crate) struct Processes {
    places: Arc<Semaphore>,
}

impl Default for Processes {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(WAITING)),
        }
    }
}

impl Processes {
    /// The answer of the first of these nodes that gives one.
    pub(crate) async fn ask(
        &self,
        state: &ServerState,
        nodes: Vec<KnownNode>,
        question: &Question,
    ) -> Result<Reply, Answer> {
        let place = self.place()?;
        let text = serde_json::to_string(question).map_err(|_| failed())?;
        let mut last = String::new();
        for known in nodes {
            let KnownNode { node, address, .. } = known;
            let secret = state.store().leave_question(node, &text).await?;
            match said(state, &address, secret).await {
                Ok(answer) => {
                    return Ok(Reply {
                        node,
                        answer,
                        clock: state.clock().clone(),
                        _place: place,
                    });
                }
                Err(RestError::Problem(problem)) if is_answer(&problem) => {
                    return Err(Answer(problem));
                }
                Err(error) => {
                    tracing::warn!(node, %address, %error, "another process of the controller does not answer");
                    last = without_answer(node, &error.to_string());
                }
            }
        }
        Err(Answer(Problem::new(Refusal::AgentSilent).why(last)))
    }

    fn place(&self) -> Result<OwnedSemaphorePermit, Answer> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        place.map_err(|_| {
            let why = "too many files are read through other processes of the controller at once";
            Answer(Problem::new(Refusal::TryAgain).why(why))
        })
    }
}

/// An answer that is still coming in.
pub(crate) struct Reply {
    node: u32,
    answer: NodeAnswer,
    clock: SharedClock,
    /// Given back when the answer is read, or nobody reads it any more.
    _place: OwnedSemaphorePermit,
}

impl Reply {
    /// How long it is as a whole.
    pub(crate) fn bytes(&self) -> Result<u64, Answer> {
        self.answer.bytes().ok_or_else(failed)
    }

    /// All of a short one.
    pub(crate) async fn json<T: DeserializeOwned>(self) -> Result<T, Answer> {
        let said = timeout(&*self.clock, BOUND, self.answer.json()).await;
        in_time(self.node, said)
    }

    /// The next bytes; none at the end.
    pub(crate) async fn part(&mut self) -> Result<Option<Bytes>, Answer> {
        let said = timeout(&*self.clock, BOUND, self.answer.part()).await;
        in_time(self.node, said)
    }
}

async fn said(state: &ServerState, address: &str, secret: String) -> Result<NodeAnswer, RestError> {
    let client = RestClient::new(&[address.to_owned()], &state.controller().ca_cert)?;
    let said = timeout(&**state.clock(), BOUND, client.ask_node(secret)).await;
    said.unwrap_or_else(|| Err(RestError::Interrupted(LATE.to_owned())))
}

const LATE: &str = "no answer in time";

fn in_time<T>(node: u32, said: Option<Result<T, RestError>>) -> Result<T, Answer> {
    let why = match said {
        Some(Ok(said)) => return Ok(said),
        Some(Err(error)) => error.to_string(),
        None => LATE.to_owned(),
    };
    let why = without_answer(node, &why);
    Err(Answer(Problem::new(Refusal::AgentSilent).why(why)))
}

fn without_answer(node: u32, why: &str) -> String {
    format!(
        "process {node} of the controller, to which the agent is connected, gives no answer: {why}"
    )
}

/// Whether a refusal is the answer to what was asked. Otherwise the other process was not reached, does not
/// know such questions yet, or did not take this one.
fn is_answer(problem: &Problem) -> bool {
    let not_taken = [
        Refusal::ApiNotServing,
        Refusal::CredentialsMissing,
        Refusal::RouteNotFound,
        Refusal::TokenInvalid,
    ];
    // What is no answer of a controller has no kind.
    problem.kind != "about:blank" && not_taken.iter().all(|other| other.code() != problem.code)
}

/// Where other processes ask. It is no part of the API: no person and no agent has a secret for it.
pub(crate) fn router(state: &ServerState) -> Router {
    Router::new()
        .route(paths::NODE_QUESTION.text, post(answer))
        .with_state(state.clone())
}

async fn answer(
    State(state): State<ServerState>,
    connection: Option<Extension<Connection>>,
    headers: HeaderMap,
) -> Result<Response, Answer> {
    let secret = shown(&headers).ok_or(AuthError::Missing)?;
    if let Some(progress) = state.upgrade().in_progress() {
        return Err(upgrading(&progress));
    }
    let own = state.controller().node;
    let taken = state.store().take_question(own, secret).await?;
    let taken = taken.ok_or(AuthError::Token)?;
    let question: Question = serde_json::from_str(&taken).map_err(|_| failed())?;
    if let Some(Extension(connection)) = connection {
        let process = Identity::Controller { model: None };
        connection.prove(&process).map_err(crowded)?;
    }
    unit_files::answer(&state, question).await
}

/// The secret that a request shows.
fn shown(headers: &HeaderMap) -> Option<&str> {
    bearer(headers.get(header::AUTHORIZATION)?.to_str().ok()?)
}
