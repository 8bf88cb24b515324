//! A charm that does in each hook what its config says, good or bad, so that tests of the host
//! need one charm only. The README lists the actions.

use periapt_charm::{Charm, Context, Hook, Result, info};
use serde::Deserialize;

mod actions;
mod escape;
mod script;
#[cfg(test)]
mod tests;

#[derive(Deserialize)]
pub struct Config {
    #[serde(default)]
    script: String,
}

/// The state key that lists the hooks that were committed, in order.
pub const HOOKS_KEY: &str = "hooks";

#[derive(Default)]
pub struct Probe;

impl Probe {
    fn run(&self, context: &Context<Config>) -> Result<()> {
        let hook = context.event().hook;
        let mut hooks: Vec<String> = context.state().get(HOOKS_KEY)?.unwrap_or_default();
        info!(
            context,
            "hook {hook}, committed before: {}",
            hooks.join(" ")
        );
        let script = context.config()?.script;
        for action in script::parse(&script)?
            .into_iter()
            .filter(|line| line.applies_to(hook))
        {
            actions::perform(&action.action, context)?;
        }
        hooks.push(hook.to_string());
        context.state().set(HOOKS_KEY, &hooks)
    }
}

impl Charm for Probe {
    type Config = Config;
    const HOOKS: &'static [Hook] = Hook::ALL;

    fn install(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn leader_elected(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn config_changed(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn start(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn update_status(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn upgrade_charm(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn stop(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn remove(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }
}

periapt_charm::export!(Probe);
