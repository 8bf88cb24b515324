//! Every route against every kind of caller. What is right follows from the row of the route, and
//! the rows themselves are held against the rules for all routes; a new route is walked from the
//! day it has a row.
use crate::common::{House, Standing};
use base64::Engine;
use periapt_model::ModelUuid;
use periapt_model::block::Change;
use periapt_server::access::Visitor;
use periapt_server::rest::{Route, routes};
use periapt_wire::rest::ModelPermission::{self, Admin, Read, Write};
use serde_json::Value;

/// Who asks. The models are the one in the path and another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caller {
    Nobody,
    WrongToken,
    /// Had every right until a moment ago.
    Disabled,
    WithoutAccess,
    Reader,
    Writer,
    Admin,
    AdminElsewhere,
    Superuser,
    Agent,
    AgentElsewhere,
}

const CALLERS: [Caller; 11] = [
    Caller::Nobody,
    Caller::WrongToken,
    Caller::Disabled,
    Caller::WithoutAccess,
    Caller::Reader,
    Caller::Writer,
    Caller::Admin,
    Caller::AdminElsewhere,
    Caller::Superuser,
    Caller::Agent,
    Caller::AgentElsewhere,
];

/// What the gate says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// The handler answers, whatever it does.
    Enter,
    /// 401, with the code.
    WhoAreYou(&'static str),
    /// 403 `forbidden`.
    NotYou,
    /// 404 `model-not-found`.
    NoSuchModel,
}

impl Caller {
    /// What they may do in the model of the path, where they are people who are let in at all.
    fn in_model(self) -> Option<ModelPermission> {
        match self {
            Caller::Reader => Some(Read),
            Caller::Writer => Some(Write),
            Caller::Admin | Caller::Superuser => Some(Admin),
            _ => None,
        }
    }

    fn user(self) -> Option<Standing> {
        Some(match self {
            Caller::Disabled => Standing::Disabled,
            Caller::WithoutAccess => Standing::WithoutAccess,
            Caller::Reader => Standing::Reader,
            Caller::Writer => Standing::Writer,
            Caller::Admin => Standing::Admin,
            Caller::AdminElsewhere => Standing::AdminElsewhere,
            Caller::Superuser => Standing::Superuser,
            Caller::Nobody | Caller::WrongToken | Caller::Agent | Caller::AgentElsewhere => {
                return None;
            }
        })
    }
}

/// The only right answer; `own` says that the user in the path is the caller.
fn right(visitor: Visitor, caller: Caller, own: bool) -> Says {
    let agent = matches!(caller, Caller::Agent | Caller::AgentElsewhere);
    match (visitor, caller) {
        (Visitor::Anyone, _) => Says::Enter,
        (_, Caller::Nobody) => Says::WhoAreYou("credentials-missing"),
        (_, Caller::WrongToken | Caller::Disabled) => Says::WhoAreYou("token-invalid"),
        (Visitor::AgentOfModel, Caller::Agent) => Says::Enter,
        (Visitor::AgentOfModel, _) => Says::NotYou,
        _ if agent => Says::NotYou,
        (Visitor::Login, _) => Says::Enter,
        (Visitor::Superuser | Visitor::OneselfOrSuperuser, Caller::Superuser) => Says::Enter,
        (Visitor::Superuser, _) => Says::NotYou,
        (Visitor::Oneself | Visitor::OneselfOrSuperuser, _) if own => Says::Enter,
        (Visitor::Oneself | Visitor::OneselfOrSuperuser, _) => Says::NotYou,
        (Visitor::Model(wanted), _) => match caller.in_model() {
            None => Says::NoSuchModel,
            Some(access) if access >= wanted => Says::Enter,
            Some(_) => Says::NotYou,
        },
        (Visitor::Everyone | Visitor::Agents | Visitor::Controller, _) => {
            panic!("{visitor:?} is for calls, not for routes")
        }
    }
}

fn said(status: u16, body: &Value) -> Says {
    match (status, body["code"].as_str().unwrap_or_default()) {
        (401, "credentials-missing") => Says::WhoAreYou("credentials-missing"),
        (401, "token-invalid") => Says::WhoAreYou("token-invalid"),
        (403, _) => Says::NotYou,
        (404, "model-not-found") => Says::NoSuchModel,
        _ => Says::Enter,
    }
}

