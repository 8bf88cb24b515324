//! What units do with secrets beside their hooks' commits, and what keeps revisions where the model wants them.

use periapt_model::UnitName;
use periapt_model::secret::{OwnedSecret, ReadSecret, SecretId};
use serde::{Deserialize, Serialize};

/// By what a unit names a secret; the id where both are given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct NamedSecret {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<SecretId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// A revision that is not where its model wants it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Misplaced {
    pub id: SecretId,
    pub revision: u32,
}

crate::facade! { "periapt.Secrets" 1 for Agents {
    /// Secrets of the unit and of its application.
    [Read] OwnedSecrets as GetOwnedSecrets { unit: UnitName } -> Vec<OwnedSecret>;
    /// The revision on which the unit is (the newest for one that is on none), or the `newest`; error codes `not
    /// found` and `unauthorized access`.
    [Read] Secret as ReadUnitSecret {
        unit: UnitName,
        of: NamedSecret,
        #[serde(default)]
        newest: bool,
    } -> ReadSecret;
} }
