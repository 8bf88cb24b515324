//! The author's loop: a charm from a template, tested, built, packed, deployed.

use std::process::Command;

use periapt_tests::Home;

#[test]
fn a_charm_from_the_template_tests_builds_packs_and_deploys() -> anyhow::Result<()> {
    let home = Home::started()?;
    home.ok(["charm", "init", "greeter"])?;
    let project = home.path().join("greeter");
    let tested = Command::new("cargo")
        .args(["test", "--quiet"])
        .current_dir(&project)
        .env("CARGO_TARGET_DIR", home.path().join("native"))
        .output()?;
    assert!(
        tested.status.success(),
        "{}",
        String::from_utf8_lossy(&tested.stderr)
    );
    let project = project.display().to_string();
    home.ok(["charm", "build", &project])?;
    home.ok(["charm", "pack", &project])?;
    let inspected = home.ok(["charm", "inspect", &project])?;
    assert!(inspected.contains("config-changed"), "{inspected}");
    home.ok(["deploy", &project, "greeter"])?;
    home.until_workload("greeter/0", "active")?;
    Ok(())
}
