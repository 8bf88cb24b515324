use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;

use super::verbs::{ALL, Here};
use super::*;
use crate::arguments::Command as Verb;

fn read_line(line: &str) -> Line {
    let words = std::iter::once("periapt").chain(line.split(' '));
    match read(words.map(OsString::from)) {
        Ok(line) => line,
        Err(error) => panic!("{line}: {error}"),
    }
}

fn remarks(line: &str) -> Vec<String> {
    match read_line(line) {
        Line::Verb { remarks, .. } => remarks,
        other => panic!("{line}: {other:?}"),
    }
}

/// Each verb with its verbs.
fn all_of(command: &Command) -> Vec<&Command> {
    let within = command.get_subcommands().flat_map(all_of);
    std::iter::once(command).chain(within).collect()
}

#[test]
fn no_flag_is_there_twice_with_what_is_laid_over_the_program() {
    extended().debug_assert();
    let mut program = extended();
    program.build();
    for verb in all_of(&program) {
        let name = verb.get_name();
        let mut seen = BTreeSet::new();
        for argument in verb.get_arguments() {
            let id = argument.get_id().as_str();
            assert!(seen.insert(format!("the argument {id}")), "{name}: {id}");
            for long in argument.get_long_and_visible_aliases().unwrap_or_default() {
                assert!(seen.insert(format!("--{long}")), "{name}: --{long}");
            }
            if let Some(short) = argument.get_short() {
                assert!(seen.insert(format!("-{short}")), "{name}: -{short}");
            }
        }
        let mut names = BTreeSet::new();
        for within in verb.get_subcommands() {
            let own = std::iter::once(within.get_name()).chain(within.get_all_aliases());
            for own in own {
                assert!(names.insert(own), "{own} is there twice");
            }
        }
    }
}

#[test]
fn every_row_is_what_the_program_has() {
    let program = Arguments::command();
    let own: BTreeSet<&str> = program
        .get_subcommands()
        .flat_map(|verb| std::iter::once(verb.get_name()).chain(verb.get_all_aliases()))
        .collect();
    let mut names = BTreeSet::new();
    for row in ALL {
        let name = row.juju;
        assert!(names.insert(name), "{name} has one row");
        match row.here {
            Here::Same => assert!(name == "help" || own.contains(name), "{name}"),
            Here::As(ours) => assert!(
                program
                    .find_subcommand(ours)
                    .is_some_and(|verb| verb.get_name() == ours),
                "{name} is an alias of {ours}"
            ),
            Here::Nothing { why } => assert!(!own.contains(name) && !why.is_empty(), "{name}"),
            Here::Absent { why, instead } => {
                assert!(!own.contains(name), "{name} is there after all");
                assert!(!why.is_empty() && !instead.is_empty(), "{name}");
            }
        }
    }
    for flag in flags::ALL {
        assert!(
            !flag.why.is_empty() && !flag.why.ends_with('.'),
            "{}",
            flag.long
        );
        for verb in flag.verbs {
            let found = program.find_subcommand(verb);
            assert!(
                found.is_some_and(|found| found.get_name() == *verb),
                "{verb}"
            );
        }
    }
}

