//! The author's loop: a charm from a template, tested, built, packed, deployed.

use std::process::Command;

use periapt_tests::Home;

#[test]
fn a_charm_from_the_template_tests_builds_packs_and_deploys() -> anyhow::Result<()> {
    let home = Home::started()?;
    home.ok(["charm", "init", "greeter"])?;
    let project = home.path().join("greeter");
    // As the tutorial says.
    for (file, there) in [
        ("charmcraft.yaml", true),
        ("src/lib.rs", true),
        ("metadata.yaml", false),
        ("config.yaml", false),
    ] {
        assert_eq!(project.join(file).is_file(), there, "{file}");
    }
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
    let runs = home.json(["hooks", "greeter/0"])?;
    let mut ran: Vec<&str> = (runs.as_array().into_iter().flatten())
        .filter_map(|run| run["hook"].as_str())
        .collect();
    ran.sort_unstable();
    assert_eq!(ran, ["config-changed", "install"], "as the tutorial says");

    // Without a terminal the compiler tells what it is at, and its report has its lines.
    let source = home.path().join("greeter/src/lib.rs");
    let mut broken = std::fs::read_to_string(&source)?;
    broken.push_str("\nfn broken() -> u8 {\n    \"no number\"\n}\n");
    std::fs::write(&source, broken)?;
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
