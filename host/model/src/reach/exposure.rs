//! Applications that show their open ports to addresses outside the model.
//!
//! Without endpoints an application is exposed by a wildcard, which holds for every endpoint but
//! those that are exposed by name: these have addresses of their own instead. What is open for all
//! endpoints is open for each of them, so it shows to the addresses of the wildcard and to those of
//! every named endpoint.
//!
//! Source: the public documentation of `expose` and `unexpose`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Cidr, CidrError, Endpoints};
use crate::bounds::EXPOSED_CIDRS;
use crate::{ApplicationName, Refusal};

/// How an application is exposed: by endpoint, where the empty name is the wildcard, as in Juju's
/// `exposed-endpoints`; the addresses, of which there is at least one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Exposure(BTreeMap<String, BTreeSet<Cidr>>);

/// All exposures of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Exposures(BTreeMap<ApplicationName, Exposure>);

/// To whom an endpoint is exposed, in Juju's keys. With neither it is everybody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct ExposedEndpoint {
    /// There are no spaces yet: naming one is refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expose_to_spaces: Vec<String>,
    /// Ranges of addresses, `10.0.0.0/8`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expose_to_cidrs: Vec<String>,
}

/// By endpoint; the empty name stands for every one that is not named.
pub type ExposedEndpoints = BTreeMap<String, ExposedEndpoint>;

/// An endpoint that cannot be unexposed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("endpoint \"{endpoint}\" of \"{application}\" is not exposed; exposed endpoints: {}", list(.exposed))]
pub struct NotExposed {
    pub application: ApplicationName,
    pub endpoint: String,
    /// Those that are.
    pub exposed: Vec<String>,
}

impl NotExposed {
    pub fn refusal(&self) -> Refusal {
        Refusal::EndpointNotExposed
    }
}

/// What cannot be exposed as asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExposureError {
    #[error(transparent)]
    Cidr(#[from] CidrError),
    #[error("\"{0}\" is a space, and there are no spaces yet")]
    Space(String),
    #[error("{0} address ranges exceed the {most} that an application can be exposed to", most = EXPOSED_CIDRS.most)]
    TooMany(usize),
}

impl ExposureError {
    pub fn refusal(&self) -> Refusal {
        match self {
            ExposureError::Cidr(error) => error.refusal(),
            ExposureError::Space(_) => Refusal::NoSpaces,
            ExposureError::TooMany(_) => Refusal::TooManyCidrs,
        }
    }
}

fn list(exposed: &[String]) -> String {
    match exposed.is_empty() {
        true => "none".to_owned(),
        false => exposed.join(", "),
    }
}

const WILDCARD: &str = "";

impl Exposure {
    /// What somebody asks for; nothing stands for the application as a whole, to everybody.
    ///
    /// # Errors
    /// Text that is no range of addresses, a space, more ranges than there may be.
    pub fn read(asked: &ExposedEndpoints) -> Result<Self, ExposureError> {
        let mut exposure = Self::default();
        if asked.is_empty() {
            exposure.expose(&Endpoints::All, []);
        }
        for (endpoint, to) in asked {
            if let Some(space) = to.expose_to_spaces.first() {
                return Err(ExposureError::Space(space.chars().take(80).collect()));
            }
            let cidrs = to.expose_to_cidrs.iter();
            let cidrs: Vec<Cidr> = cidrs.map(|text| text.parse()).collect::<Result<_, _>>()?;
            exposure.expose(&named(endpoint), cidrs);
        }
        exposure.check()?;
        Ok(exposure)
    }

    /// Whether it is small enough to be kept.
    ///
    /// # Errors
    /// More ranges than there may be.
    pub fn check(&self) -> Result<(), ExposureError> {
        let ranges = self.0.values().map(BTreeSet::len).sum();
        match EXPOSED_CIDRS.exceeded_by(ranges) {
            true => Err(ExposureError::TooMany(ranges)),
            false => Ok(()),
        }
    }

    /// Exposes these endpoints, or the application as a whole, to `cidrs`, or to everybody where
    /// there are none. Whatever was said before of the same endpoints is replaced.
    pub fn expose(&mut self, endpoints: &Endpoints, cidrs: impl IntoIterator<Item = Cidr>) {
        let mut cidrs: BTreeSet<Cidr> = cidrs.into_iter().collect();
        if cidrs.is_empty() {
            cidrs.extend([Cidr::ALL_V4, Cidr::ALL_V6]);
        }
        match endpoints {
            Endpoints::All => {
                self.0.insert(WILDCARD.to_owned(), cidrs);
            }
            Endpoints::Named(names) => {
                let names = names.iter();
                self.0
                    .extend(names.map(|name| (name.clone(), cidrs.clone())));
            }
        }
    }

