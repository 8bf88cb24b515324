//! A second person: invited, given a little, then more, then shut out.

use std::io::Write;
use std::process::Stdio;

use anyhow::Context;
use periapt_tests::{Answer, Home, assert_three_lines, charm};

/// The second person: the same program, another client directory.
struct Person<'a> {
    home: &'a Home,
}

impl Person<'_> {
    fn run(&self, arguments: &[&str], input: &str) -> anyhow::Result<Answer> {
        let mut child = self
            .home
            .command(arguments)
            .env("PERIAPT_DATA", self.home.path().join("second"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut stdin = child.stdin.take().context("standard input")?;
        stdin.write_all(input.as_bytes())?;
        drop(stdin);
        Ok(child.wait_with_output()?.into())
    }

    fn ok(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let answer = self.run(arguments, "")?;
        assert_eq!(answer.code, 0, "{arguments:?}: {answer:?}");
        Ok(answer.out)
    }
}

#[test]
fn a_second_person_does_what_they_are_granted_until_they_are_out() -> anyhow::Result<()> {
    let home = Home::started()?;
    let bob = Person { home: &home };
    let file = charm("probe").display().to_string();
    let script = "script=start: status active ready";
    let deploy = ["deploy", &file, "probe", "-m", "test", "--config", script];

    let line = home.ok(["add-user", "bob", "Bob Burr"])?;
    let registration = line
        .trim()
        .strip_prefix("periapt register ")
        .context("what to send to bob")?
        .to_owned();
    let register = ["register", &registration];
    assert_three_lines(&bob.run(&register, "short\n")?, 2, &["8 characters"]);
    let answer = bob.run(&register, "a password of bob\n")?;
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.err.contains("Welcome, bob."), "{answer:?}");
    assert_three_lines(
        &bob.run(
            &["register", &registration, "--replace"],
            "another password\n",
        )?,
        1,
        &["used already"],
    );

    // Nothing is there for them, not even what is.
    let models: serde_json::Value =
        serde_json::from_str(&bob.ok(&["models", "--format", "json"])?)?;
    assert_eq!(models["models"], serde_json::json!([]));
    assert_three_lines(
        &bob.run(&["status", "-m", "test"], "")?,
        3,
        &["model \"test\" not found"],
    );
    let who = bob.ok(&["whoami"])?;
    assert!(
        who.contains("User:        bob") && who.contains("Access:      login"),
        "{who}"
    );
    assert_three_lines(&bob.run(&["users"], "")?, 1, &["forbidden"]);

    home.ok(["grant", "bob", "read", "test"])?;
    bob.ok(&["status", "-m", "test"])?;
    assert_three_lines(&bob.run(&deploy, "")?, 1, &["forbidden"]);
    home.ok(["grant", "bob", "write", "test"])?;
    bob.ok(&deploy)?;
    home.until_workload("probe/0", "active")?;
    let models: serde_json::Value =
        serde_json::from_str(&bob.ok(&["models", "--format", "json"])?)?;
    let model = &models["models"][0];
    assert_eq!(model["short-name"], "test", "{models}");
    assert_eq!(model["access"], "write", "{models}");
    let of_model = home.json(["users", "test"])?;
    assert_eq!(
        of_model["bob"]["last-connection"], model["last-connection"],
        "{of_model}"
    );
    assert_ne!(model["last-connection"], "never connected", "{models}");
    let table = bob.ok(&["models"])?;
    assert!(
        table.contains("Access  Last connection") && table.contains("write   "),
        "{table}"
    );
    assert_three_lines(
        &bob.run(&["destroy-model", "test", "--no-prompt"], "")?,
        1,
        &["forbidden"],
    );

    // A token for a script, good until it is revoked.
    let token = bob.ok(&["add-token", "ci", "--expires-in", "1h"])?;
    let listed = bob.ok(&["tokens"])?;
    assert!(
        listed.contains("ci") && !listed.contains(token.trim()),
        "{listed}"
    );
    bob.ok(&["logout"])?;
    assert_three_lines(&bob.run(&["whoami"], "")?, 1, &["periapt login"]);
    assert_eq!(bob.run(&["login", "--token", "-"], &token)?.code, 0);
    bob.ok(&["status", "-m", "test"])?;
    bob.ok(&["revoke-token", "ci"])?;
    assert_eq!(bob.run(&["whoami"], "")?.code, 1);

    let login = ["login", "-u", "bob"];
    assert_three_lines(&bob.run(&login, "a wrong one\n")?, 1, &["password"]);
    assert_eq!(bob.run(&login, "a password of bob\n")?.code, 0);
    let change = bob.run(
        &["change-user-password"],
        "a password of bob\nanother password\n",
    )?;
    assert_eq!(change.code, 0, "{change:?}");
    bob.ok(&["status", "-m", "test"])?;

    let users = home.ok(["users"])?;
    assert!(
        users.contains("bob") && users.contains("Bob Burr"),
        "{users}"
    );
    home.ok(["disable-user", "bob"])?;
    assert!(!home.ok(["users"])?.contains("bob"));
    assert_three_lines(&bob.run(&["status", "-m", "test"], "")?, 1, &["login"]);
    assert_three_lines(&bob.run(&login, "another password\n")?, 1, &["disabled"]);
    home.ok(["enable-user", "bob"])?;
    assert_eq!(bob.run(&login, "another password\n")?.code, 0);
    home.ok(["revoke", "bob", "read", "test"])?;
    assert_eq!(bob.run(&["status", "-m", "test"], "")?.code, 3);
    home.ok(["remove-user", "bob", "--no-prompt"])?;
    assert_eq!(bob.run(&["whoami"], "")?.code, 1);
    assert_three_lines(
        &home.periapt(["disable-user", "admin"])?,
        4,
        &["last superuser"],
    );
    Ok(())
}
