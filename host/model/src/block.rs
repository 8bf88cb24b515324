//! Blocks: what people may not do in a model until somebody allows it again. Words are Juju's.
//!
//! Each kind holds back what those before it do, and more. A removal with `--force` gets past all of them, as
//! in Juju; destroying the model does not, since that is what a block is there for, and whoever may destroy a
//! model may lift its blocks. Agents, reading, and who has access to the model are never held back.

use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// What is disabled.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum BlockKind {
    /// Destroying the model.
    DestroyModel,
    /// Removing anything in the model, too.
    RemoveObject,
    /// Every change of the model.
    All,
}

/// What a request does to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It destroys the model.
    DestroyModel,
    /// It removes an application, a unit, a machine or a relation.
    RemoveObject,
    /// It changes something else.
    Other,
}

impl BlockKind {
    /// From what holds back least to what holds back most.
    pub const ALL: [BlockKind; 3] = [
        BlockKind::DestroyModel,
        BlockKind::RemoveObject,
        BlockKind::All,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            BlockKind::DestroyModel => "destroy-model",
            BlockKind::RemoveObject => "remove-object",
            BlockKind::All => "all",
        }
    }

    /// Whether it holds a change back.
    pub fn holds(self, change: Change) -> bool {
        match self {
            BlockKind::DestroyModel => change == Change::DestroyModel,
            BlockKind::RemoveObject => change != Change::Other,
            BlockKind::All => true,
        }
    }
}

impl Change {
    /// Whether it is made all the same where it is forced.
    pub fn can_be_forced(self) -> bool {
        self == Change::RemoveObject
    }
}

impl std::fmt::Display for BlockKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for BlockKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = BlockKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text);
        found.ok_or_else(|| {
            let text: String = text.chars().take(80).collect();
            let known = BlockKind::ALL.iter().map(|kind| kind.as_str());
            format!(
                "\"{text}\" is not one of destroy-model, remove-object and all{}",
                crate::nearest::suggestion(&text, known)
            )
        })
    }
}
