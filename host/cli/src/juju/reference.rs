//! `docs/reference/commands.md`: all commands with their flags, and what Juju has and we have not. The page is made of what
//! the program reads command lines with, and the test here holds the one in the checkout against it.

use std::fmt::Write;
use std::path::Path;

use clap::{Arg, Command};

use super::flags::{self, Flag};
use super::verbs::{self, Here};

const HEAD: &str = "\
# Commands

All commands of `periapt` with their arguments. `cargo xtask openapi` generates this page from the program.
[Juju's commands](#jujus-commands) follow below, including those that do not exist here and why.

All commands take `--quiet` (print only data and failures), `--color` and `--no-color` (control colours) and
`--help`. Data goes to standard output, everything else to standard error.

";

const JUJU: &str = "\
# Juju's commands

The commands of Juju 3.6 with their aliases. *Answered* commands say why there is nothing to do and succeed. *Absent*
commands fail and name what to use instead.

| Juju | Here |
|---|---|
";

const REFUSED: &str = "\
## Flags of Juju's that are refused

Without them something else would happen than the script asks for, so the command fails before it does anything.

| Commands | Flag | Why it is refused |
|---|---|---|
";

const FLAGS: &str = "\
## Flags of Juju's without effect

Scripts may pass them. Each one prints a line on standard error and has no effect.

| Commands | Flag | Why it has no effect |
|---|---|---|
";

#[test]
fn the_page_of_commands_in_the_checkout_is_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/commands.md");
    let page = page();
    if std::env::var_os("PERIAPT_WRITE_REFERENCE").is_some() {
        std::fs::write(path, page).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    let differs = kept
        .lines()
        .zip(page.lines())
        .find(|(kept, made)| kept != made);
    assert!(
        kept == page,
        "docs/reference/commands.md differs from the program at {differs:?}; write it anew with: cargo xtask openapi"
    );
}

#[test]
fn the_page_has_every_verb_and_every_command_of_jujus() {
    let page = page();
    for verb in [
        "deploy",
        "charm init",
        "controller nodes",
        "scale-application",
        "find",
    ] {
        assert!(page.contains(&format!("\n## `periapt {verb}`\n")), "{verb}");
    }
    for row in verbs::ALL {
        assert!(
            page.contains(&format!("\n| `{}` | ", row.juju)),
            "{}",
            row.juju
        );
    }
    assert!(!page.contains("compile-component"));
    assert!(page.contains("`--base BASE`"));
    let (_, refused) = page
        .split_once("\n## Flags of Juju's that are refused\n")
        .unwrap();
    let (refused, ignored) = refused
        .split_once("\n## Flags of Juju's without effect\n")
        .unwrap();
    for flag in [
        "`--keep-instance`",
        "`--map-machines MAPPING`, except `existing`",
    ] {
        assert!(refused.contains(flag) && !ignored.contains(flag), "{flag}");
    }
}

fn page() -> String {
    let mut program = super::extended();
    program.build();
    let mut page = HEAD.to_owned();
    sections(&mut page, &program, "periapt");
    page.push_str(JUJU);
    for row in verbs::ALL {
        let here = match row.here {
            Here::Same => "the same".to_owned(),
            Here::As(ours) => format!("`{ours}`"),
            Here::Nothing { why } => format!("*answered*: {why}"),
            Here::Absent { why, instead } => format!("*absent*: {why}. Instead: {instead}"),
        };
        let _ = writeln!(page, "| `{}` | {} |", row.juju, cell(&here));
    }
    page.push('\n');
    page.push_str(REFUSED);
    for flag in flags::ALL {
        if let Some(refused) = flag.refused {
            let but_for = refused
                .but_for
                .map(|value| format!(", except `{value}`"))
                .unwrap_or_default();
            let why = format!("{}. Instead: {}", flag.why, refused.instead);
            row(&mut page, flag, &but_for, &why);
        }
    }
    page.push('\n');
    page.push_str(FLAGS);
    for flag in flags::ALL.iter().filter(|flag| flag.refused.is_none()) {
        row(&mut page, flag, "", flag.why);
    }
    page
}

fn row(page: &mut String, flag: &Flag, but_for: &str, why: &str) {
    let (commands, spelled) = (commands(flag), spelled(flag));
    let _ = writeln!(page, "| {commands} | {spelled}{but_for} | {} |", cell(why));
}

fn sections(page: &mut String, command: &Command, name: &str) {
    let mut verbs: Vec<&Command> = command
        .get_subcommands()
        .filter(|verb| !verb.is_hide_set() && verb.get_name() != "help")
        .collect();
    verbs.sort_by(|a, b| a.get_name().cmp(b.get_name()));
    for verb in verbs {
        let name = format!("{name} {}", verb.get_name());
        section(page, verb, &name);
        sections(page, verb, &name);
    }
}

fn section(page: &mut String, verb: &Command, name: &str) {
    let about = verb
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    let _ = write!(page, "## `{name}`\n\n{}\n\n", text(&about));
    let aliases: Vec<String> = verb
        .get_visible_aliases()
        .map(|alias| format!("`{alias}`"))
        .collect();
    if !aliases.is_empty() {
        let _ = write!(page, "Also called {}.\n\n", aliases.join(", "));
    }
    let usage = verb.clone().render_usage().to_string();
    let usage = usage.trim().trim_start_matches("Usage:").trim();
    let _ = write!(page, "```text\n{usage}\n```\n\n");
    let own = verb.get_arguments().filter(|argument| {
        !argument.is_hide_set()
            && !argument.is_global_set()
            && !["help", "version"].contains(&argument.get_id().as_str())
    });
    let lines: Vec<String> = own.map(line).collect();
    if !lines.is_empty() {
        let _ = write!(page, "{}\n\n", lines.join("\n"));
    }
}

/// An argument with what it is, its values and its default.
fn line(argument: &Arg) -> String {
    let short = argument.get_short().map(|short| format!("-{short}, "));
    let mut line = format!("- `{}{argument}`", short.unwrap_or_default());
    if let Some(aliases) = argument.get_visible_aliases() {
        for alias in aliases {
            let _ = write!(line, ", `--{alias}`");
        }
    }
    if let Some(help) = argument.get_help() {
        let _ = write!(line, ": {}", text(&help.to_string()));
    }
    let takes_value = argument.get_action().takes_values();
    let values = argument.get_possible_values();
    if takes_value && !values.is_empty() {
        let names: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
        let _ = write!(line, " One of {}.", names.join(", "));
    }
    let defaults: Vec<String> = argument
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    if takes_value && !defaults.is_empty() && !argument.is_hide_default_value_set() {
        let _ = write!(line, " Default: `{}`.", defaults.join(" "));
    }
    if let Some(variable) = argument.get_env() {
        let _ = write!(line, " Variable: `{}`.", variable.to_string_lossy());
    }
    line
}

fn commands(flag: &Flag) -> String {
    match flag.verbs {
        [] => "all".to_owned(),
        verbs => verbs
            .iter()
            .map(|verb| format!("`{verb}`"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

fn spelled(flag: &Flag) -> String {
    match flag.value {
        Some(value) => cell(&format!("`--{} {value}`", flag.long)),
        None => format!("`--{}`", flag.long),
    }
}

/// Text of one line in which nothing is taken for HTML.
fn text(text: &str) -> String {
    text.replace('<', "\\<").replace('\n', " ")
}

/// The same in a table.
fn cell(words: &str) -> String {
    text(words).replace('|', "\\|")
}
