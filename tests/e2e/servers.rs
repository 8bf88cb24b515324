//! What an author and an operator are told of a charm's web workload before it ever runs.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use periapt_tests::{Answer, Home, assert_three_lines, charm};

use crate::guest::Guest;

/// The project of the charm `site` as it is once it is built.
fn project(home: &Home) -> Result<PathBuf> {
    let project = home.path().join("site");
    for folder in ["build", "server"] {
        fs::create_dir_all(project.join(folder))?;
    }
    fs::write(project.join("server/Cargo.toml"), "")?;
    let mut packed = zip::ZipArchive::new(File::open(charm("site"))?)?;
    for index in 0..packed.len() {
        let mut file = packed.by_index(index)?;
        let name = file.name()?.into_owned();
        let place = match name.ends_with(".wasm") {
            true => project.join("build").join(name),
            false => project.join(name),
        };
        let mut content = Vec::new();
        file.read_to_end(&mut content)?;
        fs::create_dir_all(place.parent().unwrap_or(&project))?;
        fs::write(place, content)?;
    }
    Ok(project)
}

fn pack(home: &Home, project: &Path) -> Result<Answer> {
    home.periapt([
        "charm".as_ref(),
        "pack".as_ref(),
        "--no-build".as_ref(),
        project.as_os_str(),
    ])
}

#[test]
fn it_is_said_when_a_server_runs_and_what_of_it_never_would() -> Result<()> {
    let home = Home::new()?;
    let project = project(&home)?;
    let answer = pack(&home, &project)?;
    ensure!(
        answer.code == 0 && !answer.err.contains("warning"),
        "{}",
        answer.err
    );
    let packed = project.join("site.charm");
    let inspected = home.ok(["charm".as_ref(), "inspect".as_ref(), packed.as_os_str()])?;
    for words in [
        "runs when it is asked",
        "at 80/tcp of container web; an instance for each request",
        "server.wasm imports wasi:http/types@0.2.",
        "server.wasm imports wasi:filesystem/",
        "server.wasm exports wasi:http/incoming-handler@0.2.",
        "web: answers at 80/tcp, reads /state/site as /site",
        "workload/web: may run its components as services of the container web; reason: serves the pages",
    ] {
        ensure!(inspected.contains(words), "{words}: {inspected}");
    }
    let capabilities = project.join("capabilities.yaml");
    let never =
        "warning: the component \"server.wasm\" never runs: no container may answer at a port";
    let portless =
        "workload: {web: {files: {site: /site}}}\nports: {80/tcp: {why: serves the pages}}\n";
    fs::write(&capabilities, portless)?;
    let answer = pack(&home, &project)?;
    let said = format!("{}{}", answer.out, answer.err);
    for words in [
        never,
        "warning: the container \"web\" can answer nobody: it has no ports",
    ] {
        ensure!(answer.code == 0 && said.contains(words), "{words}: {said}");
    }
    // Its hook configures a service and opens a port.
    fs::write(&capabilities, "{}")?;
    let answer = pack(&home, &project)?;
    for words in [
        "the component imports workload and ports of periapt:charm, which the charm does not declare",
        "charm-capability-undeclared",
        "workload: {CONTAINER: {ports: [80/tcp], why: …}}",
    ] {
        ensure!(
            answer.code != 0 && answer.err.contains(words),
            "{words}: {}",
            answer.err
        );
    }
    // A name that is none is no slip to warn of: what was meant for it would go nowhere.
    for (written, words) in [
        ("workload: {wbe: {ports: [80/tcp]}}", "did you mean \"web\""),
        (
            "workload: {wbe: {files: {site: /site}}}",
            "not among the containers",
        ),
    ] {
        fs::write(&capabilities, written)?;
        let answer = pack(&home, &project)?;
        ensure!(
            answer.code != 0 && answer.err.contains(words),
            "{words}: {}",
            answer.err
        );
    }
    Ok(())
}

#[test]
fn inspect_tells_what_a_charm_needs_and_why_and_what_it_could_not_use() -> Result<()> {
    let home = Home::new()?;
    let project = project(&home)?;
    let capabilities = project.join("capabilities.yaml");
    let written = fs::read_to_string(&capabilities)?;
    let reboot = "tools: {reboot: {why: starts afresh at night}}\n";
    fs::write(&capabilities, format!("{written}{reboot}"))?;
    let answer = pack(&home, &project)?;
    let unused = "the charm declares tools/reboot, and no component of it imports reboot";
    ensure!(
        answer.code == 0 && format!("{}{}", answer.out, answer.err).contains(unused),
        "{answer:?}"
    );
    let packed = project.join("site.charm");
    let told = home.json(["charm".as_ref(), "inspect".as_ref(), packed.as_os_str()])?;
    assert_eq!(told["endpoints"]["website"]["role"], "provides");
    assert_eq!(told["undeclared"], serde_json::Value::Null);
    let listed = told["capabilities"].as_array().into_iter().flatten();
    let listed: Vec<(&str, Option<&str>, bool)> = listed
        .map(|one| {
            let text = one["capability"].as_str().unwrap_or_default();
            (text, one["why"].as_str(), one["used"] == true)
        })
        .collect();
    assert_eq!(
        listed,
        [
            ("shared/logs:read-write", Some("logs what it renders"), true),
            (
                "storage/pages:read-write",
                Some(
                    "Pages that operators keep, also when the unit is gone. The site does without."
                ),
                true
            ),
            ("workload/web", Some("serves the pages"), true),
            ("port/80/tcp", Some("serves the pages"), true),
            ("tools/reboot", Some("starts afresh at night"), false),
        ]
    );
    Ok(())
}

#[test]
fn a_server_that_wants_sockets_is_refused_where_it_is_deployed() -> Result<()> {
    let home = Home::started()?;
    let server = Guest {
        imports: r#"(import "wasi:sockets/instance-network@0.2.0" "instance-network" (func $network (result i32)))"#,
        world: "import wasi:sockets/instance-network@0.2.0;",
        ..Guest::default()
    };
    let path = home.path().join("sockets.charm");
    let mut from = zip::ZipArchive::new(File::open(charm("site"))?)?;
    let mut to = zip::ZipWriter::new(File::create(&path)?);
    for index in 0..from.len() {
        let file = from.by_index_raw(index)?;
        if file.name()? != "server.wasm" {
            to.raw_copy_file(file)?;
        }
    }
    to.start_file("server.wasm", zip::write::SimpleFileOptions::default())?;
    to.write_all(&server.component())?;
    to.finish()?;
    let answer = home.periapt(["deploy".as_ref(), path.as_os_str(), "site".as_ref()])?;
    let words = ["wasi:sockets/instance-network@0.2.0", "a web workload"];
    assert_three_lines(&answer, 2, &words);
    let applications = home.status()?["applications"].clone();
    ensure!(applications.get("site").is_none(), "{applications:#}");
    Ok(())
}
