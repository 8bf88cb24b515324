//! `cargo xtask`: what a person does with a checkout, one command each.
//!
//! Each command installs what it lacks (Debian's packages only), says what takes long, and
//! ends with a result that a script can read. Nothing here decides anything about models.

mod arrows;
mod bench;
mod busy;
mod charms;
mod demo;
#[cfg(test)]
mod places;
mod progress;
mod python;
mod test;
mod web;

use std::process::ExitCode;

use xtask::{packages, postgres, run};

const HELP: &str = "\
Usage: cargo xtask COMMAND

  demo [--once]      build everything, start a controller, deploy the demo charm, serve until Ctrl-C
                     (--once: stop when it is settled)
  test [SUITE...]    run the tests; the last line counts them
  bench [--quick] [--json FILE] [PART...]
                     measure against the promises of SPECIFICATION.md, whose letters name the parts;
                     the file gets every figure with its budget and whether it is met
  arrows             hold the crates' dependencies against the table of rooms in ARCHITECTURE.md
  openapi            write docs/reference/ anew: openapi.json with what it promises, commands.md and the other pages;
                     fails where that would break what was promised before
  charms             build and pack the charms of charms/ into target/charms/
  web                build the web interface into web-ui/dist/, which periapt carries
  screenshots        make a picture of every page into target/screenshots/
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", &[] as &[String]),
    };
    let outcome = match command {
        "demo" => demo::run(rest.iter().any(|flag| flag == "--once")),
        "test" => test::run(rest),
        "bench" => bench::run(rest),
        "arrows" => arrows::run(),
        "openapi" => test::write_reference(),
        "charms" => charms::pack_all(charms::Profile::Dev).map(|_| ()),
        "web" => web::build().map(|_| ()),
        "screenshots" => test::screenshots(),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(anyhow::anyhow!("\"{other}\" is not a command\n\n{HELP}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nxtask {command} failed: {error:#}");
            ExitCode::FAILURE
        }
    }
}
