//! What is told to the process that carries reach out on a machine, and what it answers.
//!
//! Both are a line of JSON. One side has a number for each of its requests, which the answer repeats; the
//! answer comes once it holds: what was closed refuses, and what was connected to it is cut.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Network;
use crate::ports::PortRange;
use crate::{ModelName, ModelUuid, UnitName};

/// A model as it is to be reachable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Published {
    /// A part of the names under which it is found: `APPLICATION.MODEL.localhost`.
    pub name: ModelName,
    /// Of the model's agent on this machine.
    pub directory: PathBuf,
    /// Where requests by name are answered, those of all models alike. Port 0 is any that is free.
    pub ingress: SocketAddr,
    pub network: Network,
    /// The address of each unit at which its exposed ports listen; one without is found by name only.
    pub addresses: BTreeMap<UnitName, Ipv4Addr>,
    /// Whether somebody wants to hear of traces of requests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub traces: bool,
}

/// That a model is to be so from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Request {
    pub number: u64,
    pub model: ModelUuid,
    /// None for a model that is gone.
    pub document: Option<Box<Published>>,
}

/// That it is so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Answer {
    /// Of the request; 0 for one that nobody made: what holds is not what was answered any more, and who asked
    /// does so again.
    pub number: u64,
    /// Where requests by name are answered; none for a model that is gone or exposes nothing, and where
    /// `ingress-failed` says why: the port is taken, or another model has the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress: Option<SocketAddr>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress_failed: Option<String>,
    pub listening: Vec<Listening>,
    pub not_listening: Vec<NotListening>,
}

/// A port of a unit that is reached at an address of this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Listening {
    pub unit: UnitName,
    /// One port, as the unit has it open.
    pub port: PortRange,
    /// Its port may be another one, where the right to listen there is lacking.
    pub address: SocketAddr,
}

/// An exposed port that is not reached at an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct NotListening {
    pub unit: UnitName,
    pub port: PortRange,
    pub reason: String,
}
