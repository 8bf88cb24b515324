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

use super::{Cidr, Endpoints};
use crate::ApplicationName;

/// By endpoint, where the empty name is the wildcard, as in Juju's `exposed-endpoints`; the
/// addresses, of which there is at least one.
type Exposure = BTreeMap<String, BTreeSet<Cidr>>;

/// All exposures of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Exposures(BTreeMap<ApplicationName, Exposure>);

/// An endpoint that cannot be unexposed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("endpoint \"{endpoint}\" of \"{application}\" is not exposed; exposed are: {}", list(.exposed))]
pub struct NotExposed {
    pub application: ApplicationName,
    pub endpoint: String,
    /// Those that are.
    pub exposed: Vec<String>,
}

impl NotExposed {
    pub fn code(&self) -> &'static str {
        "endpoint-not-exposed"
    }
}

fn list(exposed: &[String]) -> String {
    match exposed.is_empty() {
        true => "none".to_owned(),
        false => exposed.join(", "),
    }
}

const WILDCARD: &str = "";

impl Exposures {
    /// Exposes these endpoints, or the application as a whole, to `cidrs`, or to everybody where
    /// there are none. Whatever was said before of the same endpoints is replaced.
    pub fn expose(
        &mut self,
        application: &ApplicationName,
        endpoints: &Endpoints,
        cidrs: impl IntoIterator<Item = Cidr>,
    ) {
        let mut cidrs: BTreeSet<Cidr> = cidrs.into_iter().collect();
        if cidrs.is_empty() {
            cidrs.extend([Cidr::ALL_V4, Cidr::ALL_V6]);
        }
        let exposure = self.0.entry(application.clone()).or_default();
        match endpoints {
            Endpoints::All => {
                exposure.insert(WILDCARD.to_owned(), cidrs);
            }
            Endpoints::Named(names) => {
                exposure.extend(names.iter().map(|name| (name.clone(), cidrs.clone())));
            }
        }
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
        let Endpoints::Named(names) = endpoints else {
            self.0.remove(application);
            return Ok(());
        };
        let exposed = self.0.entry(application.clone()).or_default();
        let missing = names.iter().find(|name| !exposed.contains_key(*name));
        let result = match missing {
            Some(endpoint) => Err(NotExposed {
                application: application.clone(),
                endpoint: endpoint.clone(),
                exposed: exposed
                    .keys()
                    .filter(|name| !name.is_empty())
                    .cloned()
                    .collect(),
            }),
            None => {
                exposed.retain(|name, _| !names.contains(name));
                Ok(())
            }
        };
        if exposed.is_empty() {
            self.0.remove(application);
        }
        result
    }

    pub fn is_exposed(&self, application: &ApplicationName) -> bool {
        self.0.contains_key(application)
    }

    /// Each exposed endpoint of an application with its addresses; the empty name is the wildcard.
    pub fn of(
        &self,
        application: &ApplicationName,
    ) -> impl Iterator<Item = (&str, &BTreeSet<Cidr>)> {
        let exposure = self.0.get(application).into_iter().flatten();
        exposure.map(|(name, cidrs)| (name.as_str(), cidrs))
    }

    /// From where a port can be reached that is open for these endpoints.
    pub(super) fn sources(
        &self,
        application: &ApplicationName,
        endpoints: &Endpoints,
    ) -> BTreeSet<Cidr> {
        let Some(exposure) = self.0.get(application) else {
            return BTreeSet::new();
        };
        let sources: Vec<&BTreeSet<Cidr>> = match endpoints {
            Endpoints::All => exposure.values().collect(),
            Endpoints::Named(names) => {
                let of = |name| exposure.get(name).or_else(|| exposure.get(WILDCARD));
                names.iter().filter_map(of).collect()
            }
        };
        sources.into_iter().flatten().copied().collect()
    }
}
