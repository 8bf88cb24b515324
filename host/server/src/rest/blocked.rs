//! The layer that holds back what people disabled in a model (`periapt_model::block`). What kind of change a
//! request makes is said by its route's row, so no handler knows of blocks, and none can forget them.
//!
//! It asks just before the handler runs, behind `Idempotency-Key`: a change that was made before the block
//! came is answered again. That is one reading of three rows at most, and before the transaction of the
//! change, not within: a change that was let through as a block came may land right after it. A block
//! keeps people from a mistake; it orders nothing among changes that are made at once.
//!
//! People alone are held back. Agents change what they do through their facades, where this layer is not.

use axum::extract::{Query, Request, State};
use axum::http::Uri;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use periapt_model::block::Change;
use periapt_model::{ModelUuid, Refusal};
use periapt_store::StoreError;
use periapt_wire::Problem;
use periapt_wire::rest::BlockInfo;

use super::At;
use super::extract::Force;
use super::gate::Admitted;
use super::problem::Answer;
use super::route::Route;
use crate::identity::Identity;
use crate::state::ServerState;

/// Lets through what no block of its model holds back.
pub(super) async fn check(
    State((state, route)): State<At>,
    request: Request,
    next: Next,
) -> Response {
    let asked = asked(route, &request);
    if let Some((model, change)) = asked
        && let Err(answer) = allow(&state, &model, change).await
    {
        return answer.into_response();
    }
    next.run(request).await
}

/// The change that a person asks for, if a block may hold it back, and in which model.
fn asked(route: &Route, request: &Request) -> Option<(ModelUuid, Change)> {
    let change = route.change?;
    if change.can_be_forced() && is_forced(request.uri()) {
        return None;
    }
    let extensions = request.extensions();
    let Identity::User { .. } = extensions.get::<Identity>()? else {
        return None;
    };
    let Admitted(model) = extensions.get()?;
    Some((model.clone(), change))
}

/// What cannot be read is the handler's to refuse.
fn is_forced(uri: &Uri) -> bool {
    Query::<Force>::try_from_uri(uri).is_ok_and(|Query(query)| query.force)
}

pub(super) async fn allow(
    state: &ServerState,
    model: &ModelUuid,
    change: Change,
) -> Result<(), Answer> {
    let held: Result<_, StoreError> = state.store().block_of(model, change).await;
    match held? {
        None => Ok(()),
        Some(block) => Err(refused(&block, change)),
    }
}

fn refused(BlockInfo { kind, message }: &BlockInfo, change: Change) -> Answer {
    let mut why = format!("{kind} is disabled in this model");
    if !message.is_empty() {
        why = format!("{why}: {message}");
    }
    let force = match change.can_be_forced() {
        true => "; --force removes it anyway",
        false => "",
    };
    let advice = format!(
        "`periapt disabled-commands` shows what is disabled; an admin of the model can enable it: `periapt enable-command {kind}`{force}"
    );
    let problem = Problem::new(Refusal::OperationBlocked);
    Answer(problem.why(why).advice(advice))
}

#[cfg(test)]
mod tests {
    use periapt_model::block::BlockKind;

    use super::*;

    #[test]
    fn who_is_refused_is_told_why_and_what_to_do() {
        let block = |message: &str| BlockInfo {
            kind: BlockKind::RemoveObject,
            message: message.to_owned(),
        };
        let Answer(problem) = refused(&block("ask Ann first"), Change::RemoveObject);
        assert_eq!(
            (problem.status, problem.code.as_str()),
            (409, "operation-blocked")
        );
        assert_eq!(
            problem.detail,
            "remove-object is disabled in this model: ask Ann first"
        );
        assert!(problem.advice.contains("enable-command remove-object"));
        assert!(problem.advice.contains("--force"));
        let Answer(problem) = refused(&block(""), Change::DestroyModel);
        assert_eq!(problem.detail, "remove-object is disabled in this model");
        assert!(!problem.advice.contains("--force"));
    }

    #[test]
    fn a_flag_forces_as_handlers_read_it() {
        for (query, forced) in [
            ("", false),
            ("?force", true),
            ("?force=true&timeout-ms=0", true),
            ("?force=false", false),
            ("?force=perhaps", false),
        ] {
            let uri: Uri = format!("/v1/models/shop/units/site/0{query}")
                .parse()
                .unwrap();
            assert_eq!(is_forced(&uri), forced, "{query}");
        }
    }
}
