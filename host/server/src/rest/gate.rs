//! The gate before every handler: who is it, and may that one pass.
//!
//! A browser sends a session's cookie along with whatever request a page makes it send. So one that
//! changes something also repeats what only the controller's own page can know.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum_extra::extract::CookieJar;
use periapt_model::{ModelUuid, Refusal};
use periapt_store::{Interest, KnownToken, StoreError, TokenKind, namespace};

use super::At;
use super::arrival::path_invalid;
use super::problem::{Answer, crowded, forged};
use super::route::Route;
use crate::access::{Named, Visitor, decide};
use crate::audit;
use crate::authenticator::{AuthError, Caller, Proof};
use crate::identity::Identity;
use crate::listener::Connection;
use crate::state::ServerState;

/// The cookie of a session. Browsers keep the promise of the prefix: from this host, over TLS,
/// for all paths.
pub(super) const COOKIE: &str = "__Host-periapt-session";
/// The header that repeats the session's secret.
const CSRF: &str = "x-periapt-csrf";

/// The model of the path, which the visitor may use in the way of the route.
#[derive(Clone)]
pub(crate) struct Admitted(pub ModelUuid);

/// The token or session that a request was made with.
#[derive(Clone)]
pub(super) struct Credential(pub KnownToken);

/// What a request was let in with, to be looked at again while its answer goes on.
#[derive(Clone)]
pub(super) struct Pass {
    visitor: Visitor,
    identity: Identity,
    token: Option<String>,
    named: Named,
}

/// Lets a request of somebody who may make it through, with the identity in its extensions.
pub(super) async fn admit(
    State((state, route)): State<At>,
    mut request: Request,
    next: Next,
) -> Response {
    if route.visitor == Visitor::Anyone {
        return next.run(request).await;
    }
    let identity = match let_in(&state, route, &mut request).await {
        Ok(identity) => identity,
        Err(answer) => return answer.into_response(),
    };
    let mut response = next.run(request).await;
    // For the observer outside of this gate.
    response.extensions_mut().insert(identity);
    response
}

async fn let_in(
    state: &ServerState,
    route: &'static Route,
    request: &mut Request,
) -> Result<Identity, Answer> {
    let shown = Shown::read(request);
    let (peer, target) = (shown.caller.peer, request.uri().path().to_owned());
    let claim = audit::basic_name(
        shown
            .authorization
            .as_ref()
            .and_then(|value| value.to_str().ok()),
    );
    let Proof { identity, token } = match shown.prove(state).await {
        Ok(proof) => proof,
        Err(Refused::Unproven(error)) => {
            let what = format!("{} {}", route.method, route.path);
            audit::refused(state, &what, &target, claim.as_deref(), peer, &error).await;
            return Err(error.into());
        }
        Err(Refused::Forged(answer)) => return Err(answer),
    };
    let extensions = request.extensions_mut();
    let named = extensions
        .get::<Named>()
        .cloned()
        .ok_or_else(path_invalid)?;
    let admitted = match decide(state.store(), route.visitor, &identity, &named).await {
        Ok(admitted) => admitted,
        Err(refused) => {
            let answer = Answer::from(refused);
            audit::forbidden(state, &identity, route, &target, peer, answer.0.status).await;
            return Err(answer);
        }
    };
    if let Some(connection) = extensions.get::<Connection>() {
        connection.prove(&identity).map_err(crowded)?;
    }
    let model = match (admitted, named.get("model")) {
        (None, "") => None,
        // One that is not there is the handler's to refuse.
        (None, model) => match state.store().model_by_name_or_uuid(model).await {
            Err(StoreError::NotFound { .. }) => None,
            found => Some(found?),
        },
        (admitted, _) => admitted,
    };
    extensions.insert(identity.clone());
    extensions.insert(Pass {
        visitor: route.visitor,
        identity: identity.clone(),
        token: token.as_ref().map(|token| token.id.clone()),
        named,
    });
    if let Some(model) = model {
        state.note_visit(&identity, &model);
        extensions.insert(Admitted(model));
    }
    if let Some(token) = token {
        extensions.insert(Credential(token));
    }
    Ok(identity)
}

