//! Running suites: one after another where a suite uses the machine, side by side where it waits.
//!
//! A suite that drives whole controllers mostly waits: for processes to start, for deadlines, for a
//! browser. A few of those share the processors without delaying one another much, and what all of them
//! take is then a fraction of their sum. The longest begin first, so that no lane is left with one.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result};

use crate::busy::Processors;
use crate::run;

/// Suites that run side by side at a time.
const LANES: usize = 3;

/// At most so many lines of what a suite's failed tests said are repeated at the end, and so many characters of each:
/// of a long one its beginning says enough, and what follows it is to be seen as well.
const FAILURE_LINES: usize = 60;
const FAILURE_WIDTH: usize = 400;

pub struct Suite {
    name: &'static str,
    commands: Vec<Command>,
    /// Whether it may run beside another one.
    beside: bool,
    /// What is known before it begins.
    known: Count,
}

/// What became of a suite.
pub struct Ended {
    pub name: &'static str,
    pub count: Count,
    took: String,
    busy: Option<u64>,
}

#[derive(Default)]
pub struct Count {
    pub passed: u64,
    pub failed: u64,
    /// What the failed tests said, line by line, to be read again where the run ends: between two
    /// suites side by side and thousands of lines further up, nobody finds it.
    pub failures: Vec<String>,
    /// The failed tests, as far as they have names.
    pub names: Vec<String>,
}

impl std::fmt::Display for Ended {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Count { passed, failed, .. } = &self.count;
        let (name, took) = (self.name, &self.took);
        write!(
            formatter,
            "{name:<16} {passed:>5} passed {failed:>3} failed  {took:<14}"
        )?;
        match self.busy {
            Some(busy) => write!(formatter, " processors {busy} % busy"),
            None => Ok(()),
        }
    }
}

/// Runs all: first those that need the machine for themselves, in order, then the others, in the
/// order given, as many at a time as there are lanes.
pub fn run_all(suites: Vec<Suite>, environment: &[(&str, String)]) -> Vec<Ended> {
    let (beside, alone): (Vec<_>, Vec<_>) = suites.into_iter().partition(|suite| suite.beside);
    let mut ended: Vec<Ended> = alone
        .into_iter()
        .map(|suite| suite.run(environment))
        .collect();
    let waiting = Mutex::new(VecDeque::from(beside));
    let next = || {
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.pop_front()
    };
    let finished = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                while let Some(suite) = next() {
                    let one = suite.run(environment);
                    let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
                    finished.push(one);
                }
            });
        }
    });
    ended.extend(
        finished
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
    );
    ended
}

impl Suite {
    pub fn alone(name: &'static str, commands: Vec<Command>) -> Self {
        Self {
            name,
            commands,
            beside: false,
            known: Count::default(),
        }
    }

    /// One that has nothing to run: nothing failed, or what these lines say.
    pub fn known(name: &'static str, failures: Vec<String>) -> Self {
        let known = Count {
            passed: u64::from(failures.is_empty()),
            failed: failures.len() as u64,
            failures,
            names: Vec::new(),
        };
        Self {
            name,
            commands: Vec::new(),
            beside: false,
            known,
        }
    }

    pub fn beside(name: &'static str, commands: Vec<Command>) -> Self {
        Self {
            name,
            commands,
            beside: true,
            known: Count::default(),
        }
    }

    fn run(self, environment: &[(&str, String)]) -> Ended {
        let name = self.name;
        eprintln!("==> suite {name}");
        let (began, processors) = (Instant::now(), Processors::now());
        let mut sum = self.known;
        for mut command in self.commands {
            let said = if self.beside { name } else { "" };
            let count = count(command.envs(environment.iter().cloned()), said);
            let count = count.unwrap_or_else(|error| {
                eprintln!("    {error:#}");
                Count {
                    passed: 0,
                    failed: 1,
                    failures: vec![format!("{error:#}")],
                    names: Vec::new(),
                }
            });
            sum.passed += count.passed;
            sum.failed += count.failed;
            sum.failures.extend(count.failures);
            sum.names.extend(count.names);
        }
        let busy = Processors::now()
            .zip(processors)
            .map(|(now, then)| now.busy_since(&then));
        let took = run::elapsed(began);
        eprintln!("    {name} ended after {took}");
        Ended {
            name,
            count: sum,
            took,
            busy,
        }
    }
}

/// Adds up what the test harnesses print; a command without such lines counts as one test. Lines of a
/// suite that runs beside another one begin with its name.
fn count(command: &mut Command, suite: &str) -> Result<Count> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let mut count = Count::default();
    let mut results = 0;
    let mut telling = Telling::default();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            match suite {
                "" => println!("{line}"),
                suite => println!("{suite} | {line}"),
            }
            if telling.hears(&line) && count.failures.len() < FAILURE_LINES {
                count
                    .failures
                    .push(line.chars().take(FAILURE_WIDTH).collect());
            }
            count.names.extend(failed_name(&line).map(str::to_owned));
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

/// Which lines belong to what a failed test said: from `---- NAME stdout ----` up to the list of names
/// that follows, and each line in which Vitest names a failure. The frames of a backtrace are left out.
#[derive(Default)]
struct Telling {
    failure: bool,
    frames: bool,
}

impl Telling {
    /// Whether the next line is one of them.
    fn hears(&mut self, line: &str) -> bool {
        match line.trim_start() {
            line if line.starts_with("---- ") || line.starts_with("FAIL ") => {
                (self.failure, self.frames) = (true, false);
            }
            line if line == "failures:" || line.starts_with("Test Files ") => self.failure = false,
            "stack backtrace:" => self.frames = true,
            line if line.starts_with("note: ") && self.frames => {
                self.frames = false;
                return false;
            }
            _ => {}
        }
        self.failure && !self.frames
    }
}

/// The name in `test NAME ... FAILED`, or in the line with which Vitest begins a failure.
fn failed_name(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(name) = line.strip_prefix("FAIL ") {
        return Some(name.trim());
    }
    line.strip_prefix("test ")?.strip_suffix(" ... FAILED")
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
    use super::{Telling, failed_name, result_line};

    #[test]
    fn what_a_failed_test_said_is_found() {
        let output = [
            "test a ... FAILED",
            "",
            "failures:",
            "",
            "---- a stdout ----",
            "Error: it is red",
            "stack backtrace:",
            "   0: main",
            "note: Some details are omitted",
            "",
            "failures:",
            "    a",
            "test result: FAILED. 0 passed; 1 failed; 0 ignored",
        ];
        let mut telling = Telling::default();
        let said = output.into_iter().filter(|line| telling.hears(line));
        assert_eq!(
            said.collect::<Vec<_>>(),
            ["---- a stdout ----", "Error: it is red", ""]
        );
        let names = output.into_iter().filter_map(failed_name);
        assert_eq!(names.collect::<Vec<_>>(), ["a"]);
    }

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
