//! All tests, with one line per suite and one for the sum.
//!
//! A suite is a set of test programs whose `test result:` lines are added up. All of them are
//! built by one cargo call. A suite that cannot even run counts as one failure, so that the last
//! line never looks better than the truth.

mod programs;
mod suite;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};

use crate::{charms, packages, postgres, python, run, web};
use programs::{Built, TestProgram, build};
use suite::{Suite, run_all};

/// The crates whose tests stand beside their code, by room.
const ROOMS: &[&str] = &[
    "plan",
    "contract",
    "model",
    "files",
    "engine",
    "wire",
    "database",
    "store",
    "client",
    "sandbox",
    "serving",
    "workloads",
    "packing",
    "providers",
    "uniter",
    "outbound",
    "secrets",
    "receivers",
    "repository",
    "server",
    "catalogue",
    "agents",
    "controller",
    "cli",
    "telemetry",
    "testing",
];

/// Whole-system suites in `tests/` that measure: what an attacked neighbour notices, and what a hook
/// costs.
const MEASURING: &[&str] = &[HOSTILE, "costs"];

/// Suites that mostly wait, of rooms and of the whole system, the longest first.
const WAITING: &[&str] = &[
    "documentation",
    BROWSER,
    "e2e",
    HOSTILE_AGAIN,
    "controllers",
    "packing",
    "testing",
    "store",
    "crash",
    "schemathesis",
    GENERATED,
    "workloads",
    "agents",
    "server",
    "mistakes",
    "forwarding",
];

/// Those of them that are about how charms are compiled; the others hand on what they compiled.
const COMPILING: &[&str] = &["crash", "mistakes"];

/// Clients made of the API's description, in Python and TypeScript.
const GENERATED: &str = "generated_clients";

const HOSTILE: &str = "hostile";

/// The attacks again, where a machine gives least: no root, and few file descriptors. Only root can
/// become an ordinary user, so others run the suite `hostile` that way from the start.
const HOSTILE_AGAIN: &str = "hostile-again";
/// The suite that needs a browser.
const BROWSER: &str = "browser";