/// Why a request's credential is not taken.
enum Refused {
    Unproven(AuthError),
    /// A cookie without its guards.
    Forged(Answer),
}

impl From<AuthError> for Refused {
    fn from(error: AuthError) -> Self {
        Refused::Unproven(error)
    }
}

impl From<Answer> for Refused {
    fn from(answer: Answer) -> Self {
        Refused::Forged(answer)
    }
}

/// The credential of a request, and the guards that a cookie needs.
struct Shown {
    authorization: Option<HeaderValue>,
    cookie: Option<String>,
    csrf: Option<HeaderValue>,
    safe: bool,
    caller: Caller,
}

impl Shown {
    fn read(request: &Request) -> Self {
        let (method, headers) = (request.method(), request.headers());
        Self {
            authorization: headers.get(header::AUTHORIZATION).cloned(),
            cookie: session_cookie(headers),
            csrf: headers.get(CSRF).cloned(),
            safe: method.is_safe(),
            caller: Caller::new(request.extensions().get(), headers),
        }
    }

    /// The header if there is one, else the cookie with its guards.
    async fn prove(self, state: &ServerState) -> Result<Proof, Refused> {
        if let Some(value) = &self.authorization {
            let value = value.to_str().map_err(|_| AuthError::Missing)?;
            return Ok(state.authenticator().header(value, &self.caller).await?);
        }
        let secret = self.cookie.ok_or(AuthError::Missing)?;
        let proof = state.authenticator().cookie(&secret, &self.caller).await?;
        if let Some(session) = &proof.token
            && !self.safe
        {
            repeats(self.csrf.as_ref(), session)?;
        }
        Ok(proof)
    }
}

/// The secret in the session's cookie.
pub(super) fn session_cookie(headers: &HeaderMap) -> Option<String> {
    CookieJar::from_headers(headers)
        .get(COOKIE)
        .map(|cookie| cookie.value().to_owned())
}

/// Compared by digest, which takes the same time wherever the two differ.
fn repeats(csrf: Option<&HeaderValue>, session: &KnownToken) -> Result<(), Answer> {
    let Some(repeated) = csrf else {
        return Err(forged(
            Refusal::CsrfMissing,
            "a request that changes something with the session's cookie must repeat the session's csrf value",
        ));
    };
    let fits = session.kind == TokenKind::Session
        && !session.csrf.is_empty()
        && blake3::hash(repeated.as_bytes()) == blake3::hash(session.csrf.as_bytes());
    if fits {
        return Ok(());
    }
    Err(forged(
        Refusal::CsrfWrong,
        "the csrf value does not belong to the session",
    ))
}

impl Pass {
    /// Lets only those go on whom a route for `visitor` would let in: for what a request asks beyond its route.
    pub(super) async fn require(
        &self,
        state: &ServerState,
        visitor: Visitor,
    ) -> Result<(), Answer> {
        decide(state.store(), visitor, &self.identity, &self.named).await?;
        Ok(())
    }

    /// Waits until the visitor would not be let in again.
    pub(super) async fn expired(&self, state: &ServerState) {
        let Identity::User { name } = &self.identity else {
            return std::future::pending().await;
        };
        let interest = Interest::any_model().all(namespace::USER);
        let mut changes = state.store().changes().subscribe(interest);
        let about = |key: &str| {
            key.strip_prefix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // Once before waiting: something may have changed since the gate.
        while self.stands(state).await {
            loop {
                match changes.next().await {
                    Ok(batch) if batch.iter().any(|change| about(&change.key)) => break,
                    Ok(_) => {}
                    Err(_) => return,
                }
            }
        }
    }

    async fn stands(&self, state: &ServerState) -> bool {
        let token = match &self.token {
            Some(id) => state.store().token_stands(id).await.unwrap_or(false),
            None => true,
        };
        token
            && decide(state.store(), self.visitor, &self.identity, &self.named)
                .await
                .is_ok()
    }
}
