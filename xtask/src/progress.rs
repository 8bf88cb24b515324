//! One line that tells how far cargo is: what it compiles, since when, and how long it may still
//! take.
//!
//! Cargo counts what it builds and shows it to terminals only. Here its progress is asked for
//! always and read; a terminal gets one line that is written anew, everything else a line now and
//! then. Warnings and errors are passed on as they come. The time that is left is told from how
//! far a build from nothing is when the same share of it is built, because the largest crates come
//! last.

use std::io::{BufReader, IsTerminal, Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::run;

/// How often a line comes where no terminal is.
const PACE: Duration = Duration::from_secs(30);
/// The time of a build from nothing when so much of it was built, both as shares of the whole.
/// Measured on two cores (`cargo build --timings`).
const COURSE: &[(f64, f64)] = &[
    (0.0, 0.0),
    (0.22, 0.06),
    (0.43, 0.12),
    (0.52, 0.25),
    (0.61, 0.39),
    (0.77, 0.52),
    (0.85, 0.65),
    (0.94, 0.78),
    (0.97, 0.91),
    (1.0, 1.0),
];
/// What a build from nothing takes on one core that has nothing else to do.
const ONE_CORE: Duration = Duration::from_secs(1030);
/// What must have been built before the speed of this machine can be told.
const SPEED_IS_KNOWN: f64 = 0.03;

/// What a cargo call printed.
pub struct Output {
    pub stdout: String,
    /// A line for each target with warnings, also when an earlier call built it.
    pub warnings: Vec<String>,
}

/// Runs a cargo call to the end.
pub fn cargo(what: &str, command: &mut Command) -> Result<Output> {
    eprintln!("==> {what}");
    let mut child = command
        .env("CARGO_TERM_PROGRESS_WHEN", "always")
        .env("CARGO_TERM_PROGRESS_WIDTH", "120")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let stderr = child.stderr.take().context("cargo has no standard error")?;
    let stdout = child
        .stdout
        .take()
        .context("cargo has no standard output")?;
    let printer = std::thread::spawn(move || show(stderr, Line::new(cores())));
    let mut output = String::new();
    BufReader::new(stdout).read_to_string(&mut output)?;
    let status = child.wait()?;
    let (line, warnings) = printer
        .join()
        .map_err(|_| anyhow::anyhow!("cargo's output could not be read"))?;
    if !status.success() {
        bail!("{what}: cargo ended with {status}");
    }
    eprintln!("    done in {}", run::elapsed(line.began));
    Ok(Output {
        stdout: output,
        warnings,
    })
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Reads what cargo prints until it ends.
fn show(stderr: impl Read, mut line: Line) -> (Line, Vec<String>) {
    let mut warnings = Vec::new();
    let terminal = std::io::stderr().is_terminal();
    let mut shown = Instant::now();
    let mut text = Vec::new();
    for byte in BufReader::new(stderr).bytes().map_while(Result::ok) {
        if byte != b'\r' && byte != b'\n' {
            text.push(byte);
            continue;
        }
        let told = String::from_utf8_lossy(&text).into_owned();
        text.clear();
        match Heard::from(told.as_str()) {
            Heard::Progress { built, all, now } => {
                let words = line.words(built, all, now, line.began.elapsed());
                if terminal {
                    eprint!("\r\x1b[2K    {words}");
                    let _ = std::io::stderr().flush();
                } else if shown.elapsed() >= PACE {
                    eprintln!("    {words}");
                    shown = Instant::now();
                }
            }
            Heard::Routine => {}
            Heard::Message => {
                warnings.extend(sum_of_warnings(&told));
                let clear = if terminal { "\r\x1b[2K" } else { "" };
                eprintln!("{clear}{told}");
            }
        }
    }
    if terminal {
        eprint!("\r\x1b[2K");
    }
    (line, warnings)
}

/// A line without what clears the one before it.
fn bare(line: &str) -> &str {
    line.trim_start_matches("\x1b[K").trim()
}

/// Cargo's sum for a target: ``warning: `periapt-model` (lib) generated 2 warnings``.
fn sum_of_warnings(told: &str) -> Option<String> {
    let told = bare(told);
    let is_sum = told.starts_with("warning: `") && told.contains(" generated ");
    is_sum.then(|| told.to_owned())
}

/// A line of cargo's.
#[derive(Debug, PartialEq)]
enum Heard<'a> {
    Progress {
        built: u32,
        all: u32,
        now: &'a str,
    },
    /// What the progress says as well.
    Routine,
    /// What a person should see: warnings, errors.
    Message,
}

impl<'a> From<&'a str> for Heard<'a> {
    /// `    Building [====>    ] 213/412: wasmtime, cranelift-codegen`
    fn from(line: &'a str) -> Self {
        const ROUTINE: &[&str] = &[
            "Compiling",
            "Checking",
            "Downloading",
            "Downloaded",
            "Fresh",
            "Finished",
            "Locking",
            "Adding",
            "Updating",
            "Blocking",
            "Executable",
        ];
        let line = bare(line);
        let Some((first, rest)) = line.split_once(' ') else {
            return match line {
                "" => Self::Routine,
                _ => Self::Message,
            };
        };
        if first == "Building" {
            return rest
                .split_once("] ")
                .and_then(|(_, count)| {
                    let (count, now) = count.split_once(": ").unwrap_or((count, ""));
                    let (built, all) = count.split_once('/')?;
                    Some(Self::Progress {
                        built: built.parse().ok()?,
                        all: all.parse().ok()?,
                        now,
                    })
                })
                .unwrap_or(Self::Routine);
        }
        match ROUTINE.contains(&first) {
            true => Self::Routine,
            false => Self::Message,
        }
    }
}

/// What the line says.
struct Line {
    began: Instant,
    cores: usize,
    /// How far it was when it began: what an earlier build left.
    from: Option<f64>,
}

impl Line {
    fn new(cores: usize) -> Self {
        Self {
            began: Instant::now(),
            cores,
            from: None,
        }
    }

    fn words(&mut self, built: u32, all: u32, now: &str, elapsed: Duration) -> String {
        let done = course(f64::from(built) / f64::from(all.max(1)));
        let from = *self.from.get_or_insert(done);
        let left = if done - from >= SPEED_IS_KNOWN {
            elapsed.mul_f64((1.0 - done) / (done - from))
        } else {
            (ONE_CORE / self.cores as u32)
                .mul_f64(1.0 - from)
                .saturating_sub(elapsed)
        };
        format!(
            "{built} of {all} built, {} so far, {} left: {now}",
            run::duration(elapsed),
            about(left)
        )
    }
}

/// `about 7 min`, never more precise than it is.
fn about(left: Duration) -> String {
    match left.as_secs() {
        seconds if seconds < 60 => "less than a minute".to_owned(),
        seconds => format!("about {} min", seconds.div_ceil(60)),
    }
}

/// How much of the time of a build has gone when `share` of it is built.
fn course(share: f64) -> f64 {
    COURSE
        .windows(2)
        .find(|pair| share <= pair[1].0)
        .map_or(1.0, |pair| {
            let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
            y + (to_y - y) * (share - x) / (to_x - x)
        })
}

#[cfg(test)]
mod tests;
