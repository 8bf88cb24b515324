//! The author's loop: a charm from a template, tested, looked at, built, packed, published and deployed by its name, and
//! refreshed whenever it is saved.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use anyhow::{Context, Result, ensure};
use periapt_tests::Home;

/// Changes a file of a project.
fn change(path: &Path, from: &str, to: &str) -> Result<()> {
    let text = fs::read_to_string(path)?;
    ensure!(text.contains(from), "{} has {from}", path.display());
    Ok(fs::write(path, text.replace(from, to))?)
}

#[test]
fn a_charm_from_the_template_is_tested_published_and_deployed_by_its_name() -> Result<()> {
    let home = Home::started()?;
    home.ok(["charm", "init", "greeter"])?;
    let folder = home.path().join("greeter");
    let project = folder.display().to_string();
    ensure!(
        folder
            .join("vendor/periapt/guest-sdk/rust/Cargo.toml")
            .is_file()
    );
    // As the tutorial says.
    for (file, there) in [
        ("charmcraft.yaml", true),
        ("src/lib.rs", true),
        ("metadata.yaml", false),
        ("config.yaml", false),
    ] {
        assert_eq!(folder.join(file).is_file(), there, "{file}");
    }
    home.ok(["charm", "vendor", &project])?;
    home.ok(["charm", "test", &project])?;
    let found = home.ok(["charm", "lint", &project, "--strict", "--format", "json"])?;
    assert_eq!(found.trim(), "[]");
    home.ok(["charm", "build", &project])?;
    home.ok(["charm", "pack", &project])?;
    let inspected = home.ok(["charm", "inspect", &project])?;
    assert!(inspected.contains("config-changed"), "{inspected}");

    let charms = home.path().join("charms").display().to_string();
    home.ok(["charm", "publish", &project, &charms])?;
    home.ok(["controller-config", &format!("charm-repository={charms}")])?;
    home.ok(["deploy", "greeter"])?;
    home.until_workload("greeter/0", "active")?;
    let runs = home.json(["hooks", "greeter/0"])?;
    let mut ran: Vec<&str> = (runs.as_array().into_iter().flatten())
        .filter_map(|run| run["hook"].as_str())
        .collect();
    ran.sort_unstable();
    assert_eq!(ran, ["config-changed", "install"], "as the tutorial says");

    // Without a terminal the compiler tells what it is at, and its report has its lines.
    let source = folder.join("src/lib.rs");
    let mut broken = fs::read_to_string(&source)?;
    broken.push_str("\nfn broken() -> u8 {\n    \"no number\"\n}\n");
    fs::write(&source, broken)?;
    let refused = home.periapt(["charm", "build", &project])?;
    assert_eq!(refused.code, 1, "{refused:?}");
    let line = |fits: &dyn Fn(&str) -> bool| refused.err.lines().any(|line| fits(line.trim()));
    assert!(
        line(&|line| line.starts_with("Compiling greeter")),
        "{refused:?}"
    );
    assert!(
        line(&|line| line.starts_with("--> src/lib.rs:")),
        "{refused:?}"
    );
    assert!(
        line(&|line| line.ends_with("\"no number\"") && line.contains('|')),
        "{refused:?}"
    );
    assert!(
        line(&|line| line.starts_with("ERROR the charm was not built")),
        "{refused:?}"
    );
    Ok(())
}

#[test]
fn what_a_charm_declares_wrongly_is_told_before_anything_is_compiled() -> Result<()> {
    let home = Home::new()?;
    home.ok(["charm", "init", "unfit", "--template", "subordinate"])?;
    let folder = home.path().join("unfit");
    let project = folder.display().to_string();
    change(
        &folder.join("charmcraft.yaml"),
        "scope: container",
        "scoep: container",
    )?;
    // Compiling this would fail with another answer.
    fs::write(folder.join("src/lib.rs"), "this does not compile")?;
    let answer = home.periapt(["charm", "lint", &project])?;
    ensure!(
        answer.code == 1
            && answer
                .err
                .contains("the charm does not match its declarations"),
        "{answer:?}"
    );
    ensure!(
        answer
            .out
            .contains("nothing reads the key \"scoep\" of requires.host; did you mean \"scope\"?"),
        "{answer:?}"
    );
    let elsewhere = home.periapt(["charm", "init", "x", "--template", "peer"])?;
    ensure!(
        elsewhere.err.contains("did you mean \"peers\"?"),
        "{elsewhere:?}"
    );
    Ok(())
}

/// A program that is ended with the test.
struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_charm_that_is_watched_is_refreshed_when_it_is_saved() -> Result<()> {
    let home = Home::started()?;
    home.ok(["charm", "init", "watched"])?;
    let folder = home.path().join("watched");
    // The first build may take longer than a test waits.
    home.ok(["charm", "build", &folder.display().to_string()])?;
    let said = home.path().join("said.txt");
    let child = home
        .command(["charm", "watch", &folder.display().to_string()])
        .stdout(Stdio::null())
        .stderr(fs::File::create(&said)?)
        .spawn()
        .context("periapt does not start")?;
    let _watching = Watching(child);
    let status = |model: &serde_json::Value| {
        let unit = &model["applications"]["watched"]["units"]["watched/0"];
        unit["workload-status"]["message"]
            .as_str()
            .map(str::to_owned)
    };
    home.until("the charm is deployed", |model| {
        status(model).as_deref() == Some("Hello")
    })?;

    let code = folder.join("src/lib.rs");
    change(&code, "Status::active(greeting)", "Status::active(greeting")?;
    home.until("the error is shown", |_| {
        fs::read_to_string(&said).is_ok_and(|text| text.contains("the compiler reports errors"))
    })?;
    change(
        &code,
        "Status::active(greeting",
        "Status::active(format!(\"{greeting} again\"))",
    )?;
    // A refresh alone does not have the greeting said anew.
    home.until("the charm is refreshed", |model| {
        model["applications"]["watched"]["charm-rev"] == 1
    })?;
    home.ok(["config", "watched", "greeting=Goodbye"])?;
    home.until("the new code runs", |model| {
        status(model).as_deref() == Some("Goodbye again")
    })?;
    Ok(())
}