#[test]
fn scripts_in_jujus_words_are_read() {
    for line in [
        "list-models",
        "list-machines --format json",
        "list-users",
        "list-controllers",
        "list-clouds",
        "list-credentials",
        "list-regions local",
        "show-status --format json --relations",
        "status --integrations --storage --color",
        "resolve site/0",
        "add-relation front:website site:website",
        "get-constraints site",
        "version --format json --all",
        "bootstrap lxd prod --no-switch",
        "bootstrap localhost prod --config audit-log-max-backups=3 --model-default test-mode=true --add-model demo",
        "add-model --no-switch demo --config test-mode=true",
        "destroy-model demo --no-prompt --destroy-storage --force --no-wait --timeout 60.0s",
        "kill-controller prod --no-prompt -t 1m",
        "unregister prod --no-prompt",
        "show-controller prod --show-password --format json",
        "scale-application site 3",
        "remove-unit --no-prompt site --num-units 2",
        "remove-unit site/0 --dry-run",
        "remove-application site --destroy-storage --dry-run",
        "remove-machine 0 --dry-run --force",
        "deploy site --channel edge --revision 2",
        "refresh site --channel edge --revision 2",
        "download site --revision 2 --filepath site.charm --no-progress",
        "download site --channel edge --base ubuntu@24.04 --arch arm64",
        "export-bundle --include-charm-defaults --filename bundle.yaml",
        "destroy-controller prod --force --no-wait --no-prompt",
        "destroy-controller prod --force --model-timeout 60.0s --no-prompt",
        "deploy ./bundle.yaml --map-machines existing",
        "deploy ./site.charm --to lxd",
        "add-unit site --to lxd:0,1",
        "add-machine lxd --base ubuntu@24.04 --constraints mem=4G --disks size=1G",
        "show-unit site/0 --app --endpoint website --related-unit front/0",
        "show-status-log site/0 --days 2 --type unit",
        "show-status-log site/0 --from-date 2026-11-01 --include-status-updates",
        "users demo --format json",
        "models --user bob --all --exact-time",
        "operations --offset 5 --limit 10 --machines 0",
        "debug-log --limit 10 -o log.txt",
        "create-backup --filename lab.zip",
        "download-backup 20261122-094512-a1b2c3 --filename lab.zip",
        "change-user-password bob --no-prompt",
        "login -u bob --no-prompt",
        "destroy-controller prod --destroy-all-models --release-storage --no-prompt",
        "enable-destroy-controller -c prod",
        "constraints site --format constraints",
        "actions site --format default",
        "credentials local --client",
        "login prod -u bob",
        "show-credential local lab --show-secrets",
        "update-credential local lab --client",
        "info site --channel edge --format yaml --repository ./charms",
        "show-cloud local --format json",
        "refresh site --path ./site.charm --force --force-base --force-units --trust",
    ] {
        assert!(matches!(read_line(line), Line::Verb { .. }), "{line}");
    }
}

#[test]
fn flags_without_a_meaning_are_taken_and_told_once_each() {
    let told = remarks("deploy ./site.charm --base ubuntu@24.04 --bind a=b --bind c=d --force");
    assert_eq!(told.len(), 3, "{told:?}");
    assert_eq!(
        told[0],
        "--base is ignored: charms run in a sandbox that is the same on every base"
    );
    assert_eq!(
        remarks("deploy ./site.charm --trust --storage data=1G"),
        [""; 0]
    );
    assert_eq!(remarks("status"), [""; 0]);
    for line in [
        "--debug status",
        "status --debug",
        "status -v",
        "controller nodes --verbose",
    ] {
        assert_eq!(remarks(line).len(), 1, "{line}");
    }
    // Of another verb they are unknown.
    let words = ["periapt", "config", "site", "--base", "x"].map(OsString::from);
    assert!(read(words).is_err());
}

#[test]
fn flags_that_a_script_relies_on_are_refused_before_anything_is_done() {
    for (line, words) in [
        (
            "remove-machine 0 --keep-instance",
            "it ends with the machine",
        ),
        ("remove-machine 0 --dry-run --keep-instance", "remove-unit"),
        ("deploy ./site.charm --device gpu=1,nvidia", "no devices"),
        ("deploy ./bundle.yaml --map-machines 0=3", "--to MACHINE"),
        (
            "deploy ./bundle.yaml --map-machines existing,0=3",
            "--to MACHINE",
        ),
        (
            "diff-bundle ./bundle.yaml --map-machines existing --map-machines 0=3",
            "--map-machines",
        ),
        ("download site --resources", "resources APPLICATION"),
        ("download site --charmhub-url https://x", "--repository"),
        ("debug-log --firehose", "debug-log -m MODEL"),
    ] {
        let Line::Refused(failure) = read_line(line) else {
            panic!("{line}")
        };
        let told = failure.to_string();
        assert_eq!(failure.exit, crate::failure::Exit::Usage, "{line}");
        assert_eq!(told.lines().count(), 3, "{told}");
        assert!(
            told.contains(" is refused\n") && told.contains(words),
            "{told}"
        );
    }
    let told = remarks("deploy ./bundle.yaml --map-machines existing");
    assert_eq!(told.len(), 1, "{told:?}");
}

