//! The providers that a program has, by kind.
//!
//! A model names the kind of its cloud; whoever needs the model's provider asks here. There is no
//! other place where a kind becomes code, so adding one is a line where the registry is filled.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Provider, ProviderError, UpgradeOp};

/// Opens the environments of one kind of cloud. While somebody holds the provider of an
/// environment, opening it again gives the same one, so that two holders never work against each
/// other.
pub trait Environments: Send + Sync + 'static {
    /// The steps there are for each environment, in their order. Whoever opens environments
    /// remembers how far each has come.
    fn upgrade_ops(&self) -> &'static [UpgradeOp] {
        &[]
    }

    /// The provider of `environment`.
    ///
    /// # Errors
    /// A name that cannot be an environment's.
    fn open(&self, environment: &str) -> Result<Arc<dyn Provider>, ProviderError>;
}

/// What opens environments, by the kind of their cloud. Clones share what they open.
#[derive(Clone, Default)]
pub struct Providers {
    kinds: BTreeMap<&'static str, Arc<dyn Environments>>,
}

impl Providers {
    /// With one more kind; a second one of the same kind takes the place of the first.
    #[must_use]
    pub fn with(mut self, kind: &'static str, environments: impl Environments) -> Self {
        self.kinds.insert(kind, Arc::new(environments));
        self
    }

    /// What the provider of a kind does once about what earlier versions left, in order.
    ///
    /// # Errors
    /// No provider of this kind.
    pub fn upgrade_ops(&self, kind: &str) -> Result<&'static [UpgradeOp], ProviderError> {
        Ok(self.kind(kind)?.upgrade_ops())
    }

    /// The provider of `environment`, which is in a cloud of this kind.
    ///
    /// # Errors
    /// No provider of this kind, or a name that cannot be an environment's.
    pub fn open(&self, kind: &str, environment: &str) -> Result<Arc<dyn Provider>, ProviderError> {
        self.kind(kind)?.open(environment)
    }

    fn kind(&self, kind: &str) -> Result<&dyn Environments, ProviderError> {
        let found = self.kinds.get(kind).map(Arc::as_ref);
        found.ok_or_else(|| ProviderError::UnknownKind {
            kind: kind.to_owned(),
            known: self.kinds.keys().map(|kind| (*kind).to_owned()).collect(),
        })
    }
}
