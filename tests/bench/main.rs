//! `cargo xtask bench`: the figures of SPECIFICATION.md, measured on the real program in one run.
//!
//! Absolute times belong to the machine; ratios to what was measured beside them carry over, and
//! so do counts.

mod everything;
mod fair;
mod feed;
mod figures;
mod hooks;
mod http;
mod leases;
mod load;
mod neighbours;
mod peer;
mod relations;
mod report;
mod rest;
mod secrets;
mod site;
mod web;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use report::Report;

const MODEL: &str = "test";

/// How often the peer is measured before each part.
const PEERS: usize = 10;

/// What can be measured by itself; `b` brings `c` and `d`, `e` brings `f`, which need the same model.
const PARTS: &[char] = &[
    'a', 'b', 'e', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r',
];

/// Parts that have a name as well. Workloads are to leave a hook as it was, so that is measured with them.
const NAMES: &[(&str, &[char])] = &[
    ("everything", &['q']),
    ("fair", &['r']),
    ("http", &['n', 'o', 'a']),
    ("neighbours", &['o']),
    ("secrets", &['p']),
];

/// The program's own, since what a client makes of an answer is measured as well.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Arguments {
    quick: bool,
    json: Option<PathBuf>,
    parts: Vec<char>,
}

impl Arguments {
    fn read(arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut read = Self {
            quick: false,
            json: None,
            parts: Vec::new(),
        };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let named = NAMES.iter().find(|(name, _)| *name == argument);
            if let Some((_, parts)) = named {
                read.parts.extend(*parts);
                continue;
            }
            let letter = argument.chars().next().filter(|_| argument.len() == 1);
            match (argument.as_str(), letter) {
                ("--quick", _) => read.quick = true,
                ("--json", _) => {
                    let file = arguments
                        .next()
                        .context("--json needs the name of a file")?;
                    read.json = Some(file.into());
                }
                (_, Some(part)) if PARTS.contains(&part) => read.parts.push(part),
                _ => {
                    let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
                    bail!(
                        "\"{argument}\" is no part of the bench: they are {}, and by name {}",
                        PARTS.iter().collect::<String>(),
                        names.join(", ")
                    )
                }
            }
        }
        if read.parts.is_empty() {
            read.parts = PARTS.to_vec();
        }
        Ok(read)
    }
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if_eq(http::BARE).is_some() {
        return http::serve_bare(arguments);
    }
    if arguments.next_if_eq(neighbours::STRANGER).is_some() {
        return neighbours::ask(arguments);
    }
    let arguments = Arguments::read(arguments)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let mut report = Report::new(arguments.quick);
    let peer = peer::OpsCharm::write()?;
    for part in &arguments.parts {
        report.pace(&peer.dispatches(PEERS)?);
        runtime.block_on(measure(*part, arguments.quick, &peer, &mut report))?;
        // What was measured is kept when a later part fails.
        if let Some(file) = &arguments.json {
            report.write(file)?;
        }
    }
    let (budgets, met, there) = report.verdict();
    println!("{met} of {budgets} budgets met, {there} at the reference machine's pace");
    Ok(())
}

