//! Endpoints of applications, and which two of them make a relation.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Refusal;
use crate::charm::{CharmMetadata, Scope};
use crate::name::{ApplicationName, NameError};
use crate::refusal::Name;

/// The endpoint every principal provides without saying so.
pub const JUJU_INFO: &str = "juju-info";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Provider,
    Requirer,
    Peer,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Provider => "provider",
            Role::Requirer => "requirer",
            Role::Peer => "peer",
        })
    }
}

impl FromStr for Role {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "provider" => Ok(Role::Provider),
            "requirer" => Ok(Role::Requirer),
            "peer" => Ok(Role::Peer),
            other => Err(format!("\"{other}\" is not a role")),
        }
    }
}

/// What a person writes: `site`, or `site:website`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointName {
    pub application: ApplicationName,
    pub endpoint: Option<String>,
}

impl FromStr for EndpointName {
    type Err = NameError;
    fn from_str(text: &str) -> Result<Self, NameError> {
        let (application, endpoint) = match text.split_once(':') {
            Some((application, endpoint)) => (application, Some(endpoint)),
            None => (text, None),
        };
        if endpoint.is_some_and(str::is_empty) {
            return Err(NameError {
                kind: Name::Endpoint,
                value: text.to_owned(),
                rule: "an endpoint is written APPLICATION:ENDPOINT, or the application alone",
            });
        }
        Ok(Self {
            application: application.parse()?,
            endpoint: endpoint.map(str::to_owned),
        })
    }
}

impl fmt::Display for EndpointName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.endpoint {
            Some(endpoint) => write!(f, "{}:{endpoint}", self.application),
            None => self.application.fmt(f),
        }
    }
}

/// One end of a relation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Side {
    pub application: ApplicationName,
    pub name: String,
    pub role: Role,
    pub interface: String,
    pub scope: Scope,
    /// Relations at this endpoint at most; none means no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    pub subordinate: bool,
}

impl Side {
    /// Whether `used` relations that rest on this endpoint can go on with what another charm
    /// declares in its place; otherwise why not.
    pub fn may_become(&self, other: Option<&Side>, used: usize) -> Result<(), String> {
        let name = &self.name;
        let Some(other) = other else {
            return Err(format!("it has no endpoint \"{name}\" of that role"));
        };
        if other.interface != self.interface {
            return Err(format!(
                "its endpoint \"{name}\" has interface \"{}\", not \"{}\"",
                other.interface, self.interface
            ));
        }
        // Peers are related whatever they say.
        if other.scope != self.scope && self.role != Role::Peer {
            return Err(format!(
                "its endpoint \"{name}\" has scope {}, not {}",
                other.scope, self.scope
            ));
        }
        match other.limit {
            Some(limit) if used > limit as usize => Err(format!(
                "its endpoint \"{name}\" takes at most {limit} relations, not {used}"
            )),
            _ => Ok(()),
        }
    }

    /// The endpoints of an application, the implicit one included.
    pub fn all(application: &ApplicationName, charm: &CharmMetadata) -> Vec<Side> {
        let declared = [
            (Role::Provider, &charm.provides),
            (Role::Requirer, &charm.requires),
            (Role::Peer, &charm.peers),
        ];
        let mut sides: Vec<Side> = declared
            .into_iter()
            .flat_map(|(role, endpoints)| endpoints.iter().map(move |endpoint| (role, endpoint)))
            .map(|(role, (name, endpoint))| Side {
                application: application.clone(),
                name: name.clone(),
                role,
                interface: endpoint.interface.clone(),
                scope: endpoint.scope,
                limit: endpoint.limit,
                subordinate: charm.subordinate,
            })
            .collect();
        if !charm.subordinate && sides.iter().all(|side| side.name != JUJU_INFO) {
            sides.push(Side {
                application: application.clone(),
                name: JUJU_INFO.to_owned(),
                role: Role::Provider,
                interface: JUJU_INFO.to_owned(),
                scope: Scope::Global,
                limit: None,
                subordinate: false,
            });
        }
        sides
    }

    /// Provided by every principal without being declared.
    pub fn is_implicit(&self) -> bool {
        self.name == JUJU_INFO && self.interface == JUJU_INFO && self.role == Role::Provider
    }

    fn fits(&self, other: &Side) -> bool {
        self.interface == other.interface
            && matches!(
                (self.role, other.role),
                (Role::Provider, Role::Requirer) | (Role::Requirer, Role::Provider)
            )
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.application, self.name)
    }
}

/// Two endpoints that make a relation, the requirer first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    pub requirer: Side,
    pub provider: Side,
}