pub fn run(wanted: &[String]) -> Result<()> {
    let selected = |suite: &str| wanted.is_empty() || wanted.iter().any(|name| name == suite);
    let started = Instant::now();
    packages::ensure(packages::POSTGRESQL)?;
    if selected(BROWSER) {
        packages::ensure(packages::BROWSER)?;
    }
    if selected("documentation") {
        packages::ensure(packages::PROCESSES)?;
    }
    let node = web::node()?;
    packages::ensure(packages::SYSLOG)?;
    let schemathesis = if selected("schemathesis") {
        python::program("schemathesis", "schemathesis==4.32.5", "schemathesis")?
    } else {
        PathBuf::new()
    };
    // Scripts in Juju's words, and the page about them.
    let jubilant = if selected("e2e") || selected("documentation") {
        python::program("jubilant", "jubilant==1.14.0", "python")?
    } else {
        PathBuf::new()
    };
    let (generator, typescript) = if selected(GENERATED) {
        let folder = run::root().join("tests/generated_clients/typescript");
        node.install(&folder, "the generated client")?;
        let requirement = "openapi-python-client==0.29.1";
        let generator = python::program(GENERATED, requirement, "openapi-python-client")?;
        (generator, folder)
    } else {
        Default::default()
    };
    let periapt = charms::build_periapt(charms::Profile::Test)?;
    // The guests' standard library, one crate after another, leaves a processor to the tests.
    let (programs, charms) = std::thread::scope(|scope| {
        let charms = scope.spawn(|| charms::pack_with(&periapt));
        (build(), charms.join())
    });
    let Built { programs, warnings } = programs?;
    let charms = charms.map_err(|_| anyhow!("packing the charms panicked"))??;
    let postgres = postgres::Server::start().context("the tests need PostgreSQL")?;
    let environment = [
        ("PERIAPT_TEST_POSTGRES", postgres.url()),
        ("PERIAPT_TEST_CHARMS", charms.display().to_string()),
        (
            "PERIAPT_TEST_SCHEMATHESIS",
            schemathesis.display().to_string(),
        ),
        ("PERIAPT_TEST_JUBILANT", jubilant.display().to_string()),
        (
            "PERIAPT_TEST_OPENAPI_PYTHON",
            generator.display().to_string(),
        ),
        ("PERIAPT_TEST_TYPESCRIPT", typescript.display().to_string()),
        ("PERIAPT_TEST_PROGRAM", periapt.display().to_string()),
        ("PERIAPT_TEST_NODE", node.program.display().to_string()),
    ];
    let mut suites: Vec<Suite> = Vec::new();
    if selected("format") {
        let mut guests = run::cargo(&["fmt", "--all", "--check"]);
        guests.current_dir(run::root().join("charms"));
        suites.push(Suite::alone(
            "format",
            vec![run::cargo(&["fmt", "--all", "--check"]), guests],
        ));
    }
    if selected("lint") {
        suites.push(Suite::known("lint", warnings));
    }
    let of_package = |package: &str, target: Option<&str>| -> Vec<Command> {
        let programs = programs.get(package).into_iter().flatten();
        programs
            .filter(|program| target.is_none_or(|target| program.target == target))
            .map(TestProgram::command)
            .collect()
    };
    let of_room = |room: &str| of_package(&format!("periapt-{room}"), None);
    for room in ROOMS.iter().copied().filter(|room| selected(room)) {
        if !WAITING.contains(&room) {
            suites.push(Suite::alone(room, of_room(room)));
        }
    }
    if selected("xtask") {
        suites.push(Suite::alone("xtask", of_package("xtask", None)));
    }
    if selected("examples") {
        suites.push(Suite::alone(
            "examples",
            vec![run::cargo_with_lints(&[
                "test",
                "--workspace",
                "--doc",
                "--no-fail-fast",
            ])],
        ));
    }
    if selected("guests") {
        let mut tests = run::cargo(&["test", "--workspace", "--no-fail-fast"]);
        tests
            .current_dir(run::root().join("charms"))
            .env("CARGO_TARGET_DIR", run::target().join("guest-tests"));
        suites.push(Suite::alone("guests", vec![tests]));
    }
    if selected("web") {
        suites.push(Suite::alone(
            "web",
            vec![node.npm(&["run", "--silent", "test"])],
        ));
    }
    let of_system = |suite: &str, threads: u32| -> Vec<Command> {
        let mut commands = of_package("periapt-tests", Some(suite));
        for command in &mut commands {
            command.arg(format!("--test-threads={threads}"));
        }
        commands
    };
    let compiled = empty_folder("tests-compiled")?;
    for suite in MEASURING.iter().copied().filter(|suite| selected(suite)) {
        let mut commands = of_system(suite, 2);
        if suite == HOSTILE {
            handed_on(&mut commands, &compiled);
        }
        suites.push(Suite::alone(suite, commands));
    }
    for suite in WAITING.iter().copied().filter(|suite| selected(suite)) {
        let mut commands = match suite {
            HOSTILE_AGAIN => as_ordinary_user(&programs),
            room if ROOMS.contains(&room) => of_room(room),
            // A browser and a controller each: one at a time on a small machine.
            BROWSER => of_system(suite, 1),
            suite => of_system(suite, 2),
        };
        if suite == HOSTILE_AGAIN {
            let own = empty_folder("tests-compiled-by-ordinary-user")?;
            programs::give_to_ordinary_user(&own)?;
            handed_on(&mut commands, &own);
        } else if !COMPILING.contains(&suite) {
            handed_on(&mut commands, &compiled);
        }
        if !commands.is_empty() {
            suites.push(Suite::beside(suite, commands));
        }
    }

    let ended = run_all(suites, &environment);
    drop(postgres);
    println!("\nSuites, in {}:", run::elapsed(started));
    for suite in &ended {
        println!("  {suite}");
    }
    for suite in ended.iter().filter(|suite| suite.count.failed > 0) {
        println!("\nFailed in {}:", suite.name);
        for line in &suite.count.failures {
            println!("  {line}");
        }
    }
    for suite in &ended {
        for name in &suite.count.names {
            println!("test {}::{name} ... FAILED", suite.name);
        }
    }
    let passed: u64 = ended.iter().map(|suite| suite.count.passed).sum();
    let failed: u64 = ended.iter().map(|suite| suite.count.failed).sum();
    println!("{passed} passed, {failed} failed");
    if failed > 0 {
        bail!("{failed} failed");
    }
    Ok(())
}

