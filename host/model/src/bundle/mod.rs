//! Bundles: several applications and their relations in one file, and what has to be done so
//! that a model holds them.
//!
//! A bundle is read with its overlays into one [`Bundle`]; [`Bundle::plan`] compares it with
//! the model and names the steps that are missing, in the order in which they must be taken.
//! Applied to a model that already holds it, a bundle has no steps. A bundle adds and changes;
//! it never removes what it does not mention (Juju's rule).

//! What differs both ways is a [`BundleDifference`]: between a file and the model, or between the
//! model and what was applied to it last ([`AppliedBundle`]).

mod applied;
mod difference;
mod export;
mod locate;
mod parse;
mod plan;
mod released;
mod step;
#[cfg(test)]
mod tests;

pub use applied::AppliedBundle;
pub use difference::{
    ApplicationDifference, BundleDifference, ComparedCharm, ExposedSides, Missing, OptionSides,
    RelationDifference, RevisionSides, TextSides, TrustSides, UnitSides,
};
pub use export::Exported;
pub use locate::{line_of, line_of_key, line_of_plan};
pub use parse::{Bundle, BundleApplication, BundleError, BundleResource};
pub use plan::{CurrentApplication, CurrentModel, CurrentResource, PlanError, RelationError, Step};
pub use step::StepKind;
