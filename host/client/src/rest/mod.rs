//! The HTTP API under `/v1`, one typed method for every row of `periapt_wire::rest`.
//!
//! `mod.rs` knows how a request travels (which address, which authority, who asks, how an error
//! looks) and `shapes.rs` what kinds of requests there are; the methods have a file for each
//! resource, and `lines.rs` reads answers that go on and on.
//!
//! A request moves on to the next address only when nothing of it was sent. A change carries a
//! key by which the controller knows it again, so one whose answer was lost with the connection
//! is sent once more, and made once.

mod accounts;
mod alerts;
mod annotations;
mod applications;
mod backups;
mod blocks;
mod bundles;
mod charms;
mod constraints;
mod controller;
mod events;
mod files;
mod grants;
mod incidents;
mod lines;
mod metrics;
mod models;
mod operations;
mod payloads;
mod processes;
mod provisioning;
mod relations;
mod renewal;
mod resources;
mod secrets;
mod shapes;
mod storage;
mod terms;
#[cfg(test)]
mod tests;
mod top;
mod units;
mod workloads;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use periapt_wire::Problem;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Method, RequestBuilder, Response, Url};
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::tls::{self, TrustError};
pub use events::{EventStream, Message};
pub use lines::Lines;
pub use processes::NodeAnswer;
pub use renewal::Keep;
use renewal::Renewal;
pub use shapes::Removing;

/// How long one address may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(3);
/// How long a short answer may take. Uploads wait for a compilation and take longer, streams
/// have no end.
const ANSWER: Duration = Duration::from_secs(60);
/// How long an upload may take, compilation included: half a minute for the largest charms seen,
/// with room for a busy machine.
const UPLOAD: Duration = Duration::from_secs(600);

/// How often, and after which pause, to ask for the answer to a change that is still being made.
const RUNNING_TRIES: usize = 100;
const RUNNING_PAUSE: Duration = Duration::from_millis(100);

/// Why a request failed.
#[derive(Clone, Debug, Error)]
pub enum RestError {
    /// The controller says no, and why.
    #[error("{0}")]
    Problem(Problem),
    /// No address accepted a connection; the request was not sent.
    #[error("no answer from {addresses}: {reason}")]
    Unreachable { addresses: String, reason: String },
    /// The connection broke or time ran out; it is not known whether the request took effect.
    #[error("the connection was lost: {0}")]
    Interrupted(String),
    /// The answer does not have the promised shape.
    #[error("unexpected answer from the controller: {0}")]
    Unexpected(String),
    #[error(transparent)]
    Trust(#[from] TrustError),
}

impl RestError {
    /// The stable name of the error; the controller's own where it answered.
    pub fn code(&self) -> &str {
        match self {
            RestError::Problem(problem) => &problem.code,
            RestError::Unreachable { .. } => "controller-unreachable",
            RestError::Interrupted(_) => "connection-interrupted",
            RestError::Unexpected(_) => "answer-unexpected",
            RestError::Trust(error) => error.code(),
        }
    }

    /// The HTTP status of a refusal.
    pub fn status(&self) -> Option<u16> {
        match self {
            RestError::Problem(problem) => Some(problem.status),
            _ => None,
        }
    }
}

/// Who asks.
#[derive(Clone, Default)]
pub enum Authorization {
    #[default]
    Nobody,
    /// A user name, or an agent's tag.
    Basic {
        user: String,
        password: String,
    },
    Bearer(String),
}

impl Authorization {
    fn add_to(&self, request: RequestBuilder) -> RequestBuilder {
        match self {
            Authorization::Nobody => request,
            Authorization::Basic { user, password } => request.basic_auth(user, Some(password)),
            Authorization::Bearer(token) => request.bearer_auth(token),
        }
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Authorization::Nobody => "Nobody",
            Authorization::Basic { .. } => "Basic",
            Authorization::Bearer(_) => "Bearer",
        })
    }
}

