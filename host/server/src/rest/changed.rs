//! The answer to a change: what the request's one write returned.
//!
//! A handler that answers through here has its answer made in the transaction of that write, so that
//! change, kept answer and audit row are one commit. Whoever answers in another way, or writes more than
//! once, is answered as well; what the request came to is then a commit of its own.

use axum::Json;
use periapt_store::{Guard, KeptAnswer, StoreError};
use periapt_wire::rpc::Empty;
use serde::Serialize;

use super::idempotency::ANSWER_BYTES;
use super::problem::Answer;
use super::success;

/// What the write returns is the answer.
pub(super) async fn changed<T: Serialize + 'static, E>(
    write: impl Future<Output = Result<T, E>>,
) -> Result<Json<T>, Answer>
where
    Answer: From<E>,
{
    let status = success::status();
    let keep = move |written: &T| kept(status, written);
    Ok(Json(Guard::answering(keep, write).await?))
}

/// What the write returns is made the answer.
pub(super) async fn changed_to<T: 'static, A: Serialize, E>(
    write: impl Future<Output = Result<T, E>>,
    answer: impl Fn(&T) -> A + Clone + Send + Sync + 'static,
) -> Result<Json<A>, Answer>
where
    Answer: From<E>,
{
    let (_, answer) = written(write, answer).await?;
    Ok(answer)
}

/// The same, with what the write returned, for what else is said than the answer's body.
pub(super) async fn written<T: 'static, A: Serialize, E>(
    write: impl Future<Output = Result<T, E>>,
    answer: impl Fn(&T) -> A + Clone + Send + Sync + 'static,
) -> Result<(T, Json<A>), Answer>
where
    Answer: From<E>,
{
    let inside = answer.clone();
    let status = success::status();
    let keep = move |written: &T| kept(status, &inside(written));
    let written = Guard::answering(keep, write).await?;
    let answer = Json(answer(&written));
    Ok((written, answer))
}

/// There is nothing to say but that it is done.
pub(super) async fn done(
    write: impl Future<Output = Result<(), StoreError>>,
) -> Result<Json<Empty>, Answer> {
    changed_to(write, |()| Empty {}).await
}

/// As [`Json`] answers; none when there is no keeping it.
fn kept<T: Serialize>(status: u16, answer: &T) -> Option<KeptAnswer> {
    let body = serde_json::to_vec(answer).ok()?;
    (body.len() <= ANSWER_BYTES).then(|| KeptAnswer {
        status,
        content_type: "application/json".to_owned(),
        etag: String::new(),
        body: body.into(),
    })
}
