//! Exposing applications, and who reaches whom.
//!
//! | method and path | answer |
//! |---|---|
//! | `POST .../applications/{name}/expose` with [`Expose`] | `ApplicationInfo` |
//! | `POST .../applications/{name}/unexpose` with [`Unexpose`] | `ApplicationInfo` |
//! | `GET .../reachability?unit=` | [`Reachability`] |

use std::collections::BTreeMap;

pub use periapt_model::reach::{ExposedEndpoint, ExposedEndpoints};
use periapt_model::{ApplicationName, UnitName};
use serde::{Deserialize, Serialize};

/// What to expose and to whom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Expose {
    /// By endpoint; the empty name stands for all that are not named. With none the whole application is
    /// exposed to everybody.
    pub exposed_endpoints: BTreeMap<String, ExposedEndpoint>,
}

/// What is not to be exposed any more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Unexpose {
    /// With none it is the whole application.
    pub endpoints: Vec<String>,
}

/// A port of a unit that is reached at an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ListeningPort {
    /// As the unit has it open, `80/tcp`.
    pub port: String,
    /// `127.77.0.1:10080`; the port may be another one, where the right to listen there is lacking.
    pub address: String,
}

/// An exposed port of a unit that nothing listens at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct SilentPort {
    pub port: String,
    pub reason: String,
}

/// Who reaches whom in a model, and who from outside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Reachability {
    /// `relations`, or `model` where every unit reaches what every other has open: the model's option
    /// `reachability`.
    pub mode: String,
    /// Where exposed applications are found by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress: Option<String>,
    /// Why they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress_failed: Option<String>,
    pub units: BTreeMap<UnitName, UnitReach>,
}

/// How a unit is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct UnitReach {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What it has open.
    pub open: Vec<OpenPort>,
    /// Units of the model that reach it, by their applications. Where the mode is `model` none is named: it
    /// is every one.
    pub reached_by: Vec<ReachedBy>,
    /// From outside: ranges of addresses by open range.
    pub exposed_to: BTreeMap<String, Vec<String>>,
    pub listening: Vec<ListeningPort>,
    pub not_listening: Vec<SilentPort>,
}

/// A range that a unit has open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct OpenPort {
    pub ports: String,
    /// Empty for all.
    pub endpoints: Vec<String>,
}

/// Units of an application that reach a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ReachedBy {
    pub application: ApplicationName,
    /// Of the unit that is reached.
    pub endpoint: String,
    /// Only those within the container of the same principal.
    pub within_container: bool,
    pub ports: Vec<String>,
}