/// A client of one controller. Clones share connections.
#[derive(Clone, Debug)]
pub struct RestClient {
    routes: Arc<[Route]>,
    authorization: Authorization,
    renewal: Option<Arc<Renewal>>,
}

/// Addresses that share a port, which a URL can name only once.
#[derive(Debug)]
struct Route {
    port: u16,
    hosts: Vec<String>,
    client: Client,
}

impl RestClient {
    /// A client for the controller at `addresses` (`HOST:PORT`) under the authority `ca_pem`.
    pub fn new(addresses: &[String], ca_pem: &str) -> Result<Self, RestError> {
        let config = tls::client_config(ca_pem)?;
        let mut ports: Vec<(u16, Vec<String>)> = Vec::new();
        for address in addresses {
            let (host, port) = tls::split_address(address)?;
            match ports.iter_mut().find(|(known, _)| *known == port) {
                Some((_, hosts)) => hosts.push(host.to_owned()),
                None => ports.push((port, vec![host.to_owned()])),
            }
        }
        if ports.is_empty() {
            return Err(TrustError::NoAddress.into());
        }
        let routes = ports
            .into_iter()
            .map(|(port, hosts)| {
                let client = Client::builder()
                    .use_preconfigured_tls(config.clone())
                    .dns_resolver(Arc::new(Hosts(hosts.clone())))
                    .connect_timeout(CONNECT)
                    .no_proxy()
                    .user_agent(concat!("periapt/", env!("CARGO_PKG_VERSION")))
                    .build()
                    .map_err(|error| RestError::Unexpected(chain(&error)))?;
                Ok(Route {
                    port,
                    hosts,
                    client,
                })
            })
            .collect::<Result<Vec<_>, RestError>>()?;
        Ok(Self {
            routes: routes.into(),
            authorization: Authorization::Nobody,
            renewal: None,
        })
    }

    /// The same client, asking as someone else.
    #[must_use]
    pub fn with(mut self, authorization: Authorization) -> Self {
        self.authorization = authorization;
        self.renewal = None;
        self
    }

    /// The same client with a token that a login replaces as soon as it is refused. `keep` is told
    /// of the new one.
    #[must_use]
    pub fn with_renewal(mut self, user: &str, password: &str, token: String, keep: Keep) -> Self {
        let renewal = Renewal::new(user.to_owned(), password.to_owned(), token, keep);
        self.authorization = Authorization::Nobody;
        self.renewal = Some(Arc::new(renewal));
        self
    }

