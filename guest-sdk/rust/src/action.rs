//! What an operator may ask a charm for: actions, which have a name, typed parameters and results, and
//! commands, which have words and print.
//!
//! A charm lists both ([`Charm::ACTIONS`], [`Charm::COMMANDS`]) as its own methods. What they are given
//! is read here, and what they return is told to the host; the types in between are forgotten where
//! they are declared, so that the lists are plain constants.

use std::io::{self, Write};

use serde_json::Value;

use crate::{Charm, Context, Error, Result};

mod declared;
mod given;
mod host;
mod task;
#[cfg(test)]
mod tests;

pub use declared::{Action, Command, ReturnCode};
pub use host::ActionHost;
#[cfg(not(target_family = "wasm"))]
pub(crate) use host::TaskInfo;
pub use task::Task;

/// How the names of actions begin among those of hooks.
pub(crate) const ACTIONS: &str = "actions/";
/// How those of commands begin.
pub(crate) const COMMANDS: &str = "commands/";

/// The names of a charm's actions and commands, as the host asks for them.
pub(crate) fn names<C: Charm>() -> impl Iterator<Item = String> {
    let actions = C::ACTIONS.iter().map(|action| action.name());
    let commands = C::COMMANDS.iter().map(|command| command.name());
    actions
        .map(|name| format!("{ACTIONS}{name}"))
        .chain(commands.map(|name| format!("{COMMANDS}{name}")))
}

/// Runs an action; what it returns is added to its results.
pub(crate) fn run_action<C: Charm>(
    charm: &mut C,
    context: &Context<'_, C::Config>,
    name: &str,
) -> Result<()> {
    let action = Action::find(name)
        .ok_or_else(|| Error::failed(format!("this charm has no action \"{name}\"")))?;
    let answer = action.run(charm, context, &context.host.task()?.parameters);
    print_all()?;
    match answer? {
        Value::Null => Ok(()),
        results => context.task().set(&results),
    }
}

/// Runs a command; what it returns is how it ends.
pub(crate) fn run_command<C: Charm>(
    charm: &mut C,
    context: &Context<'_, C::Config>,
    name: &str,
) -> Result<()> {
    let command = Command::find(name)
        .ok_or_else(|| Error::failed(format!("this charm has no command \"{name}\"")))?;
    let code = command.run(charm, context, &context.host.task()?.arguments);
    print_all()?;
    match code? {
        0 => Ok(()),
        code => Ok(context.host.action_return(code)?),
    }
}

/// A component does not end like a program, so what was printed and ends in no new line would be lost.
fn print_all() -> io::Result<()> {
    io::stdout().flush()
}