async fn measure(
    part: char,
    quick: bool,
    peer: &peer::OpsCharm,
    report: &mut Report,
) -> Result<()> {
    let size = |full: usize, quickly: usize| if quick { quickly } else { full };
    match part {
        'a' => {
            report.part('a', "one no-op hook, from event chosen to commit durable");
            hooks::alone(report, peer, size(500, 50), size(60, 10)).await
        }
        'b' => site::measure(report, size(1000, 50), size(5, 1), size(200, 20)).await,
        'e' => {
            report.part('e', "readers of events behind writers");
            let size = feed::Size::of(quick);
            feed::lag(report, &size).await?;
            report.part('f', "status of 100 applications, asked for by wrk");
            feed::status(report, &size).await
        }
        'g' => {
            let claims = size(20_000, 1_000);
            report.part(
                'g',
                "claims of leases by their holders over the API, 32 at once",
            );
            leases::measure(report, claims).await
        }
        'h' => {
            let units = size(2_000, 50);
            let what = format!("the page of a model with {units} units in Chromium, cold");
            report.part('h', &what);
            web::measure(report, units).await
        }
        'i' => {
            let (pages, sites) = (size(250, 25), size(250, 25));
            let size = relations::Size {
                pages,
                sites,
                units: 7,
                each: 10,
            };
            let what = format!(
                "{} applications, {} units, {} relations, from nothing to all settled",
                pages + sites,
                pages + 7 * sites,
                pages * 10
            );
            report.part('i', &what);
            relations::settle(report, &size).await
        }
        'j' => {
            let units = size(1000, 100);
            let what = format!("one change of a site's title, heard by {units} related units");
            report.part('j', &what);
            relations::heard(report, u32::try_from(units)?).await
        }
        'k' => {
            let units = size(1000, 100);
            report.part('k', &format!("{units} units of noop"));
            hooks::together(report, units, size(7, 2)).await
        }
        'l' => {
            report.part('l', "units that have nothing to do");
            rest::measure(report, &rest::Size::of(quick)).await
        }
        'm' => {
            report.part(
                'm',
                "what a no-op hook asks of the allocator, controller and agent together",
            );
            let (times, bytes) = allocations()?;
            report.figure("allocations per hook", times, "");
            report.figure("allocated per hook", bytes / 1024.0, "KiB");
            Ok(())
        }
        'n' => {
            report.part(
                'n',
                "web workloads, asked for by wrk beside a bare hyper server",
            );
            http::measure(report, &http::Size::of(quick)).await
        }
        'o' => {
            report.part(
                'o',
                "a web workload's requests beside what strangers and other handlers do",
            );
            neighbours::measure(report, size(5_000, 500)).await
        }
        'p' => {
            report.part(
                'p',
                "secrets in the internal back end, read by 32 callers at once",
            );
            secrets::measure(report, &secrets::Size::of(quick)).await
        }
        'q' => {
            let size = everything::Size::of(quick);
            let what = format!(
                "{} applications with secrets, storage, resources, tasks, annotations and blocks beside the same without",
                size.applications
            );
            report.part('q', &what);
            everything::measure(report, &size).await
        }
        'r' => {
            report.part(
                'r',
                "hooks of a calm application beside 1, 8 and 64 units that use all their time",
            );
            fair::measure(report, size(150, 15)).await
        }
        other => bail!("\"{other}\" is no part of the bench"),
    }
}

/// How often a hook asks for memory, and for how many bytes.
fn allocations() -> Result<(f64, f64)> {
    let counter = std::env::current_exe()?.with_file_name("allocations-per-hook");
    let output = Command::new(counter).output()?;
    ensure!(output.status.success(), "the count ended with {output:?}");
    let counted = String::from_utf8(output.stdout)?;
    let (times, bytes) = counted.trim().split_once(' ').context("two numbers")?;
    Ok((times.parse()?, bytes.parse()?))
}

impl feed::Size {
    fn of(quick: bool) -> Self {
        if quick {
            Self {
                readers: 10,
                applications: 50,
                changes: 1_000,
                per_second: 200,
                seconds: 3,
            }
        } else {
            Self {
                readers: 100,
                applications: 500,
                changes: 20_000,
                per_second: 1_000,
                seconds: 15,
            }
        }
    }
}

impl rest::Size {
    fn of(quick: bool) -> Self {
        let seconds = if quick { 5 } else { 60 };
        let (first, units, many, models) = match quick {
            true => (20, 100, 200, 5),
            false => (100, 2_000, 10_000, 100),
        };
        Self {
            first,
            units,
            many,
            models,
            each: 10,
            watched: Duration::from_secs(seconds),
        }
    }
}

impl http::Size {
    fn of(quick: bool) -> Self {
        let (seconds, requests, models) = match quick {
            true => (2, 500, 3),
            false => (10, 5_000, 40),
        };
        Self {
            seconds,
            requests,
            models,
        }
    }
}

impl secrets::Size {
    fn of(quick: bool) -> Self {
        let (secrets, reads, reveals) = match quick {
            true => (50, 1_000, 200),
            false => (1_000, 50_000, 5_000),
        };
        Self {
            secrets,
            reads,
            reveals,
        }
    }
}

impl everything::Size {
    fn of(quick: bool) -> Self {
        let (applications, rounds) = match quick {
            true => (20, 1),
            false => (200, 3),
        };
        Self {
            applications,
            rounds,
        }
    }
}
