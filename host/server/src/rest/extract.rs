//! What handlers ask of a request. All of them refuse with a `Problem`.

use std::str::FromStr;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header;
use axum::http::request::Parts;
use periapt_model::bounds::MESSAGE_VALUES;
use periapt_model::charm::CharmUrl;
use periapt_model::refusal::Subject;
use periapt_model::removal::{self, Going};
use periapt_model::storage::StorageId;
use periapt_model::task::TaskId;
use periapt_model::{
    ApplicationName, MachineId, ModelUuid, NameError, Refusal, UnitName, UserName,
};
use periapt_store::StoreError;
use periapt_wire::Problem;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use tokio_util::sync::CancellationToken;

use super::BODY_BYTES;
use super::arrival::path_invalid;
use super::gate::{Admitted, Pass};
use super::openapi::known;
use super::problem::{Answer, busy, crowded};
use super::route::Route;
use crate::access::Named;
use crate::identity::Identity;
use crate::json;
use crate::listener::Connection;
use crate::state::ServerState;

/// A JSON body.
pub(super) struct Body<T>(pub T);

/// The query as one value.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Answer))]
pub(super) struct Query<T>(pub T);

/// `{model}`, a UUID or a name, of a model that exists.
pub(super) struct InModel(pub ModelUuid);

/// `{model}` and `{name}`, an application's.
pub(super) struct InApplication(pub ModelUuid, pub ApplicationName);

/// `{model}`, `{name}` and `{number}`.
pub(super) struct InUnit(pub ModelUuid, pub UnitName);

/// `{model}`, `{name}` and `{number}`, of a storage.
pub(super) struct InStorage(pub ModelUuid, pub StorageId);

/// `{model}` and `{machine}`; a container's id is written with dashes, `0-lxd-1`.
pub(super) struct InMachine(pub ModelUuid, pub MachineId);

/// `{model}` and `{relation}`, a number.
pub(super) struct InRelation(pub ModelUuid, pub u64);

/// `{model}` and `{id}`, of a run of a hook.
pub(super) struct InHook(pub ModelUuid, pub i64);

/// `{model}` and `{apply}`, the number of a bundle that was applied.
pub(super) struct InBundle(pub ModelUuid, pub u64);

/// `{model}` and `{operation}`, a number.
pub(super) struct InOperation(pub ModelUuid, pub TaskId);

/// `{model}` and `{task}`, a number.
pub(super) struct InTask(pub ModelUuid, pub TaskId);

/// `{model}` and `{charm}`, a charm's URL.
pub(super) struct InCharm(pub ModelUuid, pub CharmUrl);

/// When an open-ended answer has to end: with the API server, with the listener, or when who
/// asked for it may not have it any more.
pub(super) struct Ending {
    api: CancellationToken,
    listener: CancellationToken,
    pass: Option<Pass>,
    state: ServerState,
}

impl Ending {
    pub(super) async fn come(self) {
        tokio::select! {
            () = self.api.cancelled() => {}
            () = self.listener.cancelled() => {}
            () = async {
                match &self.pass {
                    Some(pass) => pass.expired(&self.state).await,
                    None => std::future::pending().await,
                }
            } => {}
        }
    }
}

/// `{user}`
pub(super) struct OfUser(pub UserName);

/// A JSON body that may be left out.
pub(super) struct MaybeBody<T>(pub Option<T>);

/// What the gate read of the path.
struct Params {
    named: Named,
    model: Option<ModelUuid>,
}

impl Params {
    fn read(parts: &Parts) -> Result<Self, Answer> {
        let admitted = parts.extensions.get::<Admitted>();
        Ok(Params {
            named: parts.extensions.get().cloned().ok_or_else(path_invalid)?,
            model: admitted.map(|admitted| admitted.0.clone()),
        })
    }

    fn get(&self, name: &str) -> &str {
        self.named.get(name)
    }

    /// The part of the path with this name, as what it names.
    fn parse<T: FromStr<Err = NameError>>(&self, name: &str) -> Result<T, Answer> {
        Ok(self.get(name).parse().map_err(|error: NameError| error)?)
    }

