//! A principal and its subordinate share the directories that both charms declare, in
//! the way each declares, and nothing else. Both sides try for more, with everything a charm can
//! do and with paths that only the host can know.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use periapt_tests::{Home, charm};
use serde_json::Value;

use crate::home;

const READY: &str = "start: status active ready";

/// `main/0` and `main/1` with `aside/0` and `aside/1` beside them. `logs` is written by
/// the principals and read by the subordinates, `spool` the other way round, and `private` is
/// declared by the principals alone.
struct Group {
    home: Home,
    agent: PathBuf,
    rounds: std::cell::Cell<u32>,
}

fn unit<'a>(model: &'a Value, name: &str) -> Option<&'a Value> {
    let principals = model["applications"]["main"]["units"].as_object()?;
    principals.iter().find_map(|(principal, unit)| {
        if principal == name {
            return Some(unit);
        }
        unit["subordinates"].get(name)
    })
}

fn rests(unit: &Value, workload: &str) -> bool {
    unit["workload-status"]["current"] == workload && unit["juju-status"]["current"] == "idle"
}

/// Every file and folder below.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found
}

impl Group {
    fn new() -> Result<Self> {
        let home = home()?;
        let script = format!("script={READY}");
        let (main, aside) = (charm("probe"), charm("probe-subordinate"));
        let (main, aside) = (main.display().to_string(), aside.display().to_string());
        home.ok(["deploy", &main, "main", "-n", "2", "--config", &script])?;
        home.ok(["deploy", &aside, "aside", "--config", &script])?;
        home.ok(["integrate", "aside:host", "main:juju-info"])?;
        let units = ["main/0", "main/1", "aside/0", "aside/1"];
        home.until("all units to be active", |model| {
            units
                .iter()
                .all(|name| unit(model, name).is_some_and(|unit| rests(unit, "active")))
        })?;
        // Which model's agent it is: the one that has the units.
        let agents = fs::read_dir(home.controller_directory().join("agents"))?;
        let agent = agents
            .flatten()
            .map(|entry| entry.path())
            .find(|agent| agent.join("units/main-0").is_dir())
            .context("no agent has the units")?;
        Ok(Self {
            home,
            agent,
            rounds: 0.into(),
        })
    }

    /// Where a principal and its subordinates share a directory.
    fn shared(&self, principal: &str, name: &str) -> PathBuf {
        self.agent.join("shared").join(principal).join(name)
    }

    /// Lets all units of an application do something and waits until each has done it well.
    fn does(&self, application: &str, deeds: &[String]) -> Result<()> {
        let round = self.rounds.replace(self.rounds.get() + 1);
        let last = format!("done {round}");
        let deeds = deeds.iter().map(String::as_str);
        let lines: Vec<String> = deeds
            .chain([format!("status active {last}").as_str()])
            .map(|deed| format!("config-changed: {deed}"))
            .collect();
        let script = format!("script={}", lines.join("\n"));
        self.home.ok(["config", application, &script])?;
        let units = [format!("{application}/0"), format!("{application}/1")];
        self.home
            .until(&format!("{application} has done {script}"), |model| {
                units.iter().all(|name| {
                    unit(model, name).is_some_and(|unit| unit["workload-status"]["message"] == last)
                })
            })?;
        Ok(())
    }

    /// Lets all units of an application try for something; `attempt` is what the probe calls it.
    /// Nothing may be reached, and the log has to show what was refused.
    fn tries(&self, application: &str, attempt: &str, paths: &[String]) -> Result<()> {
        self.does(application, &[])?;
        let script = format!("script=config-changed: {attempt} {}", paths.join(" "));
        self.home.ok(["config", application, &script])?;
        let word = attempt.split(' ').next().unwrap_or_default();
        let units = [format!("{application}/0"), format!("{application}/1")];
        let says = |model: &Value, name: &str| {
            let unit = unit(model, name)?;
            let message = unit["workload-status"]["message"].as_str()?;
            (message.starts_with(word) && unit["juju-status"]["current"] == "idle")
                .then(|| message.to_owned())
        };
        let model = self
            .home
            .until(&format!("{application} to try {script}"), |model| {
                units.iter().all(|name| says(model, name).is_some())
            })?;
        let log = self.home.log()?;
        for name in &units {
            assert_eq!(
                says(&model, name),
                Some(format!("{word}: nothing reached")),
                "{name} tried {paths:?}"
            );
            let of_unit = log.lines().filter(|line| line.contains(name.as_str()));
            let of_unit: Vec<&str> = of_unit.collect();
            for path in paths {
                let shown = format!("{word} {path}: refused ");
                ensure!(
                    of_unit.iter().any(|line| line.contains(&shown)),
                    "the log of {name} does not show \"{shown}\""
                );
            }
        }
        Ok(())
    }

