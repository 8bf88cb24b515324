//! Who may visit which HTTP route.

use axum::http::Method;
use periapt_wire::rest::ModelPermission;

/// Whom a route is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visitor {
    /// No credential is asked for.
    Anyone,
    /// People of the controller.
    Login,
    /// People who may do everything.
    Superuser,
    /// The user in the path, and nobody else.
    Oneself,
    /// The user in the path, or a superuser.
    OneselfOrSuperuser,
    /// People with this access to the model in the path. For those without any there is no such
    /// model.
    Model(ModelPermission),
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

/// What changes something and is possible all the same while the controller is being upgraded:
/// to come in and to go, and to stop the controller.
const DURING_UPGRADE: &[(&str, &str)] = &[
    ("POST", "/v1/login"),
    ("POST", "/v1/session"),
    ("DELETE", "/v1/session"),
    ("POST", "/v1/controller/stop"),
];

impl Route {
    /// Whether it may be visited while the controller is being upgraded: people look, and nobody
    /// changes what the steps work on.
    #[must_use]
    pub fn during_upgrade(&self) -> bool {
        let looks = self.method == "GET" && self.visitor != AgentOfModel;
        looks || DURING_UPGRADE.contains(&(self.method, self.path))
    }
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

use Visitor::{AgentOfModel, Anyone, Login, Oneself, OneselfOrSuperuser, Superuser};

const READ: Visitor = Visitor::Model(ModelPermission::Read);
const WRITE: Visitor = Visitor::Model(ModelPermission::Write);
const ADMIN: Visitor = Visitor::Model(ModelPermission::Admin);

/// HTTP routes. `HEAD` is served where `GET` is.
#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    row("GET", "/health", Anyone),
    row("GET", "/ready", Anyone),
    row("GET", "/metrics", Superuser),
    row("GET", "/docs/api", Anyone),
    row("POST", "/v1/login", Anyone),
    row("POST", "/v1/session", Anyone),
    row("GET", "/v1/session", Login),
    row("DELETE", "/v1/session", Login),
    row("POST", "/v1/register", Anyone),
    row("GET", "/v1/whoami", Login),
    row("GET", "/v1/users", Superuser),
    row("POST", "/v1/users", Superuser),
    row("GET", "/v1/users/{user}", OneselfOrSuperuser),
    row("PATCH", "/v1/users/{user}", Superuser),
    row("DELETE", "/v1/users/{user}", Superuser),
    row("PUT", "/v1/users/{user}/password", OneselfOrSuperuser),
    row("POST", "/v1/users/{user}/registration", Superuser),
    row("GET", "/v1/users/{user}/tokens", OneselfOrSuperuser),
    row("POST", "/v1/users/{user}/tokens", Oneself),
    row("DELETE", "/v1/users/{user}/tokens/{id}", OneselfOrSuperuser),
    row("PUT", "/v1/users/{user}/access", Superuser),
    row("DELETE", "/v1/users/{user}/access", Superuser),
    row("GET", "/v1/controller", Login),
    row("POST", "/v1/controller/stop", Superuser),
    row("GET", "/v1/controller/nodes", Superuser),
    row("DELETE", "/v1/controller/nodes/{node}", Superuser),
    row("GET", "/v1/workers", Superuser),
    row("GET", "/v1/backups", Superuser),
    row("POST", "/v1/backups", Superuser),
    row("GET", "/v1/backups/{backup}", Superuser),
    row("DELETE", "/v1/backups/{backup}", Superuser),
    row("GET", "/v1/clouds", Login),
    row("GET", "/v1/credentials", Login),
    row("GET", "/v1/models", Login),
    row("POST", "/v1/models", Superuser),
    row("GET", "/v1/models/{model}", READ),
    row("DELETE", "/v1/models/{model}", ADMIN),
    row("GET", "/v1/models/{model}/config", READ),
    row("PATCH", "/v1/models/{model}/config", ADMIN),
    row("GET", "/v1/models/{model}/credential", READ),
    row("PUT", "/v1/models/{model}/credential", Superuser),
    row("GET", "/v1/models/{model}/access", ADMIN),
    row("PUT", "/v1/models/{model}/access/{user}", ADMIN),
    row("DELETE", "/v1/models/{model}/access/{user}", ADMIN),
    row("GET", "/v1/models/{model}/charms", READ),
    row("POST", "/v1/models/{model}/charms", WRITE),
    row("GET", "/v1/models/{model}/applications", READ),
    row("POST", "/v1/models/{model}/applications", WRITE),
    row("GET", "/v1/models/{model}/applications/{name}", READ),
    row("DELETE", "/v1/models/{model}/applications/{name}", WRITE),
    row("GET", "/v1/models/{model}/applications/{name}/config", READ),
    row("PATCH", "/v1/models/{model}/applications/{name}/config", WRITE),
    row("POST", "/v1/models/{model}/applications/{name}/refresh", WRITE),
    row("POST", "/v1/models/{model}/applications/{name}/units", WRITE),
    row("GET", "/v1/models/{model}/applications/{name}/history", READ),
    row("GET", "/v1/models/{model}/units/{name}/{number}", READ),
    row("DELETE", "/v1/models/{model}/units/{name}/{number}", WRITE),
    row("POST", "/v1/models/{model}/units/{name}/{number}/resolved", WRITE),
    row("POST", "/v1/models/{model}/units/{name}/{number}/stop", ADMIN),
    row("POST", "/v1/models/{model}/units/{name}/{number}/start", ADMIN),
    row("POST", "/v1/models/{model}/agent/start", ADMIN),
    row("GET", "/v1/models/{model}/units/{name}/{number}/history", READ),
    row("GET", "/v1/models/{model}/machines/{machine}/history", READ),
    row("GET", "/v1/models/{model}/status", READ),
    row("GET", "/v1/models/{model}/logs", READ),
    row("GET", "/v1/models/{model}/workers", READ),
    row("GET", "/v1/controller/figures", Superuser),
    row("GET", "/v1/controller/introspection/{report}", Superuser),
    row("GET", "/v1/models/{model}/introspection/{report}", ADMIN),
    row("GET", "/v1/models/{model}/hooks", READ),
    row("GET", "/v1/models/{model}/hooks/{id}", READ),
    row("GET", "/v1/controller/config", Superuser),
    row("PATCH", "/v1/controller/config", Superuser),
    row("GET", "/v1/audit", Superuser),
    row("GET", "/v1/models/{model}/audit", ADMIN),
    row("GET", "/v1/openapi.json", Anyone),
    row("GET", "/v1/models/{model}/charms/{charm}", READ),
    row("GET", "/v1/models/{model}/charms/{charm}/archive", READ),
    row("GET", "/v1/models/{model}/units", READ),
    row("GET", "/v1/models/{model}/machines", READ),
    row("POST", "/v1/models/{model}/machines", WRITE),
    row("GET", "/v1/models/{model}/machines/{machine}", READ),
    row("DELETE", "/v1/models/{model}/machines/{machine}", WRITE),
    row("POST", "/v1/models/{model}/machines/{machine}/retry-provisioning", WRITE),
    row("GET", "/v1/models/{model}/relations", READ),
    row("POST", "/v1/models/{model}/relations", WRITE),
    row("GET", "/v1/models/{model}/relations/{relation}", READ),
    row("PATCH", "/v1/models/{model}/relations/{relation}", WRITE),
    row("DELETE", "/v1/models/{model}/relations/{relation}", WRITE),
    row("GET", "/v1/models/{model}/events", READ),
    row("GET", "/v1/models/{model}/wait", READ),
    row("GET", "/v1/events", Login),
    row("GET", "/v1/models/{model}/blobs/{digest}", AgentOfModel),
];
