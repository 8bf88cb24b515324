//! What the text and the lines of a stranger do to a terminal and to the lines of others.

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, ensure};
use periapt_model::text::is_hidden;
use periapt_tests::{Home, PATIENCE, charm};
use serde_json::Value;

use crate::home;

/// A copy of a charm with another `config.yaml`.
fn with_config(home: &Home, name: &str, config: &str) -> Result<PathBuf> {
    let mut archive = zip::ZipArchive::new(fs::File::open(charm(name))?)?;
    let path = home.path().join(format!("{name}-changed.charm"));
    let mut copy = zip::ZipWriter::new(fs::File::create(&path)?);
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index)?;
        let mut content = Vec::new();
        entry.read_to_end(&mut content)?;
        let name = entry.name()?.into_owned();
        let replaced = name == "config.yaml";
        copy.start_file(name, zip::write::SimpleFileOptions::default())?;
        copy.write_all(if replaced {
            config.as_bytes()
        } else {
            &content
        })?;
    }
    copy.finish()?;
    Ok(path)
}

/// What the program writes to a terminal.
fn on_terminal(home: &Home, arguments: &[&str]) -> Result<String> {
    let quoted: Vec<String> = [periapt_tests::program().display().to_string()]
        .iter()
        .map(String::as_str)
        .chain(arguments.iter().copied())
        .map(|word| format!("'{word}'"))
        .collect();
    let environment = home.command::<&str>([]);
    let environment = environment.get_envs();
    let output = Command::new("script")
        .args(["-qec", &quoted.join(" "), "/dev/null"])
        .envs(environment.filter_map(|(name, value)| Some((name, value?))))
        .env("TERM", "dumb")
        .stdin(Stdio::null())
        .output()?;
    ensure!(output.status.success(), "{output:?}");
    // The terminal's own line ends.
    Ok(String::from_utf8(output.stdout)?.replace("\r\n", "\n"))
}

const NASTY: &str =
    "a\u{1b}]0;owned\u{7}b\u{1b}[31mc\u{9b}32md\u{202e}e\u{200b}f\u{feff}g\u{2028}h\u{e0041}i";

#[test]
fn no_text_of_a_stranger_reaches_a_terminal_as_it_is() -> Result<()> {
    let home = home()?;
    // YAML's own escapes, so that the file is plain and the value is not.
    let escaped: String = NASTY
        .chars()
        .map(|character| match u32::from(character) {
            code @ 0x20..=0x7e => char::from_u32(code).map(String::from).unwrap_or_default(),
            code => format!("\\U{code:08X}"),
        })
        .collect();
    let config = format!(
        "options:\n  script:\n    type: string\n    default: \"start: status active {escaped}\"\n    description: \"{escaped}\"\n"
    );
    let file = with_config(&home, "probe", &config)?;
    home.ok(["deploy", &file.display().to_string(), "probe"])?;
    home.until("the charm has set its status", |model| {
        let unit = &model["applications"]["probe"]["units"]["probe/0"];
        unit["workload-status"]["message"]
            .as_str()
            .is_some_and(|text| text.contains('h'))
    })?;

    let raw = home.ok(["config", "probe", "script"])?;
    ensure!(raw.contains(NASTY), "a program gets the value: {raw:?}");
    let shown = on_terminal(&home, &["config", "probe", "script"])?;
    ensure!(
        shown.contains("abcdefg") && !shown.contains(is_hidden),
        "{shown:?}"
    );
    for arguments in [
        &["config", "probe", "--format", "json"][..],
        &["config", "probe", "--format", "yaml"],
        &["config", "probe"],
        &["status"],
        &["status", "--format", "json"],
        &["status", "--format", "yaml"],
        &["show-unit", "probe/0"],
        &["show-application", "probe"],
        &["show-status-log", "probe/0"],
        &["debug-log", "--replay", "--no-tail"],
        &["debug-log", "--replay", "--no-tail", "--format", "json"],
        &["charm", "inspect", &file.display().to_string()],
    ] {
        for text in [home.ok(arguments)?, on_terminal(&home, arguments)?] {
            ensure!(!text.contains(is_hidden), "{arguments:?}: {text:?}");
        }
    }
    let json: Value = serde_json::from_str(&home.ok(["config", "probe", "--format", "json"])?)?;
    let value = json["settings"]["script"]["value"].as_str();
    ensure!(value.is_some_and(|value| value.contains(NASTY)), "{json}");
    Ok(())
}

#[test]
fn a_flood_of_lines_is_the_loss_of_who_wrote_them() -> Result<()> {
    let home = Home::new()?;
    let data = home.controller_directory().display().to_string();
    let words = ["bootstrap", "tester", "--port", "0", "--data-dir", &data];
    let limits = [
        "--limits",
        "host-calls=1000000",
        "--limits",
        "output-bytes=16MiB",
    ];
    home.ok(words.iter().chain(&limits))?;
    home.grant_all()?;
    home.ok(["add-model", "test"])?;
    let probe = charm("probe").display().to_string();
    for (name, deed) in [("quiet", "log 3"), ("loud", "succeed")] {
        let script = format!("script=start: {deed}");
        home.ok(["deploy", &probe, name, "--config", &script])?;
    }
    for name in ["quiet/0", "loud/0"] {
        home.until("both units rest", |model| {
            let application = name.split('/').next().unwrap_or_default();
            let unit = &model["applications"][application]["units"][name];
            unit["juju-status"]["current"] == "idle"
        })?;
    }
    home.ok([
        "config",
        "loud",
        "script=config-changed: log 100000\nconfig-changed: status active shouted",
    ])?;
    home.until("the flood is over", |model| {
        let unit = &model["applications"]["loud"]["units"]["loud/0"];
        unit["workload-status"]["message"] == "shouted" && unit["juju-status"]["current"] == "idle"
    })?;
    home.ok(["config", "quiet", "script=config-changed: log 2"])?;
    let started = Instant::now();
    let log = loop {
        let log = home.log()?;
        if log.contains("line 2 of 2") && log.contains("dropped") {
            break log;
        }
        ensure!(started.elapsed() < PATIENCE, "{log}");
        std::thread::sleep(std::time::Duration::from_millis(200));
    };
    for line in ["line 1 of 3", "line 3 of 3", "line 1 of 2"] {
        ensure!(log.contains(line), "the neighbour's \"{line}\" is missing");
    }
    let kept = log
        .lines()
        .filter(|line| line.contains(" of 100000"))
        .count();
    ensure!(kept < 20_000, "{kept} lines of the flood are kept");
    let told: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("dropped"))
        .collect();
    for line in &told {
        ensure!(
            line.contains("unit.loud/0") && !line.contains("controller"),
            "{line}"
        );
    }
    Ok(())
}
