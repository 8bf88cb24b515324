//! Bad charms.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use periapt_tests::{Home, assert_three_lines, charm, charm_with, kill};
use zip::write::SimpleFileOptions;

fn pack(home: &Home, name: &str, entries: &[(&str, &[u8])]) -> anyhow::Result<PathBuf> {
    let path = home.path().join(name);
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&path)?);
    for (name, bytes) in entries {
        archive.start_file(*name, SimpleFileOptions::default())?;
        archive.write_all(bytes)?;
    }
    archive.finish()?;
    Ok(path)
}

const METADATA: &[u8] = b"name: bad\nsummary: a bad charm\ndescription: for tests\n";

fn refused(home: &Home, path: &Path, words: &[&str]) -> anyhow::Result<()> {
    let answer = home.periapt(["deploy", &path.display().to_string(), "bad"])?;
    assert_three_lines(&answer, 2, words);
    assert!(
        home.status()?["applications"]
            .as_object()
            .is_none_or(serde_json::Map::is_empty),
        "nothing was deployed"
    );
    Ok(())
}

#[test]
fn charms_that_are_not_charms_are_refused_and_the_controller_goes_on() -> anyhow::Result<()> {
    let home = Home::started()?;
    let garbage = home.path().join("garbage.charm");
    std::fs::write(&garbage, b"this is no zip")?;
    refused(&home, &garbage, &["archive"])?;

    let no_component = pack(&home, "empty.charm", &[("metadata.yaml", METADATA)])?;
    refused(&home, &no_component, &["charm.wasm"])?;

    let zeros = vec![0_u8; 300 << 20];
    let bomb = pack(
        &home,
        "bomb.charm",
        &[("metadata.yaml", METADATA), ("charm.wasm", &zeros)],
    )?;
    refused(&home, &bomb, &["too large"])?;

    let escape = pack(
        &home,
        "escape.charm",
        &[
            ("metadata.yaml", METADATA),
            ("../outside", b"x"),
            ("charm.wasm", b"x"),
        ],
    )?;
    refused(&home, &escape, &["../outside"])?;
    assert!(!home.path().join("outside").exists());

    let not_wasm = pack(
        &home,
        "text.charm",
        &[
            ("metadata.yaml", METADATA),
            ("charm.wasm", b"not a component"),
        ],
    )?;
    refused(&home, &not_wasm, &["component"])?;

    let unknown =
        br#"(component (import "acme:secrets/vault@1.0.0" (instance (export "open" (func)))))"#;
    let unknown = wat::parse_bytes(unknown)?;
    let unknown = pack(
        &home,
        "unknown.charm",
        &[("metadata.yaml", METADATA), ("charm.wasm", &unknown)],
    )?;
    refused(&home, &unknown, &["acme:secrets/vault"])?;

    // It keeps secrets, and does not say so any more.
    let undeclared = home.path().join("undeclared.charm");
    charm_with("vault", &[("capabilities.yaml", "{}\n")], &undeclared)?;
    refused(
        &home,
        &undeclared,
        &[
            "the component imports secret of periapt:charm",
            "tools: {secret: {why: …}}",
            "declare it with its reason",
        ],
    )?;

    home.ok(["deploy", &charm("site").display().to_string()])?;
    home.until_workload("site/0", "active")?;
    Ok(())
}

#[test]
fn a_killed_compile_child_is_an_error_and_the_next_deploy_works() -> anyhow::Result<()> {
    let home = Home::started()?;
    let controller = home.controller_pid()?.as_raw_nonzero().get();
    let file = charm("site").display().to_string();
    let mut deploy = home.command(["deploy", &file]);
    deploy
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let deploy = deploy.spawn()?;
    let started = std::time::Instant::now();
    let mut killed = false;
    while !killed && started.elapsed() < Duration::from_secs(30) {
        let children =
            std::fs::read_to_string(format!("/proc/{controller}/task/{controller}/children"))
                .unwrap_or_default();
        let all = std::fs::read_dir(format!("/proc/{controller}/task"))?
            .flatten()
            .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
            .collect::<String>();
        for child in children.split_whitespace().chain(all.split_whitespace()) {
            let line =
                std::fs::read_to_string(format!("/proc/{child}/cmdline")).unwrap_or_default();
            if line.contains("compile-component")
                && let Some(pid) = child.parse().ok().and_then(rustix::process::Pid::from_raw)
            {
                kill(pid);
                killed = true;
            }
        }
    }
    let answer = periapt_tests::Answer::from(deploy.wait_with_output()?);
    assert!(killed, "the compile child was never seen: {answer:?}");
    assert_three_lines(&answer, 1, &["compil"]);
    home.ok(["deploy", &file])?;
    home.until_workload("site/0", "active")?;
    Ok(())
}
