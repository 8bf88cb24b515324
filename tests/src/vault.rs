//! A Vault as far as a controller asks one: keys and values of version 2 under `secret`, and tokens. It
//! listens on this machine, and goes and comes back with what it has.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::lasting_port;

/// The first token.
const TOKEN: &str = "hvs.first-token-of-the-test";

const HEADER: &str = "x-vault-token";

/// What it keeps, also while it does not answer.
#[derive(Default)]
struct Kept {
    tokens: Vec<String>,
    made: u32,
    sealed: bool,
    /// How long an answer takes.
    takes: Duration,
    contents: BTreeMap<String, Vec<Value>>,
}

type Shared = Arc<Mutex<Kept>>;

fn locked(kept: &Shared) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

pub struct Vault {
    kept: Shared,
    port: u16,
    /// All its connections go with it.
    runtime: Option<Runtime>,
}

impl Vault {
    pub fn started() -> Result<Self> {
        let kept = Kept {
            tokens: vec![TOKEN.to_owned()],
            ..Kept::default()
        };
        let mut vault = Self {
            kept: Arc::new(Mutex::new(kept)),
            port: lasting_port()?,
            runtime: None,
        };
        vault.start()?;
        Ok(vault)
    }

    /// Answers from now on, where it did before.
    pub fn start(&mut self) -> Result<()> {
        let runtime = Runtime::new()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)))?;
        let routes = routes(&self.kept);
        runtime.spawn(async move { axum::serve(listener, routes).await });
        self.runtime = Some(runtime);
        Ok(())
    }

    /// Nobody listens any more, and connections end.
    pub fn stop(&mut self) {
        self.runtime = None;
    }

    /// Answers that it is sealed, as one does that was started anew.
    pub fn seal(&self, sealed: bool) {
        locked(&self.kept).sealed = sealed;
    }

    /// Takes so long for each answer.
    pub fn slow_down(&self, takes: Duration) {
        locked(&self.kept).takes = takes;
    }

    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Tokens that are good, the oldest first.
    pub fn tokens(&self) -> Vec<String> {
        locked(&self.kept).tokens.clone()
    }

    /// How many texts of secrets are in it.
    pub fn contents(&self) -> usize {
        locked(&self.kept).contents.len()
    }

    /// Whether this is a value of what is in it.
    pub fn has(&self, value: &str) -> bool {
        let kept = locked(&self.kept);
        let versions = kept.contents.values().flatten();
        let mut values = versions.filter_map(Value::as_object).flatten();
        values.any(|(_, one)| one == value)
    }
}

fn routes(kept: &Shared) -> Router {
    let with_token = Router::new()
        .route("/v1/secret/data/{*path}", post(write).get(read))
        .route("/v1/secret/metadata/{*path}", delete(forget))
        .route("/v1/auth/token/create", post(create))
        .route("/v1/auth/token/revoke-self", post(revoke_self))
        .route("/v1/auth/token/lookup-self", get(lookup_self))
        .layer(from_fn_with_state(kept.clone(), require_token));
    Router::new()
        .route("/v1/sys/health", get(health))
        .merge(with_token)
        .with_state(kept.clone())
}

fn errors(status: StatusCode, said: &[&str]) -> Response {
    (status, Json(json!({ "errors": said }))).into_response()
}

fn token(headers: &HeaderMap) -> &str {
    let token = headers.get(HEADER);
    token
        .and_then(|token| token.to_str().ok())
        .unwrap_or_default()
}

async fn require_token(State(kept): State<Shared>, request: Request, next: Next) -> Response {
    let (sealed, known, takes) = {
        let kept = locked(&kept);
        let given = token(request.headers());
        let known = kept.tokens.iter().any(|token| token == given);
        (kept.sealed, known, kept.takes)
    };
    tokio::time::sleep(takes).await;
    match (sealed, known) {
        (true, _) => errors(StatusCode::SERVICE_UNAVAILABLE, &["Vault is sealed"]),
        (false, false) => errors(StatusCode::FORBIDDEN, &["permission denied"]),
        (false, true) => next.run(request).await,
    }
}

async fn health(State(kept): State<Shared>) -> Response {
    let sealed = locked(&kept).sealed;
    let status = match sealed {
        true => StatusCode::SERVICE_UNAVAILABLE,
        false => StatusCode::OK,
    };
    let body = json!({ "initialized": true, "sealed": sealed, "standby": false });
    (status, Json(body)).into_response()
}

async fn write(
    State(kept): State<Shared>,
    Path(path): Path<String>,
    Json(body): Json<Value>,
) -> Response {
    if !body["data"].is_object() {
        return errors(StatusCode::BAD_REQUEST, &["no data provided"]);
    }
    let mut kept = locked(&kept);
    let versions = kept.contents.entry(path).or_default();
    versions.push(body["data"].clone());
    Json(json!({ "data": { "version": versions.len(), "destroyed": false } })).into_response()
}

async fn read(State(kept): State<Shared>, Path(path): Path<String>) -> Response {
    let kept = locked(&kept);
    let versions = kept.contents.get(&path);
    let Some((newest, version)) = versions.and_then(|all| Some((all.last()?, all.len()))) else {
        return errors(StatusCode::NOT_FOUND, &[]);
    };
    let body = json!({ "data": { "data": newest, "metadata": { "version": version } } });
    Json(body).into_response()
}

async fn forget(State(kept): State<Shared>, Path(path): Path<String>) -> StatusCode {
    locked(&kept).contents.remove(&path);
    StatusCode::NO_CONTENT
}

async fn create(State(kept): State<Shared>, Json(body): Json<Value>) -> Response {
    let mut kept = locked(&kept);
    kept.made += 1;
    let made = format!("hvs.made-token-{}", kept.made);
    kept.tokens.push(made.clone());
    let orphan = body["no_parent"] == true;
    Json(json!({ "auth": { "client_token": made, "orphan": orphan, "renewable": true } }))
        .into_response()
}

async fn revoke_self(State(kept): State<Shared>, headers: HeaderMap) -> StatusCode {
    let given = token(&headers).to_owned();
    locked(&kept).tokens.retain(|token| *token != given);
    StatusCode::NO_CONTENT
}

async fn lookup_self() -> Response {
    Json(json!({ "data": { "path": "auth/token/root", "orphan": true } })).into_response()
}