#[test]
fn flags_that_keep_something_or_promise_to_change_nothing_are_never_ignored() {
    // What they ask for is so anyway; `detach-storage --no-wait` is only slower.
    let harmless = [
        "no-browser-login",
        "no-progress",
        "no-default-model",
        "no-wait",
        "keep-broken",
    ];
    for flag in flags::ALL.iter().filter(|flag| flag.refused.is_none()) {
        let promises = ["no-", "keep-", "dry-run", "revision", "release-"];
        let promises = promises.iter().any(|word| flag.long.starts_with(word));
        assert!(
            !promises || harmless.contains(&flag.long),
            "--{} is ignored: do it or refuse it",
            flag.long
        );
    }
}

#[test]
fn commands_without_a_verb_answer_in_words() {
    for (line, succeeds, word) in [
        ("ssh site/0 -- ls -l", false, "periapt exec"),
        (
            "scp --no-host-key-checks -- a site/0:b",
            false,
            "attach-resource",
        ),
        ("enable-ha -n 3", false, "controller join"),
        ("offer site:website", false, "integrate"),
        ("add-ssh-key --model demo ssh-ed25519", true, ""),
        ("spaces --format json", true, ""),
        ("upgrade-model", true, ""),
    ] {
        let Line::Answered(row) = read_line(line) else {
            panic!("{line}")
        };
        match answer(row) {
            Ok(()) => assert!(succeeds, "{line}"),
            Err(failure) => {
                assert!(!succeeds, "{line}");
                assert!(failure.to_string().contains(word), "{line}: {failure}");
            }
        }
    }
}

#[test]
fn jujus_variables_count_where_ours_are_not_set() {
    let read = |set: &'static [&'static str]| {
        let program =
            environment::follow_where(Arguments::command(), &|name: &str| set.contains(&name));
        let status = program.find_subcommand("status").unwrap();
        let model = status.get_arguments().find(|one| one.get_id() == "model");
        model.unwrap().get_env().unwrap().to_owned()
    };
    assert_eq!(read(&[]), "PERIAPT_MODEL");
    assert_eq!(read(&["JUJU_MODEL"]), "JUJU_MODEL");
    assert_eq!(read(&["JUJU_MODEL", "PERIAPT_MODEL"]), "PERIAPT_MODEL");
}

#[test]
fn the_name_of_the_program_says_how_it_ends() {
    for (program, so) in [
        ("juju", true),
        ("/usr/local/bin/juju", true),
        ("periapt", false),
        ("/home/juju/periapt", false),
    ] {
        assert_eq!(is_called_so(Some(OsStr::new(program))), so, "{program}");
    }
    assert!(!is_called_so(None));
}

#[test]
fn all_commands_are_listed_with_their_aliases() {
    assert!(matches!(read_line("help commands"), Line::Commands));
    let listed = commands();
    let line = |name: &str| {
        let found = listed
            .lines()
            .find(|line| line.split(' ').next() == Some(name));
        found.unwrap_or_default()
    };
    assert!(
        line("status").contains("Show the status of a model"),
        "{listed}"
    );
    assert!(
        line("list-models").ends_with("Alias for 'models'."),
        "{listed}"
    );
    assert_eq!(line("ssh"), "", "{listed}");
    assert_eq!(line("compile-component"), "", "{listed}");
}

#[test]
fn a_plugin_is_a_program_on_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().as_os_str();
    let plugin = folder.path().join("juju-crashdump");
    std::fs::write(&plugin, "#!/bin/sh\n").unwrap();
    assert_eq!(plugins::find(OsStr::new("crashdump"), path), None);
    std::fs::set_permissions(&plugin, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(plugins::find(OsStr::new("crashdump"), path), Some(plugin));
    for name in ["", "other", "-crashdump", "../crashdump", "a/b"] {
        assert_eq!(plugins::find(OsStr::new(name), path), None, "{name}");
    }
}

#[test]
fn a_verb_of_ours_is_never_a_plugin() {
    for (name, ours) in [
        ("charm", true),
        ("show-status", true),
        ("ssh", true),
        ("crashdump", false),
    ] {
        assert_eq!(plugins::is_ours(OsStr::new(name)), ours, "{name}");
    }
}

#[test]
fn an_alias_is_the_verb() {
    let Line::Verb { arguments, .. } = read_line("show-status site") else {
        panic!()
    };
    assert!(matches!(arguments.command, Verb::Status(_)));
}
