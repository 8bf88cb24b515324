//! The gate before every handler: who is it, may that one pass, and a line in the audit log for
//! what changes something.

use axum::RequestExt;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::problem::{Answer, forbidden};
use crate::access::{Route, Visitor};
use crate::identity::Identity;
use crate::listener::Connection;
use crate::state::ServerState;

/// Lets a request through to its handler with the identity in its extensions.
pub(super) async fn admit(
    State((state, route)): State<(ServerState, &'static Route)>,
    mut request: Request,
    next: Next,
) -> Response {
    if route.visitor == Visitor::Anyone {
        return next.run(request).await;
    }
    let header = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    let peer = request
        .extensions()
        .get::<Connection>()
        .map(|connection| connection.peer.ip());
    let identity = match state
        .authenticator()
        .header(header.as_deref(), peer)
        .await
        .map_err(Answer::from)
    {
        Ok(identity) => identity,
        Err(answer) => return answer.into_response(),
    };
    if let Err(answer) = may_pass(&state, route, &identity, &mut request).await {
        return answer.into_response();
    }
    request.extensions_mut().insert(identity.clone());
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let response = super::requests::run(&state, route, &identity, request, next).await;
    if !matches!(method, Method::GET | Method::HEAD) {
        let result = response.status().as_u16();
        tracing::info!(target: "audit", who = %identity, method = format!("{method} {}", route.path), entity = path, result, "request");
    }
    response
}

async fn may_pass(
    state: &ServerState,
    route: &Route,
    identity: &Identity,
    request: &mut Request,
) -> Result<(), Answer> {
    match (route.visitor, identity) {
        (Visitor::Anyone, _) | (Visitor::User, Identity::User { .. }) => Ok(()),
        (Visitor::AgentOfModel, Identity::Agent { model }) => {
            let params = request
                .extract_parts::<RawPathParams>()
                .await
                .map_err(|_| forbidden())?;
            let named = params
                .iter()
                .find(|(key, _)| *key == "model")
                .map(|(_, value)| value);
            let named = state
                .store()
                .model_by_name_or_uuid(named.unwrap_or_default())
                .await
                .map_err(|_| forbidden())?;
            if named == *model {
                Ok(())
            } else {
                Err(forbidden())
            }
        }
        _ => Err(forbidden()),
    }
}
