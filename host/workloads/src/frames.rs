//! What the supervisor and its children say to one another.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use periapt_model::reach::Network;
use periapt_model::workload::desired::Stored;
use periapt_model::workload::service::Current;
use periapt_model::workload::trace::{OfUnit, Span};
use periapt_model::workload::traffic::Requests;
use periapt_model::{ModelName, ModelUuid, UnitName};
use serde::{Deserialize, Serialize};

use crate::Settings;

/// Bytes of a frame to a child: a model of a thousand units fits many times.
pub const TO_CHILD: usize = 256 << 20;
/// Bytes of a frame from a child, which may have been taken over.
pub const FROM_CHILD: usize = 1 << 20;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToGate {
    /// The first.
    Settings(Settings),
    /// How a model is from now on; none for one that is gone.
    Model(ModelUuid, Option<Box<Facing>>),
    /// The services of a unit that answer requests, whether they run or not.
    Doors(ModelUuid, UnitName, Vec<Door>),
    /// A listener, under a number, with its descriptor.
    Listen(u64, Leads),
    /// Accepts no more there; what was accepted there is cut.
    Close(u64),
    /// Asks for [`FromGate::Marked`] once all of before holds.
    Mark(u64),
    /// Of [`FromGate::Connect`], with its descriptor; without one there is none.
    Connected(u64),
}

/// What comes in at a listener is for whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leads {
    /// Whoever the request names.
    ByName,
    /// A port of a unit.
    To(ModelUuid, UnitName, u16),
}

/// A model as strangers come to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Facing {
    pub name: ModelName,
    pub network: Network,
    /// Somebody wants to hear of traces.
    pub traces: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Door {
    pub port: u16,
    pub service: String,
    pub current: Current,
    /// No check that decides who gets requests is down.
    pub ready: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FromGate {
    Marked(u64),
    /// Wants a connection to the process that serves a model.
    Connect(u64, ModelUuid),
    /// A request that was traced is over.
    Traced(ModelUuid, Box<OfUnit>),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToServe {
    /// The first.
    Settings(Settings),
    /// Who reaches whom in the model.
    Network(Box<Network>),
    /// All services of a unit that run, from now on, under a number that [`FromServe::Has`] repeats.
    Unit(UnitName, u64, Vec<Serving>),
    /// Ports of a unit to whose services requests of other units go only where no unit is ready.
    Unready(UnitName, BTreeSet<u16>),
    /// A connection of the gate, with its descriptor.
    Connection,
    Probe(Probe),
    /// Asks for [`FromServe::Alive`].
    Alive,
}

/// Where a service is: the unit, the container and its own name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Place {
    pub unit: UnitName,
    pub container: String,
    pub service: String,
}

/// A service that answers requests. Paths begin at the directory of the model's agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Serving {
    pub place: Place,
    pub port: u16,
    /// Another number asks to load it anew, which is answered with [`FromServe::Loaded`].
    pub load: u64,
    pub component: PathBuf,
    pub digest: String,
    pub generation: PathBuf,
    /// What lies below the generation, and where the workload finds it.
    pub files: BTreeMap<String, String>,
    /// Storage of the unit, by where the workload finds it.
    pub storage: BTreeMap<String, Stored>,
    pub environment: BTreeMap<String, String>,
    pub concurrency: u32,
    pub timeout_ms: u64,
}

/// A request that a check makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Probe {
    pub number: u64,
    pub unit: UnitName,
    pub url: String,
    pub headers: BTreeMap<String, String>,
    pub timeout_ms: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FromServe {
    Loaded {
        place: Place,
        load: u64,
        /// Why it cannot be.
        error: Option<String>,
    },
    /// No request begins with what was before.
    Has(UnitName, u64),
    /// What a service wrote, true for standard error; and how many lines more it wrote.
    Lines {
        place: Place,
        lines: Vec<(bool, String)>,
        dropped: u64,
    },
    /// Requests of a service that ended since it was last told.
    Answered {
        place: Place,
        requests: Requests,
    },
    /// Parts of requests that are traced and over.
    Traced {
        place: Place,
        spans: Vec<Span>,
    },
    Probed(u64, Result<(), String>),
    Alive,
    /// There was no request for a while: it ends once nothing more is said to it.
    Resting,
}
