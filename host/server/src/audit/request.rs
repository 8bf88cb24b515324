//! Requests of the HTTP API as audit records.

use std::net::IpAddr;

use axum::RequestExt;
use axum::extract::{RawPathParams, Request};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use periapt_model::{ModelUuid, Tag, UserName};
use periapt_wire::rest::AuditRecord;
use serde_json::Value;

use super::{Recorder, arguments};
use crate::access::Route;
use crate::authenticator::AuthError;
use crate::identity::Identity;
use crate::listener::Connection;
use crate::rest::requests;
use crate::state::ServerState;

/// Who sends a request that proves nothing and names nobody.
const ANONYMOUS: &str = "anonymous";

/// Lets a request through to its handler; one that may change something is recorded before its
/// answer goes out.
pub(crate) async fn around(
    state: &ServerState,
    identity: Option<&Identity>,
    route: &'static Route,
    mut request: Request,
    next: Next,
) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return handle(state, identity, route, request, next).await;
    }
    let recorder = state.audit();
    let capture = recorder.config().capture_args;
    let body = if capture || identity.is_none() {
        arguments::peek(&mut request).await
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
    let model = model_of(state, &mut request).await;
    let mut record = recorder.begin(who, peer(&request), model);
    record.what = format!("{} {}", route.method, route.path);
    record.target = request.uri().path().to_owned();
    if capture {
        record.arguments = arguments::of_request(request.uri().query(), body.as_ref());
    }
    let mut open = Open {
        recorder: recorder.clone(),
        record: Some(record),
    };
    let response = handle(state, identity, route, request, next).await;
    if let Some(mut record) = open.record.take() {
        record.result = response.status().as_u16().to_string();
        recorder.record(record).await;
    }
    response
}

/// The handler; under the demands of the request when somebody known makes it.
async fn handle(
    state: &ServerState,
    identity: Option<&Identity>,
    route: &'static Route,
    request: Request,
    next: Next,
) -> Response {
    match identity {
        Some(identity) => requests::run(state, route, identity, request, next).await,
        None => next.run(request).await,
    }
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
    if matches!(route.method, "GET" | "HEAD") {
        return;
    }
    let mut record = state.audit().begin(identity.to_string(), from, None);
    record.what = format!("{} {}", route.method, route.path);
    record.target = target.to_owned();
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

/// The model in the path, asked before the handler runs: afterwards it may be gone.
async fn model_of(state: &ServerState, request: &mut Request) -> Option<ModelUuid> {
    let params = request.extract_parts::<RawPathParams>().await.ok()?;
    let (_, named) = params.iter().find(|(key, _)| *key == "model")?;
    state.store().model_by_name_or_uuid(named).await.ok()
}

/// A request under way. One that is dropped (its client went away) may have changed something
/// all the same, so it is recorded too.
struct Open {
    recorder: Recorder,
    record: Option<AuditRecord>,
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(mut record) = self.record.take() {
            record.result = "interrupted".to_owned();
            let recorder = self.recorder.clone();
            tokio::spawn(async move { recorder.note(record).await });
        }
    }
}
