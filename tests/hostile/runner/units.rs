//! Attacks of hooks: each is a charm of its own, deployed beside the others and beside the neighbour, and ends in the
//! hook `start`, or before it is a charm at all.
//!
//! A guest is a core module in text within the frame of the sandbox's own tests, which gives it memory, the contract
//! and WASI. It defines `$attack`, which pushes the address of what `dispatch` answers, and may use [`HELPERS`].

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use periapt_tests::{Home, PATIENCE, assert_three_lines, charm};
use serde_json::{Value, json};

use super::Verdicts;
use super::attack::{Attack, How};
use super::neighbour::{Neighbour, Step};
use crate::deep::guest::{CONTRACT, Guest, encode};

/// Little of everything, so that attacks end soon, and enough calls to reach the bounds of all tools.
const LIMITS: [&str; 5] = [
    "wall-clock-ms=4000",
    "memory-bytes=33554432",
    "output-bytes=65536",
    "host-calls=20000",
    "state-directory-bytes=1048576",
];

/// `$told` answers with the refusal that a tool wrote at an address, `$errno` with the refusal of a call of WASI. What
/// was not refused is a hook that ends well, which no attack should.
const HELPERS: &str = include_str!("../corpus/helpers.wat");
/// Of WASI 0.2 itself, for guests that forge its handles.
const WASI: &str = include_str!("../corpus/wasi.wit");

/// Runs guests.
pub fn guests(attacks: &[Attack]) -> Result<Verdicts> {
    run(attacks, |home, attack| {
        let component = catch_unwind(|| component(&attack.text));
        let component = component.map_err(|_| anyhow!("it is no component: see above"))?;
        let declared = declared(&attack.text);
        let file = pack(home, &attack.application(), &declared, &component?)?;
        Ok(vec![file, attack.application()])
    })
}

/// Runs scripts of the charm `probe`.
pub fn scripts(attacks: &[Attack]) -> Result<Verdicts> {
    run(attacks, |home, attack| {
        let name = attack.application();
        let file = home.path().join(format!("{name}.yaml"));
        let script = serde_json::json!({ (name.as_str()): { "script": attack.text } });
        fs::write(&file, script.to_string())?;
        let probe = charm("probe").display().to_string();
        Ok(vec![
            probe,
            name,
            "--config".to_owned(),
            file.display().to_string(),
        ])
    })
}

/// The component of a file: whole as it stands, or a module in the frame.
pub fn component(text: &str) -> Result<Vec<u8>> {
    let begins = |word: &str| text.lines().any(|line| line.starts_with(word));
    if begins("(component") || begins("(module") {
        return wat::parse_str(text).map_err(|error| anyhow!("{error}"));
    }
    // Imports come before everything else of a module.
    let text = format!("\n{text}");
    let others = text
        .match_indices("\n(")
        .find(|(at, _)| !text[at + 1..].starts_with("(import"));
    let (imports, items) = text.split_at(others.map_or(0, |(at, _)| at));
    let items = format!("{HELPERS}{items}");
    let hooks = match text.contains("(func $hooks") {
        true => "(call $hooks)",
        false => Guest::default().hooks,
    };
    let guest = Guest {
        imports,
        items: &items,
        dispatch: "(call $attack)",
        hooks,
        ..Guest::default()
    };
    let contract = match imports.contains("\"wasi:") {
        true => {
            let (interfaces, packages) = WASI.split_once("\n\n").context("no packages")?;
            let world = format!("import log;\n{interfaces}");
            format!("{}\n{packages}", CONTRACT.replace("import log;", &world))
        }
        false => CONTRACT.to_owned(),
    };
    Ok(encode(&guest.text(), &contract))
}

/// What the charm of a guest declares: an interface beyond the basic set is refused at the upload without. There is no
/// container among it, so a guest that imports `workload` ends there.
fn declared(text: &str) -> String {
    let imports = |interface: &str| text.contains(&format!("\"periapt:charm/{interface}@"));
    let why = json!({ "why": "attacks" });
    let mut declared = json!({});
    for tools in ["credential", "secret"] {
        if imports(tools) {
            declared["tools"][tools] = why.clone();
        }
    }
    if imports("ports") {
        declared["ports"]["1-65535/tcp"] = why;
    }
    declared.to_string()
}

fn pack(home: &Home, name: &str, declared: &str, component: &[u8]) -> Result<String> {
    let path: PathBuf = home.path().join(format!("{name}.charm"));
    let mut archive = zip::ZipWriter::new(fs::File::create(&path)?);
    // Code that repeats itself would be taken for a bomb if it were packed tightly.
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let metadata = format!("name: {name}\nsummary: attacks\ndescription: attacks\n");
    for (file, content) in [
        ("metadata.yaml", metadata.as_bytes()),
        ("capabilities.yaml", declared.as_bytes()),
        ("charm.wasm", component),
    ] {
        archive.start_file(file, options)?;
        archive.write_all(content)?;
    }
    archive.finish()?;
    Ok(path.display().to_string())
}

