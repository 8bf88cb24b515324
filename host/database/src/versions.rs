//! How often the definition of something changed. A version is raised in the transaction that
//! touches the definition; statuses are no part of it, so a busy unit costs nothing here.

use std::fmt;

use crate::error::Error;
use crate::tx::{Touched, Tx};
use crate::{OpenDatabase, params};

/// Something that is defined and can be changed: a namespace and a key within a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    touched: Touched,
}

impl Definition {
    pub fn new(
        model: &(impl AsRef<str> + ?Sized),
        namespace: &'static str,
        key: impl Into<String>,
    ) -> Self {
        Self {
            touched: Touched {
                model: model.as_ref().to_owned(),
                namespace,
                key: key.into(),
            },
        }
    }
}

/// `application "site"`
impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.touched.namespace.replace('-', " ");
        match self.touched.key.as_str() {
            "" => write!(f, "the {what}"),
            key => write!(f, "{what} \"{key}\""),
        }
    }
}

/// At which version somebody wants to change a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Whatever it is.
    Any,
    /// One of these.
    OneOf(Vec<u64>),
}

impl Expected {
    pub(crate) fn holds(&self, found: u64) -> bool {
        match self {
            Expected::Any => true,
            Expected::OneOf(versions) => versions.contains(&found),
        }
    }
}

/// A version as HTTP writes it.
pub fn version_tag(version: u64) -> String {
    format!("\"{version}\"")
}

const VERSION: &str =
    "SELECT version FROM entity_version WHERE model_uuid = $1 AND namespace = $2 AND key = $3";

impl OpenDatabase {
    /// How often the definition has changed; 0 for one that is not known.
    ///
    /// Who shows a definition with its version asks for the version first: the worst is then a
    /// version that is too old, and a refusal that says so.
    pub async fn version(&self, definition: &Definition) -> Result<u64, Error> {
        let Touched {
            model,
            namespace,
            key,
        } = &definition.touched;
        self.glance()
            .await?
            .count(VERSION, params![model, *namespace, key])
            .await
    }
}

/// The version in the midst of a transaction, with what it changed so far.
pub(crate) async fn current(tx: &mut Tx, definition: &Definition) -> Result<u64, Error> {
    let Touched {
        model,
        namespace,
        key,
    } = &definition.touched;
    let stored = tx
        .db
        .count(VERSION, params![model, *namespace, key])
        .await?;
    Ok(stored + tx.raised(&definition.touched))
}
