use std::fs;
use std::path::Path;

use super::source::{Source, scan};
use super::*;

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn told(project: &Path, hooks: Option<&[&str]>) -> Vec<String> {
    let hooks: Option<Vec<String>> =
        hooks.map(|hooks| hooks.iter().map(|&hook| hook.to_owned()).collect());
    let outside = Inspection {
        imports: vec!["periapt:charm/storage@0.1.0".to_owned()],
        exports: vec!["hooks".to_owned(), "dispatch".to_owned()],
    };
    let component = hooks.as_deref().map(|hooks| (&outside, hooks));
    let found = lint(project, component).unwrap().into_iter();
    found
        .map(|one| format!("{} {}: {}", one.severity.as_str(), one.place, one.what))
        .collect()
}

const SOUND: &str = "name: a\nsummary: b\nconfig:\n  options:\n    max-age: {type: int}\n";

#[test]
fn a_charm_that_fits_has_no_findings() {
    let folder = project(&[
        ("charmcraft.yaml", SOUND),
        ("src/lib.rs", "struct Config { max_age: u32 }"),
    ]);
    assert_eq!(told(folder.path(), None), Vec::<String>::new());
}

#[test]
fn a_key_that_nothing_reads_is_told_with_its_line_and_the_nearest() {
    let folder = project(&[(
        "charmcraft.yaml",
        "name: a\nsummary: b\noptoins: {}\nx-mine: 1\nrequires:\n  db: {interface: sql, scpoe: container}\n\
         config:\n  options:\n    a: {tpye: int}\n",
    )]);
    assert_eq!(
        told(folder.path(), None),
        [
            "error charmcraft.yaml: nothing reads the key \"scpoe\" of requires.db; did you mean \"scope\"?",
            "error charmcraft.yaml: nothing reads the key \"tpye\" of config.options.a; did you mean \"type\"?",
            "error charmcraft.yaml:3: nothing reads the key \"optoins\"",
        ]
    );
}

#[test]
fn a_file_that_says_nothing_sound_is_a_finding() {
    let folder = project(&[("charmcraft.yaml", "name: A_B\n")]);
    let told = told(folder.path(), None).join("\n");
    assert!(
        told.starts_with("error charmcraft.yaml: charmcraft.yaml: "),
        "{told}"
    );
    let empty = project(&[]);
    assert_eq!(
        lint(empty.path(), None).unwrap_err().code(),
        "packing-not-a-project"
    );
}

#[test]
fn what_is_declared_and_what_is_answered_are_compared_both_ways() {
    let folder = project(&[
        (
            "charmcraft.yaml",
            "name: a\nsummary: b\nrequires: {db: {interface: sql}}\nresources: {theme: {type: file}}\nactions: {go: {}}\n",
        ),
        ("metrics.yaml", "metrics: {pings: {type: gauge}}"),
    ]);
    let found = told(folder.path(), Some(&["website-relation-changed", "start"]));
    let found = found.join("\n");
    for wanted in [
        "error charmcraft.yaml: hooks of the endpoint \"website\" never run",
        "error charmcraft.yaml: the action \"go\" fails wherever it is run",
        "error metrics.yaml: nobody measures pings",
        "warning charmcraft.yaml: no hook answers the endpoint \"db\"",
        "warning build/charm.wasm: the component imports storage, and the charm declares no storage",
        "warning build/charm.wasm: the charm declares resources, and the component does not import resources",
    ] {
        assert!(found.contains(wanted), "{wanted}\n{found}");
    }
}

#[test]
fn imports_and_capabilities_are_compared_both_ways() {
    let folder = project(&[
        ("metadata.yaml", "name: a\nsummary: b\n"),
        (
            "capabilities.yaml",
            "shared: {logs: read-only}\ntools: {secret: {why: keeps a password}}\n",
        ),
    ]);
    let outside = Inspection {
        imports: ["periapt:charm/reboot@0.1.0", "wasi:filesystem/types@0.2.3"]
            .map(str::to_owned)
            .to_vec(),
        exports: vec!["hooks".to_owned(), "dispatch".to_owned()],
    };
    let hooks: &[String] = &[];
    let found = lint(folder.path(), Some((&outside, hooks))).unwrap();
    let told: Vec<String> = found
        .into_iter()
        .map(|one| format!("{} {}: {}", one.severity.as_str(), one.place, one.what))
        .collect();
    assert_eq!(
        told,
        [
            "error build/charm.wasm: the component imports reboot of periapt:charm, which the charm does not declare; \
             add to its capabilities tools: {reboot: {why: …}}",
            "warning capabilities.yaml: shared/logs:read-only has no reason for the operator who reads it; add why",
            "warning capabilities.yaml: the charm declares tools/secret, and no component of it imports secret: \
             take the entry out, or make use of it",
        ]
    );
}

#[test]
fn a_server_that_nobody_could_ask_is_told_before_it_is_packed() {
    let folder = project(&[
        (
            "charmcraft.yaml",
            "name: a\nsummary: b\ncontainers: {web: {}}\n",
        ),
        ("server/Cargo.toml", "[package]"),
    ]);
    let found = told(folder.path(), None).join("\n");
    for wanted in [
        "warning charmcraft.yaml: the component \"server.wasm\" never runs",
        "warning charmcraft.yaml: the container \"web\" can run nothing",
    ] {
        assert!(found.contains(wanted), "{wanted}\n{found}");
    }
}

#[test]
fn names_in_the_code_are_held_against_the_files() {
    let code = "// context.resource(\"comment\")\n\
                fn f() {\n    context.resource(\"thmee\")?;\n    context\n        .shared(LOGS)?;\n    \
                let c = '\"'; other.network(\"db\"); g::<'a>(r#\"max-age\"#);\n}\nconst LOGS: &str = \"logs\";\n";
    let folder = project(&[
        (
            "charmcraft.yaml",
            "name: a\nsummary: b\nrequires: {db: {interface: sql}}\nresources: {theme: {type: file}}\n\
             config: {options: {max-age: {type: int}, colour: {}}}\ncapabilities: {shared: {logs: {access: read-only, why: reads}}}\n",
        ),
        ("src/lib.rs", code),
        ("src/tests.rs", "context.resource(\"test\")"),
    ]);
    assert_eq!(
        told(folder.path(), None),
        [
            "warning charmcraft.yaml: the option \"colour\" is declared, and the code names it nowhere",
            "warning charmcraft.yaml: the resource \"theme\" is declared, and the code names it nowhere",
            "warning src/lib.rs:3: resource(\"thmee\") names no resource that the charm declares; did you mean \"theme\"?",
        ]
    );
}

#[test]
fn texts_are_read_with_the_calls_that_they_stand_in() {
    let mut source = Source::default();
    scan(
        "a.b(\"one\", \"two\"); c(\"three\"); d\n.e( \"f\\\"g\" ); /* \"no\" */ x.y(r\"raw\")",
        "f.rs",
        &mut source,
    );
    let found: Vec<(&str, Option<&str>, &str)> = source
        .texts
        .iter()
        .map(|text| {
            (
                text.text.as_str(),
                text.call.as_deref(),
                text.place.as_str(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("one", Some("b"), "f.rs:1"),
            ("two", None, "f.rs:1"),
            ("three", None, "f.rs:1"),
            ("f\\\"g", Some("e"), "f.rs:2"),
            ("raw", Some("y"), "f.rs:2"),
        ]
    );
    assert!(source.words.contains("d") && !source.words.contains("no"));
}
