//! Passwords from a person: asked for at a terminal without showing them, else a line of standard
//! input. They never come from the command line, which others can see.

use std::io::{BufRead, IsTerminal};

use crate::arguments::PasswordInput;
use crate::failure::{Failure, Outcome};

/// A password that is to be chosen; typed twice where it cannot be seen.
pub fn choose(input: PasswordInput, user: &str) -> Outcome<String> {
    if piped(input) {
        return line();
    }
    let first = ask(&format!("new password for \"{user}\": "))?;
    let again = ask("type new password again: ")?;
    if first == again {
        return Ok(first);
    }
    Err(Failure::usage("the passwords do not match")
        .why("the two that were typed differ")
        .advice("try again"))
}

/// A password that is known.
pub fn present(input: PasswordInput, prompt: &str) -> Outcome<String> {
    if piped(input) {
        return line();
    }
    ask(prompt)
}

/// Something that is no secret.
pub fn name(prompt: &str) -> Outcome<String> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage("the user is not known")
            .why("no earlier login here, and no terminal to ask for one")
            .advice("add --user NAME"));
    }
    console::Term::stderr()
        .write_str(prompt)
        .map_err(unreadable)?;
    line()
}

/// One line of standard input without its end.
pub fn line() -> Outcome<String> {
    let mut line = String::new();
    let read = std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(unreadable)?;
    if read == 0 {
        return Err(Failure::usage("no password was given")
            .why("standard input ended")
            .advice("type it at a terminal, or write it to standard input as one line"));
    }
    Ok(line.trim_end_matches(['\n', '\r']).to_owned())
}

fn piped(input: PasswordInput) -> bool {
    input.password_stdin || !std::io::stdin().is_terminal()
}

fn ask(prompt: &str) -> Outcome<String> {
    let terminal = console::Term::stderr();
    terminal.write_str(prompt).map_err(unreadable)?;
    terminal.read_secure_line().map_err(unreadable)
}

fn unreadable(error: std::io::Error) -> Failure {
    Failure::failed("cannot read the password").why(error.to_string())
}