    /// A hook of the unit fails, the journal says why, and after the operator has answered the
    /// unit goes on. Its neighbours notice nothing.
    fn fails(&self, application: &str, deed: &str, reason: &str) -> Result<()> {
        let script = format!("script=config-changed: {deed}");
        self.home.ok(["config", application, &script])?;
        let units = [format!("{application}/0"), format!("{application}/1")];
        self.home.until(&format!("{deed} to fail"), |model| {
            units.iter().all(|name| {
                unit(model, name).is_some_and(|unit| unit["workload-status"]["current"] == "error")
            })
        })?;
        for name in &units {
            let failed = self.home.ok(["hooks", name, "--failed"])?;
            assert!(
                failed.contains("config-changed") && failed.contains(reason),
                "{failed}"
            );
            self.home.ok(["resolved", name, "--no-retry"])?;
        }
        self.does(application, &[])
    }

    /// What the probe wrote into the file is there, alone.
    fn holds(&self, principal: &str, name: &str, text: &str) -> Result<()> {
        let file = self.shared(principal, name).join("note");
        assert_eq!(fs::read_to_string(&file)?.trim_end(), text, "{file:?}");
        Ok(())
    }
}

#[test]
fn a_principal_and_a_subordinate_share_exactly_what_both_declare() -> Result<()> {
    let group = Group::new()?;
    let agents = group.home.agent_pids()?;

    // What is declared works in both directions.
    group.does(
        "main",
        &[
            "append of the principal".to_owned(),
            "shared-write logs note from the principal".to_owned(),
            "shared-write private note for the principal alone".to_owned(),
        ],
    )?;
    group.does(
        "aside",
        &[
            "append of the subordinate".to_owned(),
            "shared-read logs note".to_owned(),
            "shared-write spool note from the subordinate".to_owned(),
        ],
    )?;
    group.does("main", &["shared-read spool note".to_owned()])?;
    let log = group.home.log()?;
    for (reader, read) in [
        ("aside/0", "from the principal"),
        ("aside/1", "from the principal"),
        ("main/0", "from the subordinate"),
        ("main/1", "from the subordinate"),
    ] {
        let shown = format!("shared: \"{read}\"");
        assert!(
            log.lines()
                .any(|line| line.contains(reader) && line.contains(&shown)),
            "{reader} did not read \"{read}\""
        );
    }

    // The subordinate tries for what is the principal's, and for what is its own to read only.
    group.tries("aside", "reach", &secrets(&group, "main", "private")?)?;
    let readable = ["/shared/logs/note", "/shared/logs"].map(str::to_owned);
    group.tries("aside", "change", &readable)?;
    group.fails("aside", "shared-write logs note defaced", "permitted")?;
    group.fails("aside", "shared-write logs other new", "permitted")?;
    group.fails("aside", "shared-write private note defaced", "private")?;
    // The principal tries for the subordinate's.
    group.tries("main", "reach", &secrets(&group, "aside", "nothing")?)?;
    let readable = ["/shared/spool/note", "/shared/spool"].map(str::to_owned);
    group.tries("main", "change", &readable)?;
    group.fails("main", "shared-write spool note defaced", "permitted")?;

    // Each leaves links for the other in the directory that it may write. Those that a charm
    // cannot make are made by an attacker who has the host's help.
    for (planter, victim, name) in [("main", "aside", "logs"), ("aside", "main", "spool")] {
        let targets = [
            "..",
            "../private",
            "../private/note",
            "../../main-1/spool/note",
            "../../../units/main-0",
            "../../../units/aside-0",
            "../../../agent.json",
            "../../../credential/password.json",
            "../../../../../../../../../../etc/passwd",
            "/etc/passwd",
        ];
        group.does(planter, &[format!("plant {name} {}", targets.join(" "))])?;
        let planted = |number: usize| format!("planted-{number}");
        let mut links = Vec::new();
        for (number, target) in targets.iter().enumerate() {
            for principal in ["main-0", "main-1"] {
                let link = group.shared(principal, name).join(planted(number));
                if fs::symlink_metadata(&link).is_err() {
                    symlink(target, &link)?;
                }
            }
            links.push(format!("/shared/{name}/{}", planted(number)));
        }
        let agent = group.agent.clone();
        for (word, target) in [
            ("state", agent.join(format!("units/{planter}-0"))),
            ("private", group.shared("main-0", "private/note")),
            ("proc", PathBuf::from("/proc/self/root")),
        ] {
            for principal in ["main-0", "main-1"] {
                symlink(&target, group.shared(principal, name).join(word))?;
            }
            links.push(format!("/shared/{name}/{word}"));
        }
        links.push(format!("/shared/{name}/proc/etc/passwd"));
        group.tries(victim, "follow", &links)?;
        // Nor does who may write there get out by them, or by links of its own.
        group.tries(planter, "follow", &links)?;
        group.does(planter, &[])?;
        let script = format!("script=config-changed: shared-escape {name}");
        group.home.ok(["config", planter, &script])?;
        for number in 0..2 {
            let name = format!("{planter}/{number}");
            let model = group.home.until("the way out is tried", |model| {
                unit(model, &name).is_some_and(|unit| {
                    let message = unit["workload-status"]["message"].as_str();
                    message.is_some_and(|message| message.starts_with("shared-escape"))
                })
            })?;
            let said = unit(&model, &name).map(|unit| &unit["workload-status"]["message"]);
            assert_eq!(
                said.and_then(Value::as_str),
                Some("shared-escape: nothing reached"),
                "{name}"
            );
        }
    }

    // Nothing was harmed, and everybody is fine.
    for principal in ["main-0", "main-1"] {
        group.holds(principal, "logs", "from the principal")?;
        group.holds(principal, "private", "for the principal alone")?;
        group.holds(principal, "spool", "from the subordinate")?;
    }
    let left: Vec<PathBuf> = below(&group.agent)
        .into_iter()
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("reach")
                || fs::read_to_string(path).is_ok_and(|text| text == "reached")
        })
        .collect();
    assert!(left.is_empty(), "{left:?}");
    for (application, text) in [
        ("main", "of the principal"),
        ("aside", "of the subordinate"),
    ] {
        group.does(application, &["succeed".to_owned()])?;
        let journals = below(&group.agent.join(format!("units/{application}-0/state")));
        let journal = journals.iter().find(|path| path.ends_with("journal"));
        let journal = fs::read_to_string(journal.context("no journal")?)?;
        assert_eq!(journal.trim_end(), text);
    }
    group
        .home
        .ok(["config", "neighbour", "title=Still alive"])?;
    group.home.until_workload("neighbour/0", "active")?;
    assert_eq!(group.home.agent_pids()?, agents, "the agent survived");
    Ok(())
}

