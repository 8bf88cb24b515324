//! `Idempotency-Key`: a change that is asked for again is answered again and not made again.
//!
//! Key and answer are written in the transaction of the change, as far as that gives the answer. The
//! request runs in a task of its own, so that a client that went away finds its answer when it comes
//! back.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use periapt_model::{Refusal, UserName};
use periapt_store::{Guard, KeptAnswer, Remembered, RequestMark};
use periapt_wire::Problem;

use super::problem::Answer;
use super::route::Route;
use super::{At, BODY_BYTES};
use crate::identity::Identity;
use crate::state::ServerState;

/// Longer keys are refused.
const KEY_BYTES: usize = 255;

/// Larger answers are not kept.
pub(super) const ANSWER_BYTES: usize = 1 << 20;

/// Keys of requests that run in this process. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Running {
    keys: Arc<Mutex<HashSet<(UserName, String)>>>,
}

impl Running {
    /// Takes the key until the returned claim is dropped; none when it is taken.
    fn claim(&self, account: &UserName, key: &str) -> Option<Claim> {
        let taken = (account.clone(), key.to_owned());
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.insert(taken.clone()).then(|| Claim {
            running: self.clone(),
            taken,
        })
    }
}

struct Claim {
    running: Running,
    taken: (UserName, String),
}

impl Drop for Claim {
    fn drop(&mut self) {
        let keys = &self.running.keys;
        keys.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.taken);
    }
}

/// The key of a request; none without the header.
fn key(headers: &HeaderMap) -> Result<Option<String>, Answer> {
    let Some(value) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default();
    let sound = (1..=KEY_BYTES).contains(&text.len()) && text.chars().all(|c| c.is_ascii_graphic());
    if sound {
        return Ok(Some(text.to_owned()));
    }
    Err(Answer(
        Problem::new(Refusal::IdempotencyKeyInvalid)
            .titled("The Idempotency-Key cannot be used")
            .why(format!(
                "a key is 1 to {KEY_BYTES} printable characters without spaces"
            )),
    ))
}

/// Carries a request with a key out unless that was done; its answer, or that of the first time.
pub(super) async fn once(
    State((state, route)): State<At>,
    request: Request,
    next: Next,
) -> Response {
    let account = match request.extensions().get::<Identity>() {
        Some(Identity::User { name }) if route.changes() => name.clone(),
        _ => return next.run(request).await,
    };
    let outcome = match key(request.headers()) {
        Ok(Some(key)) => keyed(&state, route, account, key, request, next).await,
        Ok(None) => Ok(next.run(request).await),
        Err(answer) => Err(answer),
    };
    outcome.unwrap_or_else(IntoResponse::into_response)
}

async fn keyed(
    state: &ServerState,
    route: &'static Route,
    account: UserName,
    key: String,
    request: Request,
    next: Next,
) -> Result<Response, Answer> {
    let secret = route.secret;
    let (mut request, digest) = digest(route, request).await?;
    let mark = RequestMark {
        account: account.to_string(),
        key,
        request: digest,
    };
    let _claim = state
        .running()
        .claim(&account, &mark.key)
        .ok_or_else(running)?;
    match state.store().remembered(&mark).await? {
        Remembered::Nothing => {}
        Remembered::Other => return Err(reused()),
        Remembered::Unanswered { at } => return Err(lost(state, at)),
        Remembered::Answered(answer) => return Ok(again(answer)),
    }
    let guard = request.extensions_mut().remove::<Guard>();
    let guard = guard.unwrap_or_default().once(mark, !secret);
    let response = next.run(request).await;
    let said = guard.said();
    if !guard.written() || secret || said.is_some_and(|said| said == response.status().as_str()) {
        return Ok(response);
    }
    Ok(with_answer(response).await)
}

/// The request again with the digest of what it asks for. Bodies of uploads are not read for
/// it: their length and the digest that the client sends stand for them.
async fn digest(route: &Route, request: Request) -> Result<(Request, String), Answer> {
    let (parts, body) = request.into_parts();
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &[u8]| {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    };
    add(parts.method.as_str().as_bytes());
    let target = parts.uri.path_and_query();
    add(target.map_or("", |target| target.as_str()).as_bytes());
    for name in ["if-match", "content-length", "content-digest", "digest"] {
        let value = parts.headers.get(name);
        add(value.map_or(b"", HeaderValue::as_bytes));
    }
    let body = if route.upload {
        body
    } else {
        let bytes = read(body).await?;
        if !route.secret {
            add(&bytes);
        }
        Body::from(bytes)
    };
    let digest = hasher.finalize().to_hex().to_string();
    Ok((Request::from_parts(parts, body), digest))
}

async fn read(body: Body) -> Result<Bytes, Answer> {
    to_bytes(body, BODY_BYTES).await.map_err(|error| {
        let title = "The request's body cannot be read";
        Answer(
            Problem::new(Refusal::BodyTooLarge)
                .titled(title)
                .why(error.to_string())
                .advice(format!("send at most {BODY_BYTES} bytes")),
        )
    })
}

/// The response with what is to be kept of it, for whoever records how the request ended.
async fn with_answer(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let text = |name| {
        let value = parts
            .headers
            .get(name)
            .and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let body = match to_bytes(body, usize::MAX).await {
        Ok(body) => body,
        Err(error) => {
            tracing::warn!(%error, "an answer could not be kept");
            return Response::from_parts(parts, Body::empty());
        }
    };
    let answer = KeptAnswer {
        status: parts.status.as_u16(),
        content_type: text(header::CONTENT_TYPE),
        etag: text(header::ETAG),
        body: body.clone(),
    };
    if answer.body.len() <= ANSWER_BYTES {
        parts.extensions.insert(answer);
    }
    Response::from_parts(parts, Body::from(body))
}

/// A kept answer, marked as such.
fn again(answer: KeptAnswer) -> Response {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or_default();
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, answer.content_type),
        (header::ETAG, answer.etag),
    ] {
        if let (Ok(value), false) = (HeaderValue::try_from(&value), value.is_empty()) {
            headers.insert(name, value);
        }
    }
    headers.insert("idempotency-replayed", HeaderValue::from_static("true"));
    response
}

fn running() -> Answer {
    Answer(
        Problem::new(Refusal::IdempotencyRequestRunning)
            .titled("The request is still running")
            .why("a request with this Idempotency-Key has not been answered yet"),
    )
}

fn reused() -> Answer {
    Answer(
        Problem::new(Refusal::IdempotencyKeyReused)
            .titled("The Idempotency-Key belongs to another request")
            .why("the key came before with another method, address or body"),
    )
}

/// The controller was stopped between change and answer, or the answer holds a secret.
fn lost(state: &ServerState, at: i64) -> Answer {
    let ago = (state.clock().now().as_microsecond() - at).max(0) / 1_000_000;
    Answer(
        Problem::new(Refusal::IdempotencyAnswerLost)
            .titled("The request was carried out, but its answer is not known")
            .why(format!(
                "the request was carried out {ago} s ago, but its answer was not kept"
            )),
    )
}
