//! Who may visit which HTTP route.

use axum::http::Method;

/// Whom a route is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visitor {
    /// No credential is asked for.
    Anyone,
    /// People of the controller.
    User,
    /// The agent of the model in the path.
    AgentOfModel,
}

/// A row about a route.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    pub method: &'static str,
    pub path: &'static str,
    pub visitor: Visitor,
}

/// The row of a route.
pub fn route(method: &Method, path: &str) -> Option<&'static Route> {
    ROUTES
        .iter()
        .find(|route| route.method == method.as_str() && route.path == path)
}

const fn row(method: &'static str, path: &'static str, visitor: Visitor) -> Route {
    Route {
        method,
        path,
        visitor,
    }
}

use Visitor::{AgentOfModel, Anyone, User};

/// HTTP routes. `HEAD` is served where `GET` is.
#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    row("GET", "/health", Anyone),
    row("GET", "/ready", Anyone),
    row("POST", "/v1/login", Anyone),
    row("GET", "/v1/controller", User),
    row("POST", "/v1/controller/stop", User),
    row("GET", "/v1/workers", User),
    row("GET", "/v1/models", User),
    row("POST", "/v1/models", User),
    row("GET", "/v1/models/{model}", User),
    row("DELETE", "/v1/models/{model}", User),
    row("GET", "/v1/models/{model}/config", User),
    row("PATCH", "/v1/models/{model}/config", User),
    row("GET", "/v1/models/{model}/charms", User),
    row("POST", "/v1/models/{model}/charms", User),
    row("GET", "/v1/models/{model}/applications", User),
    row("POST", "/v1/models/{model}/applications", User),
    row("GET", "/v1/models/{model}/applications/{name}", User),
    row("DELETE", "/v1/models/{model}/applications/{name}", User),
    row("GET", "/v1/models/{model}/applications/{name}/config", User),
    row("PATCH", "/v1/models/{model}/applications/{name}/config", User),
    row("POST", "/v1/models/{model}/applications/{name}/refresh", User),
    row("POST", "/v1/models/{model}/applications/{name}/units", User),
    row("GET", "/v1/models/{model}/applications/{name}/history", User),
    row("GET", "/v1/models/{model}/units/{name}/{number}", User),
    row("DELETE", "/v1/models/{model}/units/{name}/{number}", User),
    row("POST", "/v1/models/{model}/units/{name}/{number}/resolved", User),
    row("GET", "/v1/models/{model}/units/{name}/{number}/history", User),
    row("GET", "/v1/models/{model}/machines/{machine}/history", User),
    row("GET", "/v1/models/{model}/status", User),
    row("GET", "/v1/models/{model}/logs", User),
    row("GET", "/v1/models/{model}/events", User), // read
    row("GET", "/v1/models/{model}/wait", User), // read
    row("GET", "/v1/events", User), // login
    row("GET", "/v1/models/{model}/workers", User),
    row("GET", "/v1/models/{model}/blobs/{digest}", AgentOfModel),
];
