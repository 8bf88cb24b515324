//! Whether one charm may take another's place in an application, by what the two declare alone.
//!
//! What depends on the application as well is not decided here: its relations are held against the
//! new endpoints by `Side::may_become`. Each rule is a function of the two charms and a row of
//! [`RULES`], so that whatever charms come to declare has one place where it is compared.

use super::CharmInfo;
use crate::Refusal;

#[cfg(test)]
mod tests;

/// Why a charm may not take another's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    pub refusal: Refusal,
    /// A sentence that begins with the application's name, without that name.
    pub why: String,
}

type Rule = fn(old: &CharmInfo, new: &CharmInfo) -> Option<Unfit>;

/// In the order in which they are told: the first that is broken is the answer.
const RULES: &[Rule] = &[name, kind];

/// Refuses a charm that can never follow on `old` in one application, whatever its relations.
///
/// # Errors
/// The first rule that is broken.
pub fn may_replace(old: &CharmInfo, new: &CharmInfo) -> Result<(), Unfit> {
    RULES
        .iter()
        .find_map(|rule| rule(old, new))
        .map_or(Ok(()), Err)
}

fn name(old: &CharmInfo, new: &CharmInfo) -> Option<Unfit> {
    (old.name != new.name).then(|| Unfit {
        refusal: Refusal::CharmNameDiffers,
        why: format!(
            "runs charm \"{}\" and cannot be refreshed to \"{}\"",
            old.name, new.name
        ),
    })
}

fn kind(old: &CharmInfo, new: &CharmInfo) -> Option<Unfit> {
    (old.subordinate != new.subordinate).then(|| Unfit {
        refusal: Refusal::CharmKindDiffers,
        why: "cannot change between principal and subordinate".to_owned(),
    })
}