/// The path with something for each name in it.
fn path(route: &Route, model: &ModelUuid, user: &str) -> String {
    route
        .path
        .split('/')
        .map(|part| match part {
            "{model}" => model.to_string(),
            "{user}" => user.to_owned(),
            "{name}" => "site".to_owned(),
            part if part.starts_with('{') => "0".to_owned(),
            part => part.to_owned(),
        })
        .collect::<Vec<_>>()
        .join("/")
}

#[tokio::test]
async fn every_route_answers_every_caller_as_its_row_says() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    house.people(&model, &other).await;
    let basic = |model: &ModelUuid, password: &str| {
        let both = format!("agent-{model}:{password}");
        format!("Basic {}", base64::prelude::BASE64_STANDARD.encode(both))
    };
    let agent = basic(&model, &house.agent_password(&model).await);
    let agent_elsewhere = basic(&other, &house.agent_password(&other).await);
    let mut http = house.stranger();
    let mut cases = 0;
    for route in routes() {
        for caller in CALLERS {
            let about_user = matches!(
                route.visitor,
                Visitor::Oneself | Visitor::OneselfOrSuperuser
            );
            for own in [false, true] {
                if own && !(about_user && caller.user().is_some()) {
                    continue;
                }
                // Each try has a credential of its own: some routes end the one they are asked with.
                http.authorization = match (caller, caller.user()) {
                    (Caller::Nobody, _) => None,
                    (Caller::Agent, _) => Some(agent.clone()),
                    (Caller::AgentElsewhere, _) => Some(agent_elsewhere.clone()),
                    (_, Some(standing)) => {
                        Some(format!("Bearer {}", house.token_of(standing).await))
                    }
                    _ => Some("Bearer forged".to_owned()),
                };
                let user = match caller.user().filter(|_| own) {
                    Some(standing) => standing.name(),
                    None => "target",
                };
                let path = path(route, &model, user);
                let response = http.request(route.method, &path).send().await.unwrap();
                let status = response.status().as_u16();
                // An answer that is no refusal may have no end.
                let body = match status {
                    200..=299 => Value::Null,
                    _ => response.json().await.unwrap_or_default(),
                };
                assert_eq!(
                    said(status, &body),
                    right(route.visitor, caller, own),
                    "{} {path} by {caller:?}: {status} {body}",
                    route.method
                );
                if status == 403 {
                    assert_eq!(body["code"], "forbidden");
                }
                cases += 1;
            }
        }
    }
    println!(
        "{cases} cases: {} routes, {} kinds of caller",
        routes().count(),
        CALLERS.len()
    );
    assert!(cases >= routes().count() * CALLERS.len());
    house.close().await;
}

/// Routes for everybody: probes, the ways in, and what has no secrets.
const OPEN: &[&str] = &[
    "/health",
    "/ready",
    "/v1/login",
    "/v1/session",
    "/v1/register",
    "/v1/openapi.json",
    "/docs/api",
];
/// Routes beside the models whose answer depends on who asks.
const FOR_ALL_PEOPLE: &[(&str, &str)] = &[
    ("GET", "/v1/session"),
    ("DELETE", "/v1/session"),
    ("GET", "/v1/whoami"),
    ("GET", "/v1/controller"),
    ("GET", "/v1/clouds"),
    ("GET", "/v1/charm-repository"),
    ("GET", "/v1/alerts"),
    ("GET", "/v1/secret-backends"),
    // One's own.
    ("GET", "/v1/credentials"),
    ("GET", "/v1/models"),
    ("GET", "/v1/events"),
];
/// What people may do about themselves.
const ABOUT_ONESELF: &[(&str, &str)] = &[
    ("GET", "/v1/users/{user}"),
    ("PUT", "/v1/users/{user}/password"),
    ("GET", "/v1/users/{user}/tokens"),
    ("POST", "/v1/users/{user}/tokens"),
    ("DELETE", "/v1/users/{user}/tokens/{id}"),
];

/// What is at a model's path and not for its admins: it is about what the controller may do.
const OF_THE_CONTROLLER: &[(&str, &str)] = &[("PUT", "/v1/models/{model}/credential")];

