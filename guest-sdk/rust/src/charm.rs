//! The trait a charm implements, and the step from a hook's name to its method.

use serde::de::DeserializeOwned;

use crate::{Context, Dirs, Error, Event, Hook, Host, Result};

/// A charm. A fresh value serves each hook.
pub trait Charm: Default {
    /// The options of `config.yaml` as a struct: fields carry the options' names, options
    /// without a default are `Option`s. `()` for a charm that has none.
    type Config: DeserializeOwned;

    /// The hooks this charm implements. Others are skipped without starting a sandbox.
    const HOOKS: &'static [Hook];

    /// The first hook of a unit.
    fn install(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// This unit became the leader of its application.
    fn leader_elected(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// After install, and whenever a value differs from what the last run of this hook saw.
    fn config_changed(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// Once, after the first `config_changed`.
    fn start(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// From time to time, to look after the workload.
    fn update_status(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// The charm was refreshed to another revision.
    fn upgrade_charm(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// The unit is going away; the workload ends.
    fn stop(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }

    /// The last hook of a unit.
    fn remove(&mut self, _context: &Context<Self::Config>) -> Result<()> {
        Ok(())
    }
}

/// Runs the hook of `event` on a fresh charm.
pub fn dispatch<C: Charm>(host: &dyn Host, dirs: &Dirs, event: &Event) -> Result<()> {
    let context = Context::new(host, dirs, event);
    let mut charm = C::default();
    match event.hook {
        Hook::Install => charm.install(&context),
        Hook::LeaderElected => charm.leader_elected(&context),
        Hook::ConfigChanged => charm.config_changed(&context),
        Hook::Start => charm.start(&context),
        Hook::UpdateStatus => charm.update_status(&context),
        Hook::UpgradeCharm => charm.upgrade_charm(&context),
        Hook::Stop => charm.stop(&context),
        Hook::Remove => charm.remove(&context),
    }
    .map_err(|error| match error {
        // An operator reads this text without the code at hand: say where it happened.
        Error::Files(error) => Error::Failed(format!("a file operation failed: {error}")),
        error => error,
    })
}
