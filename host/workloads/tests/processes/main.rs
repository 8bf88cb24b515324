//! Tests whose subject is processes: the supervisor, its gate and what serves. This binary has its own
//! `main`, so that it can start itself again as each of them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "this is a test, though not one of libtest's"
)]

mod failing;
#[path = "../../../serving/src/tests/guest.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod guest;
mod handlers;
mod hostile;
mod machine;
mod pages;
mod reaching;
mod smuggling;
mod traces;

use std::process::ExitCode;
use std::time::Instant;

type Test = (&'static str, fn());

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["workloads", "gate"] => return periapt_workloads::end(periapt_workloads::gate()),
        ["workloads", "serve"] => return periapt_workloads::end(periapt_workloads::serve()),
        ["workloads", "run", directory, settings] => {
            let settings = serde_json::from_str(settings).unwrap();
            return periapt_workloads::end(periapt_workloads::run(directory.as_ref(), settings));
        }
        // What test runners ask of a binary.
        ["--list", ..] => return ExitCode::SUCCESS,
        _ => {}
    }
    let filter = |argument: &&&str| !argument.starts_with('-') && argument.parse::<u32>().is_err();
    let wanted = words.iter().find(filter);
    if machine::component().is_none() {
        eprintln!("the charm site is not built: nothing to run");
        return ExitCode::SUCCESS;
    }
    let suites = [
        pages::TESTS,
        reaching::TESTS,
        failing::TESTS,
        hostile::TESTS,
        handlers::TESTS,
        smuggling::TESTS,
        traces::TESTS,
    ];
    for (name, test) in suites.concat() {
        if wanted.is_none_or(|wanted| name.contains(*wanted)) {
            let begun = Instant::now();
            test();
            println!("{name}: ok ({:.1} s)", begun.elapsed().as_secs_f64());
        }
    }
    ExitCode::SUCCESS
}