/// Why two names make no relation. Each says what would.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EndpointError {
    #[error("\"{application}\" has no endpoint \"{endpoint}\"; it has {}", list(.has))]
    Unknown {
        application: ApplicationName,
        endpoint: String,
        has: Vec<String>,
    },
    #[error("\"{endpoint}\" is a peer endpoint; its units are related from the start")]
    Peer { endpoint: String },
    #[error("no endpoints of \"{first}\" and \"{second}\" fit together: {} and {}", list(.of_first), list(.of_second))]
    NoneFits {
        first: String,
        second: String,
        /// `website (provider of http)`.
        of_first: Vec<String>,
        of_second: Vec<String>,
    },
    #[error("\"{first}\" and \"{second}\" fit together in more than one way: {}", list(.pairs))]
    Ambiguous {
        first: String,
        second: String,
        /// `front:website site:website`, as `integrate` takes them.
        pairs: Vec<String>,
    },
    #[error("\"{pair}\" has container scope, so one of its sides must be a subordinate")]
    NoSubordinate { pair: String },
}

impl EndpointError {
    pub fn refusal(&self) -> Refusal {
        match self {
            EndpointError::Unknown { .. } => Refusal::EndpointNotFound,
            EndpointError::Peer { .. } => Refusal::EndpointIsPeer,
            EndpointError::NoneFits { .. } => Refusal::EndpointsDoNotFit,
            EndpointError::Ambiguous { .. } => Refusal::EndpointsAmbiguous,
            EndpointError::NoSubordinate { .. } => Refusal::RelationNeedsSubordinate,
        }
    }
}

impl Pair {
    /// The relation meant by two names. Declared endpoints come before implicit ones.
    pub fn find(
        first: (&EndpointName, &CharmMetadata),
        second: (&EndpointName, &CharmMetadata),
    ) -> Result<Pair, EndpointError> {
        let left = named(first.0, first.1)?;
        let right = named(second.0, second.1)?;
        let mut pairs: Vec<Pair> = left
            .iter()
            .flat_map(|one| right.iter().map(move |other| (one, other)))
            .filter(|(one, other)| one.fits(other))
            .map(|(one, other)| Pair::of(one, other))
            .collect();
        if pairs.iter().any(|pair| !pair.provider.is_implicit()) {
            pairs.retain(|pair| !pair.provider.is_implicit());
        }
        pairs.dedup();
        let (first, second) = (first.0.to_string(), second.0.to_string());
        match pairs.as_slice() {
            [] => Err(EndpointError::NoneFits {
                first,
                second,
                of_first: left.iter().map(described).collect(),
                of_second: right.iter().map(described).collect(),
            }),
            [pair] => pair.clone().checked(),
            several => Err(EndpointError::Ambiguous {
                first,
                second,
                pairs: several.iter().map(Pair::to_string).collect(),
            }),
        }
    }

    fn of(one: &Side, other: &Side) -> Pair {
        let (requirer, provider) = match one.role {
            Role::Requirer => (one, other),
            _ => (other, one),
        };
        Pair {
            requirer: requirer.clone(),
            provider: provider.clone(),
        }
    }

    /// A container-scoped relation lives where a subordinate lives.
    fn checked(self) -> Result<Pair, EndpointError> {
        if self.scope() == Scope::Container
            && !self.requirer.subordinate
            && !self.provider.subordinate
        {
            return Err(EndpointError::NoSubordinate {
                pair: self.to_string(),
            });
        }
        Ok(self)
    }

    /// Container, if either side says so.
    pub fn scope(&self) -> Scope {
        if self.requirer.scope == Scope::Container || self.provider.scope == Scope::Container {
            Scope::Container
        } else {
            Scope::Global
        }
    }
}

/// The relation's key: `front:website site:website`.
impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.requirer, self.provider)
    }
}

/// The endpoints that a name can mean.
fn named(name: &EndpointName, charm: &CharmMetadata) -> Result<Vec<Side>, EndpointError> {
    let mut sides = Side::all(&name.application, charm);
    if let Some(endpoint) = &name.endpoint {
        let Some(side) = sides.iter().find(|side| side.name == *endpoint) else {
            return Err(EndpointError::Unknown {
                application: name.application.clone(),
                endpoint: endpoint.clone(),
                has: sides.iter().map(|side| side.name.clone()).collect(),
            });
        };
        if side.role == Role::Peer {
            return Err(EndpointError::Peer {
                endpoint: side.to_string(),
            });
        }
        sides = vec![side.clone()];
    }
    sides.retain(|side| side.role != Role::Peer);
    Ok(sides)
}

fn described(side: &Side) -> String {
    format!("{} ({} of {})", side.name, side.role, side.interface)
}

fn list(items: &[String]) -> String {
    if items.is_empty() {
        "none".to_owned()
    } else {
        items.join(", ")
    }
}
