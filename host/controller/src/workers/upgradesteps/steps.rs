//! The steps: what this program does once about what earlier versions left.
//!
//! Each process of a controller carries each out once, in the order of the table; a new one too,
//! where there is nothing to do. A step may have been carried out in part before. One that was
//! published keeps its name and its place. What can be said in SQL is a migration of the store.

use futures::future::BoxFuture;

use crate::{ControllerContext, ControllerError, compiler};

/// One step.
pub struct UpgradeStep {
    /// `forget-compiled`; recorded when it is done.
    pub name: &'static str,
    /// The version of the program that brought it.
    pub since: &'static str,
    pub run: Run,
}

type Run = for<'a> fn(&'a ControllerContext) -> BoxFuture<'a, Result<(), ControllerError>>;

/// All of them.
pub const STEPS: &[UpgradeStep] = &[UpgradeStep {
    name: "forget-compiled",
    since: "0.1.0",
    run: |controller| Box::pin(async move { forget_compiled(controller) }),
}];

/// A compiled charm is kept under the name of the engine that can load it. What an earlier version
/// compiled with another engine would lie there for good, as much again as this one will need. A
/// version that changes the engine lists this function anew, under a name of its own.
fn forget_compiled(controller: &ControllerContext) -> Result<(), ControllerError> {
    let removed = compiler::forget_others(controller)?;
    tracing::info!(
        files = removed,
        "charms compiled by earlier versions are removed"
    );
    Ok(())
}
