//! Requests of the HTTP API as audit records.

use std::collections::BTreeMap;
use std::net::IpAddr;

use axum::extract::{Query, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use periapt_model::{Tag, UserName};
use periapt_store::KeptAnswer;
use periapt_wire::rest::{AuditKind, AuditRecord, paths};
use serde_json::Value;
use tracing::Instrument;

use super::{arguments, words};
use crate::authenticator::AuthError;
use crate::identity::Identity;
use crate::listener::Connection;
use crate::rest::problem::failed;
use crate::rest::{Admitted, At, Route};
use crate::state::ServerState;

/// Who sends a request that proves nothing and names nobody.
const ANONYMOUS: &str = "anonymous";

/// Records a request that may change something before its answer goes out. One of somebody known is
/// carried out in a task of its own, so that it comes to its end, and its record to its result, even if
/// its client goes away. Others leave a record with what they change.
pub(crate) async fn record(
    State((state, route)): State<At>,
    request: Request,
    next: Next,
) -> Response {
    if !route.changes() {
        return next.run(request).await;
    }
    if request.extensions().get::<Identity>().is_none() {
        return recorded(state, route, request, next).await;
    }
    let request = recorded(state.clone(), route, request, next);
    let running = state.tracker().spawn(request.in_current_span());
    running.await.unwrap_or_else(|_| failed().into_response())
}

async fn recorded(
    state: ServerState,
    route: &'static Route,
    mut request: Request,
    next: Next,
) -> Response {
    let mut record = begin(&state, route, &mut request).await;
    let guard = state.store().recording(record.clone());
    request.extensions_mut().insert(guard.clone());
    let mut response = guard.around(next.run(request)).await;
    record.result = response.status().as_u16().to_string();
    let answer = response.extensions_mut().remove::<KeptAnswer>();
    state.audit().end(record, &guard, answer).await;
    response
}

async fn begin(state: &ServerState, route: &Route, request: &mut Request) -> AuditRecord {
    let recorder = state.audit();
    let capture = recorder.config().capture_args;
    let identity = request.extensions().get::<Identity>().cloned();
    let body = if capture || identity.is_none() || words::reads_body(route) {
        arguments::peek(request).await
    } else {
        None
    };
    let who = match identity {
        Some(identity) => identity.to_string(),
        None => claimed(
            body.as_ref()
                .and_then(|body| body.get("user"))
                .and_then(Value::as_str),
        ),
    };
    // Known before the handler runs: afterwards it may be gone.
    let model = request.extensions().get::<Admitted>();
    let model = model.map(|Admitted(model)| model.clone());
    let mut record = recorder.begin(who, peer(request), model);
    record.what = format!("{} {}", route.method, route.path);
    record.target = request.uri().path().to_owned();
    let members = match route.path == paths::CHARMS.text {
        true => of_query(request),
        false => None,
    };
    let members = members.as_ref().or(body.as_ref());
    words::of_request(route, &record.target, members).tell(&mut record);
    if capture {
        let body = match route.secret {
            true => body.map(arguments::flat),
            false => body,
        };
        record.arguments = arguments::of_request(request.uri().query(), body.as_ref());
    }
    record
}

/// What a query says, by name. That of an upload names its file, whose bytes are not read for the words.
fn of_query(request: &Request) -> Option<Value> {
    let Query(members) = Query::<BTreeMap<String, String>>::try_from_uri(request.uri()).ok()?;
    let members = members.into_iter();
    let members = members.map(|(name, value)| (name, Value::String(value)));
    Some(Value::Object(members.collect()))
}

/// Records credentials that were refused. Nothing is recorded of requests without credentials,
/// which claim nothing, and of those that are told to slow down, so that guessing cannot flood
/// the log.
pub(crate) async fn refused(
    state: &ServerState,
    what: &str,
    target: &str,
    claim: Option<&str>,
    from: Option<IpAddr>,
    error: &AuthError,
) {
    let result = match error {
        AuthError::Invalid => "credentials-invalid",
        AuthError::Disabled => "account-disabled",
        AuthError::Token => "token-invalid",
        _ => return,
    };
    let mut record = state.audit().begin(claimed(claim), from, None);
    record.what = what.to_owned();
    record.target = target.to_owned();
    record.result = result.to_owned();
    record.kind = AuditKind::SignIn;
    record.verb = "could not sign in".to_owned();
    state.audit().record(record).await;
}

/// Records a request that would change something and that its sender may not make.
pub(crate) async fn forbidden(
    state: &ServerState,
    identity: &Identity,
    route: &Route,
    target: &str,
    from: Option<IpAddr>,
    status: u16,
) {
    if !route.changes() {
        return;
    }
    let mut record = state.audit().begin(identity.to_string(), from, None);
    record.what = format!("{} {}", route.method, route.path);
    record.target = target.to_owned();
    words::of_request(route, target, None).tell(&mut record);
    record.result = status.to_string();
    state.audit().record(record).await;
}

/// The name in an `Authorization: Basic` header.
pub(crate) fn basic_name(header: Option<&str>) -> Option<String> {
    let (scheme, rest) = header?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(BASE64_STANDARD.decode(rest.trim()).ok()?).ok()?;
    Some(decoded.split_once(':')?.0.to_owned())
}

/// A tag for a name that somebody claims. What could be no name at all is not repeated.
fn claimed(name: Option<&str>) -> String {
    let Some(name) = name else {
        return ANONYMOUS.to_owned();
    };
    match (name.parse::<Tag>(), name.parse::<UserName>()) {
        (Ok(tag @ (Tag::User(_) | Tag::Agent(..))), _) => tag.to_string(),
        (_, Ok(user)) => Tag::User(user).to_string(),
        _ => ANONYMOUS.to_owned(),
    }
}

fn peer(request: &Request) -> Option<IpAddr> {
    request
        .extensions()
        .get::<Connection>()
        .map(|connection| connection.peer.ip())
}
