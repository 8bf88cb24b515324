//! All tests, with one line per suite and one for the sum.
//!
//! A suite is a set of test programs whose `test result:` lines are added up. All of them are
//! built by one cargo call. A suite that cannot even run counts as one failure, so that the last
//! line never looks better than the truth.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::busy::Processors;
use crate::{charms, packages, postgres, progress, python, run, web};

/// The crates whose tests stand beside their code, by room.
const ROOMS: &[&str] = &[
    "contract",
    "model",
    "files",
    "engine",
    "wire",
    "store",
    "client",
    "sandbox",
    "packing",
    "providers",
    "uniter",
    "server",
    "catalogue",
    "agents",
    "controller",
    "cli",
    "telemetry",
    "testing",
];

/// Whole-system suites in `tests/`, each driving the real program.
const SYSTEM: &[&str] = &[
    "e2e",
    "crash",
    "controllers",
    "hostile",
    "mistakes",
    "forwarding",
    "schemathesis",
    "documentation",
    BROWSER,
];

/// The attacks again, where a machine gives least: no root, and few file descriptors. Only root can
/// become an ordinary user, so others run the suite `hostile` that way from the start.
const HOSTILE_AGAIN: &str = "hostile-again";
const FILE_DESCRIPTORS: u32 = 1024;
/// `nobody` on every Linux machine.
const AS_ORDINARY_USER: [&str; 4] = [
    "setpriv",
    "--reuid=65534",
    "--regid=65534",
    "--clear-groups",
];

/// The suite that needs a browser.
const BROWSER: &str = "browser";

#[derive(Default)]
struct Count {
    passed: u64,
    failed: u64,
}

