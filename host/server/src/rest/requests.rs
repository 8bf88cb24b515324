//! What every request of a person passes on its way to the handler: conditions, and being
//! carried out once.
//!
//! Both are demands on the first write of the request; the store checks them in that write's own
//! transaction ([`periapt_store::Guard`]), so handlers know nothing of them.

use axum::extract::Request;
use axum::http::{Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use periapt_store::Guard;

use super::conditions;
use super::idempotency;
use super::problem::Answer;
use crate::access::Route;
use crate::identity::Identity;
use crate::state::ServerState;

/// Runs the handler under the request's demands.
pub(crate) async fn run(
    state: &ServerState,
    route: &'static Route,
    identity: &Identity,
    request: Request,
    next: Next,
) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let outcome = if reads {
        show(state, route, request, next).await
    } else {
        change(state, route, identity, request, next).await
    };
    outcome.unwrap_or_else(IntoResponse::into_response)
}

/// The version is read before what is shown: a tag may be too old, never too new.
async fn show(
    state: &ServerState,
    route: &Route,
    mut request: Request,
    next: Next,
) -> Result<Response, Answer> {
    let version = match conditions::definition(state, route.path, &mut request).await {
        Some(definition) => Some(state.store().version(&definition).await?),
        None => None,
    };
    let mut response = next.run(request).await;
    if let (Some(version), true) = (version, response.status().is_success()) {
        let headers = response.headers_mut();
        headers.insert(header::ETAG, conditions::tag(version));
    }
    Ok(response)
}

async fn change(
    state: &ServerState,
    route: &'static Route,
    identity: &Identity,
    mut request: Request,
    next: Next,
) -> Result<Response, Answer> {
    let expected = conditions::expected(request.headers())?;
    if expected.is_some() && !conditions::is_conditional(route.path) {
        return Err(conditions::not_conditional());
    }
    let definition = conditions::definition(state, route.path, &mut request).await;
    let shows = conditions::shows_definition(request.method(), route.path);
    let guard = Guard::new(definition, expected);
    let handle = move |request: Request, guard: Guard| async move {
        let mut response = guard.around(next.run(request)).await;
        if let (Some(version), true) = (guard.version(), shows && response.status().is_success()) {
            let headers = response.headers_mut();
            headers.insert(header::ETAG, conditions::tag(version));
        }
        response
    };
    match (idempotency::key(request.headers())?, identity) {
        (Some(key), Identity::User { name }) => {
            idempotency::once(state, route, name, key, request, guard, handle).await
        }
        _ => Ok(handle(request, guard).await),
    }
}