    /// Adds what another says, which replaces what this one says of the same endpoints.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Takes the exposure of these endpoints back, or all of it.
    ///
    /// # Errors
    /// One of the named endpoints is not exposed; then nothing is changed.
    pub fn unexpose(
        &mut self,
        application: &ApplicationName,
        endpoints: &Endpoints,
    ) -> Result<(), NotExposed> {
        let Endpoints::Named(names) = endpoints else {
            self.0.clear();
            return Ok(());
        };
        if let Some(endpoint) = names.iter().find(|name| !self.0.contains_key(*name)) {
            let exposed = self.0.keys().filter(|name| !name.is_empty());
            return Err(NotExposed {
                application: application.clone(),
                endpoint: endpoint.clone(),
                exposed: exposed.cloned().collect(),
            });
        }
        self.0.retain(|name, _| !names.contains(name));
        Ok(())
    }

    /// Whether nothing is exposed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each exposed endpoint with its addresses; the empty name is the wildcard.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &BTreeSet<Cidr>)> {
        let endpoints = self.0.iter();
        endpoints.map(|(name, cidrs)| (name.as_str(), cidrs))
    }

    /// As people read it.
    pub fn shown(&self) -> ExposedEndpoints {
        let shown = |(name, cidrs): (&str, &BTreeSet<Cidr>)| {
            let endpoint = ExposedEndpoint {
                expose_to_spaces: Vec::new(),
                expose_to_cidrs: cidrs.iter().map(Cidr::to_string).collect(),
            };
            (name.to_owned(), endpoint)
        };
        self.iter().map(shown).collect()
    }

    /// From where a port can be reached that is open for these endpoints.
    pub fn sources(&self, endpoints: &Endpoints) -> BTreeSet<Cidr> {
        let sources: Vec<&BTreeSet<Cidr>> = match endpoints {
            Endpoints::All => self.0.values().collect(),
            Endpoints::Named(names) => {
                let of = |name| self.0.get(name).or_else(|| self.0.get(WILDCARD));
                names.iter().filter_map(of).collect()
            }
        };
        sources.into_iter().flatten().copied().collect()
    }
}

fn named(endpoint: &str) -> Endpoints {
    match endpoint {
        WILDCARD => Endpoints::All,
        name => Endpoints::of([name]),
    }
}

impl Exposures {
    /// Says how an application is exposed.
    pub fn set(&mut self, application: ApplicationName, exposure: Exposure) {
        match exposure.is_empty() {
            true => self.0.remove(&application),
            false => self.0.insert(application, exposure),
        };
    }

    /// See [`Exposure::expose`].
    pub fn expose(
        &mut self,
        application: &ApplicationName,
        endpoints: &Endpoints,
        cidrs: impl IntoIterator<Item = Cidr>,
    ) {
        let exposure = self.0.entry(application.clone()).or_default();
        exposure.expose(endpoints, cidrs);
    }

    /// Takes the exposure of these endpoints back, or all of the application's. With the last of
    /// them the application is not exposed any more.
    ///
    /// # Errors
    /// One of the named endpoints is not exposed; then nothing is changed.
    pub fn unexpose(
        &mut self,
        application: &ApplicationName,
        endpoints: &Endpoints,
    ) -> Result<(), NotExposed> {
        let mut exposure = self.0.remove(application).unwrap_or_default();
        let result = exposure.unexpose(application, endpoints);
        self.set(application.clone(), exposure);
        result
    }

    pub fn is_exposed(&self, application: &ApplicationName) -> bool {
        self.0.contains_key(application)
    }

    /// Whether no application is exposed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each exposed endpoint of an application with its addresses; the empty name is the wildcard.
    pub fn of(
        &self,
        application: &ApplicationName,
    ) -> impl Iterator<Item = (&str, &BTreeSet<Cidr>)> {
        let exposure = self.0.get(application).into_iter();
        exposure.flat_map(Exposure::iter)
    }

    /// From where a port can be reached that is open for these endpoints.
    pub fn sources(&self, application: &ApplicationName, endpoints: &Endpoints) -> BTreeSet<Cidr> {
        let exposure = self.0.get(application);
        exposure.map_or_else(BTreeSet::new, |exposure| exposure.sources(endpoints))
    }
}