/// Names of what belongs to an application's units, to other principals and to the host, as a
/// neighbour could try them. `private` is a directory that only that side declares.
fn secrets(group: &Group, owner: &str, private: &str) -> Result<Vec<String>> {
    let own = group.agent.join(format!("units/{owner}-0"));
    let journal = below(&own.join("state"))
        .into_iter()
        .find(|path| path.ends_with("journal"))
        .context("the owner keeps no journal")?;
    let charm = fs::read_dir(group.agent.join("charms"))?
        .flatten()
        .next()
        .context("the agent has no charms")?
        .path();
    let on_host = [
        journal,
        own,
        charm,
        group.shared("main-0", private),
        group.shared("main-0", "logs/note"),
        group.shared("main-1", "spool/note"),
        group.agent.join("shared"),
        group.agent.join("agent.json"),
        group.agent.join("credential/password.json"),
        group.agent.clone(),
    ];
    let mut paths: Vec<String> = Vec::new();
    for path in on_host {
        let path = path.display().to_string();
        // The same by ways around.
        paths.push(format!("/proc/self/root{path}"));
        paths.push(format!("/shared/logs/../../../../../../../../../..{path}"));
        paths.push(path);
    }
    let guest = [
        "/shared",
        "/shared/..",
        "/shared/logs/..",
        "/shared/spool/../..",
        "/shared/main-1/logs/note",
        "/shared/logs/../../main-1/logs/note",
        "/state/../../../shared",
        "/charm/../../units",
        "/proc/self/fd",
        "/proc/1/root",
        "/proc/self/cwd",
    ];
    paths.extend(guest.map(str::to_owned));
    for name in [private.to_owned(), format!("{private}/note")] {
        paths.push(format!("/shared/{name}"));
        paths.push(format!("/shared/logs/../{name}"));
        paths.push(format!("../shared/{name}"));
        paths.push(format!("shared/{name}"));
    }
    Ok(paths)
}
