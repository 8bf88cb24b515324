//! `Admin.Login`, version 3: who is on the websocket, and what they may call.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use periapt_model::{JUJU_VERSION, ModelUuid, Refusal, Tag, UserName};
use periapt_wire::juju::admin::{Login, LoginResult};
use periapt_wire::rpc::Json;
use serde::Serialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::error::RpcError;
use super::session::{Session, answer};
use super::websocket::Target;
use crate::access;
use crate::authenticator::Caller;
use crate::identity::Identity;
use crate::state::ServerState;

/// The whole answer to a login.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Reply {
    #[serde(flatten)]
    result: LoginResult,
    facades: Value,
    servers: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_info: Option<Value>,
}

/// Checks a login and makes the session with the reply to it.
pub async fn log_in(
    state: &ServerState,
    target: &Target,
    login: Login,
    caller: &Caller,
    closing: CancellationToken,
) -> Result<(Session, Json), RpcError> {
    let model = match target {
        Target::Controller => None,
        Target::Model(uuid) => Some(uuid.clone()),
        Target::Unknown(text) => return Err(unknown_model(text)),
    };
    let claim = login.auth_tag.as_deref();
    let proven = state
        .authenticator()
        .login(claim, login.credentials.as_deref(), caller)
        .await;
    let identity = match proven {
        Ok(identity) => identity,
        Err(error) => {
            crate::audit::refused(state, "Admin.Login", "", claim, caller.peer, &error).await;
            return Err(error.into());
        }
    };
    if let Identity::Agent { model: own, .. } = &identity
        && model.as_ref() != Some(own)
    {
        return Err(RpcError::denied());
    }
    let standing = match &identity {
        Identity::User { name } => Some(person(state, name, model.as_ref()).await?),
        _ => None,
    };
    if let Some(model) = &model {
        state.note_visit(&identity, model);
    }
    let result = LoginResult {
        controller_tag: Tag::Controller(state.controller().uuid.clone()),
        model_tag: model.clone().map(Tag::Model),
        server_version: JUJU_VERSION.to_owned(),
    };
    let reply = answer(&Reply {
        result,
        facades: facades(&identity),
        servers: servers(state),
        user_info: standing,
    })?;
    let session = Session::new(state.clone(), identity, model, closing).with_peer(caller.peer);
    Ok((session, reply))
}

/// What a person is told about themselves; refused when they have no access to the model, in the
/// words for a model that does not exist.
async fn person(
    state: &ServerState,
    name: &UserName,
    model: Option<&ModelUuid>,
) -> Result<Value, RpcError> {
    let in_model = match model {
        Some(model) => {
            let standing = state.store().model_standing(name, model.as_str()).await?;
            let standing = standing.ok_or_else(|| unknown_model(model.as_str()))?;
            standing.access.as_str()
        }
        None => "",
    };
    let about = state.store().user(name).await?;
    let shown = match about.display_name.as_str() {
        "" => name.as_str(),
        shown => shown,
    };
    Ok(json!({
        "identity": Tag::User(name.clone()), "display-name": shown,
        "controller-access": about.access, "model-access": in_model,
    }))
}

/// The answer to every request on a connection to a model that does not exist.
pub fn unknown_model(text: &str) -> RpcError {
    RpcError::new(Refusal::NoSuchModel, format!("unknown model: {text:?}"))
}

fn facades(identity: &Identity) -> Value {
    let role = identity.role();
    let mut known: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::from([("Admin", [3].into())]);
    for rule in access::calls().filter(|rule| rule.is_for(role)) {
        known.entry(rule.facade).or_default().insert(rule.version);
    }
    let facade = |(name, versions)| json!({ "name": name, "versions": versions });
    Value::Array(known.into_iter().map(facade).collect())
}

/// Juju's nested lists of host and port, one inner list per controller node.
fn servers(state: &ServerState) -> Value {
    let hosts: Vec<Value> = state
        .addresses()
        .iter()
        .filter_map(|address| {
            let (host, port) = address.rsplit_once(':')?;
            let host = host.trim_matches(['[', ']']);
            let (kind, local) = match host.parse::<IpAddr>() {
                Ok(IpAddr::V4(ip)) => ("ipv4", ip.is_loopback()),
                Ok(IpAddr::V6(ip)) => ("ipv6", ip.is_loopback()),
                Err(_) => ("hostname", host == "localhost"),
            };
            let scope = if local { "local-machine" } else { "local-cloud" };
            Some(json!({ "value": host, "type": kind, "scope": scope, "port": port.parse::<u16>().ok()? }))
        })
        .collect();
    json!([hosts])
}