/// From when to when an attack went on, and how it ended.
pub struct End {
    from: Instant,
    until: Instant,
    told: Result<(), String>,
}

/// Deploys each as `words` say, beside the neighbour, and waits until all have ended.
fn run(
    attacks: &[Attack],
    words: impl Fn(&Home, &Attack) -> Result<Vec<String>>,
) -> Result<Verdicts> {
    let home = crate::home_with(LIMITS)?;
    let neighbour = Neighbour::of(&home, "neighbour")?;
    let (ends, steps) = neighbour.beside(|| {
        let mut ends = BTreeMap::new();
        let mut running = Vec::new();
        for attack in attacks {
            let from = Instant::now();
            let told = deploy(&home, attack, words(&home, attack));
            match told {
                Ok(true) => running.push((attack, from)),
                Ok(false) => {
                    ends.insert(attack.name, ended(from, Ok(())));
                }
                Err(error) => {
                    ends.insert(attack.name, ended(from, Err(format!("{error:#}"))));
                }
            }
        }
        follow(&home, running, &mut ends)?;
        Ok(ends)
    })?;
    neighbour.is_unharmed()?;
    Ok(judged(ends, &neighbour, &steps))
}

/// It went on until now.
pub fn ended(from: Instant, told: Result<(), String>) -> End {
    let until = Instant::now();
    End { from, until, told }
}

/// With what its neighbour did meanwhile.
pub fn judged(
    ends: BTreeMap<&'static str, End>,
    neighbour: &Neighbour<'_>,
    steps: &[Step],
) -> Verdicts {
    let judge = |end: End| end.told.and(neighbour.goes_on(steps, end.from, end.until));
    let ends = ends.into_iter();
    ends.map(|(name, end)| (name, judge(end))).collect()
}

/// Whether it is deployed; it is not where its file says that it is refused.
fn deploy(home: &Home, attack: &Attack, words: Result<Vec<String>>) -> Result<bool> {
    let words = words?;
    let words = std::iter::once("deploy").chain(words.iter().map(String::as_str));
    let answer = home.periapt(words)?;
    if attack.how == How::Refused {
        ensure!(answer.code != 0, "it is deployed");
        attack.is_told(&answer.err).map_err(|why| anyhow!(why))?;
        let plain = catch_unwind(|| assert_three_lines(&answer, 2, &[]));
        plain.map_err(|_| anyhow!("not refused in three lines: {answer:?}"))?;
        return Ok(false);
    }
    ensure!(answer.code == 0, "it is not deployed: {answer:?}");
    Ok(true)
}

/// Waits for what those that are deployed come to.
fn follow(
    home: &Home,
    mut running: Vec<(&Attack, Instant)>,
    ends: &mut BTreeMap<&'static str, End>,
) -> Result<()> {
    let begun = Instant::now();
    while !running.is_empty() {
        let model = home.status()?;
        let runs = home.json(["hooks", "--failed", "--limit", "1000"])?;
        running.retain(|(attack, from)| match told(attack, &model, &runs) {
            Some(told) => {
                ends.insert(attack.name, ended(*from, told));
                false
            }
            None => true,
        });
        if begun.elapsed() > PATIENCE {
            for (attack, from) in running {
                let unit = unit(&model, attack);
                let told = Err(format!("it has not ended: {unit}"));
                ends.insert(attack.name, ended(from, told));
            }
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(300));
    }
    Ok(())
}

fn unit<'a>(model: &'a Value, attack: &Attack) -> &'a Value {
    let name = attack.application();
    &model["applications"][&name]["units"][format!("{name}/0")]
}

/// How the unit of an attack has ended, once it has: in its status, and in the list of runs with the reason.
fn told(attack: &Attack, model: &Value, runs: &Value) -> Option<Result<(), String>> {
    let unit = unit(model, attack);
    let message = unit["workload-status"]["message"].as_str()?;
    let failed = unit["workload-status"]["current"] == "error";
    let rests = unit["juju-status"]["current"] == "idle";
    if attack.how == How::Shows {
        // What is said of a unit before its hooks have run is none of the charm's.
        let said = unit["workload-status"]["current"] == "active"
            || unit["workload-status"]["current"] == "blocked";
        return match failed {
            true => Some(Err(format!("it failed: {message}"))),
            false => (said && rests).then(|| attack.is_told(message)),
        };
    }
    if !failed {
        // A unit has this status once it has started and its charm has set none.
        let ran = rests && unit["workload-status"]["current"] == "unknown";
        return ran.then(|| Err("its hook ended well".to_owned()));
    }
    if !message.contains("hook failed: \"start\"") {
        return Some(Err(format!("its status says \"{message}\"")));
    }
    // Of a hook that failed nothing is committed.
    if unit["open-ports"]
        .as_array()
        .is_some_and(|open| !open.is_empty())
    {
        return Some(Err(format!("it left ports open: {unit}")));
    }
    let name = attack.application();
    let run = runs
        .as_array()?
        .iter()
        .find(|run| run["application"] == name.as_str())?;
    Some(attack.is_told(run["message"].as_str().unwrap_or_default()))
}