    /// The part of the path with this name, as a number; otherwise the refusal, and why.
    fn number<T: FromStr>(&self, name: &str, refusal: Refusal, why: &str) -> Result<T, Answer> {
        let refused = |_| Answer(Problem::new(refusal).why(why));
        self.get(name).parse().map_err(refused)
    }

    fn model(&self) -> Result<ModelUuid, Answer> {
        let missing = || StoreError::NotFound {
            kind: Subject::Model,
            name: self.get("model").to_owned(),
        };
        Ok(self.model.clone().ok_or_else(missing)?)
    }
}

impl FromRequestParts<ServerState> for InModel {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, Answer> {
        let params = Params::read(parts)?;
        Ok(InModel(params.model()?))
    }
}

impl FromRequestParts<ServerState> for OfUser {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, Answer> {
        let params = Params::read(parts)?;
        Ok(OfUser(params.parse("user")?))
    }
}

impl<T: DeserializeOwned> FromRequest<ServerState> for Body<T> {
    type Rejection = Answer;
    async fn from_request(request: Request, state: &ServerState) -> Result<Self, Answer> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        let is_json = kind.strip_prefix("application/");
        if !is_json.is_some_and(|kind| kind == "json" || kind.ends_with("+json")) {
            return Err(Answer(
                Problem::new(Refusal::BodyNotJson)
                    .titled("The request's body cannot be read")
                    .why(format!("its content type is \"{kind}\"")),
            ));
        }
        let (route, bytes) = whole(request, state).await?;
        Ok(Body(read(route, &bytes)?))
    }
}

impl<T: DeserializeOwned> FromRequest<ServerState> for MaybeBody<T> {
    type Rejection = Answer;
    async fn from_request(request: Request, state: &ServerState) -> Result<Self, Answer> {
        let (route, bytes) = whole(request, state).await?;
        if bytes.is_empty() {
            return Ok(MaybeBody(None));
        }
        Ok(MaybeBody(Some(read(route, &bytes)?)))
    }
}

/// The bytes of a body. Of those of known people so many may be coming in at once; those of
/// others are short, and as few as there are open connections.
async fn whole(
    request: Request,
    state: &ServerState,
) -> Result<(Option<&'static Route>, Bytes), Answer> {
    let (extensions, headers) = (request.extensions(), request.headers());
    let route = extensions.get::<&'static Route>().copied();
    let claimed = headers.get(header::CONTENT_LENGTH);
    let claimed = claimed.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let mut share = None;
    if let Some(who) = extensions.get::<Identity>() {
        let most = BODY_BYTES as u64;
        let share = share.insert(state.bodies().of(who));
        share
            .take(claimed.unwrap_or(most).min(most))
            .map_err(busy)?;
    }
    let bytes = Bytes::from_request(request, state).await?;
    drop(share);
    Ok((route, bytes))
}

/// Parses a body of which the description knows every member.
fn read<T: DeserializeOwned>(route: Option<&'static Route>, bytes: &Bytes) -> Result<T, Answer> {
    if MESSAGE_VALUES.exceeded_by(json::values(bytes)) {
        return Err(Answer(
            Problem::new(Refusal::BodyInvalid)
                .titled("The request's body cannot be read")
                .why(format!("it holds more than {} values", MESSAGE_VALUES.most)),
        ));
    }
    let parsed = axum::Json::from_bytes(bytes)?;
    // Whatever is no JSON is refused above, in its own words.
    if let (Some(route), Ok(value)) = (route, serde_json::from_slice(bytes)) {
        known::body(route, &value)?;
    }
    Ok(parsed.0)
}

impl FromRequestParts<ServerState> for InApplication {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, Answer> {
        let params = Params::read(parts)?;
        Ok(InApplication(params.model()?, params.parse("name")?))
    }
}

impl FromRequestParts<ServerState> for InUnit {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, Answer> {
        let params = Params::read(parts)?;
        let name = format!("{}/{}", params.get("name"), params.get("number"));
        Ok(InUnit(
            params.model()?,
            name.parse().map_err(|error: NameError| error)?,
        ))
    }
}

