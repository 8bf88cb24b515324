//! What scripts that were written for `juju` find: its commands and aliases, the flags of its that mean nothing
//! here or are refused, its environment, and, for a program that is called `juju`, its exit statuses.
//!
//! The program's own verbs know nothing of this. The tables here are laid over their command line before it is read, so
//! that help, completions and the reference page have what is accepted.

pub mod environment;
pub mod flags;
pub mod plugins;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
pub mod verbs;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::{Arg, ArgAction, Command, CommandFactory, FromArgMatches};

use crate::arguments::Arguments;
use crate::failure::{Failure, Outcome};
use verbs::{Here, Row};

/// A command line that was read.
#[derive(Debug)]
pub enum Line {
    Verb {
        arguments: Box<Arguments>,
        /// What is to be said before it runs.
        remarks: Vec<String>,
    },
    /// A flag of Juju's that cannot be done, and would be missed.
    Refused(Failure),
    /// One of Juju's commands that has no verb here.
    Answered(&'static Row),
    /// `help commands`
    Commands,
}

/// The program as people may call it.
pub fn command() -> Command {
    environment::follow(extended())
}

/// The same whatever the environment says.
fn extended() -> Command {
    let command = flags::add(Arguments::command()).mut_subcommands(|verb| {
        let name = verb.get_name().to_owned();
        let known: Vec<String> = verb.get_all_aliases().map(str::to_owned).collect();
        let more = verbs::ALL
            .iter()
            .filter(|row| matches!(row.here, Here::As(ours) if ours == name))
            .map(|row| row.juju)
            .filter(|alias| !known.iter().any(|one| one == alias));
        verb.visible_aliases(more)
    });
    verbs::ALL
        .iter()
        .filter(|row| row.is_answered())
        .fold(command, |command, row| command.subcommand(answered(row)))
}

/// A command that takes whatever it is given.
fn answered(row: &'static Row) -> Command {
    let about = match row.here {
        Here::Nothing { why } | Here::Absent { why, .. } => why,
        Here::Same | Here::As(_) => "",
    };
    let words = Arg::new("words")
        .value_name("ARGUMENT")
        .action(ArgAction::Append)
        .num_args(0..)
        .trailing_var_arg(true)
        .allow_hyphen_values(true);
    let command = Command::new(row.juju).about(about).hide(true).arg(words);
    match row.here {
        Here::Absent { instead, .. } => command.after_help(format!("Instead: {instead}")),
        _ => command,
    }
}

/// # Errors
/// The words are no command line.
pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Line, clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    if let [_, help, commands] = words.as_slice()
        && help == "help"
        && commands == "commands"
    {
        return Ok(Line::Commands);
    }
    let mut program = command();
    let mut matches = program.try_get_matches_from_mut(words)?;
    if let Some(row) = matches.subcommand_name().and_then(verbs::answered) {
        return Ok(Line::Answered(row));
    }
    let remarks = match flags::remarks(&matches) {
        Ok(remarks) => remarks,
        Err(failure) => return Ok(Line::Refused(failure)),
    };
    let arguments = Arguments::from_arg_matches_mut(&mut matches)
        .map_err(|error| error.format(&mut program))?;
    Ok(Line::Verb {
        arguments: Box::new(arguments),
        remarks,
    })
}

/// Says what one of Juju's commands is that has no verb here.
///
/// # Errors
/// It is absent.
pub fn answer(row: &Row) -> Outcome {
    match row.here {
        Here::Same | Here::As(_) => Ok(()),
        Here::Nothing { why } => {
            eprintln!("{} has nothing to do: {why}", row.juju);
            Ok(())
        }
        Here::Absent { why, instead } => {
            Err(Failure::failed(format!("there is no {} here", row.juju))
                .why(why)
                .advice(instead))
        }
    }
}

/// Whether the program was called by the name of `juju`, as through a link. It then ends with Juju's exit statuses.
pub fn is_called_so(program: Option<&OsStr>) -> bool {
    program.and_then(|path| Path::new(path).file_name()) == Some(OsStr::new("juju"))
}

/// The commands with a line about each, as `help commands` lists them.
pub fn commands() -> String {
    let command = extended();
    let mut lines: Vec<(String, String)> = Vec::new();
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let about = verb.get_about().map(ToString::to_string);
        lines.push((verb.get_name().to_owned(), about.unwrap_or_default()));
        for alias in verb.get_visible_aliases() {
            lines.push((
                alias.to_owned(),
                format!("Alias for '{}'.", verb.get_name()),
            ));
        }
    }
    lines.sort();
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = lines
        .into_iter()
        .map(|(name, about)| format!("{name:width$}  {about}\n"));
    lines.collect()
}
