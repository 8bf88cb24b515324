//! Errors over HTTP: every one is a `Problem`, made of a [`Refusal`] and the reason.

use axum::extract::rejection::{BytesRejection, JsonRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use periapt_model::bounds::Bound;
use periapt_model::refusal::Subject;
use periapt_model::{NameError, Refusal};
use periapt_store::{DatabaseError, StoreError};
use periapt_wire::Problem;

use super::unread::in_words;
use crate::access::Denial;
use crate::authenticator::{AuthError, wait_seconds};
use crate::charms::CharmError;
use crate::error::told;
use crate::listener::{BodyError, Crowded};
use crate::rpc::RpcError;
use crate::upgrade::UpgradeProgress;

#[cfg(test)]
mod tests;

/// A problem as a response.
#[derive(Clone, Debug)]
pub struct Answer(pub Problem);

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self.0).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        // Not Basic: a browser would ask for the password, keep it, and send it along with what
        // the pages of others make it send.
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.0.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl From<DatabaseError> for Answer {
    fn from(error: DatabaseError) -> Self {
        StoreError::from(error).into()
    }
}

impl From<StoreError> for Answer {
    fn from(error: StoreError) -> Self {
        let refusal = error.refusal();
        if refusal.status() >= 500 {
            tracing::error!(%error, "the store failed a request");
        }
        let mut problem = Problem::new(refusal).why(told(&error));
        problem.retry_after = error.retry_after().map(|wait| wait.as_secs().max(1));
        Answer(problem)
    }
}

impl From<RpcError> for Answer {
    fn from(error: RpcError) -> Self {
        Answer(Problem::new(error.refusal).why(error.message))
    }
}

impl From<NameError> for Answer {
    fn from(error: NameError) -> Self {
        Answer(Problem::new(error.refusal()).why(error.to_string()))
    }
}

impl From<AuthError> for Answer {
    fn from(error: AuthError) -> Self {
        let (refusal, wait) = match &error {
            AuthError::Store(error) => return error.clone().into(),
            AuthError::Missing => (Refusal::CredentialsMissing, None),
            AuthError::Invalid | AuthError::Repeated => (Refusal::CredentialsInvalid, None),
            AuthError::Disabled => (Refusal::AccountDisabled, None),
            AuthError::Token => (Refusal::TokenInvalid, None),
            AuthError::Throttled(wait) => (Refusal::LoginsThrottled, Some(wait)),
        };
        let mut problem = Problem::new(refusal).why(error.to_string());
        problem.retry_after = wait.map(|wait| wait_seconds(wait).max(1));
        Answer(problem)
    }
}

impl From<Denial> for Answer {
    fn from(denial: Denial) -> Self {
        match denial {
            Denial::Account => AuthError::Token.into(),
            // To the letter what is said of a model that does not exist.
            Denial::Model(name) => StoreError::NotFound {
                kind: Subject::Model,
                name,
            }
            .into(),
            Denial::Forbidden => forbidden(),
            Denial::Store(error) => error.into(),
        }
    }
}

impl From<CharmError> for Answer {
    fn from(error: CharmError) -> Self {
        match error {
            CharmError::Store(error) => error.into(),
            error => Answer(
                Problem::new(error.refusal())
                    .titled("The charm was refused")
                    .why(error.to_string()),
            ),
        }
    }
}

impl From<JsonRejection> for Answer {
    fn from(rejection: JsonRejection) -> Self {
        let refusal = match rejection.status().as_u16() {
            413 => Refusal::BodyTooLarge,
            415 => Refusal::BodyNotJson,
            _ => Refusal::BodyInvalid,
        };
        Answer(
            Problem::new(refusal)
                .titled("The request's body cannot be read")
                .why(in_words(&rejection.body_text())),
        )
    }
}

impl From<BytesRejection> for Answer {
    fn from(rejection: BytesRejection) -> Self {
        if BodyError::is_slow(&rejection) {
            return too_slow();
        }
        let refusal = match rejection.status().as_u16() {
            413 => Refusal::BodyTooLarge,
            _ => Refusal::BodyInvalid,
        };
        Answer(
            Problem::new(refusal)
                .titled("The request's body cannot be read")
                .why(rejection.body_text()),
        )
    }
}

/// A body that comes more slowly than the listener waits.
pub(super) fn too_slow() -> Answer {
    Answer(
        Problem::new(Refusal::BodyTooSlow)
            .titled("The request's body did not come in time")
            .why("no data arrived for too long"),
    )
}

/// Not before the controller's new version has set itself up.
pub(crate) fn upgrading(progress: &UpgradeProgress) -> Answer {
    let mut problem = Problem::new(Refusal::UpgradeInProgress).why(progress.to_string());
    problem.retry_after = Some(5);
    Answer(problem)
}

/// An account has its share of connections.
pub(crate) fn crowded(why: Crowded) -> Answer {
    let mut problem = Problem::new(Refusal::ConnectionsExceeded).why(why.to_string());
    problem.retry_after = Some(1);
    Answer(problem)
}

/// A share of memory or disk is used up for now.
pub(super) fn busy(bound: Bound) -> Answer {
    let Bound { of, most, unit, .. } = bound;
    let mut problem = Problem::new(Refusal::ShareExceeded)
        .why(format!("at most {most} {unit} of {of} are allowed at once"));
    problem.retry_after = Some(1);
    Answer(problem)
}

impl From<QueryRejection> for Answer {
    fn from(rejection: QueryRejection) -> Self {
        Answer(
            Problem::new(Refusal::QueryInvalid)
                .titled("The request's query cannot be read")
                .why(in_words(&rejection.body_text())),
        )
    }
}

/// Known, but not for this caller.
pub(crate) fn forbidden() -> Answer {
    Answer(Problem::new(Refusal::Forbidden).why("you do not have access to this address"))
}

/// A defect of the controller.
pub(crate) fn failed() -> Answer {
    Answer(Problem::new(Refusal::InternalError))
}

/// A browser's request that may not be its user's doing.
pub(crate) fn forged(refusal: Refusal, why: &str) -> Answer {
    Answer(Problem::new(refusal).why(why))
}