/// A folder of the target folder with nothing in it.
fn empty_folder(name: &str) -> Result<PathBuf> {
    let folder = run::target().join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).context("cannot remove what tests compiled earlier")?;
    }
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Has tests hand on to one another, in `folder`, what they compiled.
fn handed_on(commands: &mut [Command], folder: &Path) {
    for command in commands {
        command.env("PERIAPT_TEST_COMPILED", folder);
    }
}

/// The attacks as an ordinary user, where this is root and such a user reaches the programs.
fn as_ordinary_user(programs: &BTreeMap<String, Vec<TestProgram>>) -> Vec<Command> {
    if !packages::is_root() {
        return Vec::new();
    }
    let programs = programs.get("periapt-tests").into_iter().flatten();
    let mut commands = Vec::new();
    for program in programs.filter(|program| program.target == HOSTILE) {
        match program.is_reached_by_ordinary_user() {
            true => commands.push(program.for_ordinary_user()),
            false => eprintln!(
                "warning: {HOSTILE_AGAIN} is not run: an ordinary user cannot reach {}",
                program.path.display()
            ),
        }
    }
    commands
}

/// Makes a picture of every page, wide and narrow, with a controller of its own.
pub fn screenshots() -> Result<()> {
    packages::ensure(packages::BROWSER)?;
    let node = web::node()?;
    let charms = charms::pack_all(charms::Profile::Test)?;
    let program = build()?
        .programs
        .get("periapt-tests")
        .into_iter()
        .flatten()
        .find(|program| program.target == BROWSER)
        .cloned()
        .context("the browser suite was not built")?;
    run::step(
        "making pictures of every page",
        program
            .command()
            .args(["--ignored", "--exact", "screenshots", "--nocapture"])
            .env("PERIAPT_TEST_CHARMS", charms)
            .env("PERIAPT_TEST_PROGRAM", run::target().join("debug/periapt"))
            .env("PERIAPT_TEST_NODE", node.program)
            .env("PERIAPT_SCREENSHOTS", run::target().join("screenshots")),
    )?;
    println!("{}", run::target().join("screenshots").display());
    Ok(())
}

/// Has the tests that compare the reference with the program write it into the checkout instead.
pub fn write_reference() -> Result<()> {
    let Built { programs, .. } = build()?;
    for (package, target, test, page) in [
        ("periapt-server", "api", "reference::", "openapi.json"),
        ("periapt-server", "api", "promises::", "api-v1-promises.txt"),
        (
            "periapt-model",
            "periapt_model",
            "the_page_of_bounds",
            "bounds.md",
        ),
        (
            "periapt-model",
            "periapt_model",
            "the_page_of_capabilities",
            "capabilities.md",
        ),
        (
            "periapt-sandbox",
            "periapt_sandbox",
            "the_page_of_tools",
            "hook-tools.md",
        ),
        (
            "periapt-cli",
            "periapt",
            "the_page_of_commands",
            "commands.md",
        ),
    ] {
        let program = programs
            .get(package)
            .and_then(|programs| programs.iter().find(|one| one.target == target))
            .with_context(|| format!("{package} has no tests {target}"))?;
        let mut command = program.command();
        command.env("PERIAPT_WRITE_REFERENCE", "1").arg(test);
        run::step(&format!("writing docs/reference/{page}"), &mut command)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_room_of_the_host_has_its_suite() {
        let rooms = std::fs::read_dir(run::root().join("host")).unwrap();
        let names = rooms.map(|room| room.unwrap().file_name().into_string().unwrap());
        let mut rooms: Vec<String> = names.collect();
        rooms.sort();
        let mut suites = ROOMS.to_vec();
        suites.sort_unstable();
        assert_eq!(suites, rooms);
    }
}