/// What is asked with a body: whether it may change something is the handler's to ask.
const ASKED_WITH_A_BODY: &[(&str, &str)] = &[("POST", "/v1/models/{model}/bundles")];

/// What the rules say of a row, whatever the row says.
fn sound(route: &Route) -> bool {
    let is = |list: &[(&str, &str)]| list.contains(&(route.method, route.path));
    let reads = route.method == "GET" || is(ASKED_WITH_A_BODY);
    match route.visitor {
        Visitor::Anyone => OPEN.contains(&route.path) && (reads || route.method == "POST"),
        Visitor::Login => is(FOR_ALL_PEOPLE),
        Visitor::Oneself | Visitor::OneselfOrSuperuser => is(ABOUT_ONESELF),
        Visitor::Superuser => !route.path.starts_with("/v1/models/") || is(OF_THE_CONTROLLER),
        Visitor::AgentOfModel => route.path == "/v1/models/{model}/blobs/{digest}",
        Visitor::Everyone | Visitor::Agents | Visitor::Controller => false,
        Visitor::Model(access) => {
            let of_admins = route.path.contains("/access")
                || route.path.contains("/introspection")
                || route.path.ends_with("/audit")
                || route.path.ends_with("/reveal")
                // Charms keep credentials there.
                || route.path.contains("/files/")
                // Agents, of units and of the model, are stopped and started by who runs it.
                || route.path.ends_with("/stop")
                || route.path.ends_with("/start")
                || (!reads
                    && matches!(
                        route.path,
                        "/v1/models/{model}"
                            | "/v1/models/{model}/config"
                            | "/v1/models/{model}/blocks/{kind}"
                            // It hands out the credential of the cloud.
                            | "/v1/models/{model}/applications/{name}/trust"
                            // What its charm may do beyond what every charm may.
                            | "/v1/models/{model}/applications/{name}/grants"
                            | "/v1/models/{model}/applications/{name}/grants/revoke"
                    ));
            let wanted = match (of_admins, reads) {
                (true, _) => Admin,
                (false, true) => Read,
                (false, false) => Write,
            };
            route.path.starts_with("/v1/models/{model}") && access == wanted
        }
    }
}

#[test]
fn every_row_keeps_the_rules() {
    for route in routes() {
        assert!(
            sound(route),
            "{route:?} does not keep the rules of access; if it is right, say so in the lists here"
        );
    }
}

/// Changes at a model's path that no block of the model holds back.
const NEVER_BLOCKED: &[(&str, &str)] = &[
    ("PUT", "/v1/models/{model}/access/{user}"),
    ("DELETE", "/v1/models/{model}/access/{user}"),
    ("PUT", "/v1/models/{model}/blocks/{kind}"),
    ("DELETE", "/v1/models/{model}/blocks/{kind}"),
    // Each of its steps is held back by itself.
    ("POST", "/v1/models/{model}/bundles"),
    // A charm that no application uses yet does nothing.
    ("POST", "/v1/models/{model}/charm-repository/take"),
    ("POST", "/v1/models/{model}/charm-revisions"),
    ("POST", "/v1/models/{model}/charms"),
    // Who hears of an incident changes nothing in the model.
    ("POST", "/v1/models/{model}/incidents/{id}/silence"),
    ("DELETE", "/v1/models/{model}/incidents/{id}/silence"),
    ("POST", "/v1/models/{model}/secrets/{secret}/reveal"),
    ("POST", "/v1/models/{model}/tasks/{task}/cancel"),
    (
        "POST",
        "/v1/models/{model}/units/{name}/{number}/files/list",
    ),
    (
        "POST",
        "/v1/models/{model}/units/{name}/{number}/files/read",
    ),
];

#[test]
fn every_row_says_what_it_does_to_its_model() {
    for route in routes() {
        let of_model = route.path.starts_with("/v1/models/{model}") && route.method != "GET";
        let free = NEVER_BLOCKED.contains(&(route.method, route.path));
        let right = match (route.method, route.path) {
            _ if !of_model || free => None,
            ("DELETE", "/v1/models/{model}") => Some(Change::DestroyModel),
            ("DELETE", _) => Some(Change::RemoveObject),
            _ => Some(Change::Other),
        };
        assert_eq!(
            route.change, right,
            "{route:?}: a change of a model can be disabled; if this one cannot, say so in the list here"
        );
    }
}
