//! `Idempotency-Key`: a change that is asked for again is answered again and not made again.
//!
//! The key is written in the transaction of the first change, the answer after it. Between the
//! two the request runs in a task of its own, so that a client that went away finds its answer
//! when it comes back.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use periapt_model::UserName;
use periapt_store::{Guard, KeptAnswer, Remembered, RequestMark};
use periapt_wire::Problem;
use tracing::Instrument;

use super::BODY_BYTES;
use super::problem::Answer;
use crate::access::Route;
use crate::state::ServerState;

/// Longer keys are refused.
const KEY_BYTES: usize = 255;

/// Larger answers are not kept.
const ANSWER_BYTES: usize = 1 << 20;

/// Requests whose bodies or answers hold a secret: the body is no part of their digest, and the
/// answer is not kept.
const SECRET: &[&str] = &[
    "/v1/users",
    "/v1/users/{user}/password",
    "/v1/users/{user}/registration",
    "/v1/users/{user}/tokens",
    "/v1/login",
    "/v1/register",
    "/v1/session",
];

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
pub(super) fn key(headers: &HeaderMap) -> Result<Option<String>, Answer> {
    let Some(value) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default();
    let sound = (1..=KEY_BYTES).contains(&text.len()) && text.chars().all(|c| c.is_ascii_graphic());
    if sound {
        return Ok(Some(text.to_owned()));
    }
    Err(Answer(
        Problem::new(
            400,
            "idempotency-key-invalid",
            "The Idempotency-Key cannot be used",
        )
        .why(format!(
            "a key is 1 to {KEY_BYTES} printable characters without spaces"
        ))
        .advice("send a fresh UUID with each new request, and the same with a repetition"),
    ))
}

/// Carries the request out unless that was done; its answer, or that of the first time.
pub(super) async fn once<H, F>(
    state: &ServerState,
    route: &'static Route,
    account: &UserName,
    key: String,
    request: Request,
    guard: Guard,
    handle: H,
) -> Result<Response, Answer>
where
    H: FnOnce(Request, Guard) -> F + Send + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let secret = SECRET.contains(&route.path);
    let (request, digest) = digest(route, request, secret).await?;
    let mark = RequestMark {
        account: account.to_string(),
        key,
        request: digest,
    };
    let claim = state
        .running()
        .claim(account, &mark.key)
        .ok_or_else(running)?;
    match state.store().remembered(&mark).await? {
        Remembered::Nothing => {}
        Remembered::Other => return Err(reused()),
        Remembered::Unanswered { at } => return Err(lost(state, at)),
        Remembered::Answered(answer) => return Ok(again(answer)),
    }
    let guard = guard.once(mark.clone());
    let task = {
        let state = state.clone();
        async move {
            let _claim = claim;
            let response = handle(request, guard.clone()).await;
            if guard.written() && !secret {
                keep(&state, &mark, response).await
            } else {
                response
            }
        }
    };
    let running = state.tracker().spawn(task.in_current_span());
    running
        .await
        .map_err(|_| Answer(Problem::new(500, "internal-error", "The controller failed")))
}

/// The request again with the digest of what it asks for. Bodies of uploads are not read for
/// it: their length and the digest that the client sends stand for them.
async fn digest(
    route: &Route,
    request: Request,
    secret: bool,
) -> Result<(Request, String), Answer> {
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
    let upload = parts.method == Method::POST && route.path.ends_with("/charms");
    let body = if upload {
        body
    } else {
        let bytes = read(body).await?;
        if !secret {
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
            Problem::new(413, "body-too-large", title)
                .why(error.to_string())
                .advice(format!("send at most {BODY_BYTES} bytes")),
        )
    })
}

/// Keeps the answer; a failure to do so is no failure of the request.
async fn keep(state: &ServerState, mark: &RequestMark, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let text = |name| {
        let value = parts
            .headers
            .get(name)
            .and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let body = match to_bytes(body, ANSWER_BYTES).await {
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
    if let Err(error) = state.store().keep_answer(mark, answer).await {
        tracing::warn!(%error, "an answer could not be kept");
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
        Problem::new(
            409,
            "idempotency-request-running",
            "The request is still running",
        )
        .why("a request with this Idempotency-Key has not been answered yet")
        .advice("ask again in a moment, with the same key"),
    )
}

fn reused() -> Answer {
    Answer(
        Problem::new(
            422,
            "idempotency-key-reused",
            "The Idempotency-Key belongs to another request",
        )
        .why("the key came before with another method, address or body")
        .advice("send a fresh key with each new request"),
    )
}

/// The controller was stopped between change and answer, or the answer holds a secret.
fn lost(state: &ServerState, at: i64) -> Answer {
    let ago = (state.clock().now().as_microsecond() - at).max(0) / 1_000_000;
    Answer(
        Problem::new(
            409,
            "idempotency-answer-lost",
            "The request was carried out, its answer is not known",
        )
        .why(format!(
            "what the request asked for was done {ago} s ago; its answer was not kept"
        ))
        .advice("look at the result; do not send the request again with another key"),
    )
}
