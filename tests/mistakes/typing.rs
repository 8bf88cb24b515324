//! Mistyped commands.

use periapt_tests::{Home, assert_three_lines, charm};

#[test]
fn names_that_do_not_exist_are_said_so() -> anyhow::Result<()> {
    let home = Home::started()?;
    for (arguments, code, word) in [
        (
            &["deploy", "./nothing.charm"] as &[&str],
            3,
            "nothing.charm",
        ),
        (&["config", "nothing"], 3, "nothing"),
        (&["show-unit", "nothing/0"], 3, "nothing/0"),
        (&["show-application", "nothing"], 3, "nothing"),
        (&["remove-unit", "nothing/7", "--no-prompt"], 3, "nothing/7"),
        (
            &["remove-application", "nothing", "--no-prompt"],
            3,
            "nothing",
        ),
        (&["resolved", "nothing/0"], 3, "nothing/0"),
        (&["switch", "nothing"], 3, "nothing"),
        (&["status", "-m", "nothing"], 3, "nothing"),
        (&["destroy-model", "nothing", "--no-prompt"], 3, "nothing"),
        (&["add-model", "test"], 4, "test"),
        (&["add-model", "far", "moon"], 2, "moon"),
        (&["add-model", "far", "local/attic"], 2, "local/attic"),
        (
            &["add-model", "far", "--credential", "none"],
            2,
            "admin/none",
        ),
        (
            &["wait-for", "application", "nothing", "--timeout", "1s"],
            5,
            "nothing",
        ),
    ] {
        let answer = home.periapt(arguments)?;
        assert_three_lines(&answer, code, &[word]);
    }
    for arguments in [
        &["deploi"] as &[&str],
        &["deploy"],
        &["status", "--format", "poem"],
        &["add-unit", "x", "-n", "many"],
    ] {
        let answer = home.periapt(arguments)?;
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.out.is_empty() && !answer.err.is_empty());
    }
    Ok(())
}

#[test]
fn bad_values_change_nothing() -> anyhow::Result<()> {
    let home = Home::started()?;
    let file = charm("site").display().to_string();
    let answer = home.periapt(["deploy", &file, "--config", "colour=red"])?;
    assert_three_lines(&answer, 2, &["colour", "title"]);
    let answer = home.periapt(["deploy", &file, "No_Name"])?;
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(
        home.status()?["applications"]
            .as_object()
            .is_none_or(serde_json::Map::is_empty)
    );

    home.ok(["deploy", &file])?;
    assert_three_lines(&home.periapt(["deploy", &file])?, 4, &["site"]);
    let before = home.ok(["config", "site", "--format", "json"])?;
    assert_three_lines(
        &home.periapt(["config", "site", "title=kept", "colour=red"])?,
        2,
        &["colour"],
    );
    assert_eq!(
        home.ok(["config", "site", "--format", "json"])?,
        before,
        "all or nothing"
    );
    assert_three_lines(
        &home.periapt(["model-config", "update-status-hook-interval=soon"])?,
        2,
        &["update-status-hook-interval"],
    );
    assert_three_lines(
        &home.periapt(["model-config", "nonsense=1"])?,
        2,
        &["nonsense", "`periapt model-config` lists the options"],
    );
    assert_three_lines(
        &home.periapt(["add-model", "odd", "--config", "nonsense=1"])?,
        2,
        &["nonsense", "`periapt model-config` lists the options"],
    );
    Ok(())
}

#[test]
fn without_a_controller_the_next_step_is_named() -> anyhow::Result<()> {
    let home = Home::new()?;
    let answer = home.periapt(["status"])?;
    assert_three_lines(&answer, 3, &["bootstrap"]);
    Ok(())
}