    /// Sends a request to the first address that accepts a connection. `shape` adds query and
    /// body and runs once for each try.
    async fn send(
        &self,
        method: Method,
        path: &[&str],
        shape: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, RestError> {
        self.send_keyed(method, path, None, shape).await
    }

    /// Makes a change and reads its answer. When the connection breaks off, the same change is
    /// asked for once more under the same key: it is made, or its answer given again.
    async fn change<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &[&str],
        shape: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<T, RestError> {
        let key = uuid::Uuid::new_v4().to_string();
        let ask = || async {
            let sent = self.send_keyed(method.clone(), path, Some(&key), &shape);
            body(sent.await?).await
        };
        let mut outcome = ask().await;
        if matches!(outcome, Err(RestError::Interrupted(_))) {
            outcome = ask().await;
            // The first one may not have noticed yet that nobody listens.
            for _ in 0..RUNNING_TRIES {
                let running = outcome.as_ref().err().map(RestError::code);
                if running != Some("idempotency-request-running") {
                    break;
                }
                tokio::time::sleep(RUNNING_PAUSE).await;
                outcome = ask().await;
            }
        }
        outcome
    }

    async fn send_keyed(
        &self,
        method: Method,
        path: &[&str],
        key: Option<&str>,
        shape: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, RestError> {
        let Some(renewal) = &self.renewal else {
            return self
                .send_as(&self.authorization, method, path, key, shape)
                .await;
        };
        let token = renewal.token();
        let bearer = Authorization::Bearer(token.clone());
        let sent = self.send_as(&bearer, method.clone(), path, key, &shape);
        match sent.await {
            Err(error) if error.status() == Some(401) => {}
            outcome => return outcome,
        }
        let anonymous = self.clone().with(Authorization::Nobody);
        // A login is a request itself.
        Box::pin(renewal.renew(anonymous, &token)).await?;
        let bearer = Authorization::Bearer(renewal.token());
        self.send_as(&bearer, method, path, key, shape).await
    }

    async fn send_as(
        &self,
        authorization: &Authorization,
        method: Method,
        path: &[&str],
        key: Option<&str>,
        shape: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, RestError> {
        let mut failures = Vec::new();
        for route in self.routes.iter() {
            let request = route.client.request(method.clone(), route.url(path)?);
            let mut request = shape(authorization.add_to(request));
            if let Some(key) = key {
                request = request.header("idempotency-key", key);
            }
            match request.send().await {
                Ok(response) => return refuse(response).await,
                Err(error) if error.is_connect() => failures.push(root(&error)),
                Err(error) => return Err(RestError::Interrupted(chain(&error.without_url()))),
            }
        }
        Err(RestError::Unreachable {
            addresses: self.addresses(),
            reason: failures.join("; "),
        })
    }

    /// A request with a short answer in JSON.
    async fn json<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &[&str],
        shape: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<T, RestError> {
        let response = self
            .send(method, path, |request| shape(request.timeout(ANSWER)))
            .await?;
        body(response).await
    }

    fn addresses(&self) -> String {
        let all: Vec<String> = self
            .routes
            .iter()
            .flat_map(|route| {
                route
                    .hosts
                    .iter()
                    .map(|host| format!("{host}:{}", route.port))
            })
            .collect();
        all.join(", ")
    }
}

impl Route {
    fn url(&self, path: &[&str]) -> Result<Url, RestError> {
        let mut url: Url = format!("https://{}:{}/", tls::SERVER_NAME, self.port)
            .parse()
            .map_err(|error| RestError::Unexpected(format!("{error}")))?;
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.clear().extend(path);
        }
        Ok(url)
    }
}

/// Every name is one of these hosts; the only name asked for is the controller's.
struct Hosts(Vec<String>);

impl Resolve for Hosts {
    fn resolve(&self, _: Name) -> Resolving {
        let hosts = self.0.clone();
        Box::pin(async move {
            let mut found = Vec::new();
            let mut failure = None;
            for host in hosts {
                match tokio::net::lookup_host((host.as_str(), 0)).await {
                    Ok(addresses) => found.extend(addresses),
                    Err(error) => failure = Some(error),
                }
            }
            match failure {
                Some(error) if found.is_empty() => Err(error.into()),
                _ => Ok(Box::new(found.into_iter()) as Addrs),
            }
        })
    }
}

/// The answer, unless it is a refusal.
async fn refuse(response: Response) -> Result<Response, RestError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let text = response
        .text()
        .await
        .map_err(|error| RestError::Interrupted(chain(&error)))?;
    // Something between here and the controller may answer in its own way.
    let problem = serde_json::from_str(&text).unwrap_or_else(|_| {
        let first_line = text.lines().next().unwrap_or_default();
        Problem {
            // Nothing is known of it but the status.
            kind: "about:blank".to_owned(),
            status: status.as_u16(),
            code: "http-error".to_owned(),
            title: format!("HTTP status {status}"),
            detail: first_line.to_owned(),
            advice: String::new(),
            retry_after: None,
        }
    });
    Err(RestError::Problem(problem))
}

async fn body<T: DeserializeOwned>(response: Response) -> Result<T, RestError> {
    let bytes = response
        .bytes()
        .await
        .map_err(|error| RestError::Interrupted(chain(&error)))?;
    serde_json::from_slice(&bytes).map_err(|error| RestError::Unexpected(error.to_string()))
}

/// An error with its causes; reqwest's own text leaves out what matters.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}

/// The cause at the bottom of an error.
fn root(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
