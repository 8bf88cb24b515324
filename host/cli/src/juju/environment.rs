//! Juju's variables, which count where ours are not set: `JUJU_MODEL` and `JUJU_CONTROLLER`. `JUJU_DATA` is
//! read with the files of the client.

use clap::Command;

/// Our variables with Juju's.
const VARIABLES: [(&str, &str); 2] = [
    ("PERIAPT_MODEL", "JUJU_MODEL"),
    ("PERIAPT_CONTROLLER", "JUJU_CONTROLLER"),
];

/// The program, whose arguments take the variables that are set.
pub fn follow(command: Command) -> Command {
    follow_where(command, &|name: &str| {
        std::env::var_os(name).is_some_and(|value| !value.is_empty())
    })
}

pub(super) fn follow_where(mut command: Command, is_set: &impl Fn(&str) -> bool) -> Command {
    for (ours, jujus) in VARIABLES {
        if is_set(ours) || !is_set(jujus) {
            continue;
        }
        let reading: Vec<String> = command
            .get_arguments()
            .filter(|argument| argument.get_env().is_some_and(|env| env == ours))
            .map(|argument| argument.get_id().as_str().to_owned())
            .collect();
        for id in reading {
            command = command.mut_arg(id, |argument| argument.env(jujus));
        }
    }
    command.mut_subcommands(|verb| follow_where(verb, is_set))
}

/// The controller that the environment names.
pub fn controller() -> Option<String> {
    let (ours, jujus) = VARIABLES[1];
    [ours, jujus]
        .into_iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|name| !name.is_empty())
}