impl FromRequestParts<ServerState> for InStorage {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, Answer> {
        let params = Params::read(parts)?;
        let name = format!("{}/{}", params.get("name"), params.get("number"));
        // What names no storage is the name of none.
        let missing = |_| StoreError::NotFound {
            kind: Subject::Storage,
            name: name.clone(),
        };
        Ok(InStorage(
            params.model()?,
            name.parse::<StorageId>().map_err(missing)?,
        ))
    }
}

impl FromRequestParts<ServerState> for InMachine {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, Answer> {
        let params = Params::read(parts)?;
        let id = params.get("machine").replace('-', "/");
        Ok(InMachine(
            params.model()?,
            id.parse().map_err(|error: NameError| error)?,
        ))
    }
}

impl FromRequestParts<ServerState> for InRelation {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, Answer> {
        let params = Params::read(parts)?;
        let model = params.model()?;
        let text = params.get("relation");
        let why = format!("\"{text}\" is not the number of a relation");
        let id = params.number("relation", Refusal::RelationIdInvalid, &why)?;
        Ok(InRelation(model, id))
    }
}

impl FromRequestParts<ServerState> for InHook {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, Answer> {
        let params = Params::read(parts)?;
        let why = "the id of a hook's run is a number";
        let id = params.number("id", Refusal::HookIdInvalid, why)?;
        Ok(InHook(params.model()?, id))
    }
}

impl FromRequestParts<ServerState> for InBundle {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, Answer> {
        let params = Params::read(parts)?;
        let why = "applied bundles have numbers";
        let id = params.number("apply", Refusal::BundleNumberInvalid, why)?;
        Ok(InBundle(params.model()?, id))
    }
}

/// Of operations and of tasks, which have numbers of one sequence.
const NO_TASK_ID: &str = "the id of an operation or a task is a number";

impl FromRequestParts<ServerState> for InOperation {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, Answer> {
        let params = Params::read(parts)?;
        let id = params.number("operation", Refusal::TaskIdInvalid, NO_TASK_ID)?;
        Ok(InOperation(params.model()?, id))
    }
}

impl FromRequestParts<ServerState> for InTask {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, Answer> {
        let params = Params::read(parts)?;
        let id = params.number("task", Refusal::TaskIdInvalid, NO_TASK_ID)?;
        Ok(InTask(params.model()?, id))
    }
}

impl FromRequestParts<ServerState> for InCharm {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, Answer> {
        let params = Params::read(parts)?;
        Ok(InCharm(params.model()?, params.parse("charm")?))
    }
}

/// Takes a place for what goes on and on.
impl FromRequestParts<ServerState> for Ending {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, state: &ServerState) -> Result<Self, Answer> {
        let connection = parts.extensions.get::<Connection>();
        if let (Some(connection), Some(who)) = (connection, parts.extensions.get::<Identity>()) {
            connection.lasts(who).map_err(crowded)?;
        }
        let listener = connection.map(|connection| connection.closing.clone());
        Ok(Ending {
            api: state.closing().clone(),
            listener: listener.unwrap_or_default(),
            pass: parts.extensions.get::<Pass>().cloned(),
            state: state.clone(),
        })
    }
}

/// `?force&timeout-ms&destroy-storage`
#[derive(Deserialize, Default, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub(super) struct Force {
    /// Remove it even if its hooks fail or its agent is gone.
    #[serde(deserialize_with = "flag")]
    pub force: bool,
    /// With `force`: 0 to wait for nobody. Left out, each step waits for the model's `force-wait`.
    #[serde(rename = "timeout-ms")]
    pub timeout_ms: Option<u64>,
    /// Also destroy the storage of its units that would outlive them.
    #[serde(rename = "destroy-storage", deserialize_with = "flag")]
    pub destroy_storage: bool,
}

impl Force {
    /// How the store is to remove.
    pub fn removal(&self) -> Going {
        Going {
            force: removal::Force::within(self.force, self.timeout_ms),
            destroy_storage: self.destroy_storage,
        }
    }
}

/// A flag is set by its name alone, or by `true` or `1`.
pub(super) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.as_str() {
        "" | "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        other => Err(serde::de::Error::custom(format!(
            "\"{other}\" is neither true nor false"
        ))),
    }
}
