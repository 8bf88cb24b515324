//! The RPC envelope: one JSON object per websocket text message, requests answered in any
//! order and matched by `request-id` (framing as Juju's clients expect it).
//!
//! What a call and its answer consist of is text from where it is written to where it is read:
//! whoever only passes it on does not take it apart.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use periapt_model::refusal::code;

use crate::access::{Effect, Visitor};

/// A text of JSON.
pub type Json = Box<RawValue>;

/// What is written of a value.
///
/// # Errors
/// A value that JSON cannot say.
pub fn json(value: &(impl Serialize + ?Sized)) -> serde_json::Result<Json> {
    serde_json::value::to_raw_value(value)
}

/// One request.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Request<'a> {
    pub request_id: u64,
    #[serde(rename = "type")]
    pub facade: &'a str,
    pub version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'a str>,
    pub request: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<&'a RawValue>,
}

/// One reply. A failed one carries an empty `response` besides its error, since Juju's Python
/// client indexes it; a successful one has no `error` key at all.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Response<'a> {
    pub request_id: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    #[serde(borrow, default)]
    pub response: Option<&'a RawValue>,
}

/// A method of a facade: its address, for whom it is, what it does, and its shapes.
pub trait Call: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The module of its declaration, which tells what kind of name its facade has.
    const PLACE: &'static str;
    const FACADE: &'static str;
    /// Those of the facade's in which the method has these shapes, in order.
    const VERSIONS: &'static [u32];
    /// In which it is called.
    const VERSION: u32 = newest(Self::VERSIONS);
    const METHOD: &'static str;
    /// Names of the parameters. One called `unit`, `machine` or `entity` names what the call is about.
    const FIELDS: &'static [&'static str];
    const VISITOR: Visitor;
    const EFFECT: Effect;
    type Reply: Serialize + DeserializeOwned + Send + 'static;
}

/// The last one.
const fn newest(versions: &[u32]) -> u32 {
    match versions.last() {
        Some(version) => *version,
        None => 0,
    }
}

/// The answer to a call that begins to watch: a handle for `Next` and `Stop`, and the first
/// event. A watcher of keys names what changed; a watcher of one thing sends empty lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Watch {
    pub watcher_id: String,
    #[serde(default)]
    pub changes: Vec<String>,
}

/// The facade that all watcher handles answer to; the handle travels as the request's `id`.
pub const WATCHER_FACADE: &str = "Watcher";
pub const WATCHER_NEXT: &str = "Next";
pub const WATCHER_STOP: &str = "Stop";

/// What `Next` answers when something changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    #[serde(default)]
    pub changes: Vec<String>,
}

/// The empty object, argument or result of calls without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Empty {}
