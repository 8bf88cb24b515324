//! What changes, as it changes: server-sent events, and one call that waits.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET /v1/events`, `GET /v1/models/{model}/events` | `EventQuery` | `text/event-stream` of `Event`, id is `sequence` |
//! | `GET /v1/models/{model}/wait` | `WaitQuery` | `Waited`; 408 `wait-timed-out` |
//!
//! The stream begins with a `snapshot` event for each entity and one `current` event, or, after
//! `Last-Event-ID`, with what came since. `reset` says that this is too long ago: what follows is
//! a new snapshot. `dropped` says why the stream ends. Comments are heartbeats.
//!
//! | event | id | data |
//! |---|---|---|
//! | `snapshot` | | `Event`, once for each entity there is; runs of hooks, operations and alerts are not among them |
//! | `current` | yes | `Current`: the snapshot is complete, changes follow |
//! | `change` | yes | `Event` |
//! | `reset` | | `Reset`: forget everything, a snapshot follows |
//! | `dropped` | | `Dropped`: the last event |
//!
//! An id is the event's `sequence`; while other events of the same change follow, it is that with
//! `/KIND/KEY` behind it. It survives restarts of the controller. With a model that is gone goes
//! everything in it. Events about users, and alerts about the controller, go to superusers only.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Data of the SSE events `snapshot` and `change`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Event {
    /// Place in the change log; later is greater. Several entities may share one.
    pub sequence: i64,
    /// The model's UUID; empty for the controller itself.
    pub model: String,
    /// `model`, `application`, `unit`, `machine`, `charm`, `relation`, `hook`, `operation`, `secret`, `storage`, `user`,
    /// `alert`.
    pub kind: String,
    /// Name of the entity within its kind.
    pub key: String,
    /// As `GET` of the entity answers, of a unit without the settings of its relations; none when
    /// it is gone.
    pub entity: Option<Value>,
}

/// Which events are wanted: all when left out. What does not fit is in no snapshot and makes no change.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct EventQuery {
    /// Kinds of entities, comma separated: `unit,application`.
    pub kinds: Option<String>,
    /// Only this application, its units, and the relations that it is in.
    pub application: Option<String>,
    /// Begin with `snapshots` events, each with a list of entities, instead of a `snapshot` event for each
    /// entity: a reader of thousands begins sooner.
    pub lists: Option<bool>,
}

/// Data of `current`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Current {
    pub sequence: i64,
}

/// Data of `reset`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Reset {
    pub reason: String,
}

/// Data of `dropped`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Dropped {
    /// `too-slow`, `access-revoked`, `model-gone`, `stopped`; of logs also `complete`.
    pub code: String,
    pub reason: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct WaitQuery {
    /// `model`, `application`, `unit`, `machine`, `relation`, `operation`, `task` or `storage`.
    pub kind: String,
    /// The model's own name may be left out; a relation has its number or its key, an
    /// operation and a task the number, a storage its id.
    pub name: String,
    /// Query language of `wait-for`; all units active and idle when left out, a
    /// machine started, a relation joined, an operation or a task ended, a storage attached.
    pub query: String,
    /// Seconds, 1 to 600; 60 when left out.
    pub timeout: Option<u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Waited {
    /// The entity in the shape the query saw.
    pub entity: Value,
    /// Milliseconds.
    pub waited: u64,
}
