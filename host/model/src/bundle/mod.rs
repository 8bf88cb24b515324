//! Bundles: several applications and their relations in one file, and what has to be done so
//! that a model holds them.
//!
//! A bundle is read with its overlays into one [`Bundle`]; [`Bundle::plan`] compares it with
//! the model and names the steps that are missing, in the order in which they must be taken.
//! Applied to a model that already holds it, a bundle has no steps. A bundle adds and changes;
//! it never removes what it does not mention (Juju's rule).

mod parse;
mod plan;
#[cfg(test)]
mod tests;

pub use parse::{Bundle, BundleApplication, BundleError, BundleResource};
pub use plan::{CurrentApplication, CurrentModel, CurrentResource, PlanError, Step};