/// One program of tests.
#[derive(Clone)]
struct TestProgram {
    target: String,
    path: PathBuf,
    directory: PathBuf,
}

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
        std::path::PathBuf::new()
    };
    let charms = charms::pack_all()?;
    let postgres = postgres::Server::start().context("the tests need PostgreSQL")?;
    let environment = [
        ("PERIAPT_TEST_POSTGRES", postgres.url()),
        ("PERIAPT_TEST_CHARMS", charms.display().to_string()),
        (
            "PERIAPT_TEST_SCHEMATHESIS",
            schemathesis.display().to_string(),
        ),
        (
            "PERIAPT_TEST_PROGRAM",
            run::target().join("debug/periapt").display().to_string(),
        ),
        ("PERIAPT_TEST_NODE", node.program.display().to_string()),
    ];
    let mut suites: Vec<(&str, Vec<Command>)> = Vec::new();
    if selected("format") {
        let mut guests = run::cargo(&["fmt", "--all", "--check"]);
        guests.current_dir(run::root().join("charms"));
        suites.push((
            "format",
            vec![run::cargo(&["fmt", "--all", "--check"]), guests],
        ));
    }
    if selected("lint") {
        suites.push((
            "lint",
            vec![run::cargo(&[
                "clippy",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ])],
        ));
    }
    let programs = build()?;
    let of_package = |package: &str, target: Option<&str>| -> Vec<Command> {
        let programs = programs.get(package).into_iter().flatten();
        programs
            .filter(|program| target.is_none_or(|target| program.target == target))
            .map(TestProgram::command)
            .collect()
    };
    for room in ROOMS.iter().copied().filter(|room| selected(room)) {
        suites.push((room, of_package(&format!("periapt-{room}"), None)));
    }
    if selected("xtask") {
        suites.push(("xtask", of_package("xtask", None)));
    }
    if selected("examples") {
        suites.push((
            "examples",
            vec![run::cargo(&[
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
        suites.push(("guests", vec![tests]));
    }
    if selected("web") {
        suites.push(("web", vec![node.npm(&["run", "--silent", "test"])]));
    }
    for suite in SYSTEM.iter().copied().filter(|suite| selected(suite)) {
        let mut commands = of_package("periapt-tests", Some(suite));
        for command in &mut commands {
            // A browser and a controller each: one at a time on a small machine.
            let threads = if suite == BROWSER { 1 } else { 2 };
            command.arg(format!("--test-threads={threads}"));
        }
        suites.push((suite, commands));
    }
    if selected(HOSTILE_AGAIN) && packages::is_root() {
        let programs = programs.get("periapt-tests").into_iter().flatten();
        for program in programs.filter(|program| program.target == "hostile") {
            match program.is_reached_by_ordinary_user() {
                true => suites.push((HOSTILE_AGAIN, vec![program.for_ordinary_user()])),
                false => eprintln!(
                    "warning: {HOSTILE_AGAIN} is not run: an ordinary user cannot reach {}",
                    program.path.display()
                ),
            }
        }
    }

    let mut lines = Vec::new();
    let mut total = Count::default();
    for (suite, commands) in suites {
        eprintln!("==> suite {suite}");
        let (began, processors) = (Instant::now(), Processors::now());
        let mut sum = Count::default();
        for mut command in commands {
            let count = count(command.envs(environment.clone())).unwrap_or_else(|error| {
                eprintln!("    {error:#}");
                Count {
                    passed: 0,
                    failed: 1,
                }
            });
            sum.passed += count.passed;
            sum.failed += count.failed;
        }
        let took = run::elapsed(began);
        let busy = Processors::now()
            .zip(processors)
            .map_or_else(String::new, |(now, then)| {
                format!("processors {} % busy", now.busy_since(&then))
            });
        lines.push(format!(
            "{suite:<16} {:>5} passed {:>3} failed  {took:<14} {busy}",
            sum.passed, sum.failed
        ));
        total.passed += sum.passed;
        total.failed += sum.failed;
    }
    drop(postgres);
    println!("\nSuites, in {}:", run::elapsed(started));
    for line in &lines {
        println!("  {line}");
    }
    println!("{} passed, {} failed", total.passed, total.failed);
    if total.failed > 0 {
        bail!("{} failed", total.failed);
    }
    Ok(())
}

/// Makes a picture of every page, wide and narrow, with a controller of its own.
pub fn screenshots() -> Result<()> {
    packages::ensure(packages::BROWSER)?;
    let node = web::node()?;
    let charms = charms::pack_all()?;
    let program = build()?
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
    let programs = build()?;
    for (package, target, test, page) in [
        ("periapt-server", "reference", "", "openapi.json"),
        (
            "periapt-model",
            "periapt_model",
            "the_page_of_bounds",
            "bounds.md",
        ),
        (
            "periapt-sandbox",
            "periapt_sandbox",
            "the_page_of_tools",
            "hook-tools.md",
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

/// Builds every test program of the workspace and lists them by package.
fn build() -> Result<BTreeMap<String, Vec<TestProgram>>> {
    let messages = progress::cargo(
        "building the tests",
        &mut run::cargo(&[
            "test",
            "--workspace",
            "--no-run",
            "--message-format=json-render-diagnostics",
        ]),
    )
    .context("the tests do not compile")?;
    let mut programs: BTreeMap<String, Vec<TestProgram>> = BTreeMap::new();
    for message in messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
    {
        let Some(path) = message["executable"]
            .as_str()
            .filter(|_| message["profile"]["test"] == true)
        else {
            continue;
        };
        let manifest = PathBuf::from(message["manifest_path"].as_str().unwrap_or_default());
        let directory = manifest.parent().map(PathBuf::from).unwrap_or_default();
        let target = message["target"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let room = directory
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let package = match room {
            "xtask" => "xtask".to_owned(),
            room => format!("periapt-{room}"),
        };
        programs.entry(package).or_default().push(TestProgram {
            target,
            path: path.into(),
            directory,
        });
    }
    Ok(programs)
}

impl TestProgram {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(&self.directory);
        command
    }

    fn for_ordinary_user(&self) -> Command {
        let mut command = Command::new("prlimit");
        command
            .arg(format!("--nofile={FILE_DESCRIPTORS}:{FILE_DESCRIPTORS}"))
            .args(AS_ORDINARY_USER)
            .arg(&self.path)
            // What attacks open is counted against one limit.
            .arg("--test-threads=1")
            .current_dir(&self.directory)
            .env("HOME", "/nonexistent")
            // Root's may be closed to others.
            .env_remove("TMPDIR");
        command
    }

    /// A checkout in root's own home is closed to others.
    fn is_reached_by_ordinary_user(&self) -> bool {
        let [program, arguments @ ..] = AS_ORDINARY_USER;
        let mut command = Command::new(program);
        command.args(arguments).args(["test", "-x"]).arg(&self.path);
        command.status().is_ok_and(|status| status.success())
    }
}

/// Adds up what the test harnesses print; a command without such lines counts as one test.
fn count(command: &mut Command) -> Result<Count> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let mut count = Count::default();
    let mut results = 0;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            println!("{line}");
            if let Some((passed, failed)) = result_line(&line) {
                count.passed += passed;
                count.failed += failed;
                results += 1;
            }
        }
    }
    let ok = child.wait()?.success();
    match (ok, results) {
        (true, 0) => count.passed = 1,
        (false, _) if count.failed == 0 => count.failed = 1,
        _ => {}
    }
    Ok(count)
}

/// `test result: ok. 12 passed; 0 failed; ...`, or Vitest's `Tests  1 failed | 12 passed (13)`, as
/// (passed, failed).
fn result_line(line: &str) -> Option<(u64, u64)> {
    if let Some(counts) = line.trim().strip_prefix("Tests  ") {
        let of = |word: &str| {
            counts.split('|').find_map(|part| {
                let (number, what) = part.trim().split_once(' ')?;
                what.starts_with(word).then(|| number.parse().ok())?
            })
        };
        return Some((of("passed").unwrap_or(0), of("failed").unwrap_or(0)));
    }
    let (_, counts) = line
        .trim()
        .strip_prefix("test result: ")?
        .split_once(". ")?;
    let mut numbers = counts
        .split("; ")
        .filter_map(|part| part.split(' ').next()?.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

#[cfg(test)]
mod tests {
    use super::result_line;

    #[test]
    fn counts_are_read_from_the_harness() {
        let line = "test result: FAILED. 12 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        assert_eq!(result_line(line), Some((12, 3)));
        assert_eq!(result_line("test a ... ok"), None);
        assert_eq!(
            result_line("      Tests  1 failed | 12 passed (13)"),
            Some((12, 1))
        );
        assert_eq!(result_line("      Tests  12 passed (12)"), Some((12, 0)));
    }
}
