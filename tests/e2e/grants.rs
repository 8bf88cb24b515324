//! Capabilities that operators grant, deny and take back, and revisions that wait for them.

use std::fs::File;
use std::io::{Read, Write};

use anyhow::{Result, ensure};
use periapt_tests::{Home, assert_three_lines, charm};

const REGISTRY: &str = "tools: {secret: {why: gives its units a token}}";
const RESTARTS: &str =
    "tools: {secret: {why: gives its units a token}, reboot: {why: restarts at night}}";

/// A home whose controller grants what controllers grant unless somebody says otherwise.
fn home() -> Result<Home> {
    let home = Home::started()?;
    home.ok(["controller-config", "--reset", "capability-default"])?;
    Ok(home)
}

/// The charm `registry` that declares something else.
fn registry(home: &Home, file: &str, capabilities: &str) -> Result<String> {
    let path = home.path().join(file);
    let mut from = zip::ZipArchive::new(File::open(charm("registry"))?)?;
    let mut into = zip::ZipWriter::new(File::create(&path)?);
    for index in 0..from.len() {
        let mut entry = from.by_index(index)?;
        let name = entry.name()?.into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content)?;
        if name == "capabilities.yaml" {
            content = capabilities.as_bytes().to_vec();
        }
        into.start_file(name, zip::write::SimpleFileOptions::default())?;
        into.write_all(&content)?;
    }
    into.finish()?;
    Ok(path.display().to_string())
}

/// What `grants` says of one capability.
fn standing(home: &Home, application: &str, capability: &str) -> Result<String> {
    let told = home.json(["grants", application])?;
    let all = told["capabilities"].as_array().into_iter().flatten();
    let found = all.into_iter().find(|one| one["capability"] == capability);
    let standing = found.map(|one| one["standing"].clone()).unwrap_or_default();
    Ok(standing.as_str().unwrap_or_default().to_owned())
}

#[test]
fn what_goes_beyond_the_default_is_asked_for_and_a_script_has_to_say_it() -> Result<()> {
    let home = home()?;
    let file = registry(&home, "restarts.charm", RESTARTS)?;
    let refused = home.periapt(["deploy", &file])?;
    assert_three_lines(&refused, 4, &["capability-undecided"]);
    for words in [
        "tools/reboot",
        "may restart its machine",
        "restarts at night",
        "--grant-all",
        "capability-undecided",
    ] {
        ensure!(refused.err.contains(words), "{words}: {}", refused.err);
    }
    let unknown = home.periapt(["deploy", &file, "--grant", "tools/credential"])?;
    ensure!(
        unknown.err.contains("capability-not-declared"),
        "{}",
        unknown.err
    );
    home.ok(["deploy", &file, "--grant", "tools/reboot"])?;
    home.until_workload("registry/0", "active")?;
    assert_eq!(standing(&home, "registry", "tools/reboot")?, "granted");
    assert_eq!(standing(&home, "registry", "tools/secret")?, "default");
    let listed = home.ok(["grants", "registry"])?;
    ensure!(
        listed.contains("granted by admin at") && listed.contains("granted by default"),
        "{listed}"
    );
    let audit = home.ok(["audit"])?;
    ensure!(audit.contains("deployed"), "{audit}");
    Ok(())
}

#[test]
fn a_hook_without_its_grant_fails_with_what_to_run_and_goes_on_with_it() -> Result<()> {
    let home = home()?;
    let file = registry(&home, "registry.charm", REGISTRY)?;
    home.ok(["deploy", &file, "--deny", "tools/secret"])?;
    let message = home.until_hook_error("registry/0")?;
    ensure!(
        message.ends_with(
            "tools/secret is not granted to registry: periapt grant-capability registry tools/secret"
        ),
        "{message}"
    );
    home.ok(["grant-capability", "registry", "tools/secret"])?;
    home.until_workload("registry/0", "active")?;
    let audit = home.ok(["audit"])?;
    ensure!(audit.contains("tools/secret to registry"), "{audit}");
    home.ok(["revoke-capability", "registry", "tools/*"])?;
    assert_eq!(standing(&home, "registry", "tools/secret")?, "denied");
    Ok(())
}

#[test]
fn a_policy_bounds_what_can_be_granted_and_takes_what_is_beyond_it() -> Result<()> {
    let home = home()?;
    let file = registry(&home, "restarts.charm", RESTARTS)?;
    home.ok(["model-config", "capability-policy=tools/secret"])?;
    let refused = home.periapt(["deploy", &file, "--grant-all"])?;
    ensure!(
        refused.code != 0 && refused.err.contains("capability-beyond-policy"),
        "{}",
        refused.err
    );
    home.ok(["model-config", "--reset", "capability-policy"])?;
    home.ok(["deploy", &file, "--grant-all"])?;
    home.until_workload("registry/0", "active")?;
    home.ok(["model-config", "capability-policy=port/*"])?;
    for capability in ["tools/reboot", "tools/secret"] {
        assert_eq!(standing(&home, "registry", capability)?, "beyond-policy");
    }
    // The leader looks at its token in each hook that follows.
    home.ok(["config", "registry", "entries=a=b"])?;
    let message = home.until_hook_error("registry/0")?;
    ensure!(message.contains("tools/secret is not granted"), "{message}");
    home.ok(["model-config", "--reset", "capability-policy"])?;
    home.until_workload("registry/0", "active")?;
    Ok(())
}

#[test]
fn a_revision_that_needs_more_waits_and_is_approved_or_dropped() -> Result<()> {
    let home = home()?;
    let (plain, restarts) = (
        registry(&home, "registry.charm", REGISTRY)?,
        registry(&home, "restarts.charm", RESTARTS)?,
    );
    home.ok(["deploy", &plain])?;
    home.until_workload("registry/0", "active")?;
    let answer = home.periapt(["refresh", "registry", "--path", &restarts])?;
    ensure!(
        answer.code == 0 && answer.err.contains("waits for approval"),
        "{}",
        answer.err
    );
    let status = home.status()?;
    let application = &status["applications"]["registry"];
    assert_eq!(application["charm-rev"], 0);
    let message = application["application-status"]["message"].as_str();
    ensure!(
        message.is_some_and(|message| message.ends_with(
            "waiting for approval of revision 1: tools/reboot (because: restarts at night); run: periapt grant-capability registry tools/reboot"
        )),
        "{message:?}"
    );
    home.ok(["revoke-capability", "registry", "tools/reboot"])?;
    assert_eq!(
        home.json(["grants", "registry"])?["held"],
        serde_json::Value::Null
    );

    home.ok([
        "refresh",
        "registry",
        "--path",
        &restarts,
        "--grant",
        "tools/reboot",
    ])?;
    assert_eq!(home.status()?["applications"]["registry"]["charm-rev"], 1);
    Ok(())
}
