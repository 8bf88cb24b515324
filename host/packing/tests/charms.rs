//! Charms from source to archive, on the toolchain this machine has. The first run compiles a
//! standard library where only Debian's packages are there, which takes a minute or two; later
//! runs take seconds.

#![allow(clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use periapt_model::charm::Archive;
use periapt_packing::{
    InitOptions, Options, PackingError, Severity, Template, TestOptions, build, has_scenarios,
    init, inspect, lint, pack, sdk, test, test_scenarios,
};

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the checkout is there")
}

/// The target folder this test was built in, so that guests share one cache.
fn options() -> Options {
    let mut options = Options::new(
        Path::new(env!("CARGO_TARGET_TMPDIR"))
            .parent()
            .expect("has a parent"),
    );
    options.quiet = true;
    options.jobs = Some(2);
    options
}

#[test]
fn the_projects_own_charms_build_and_pack_to_the_same_bytes() {
    let charms = options().target_dir.join("charms");
    fs::create_dir_all(&charms).expect("makes the folder");
    for name in ["noop", "probe", "site", "front", "registry", "log-shipper"] {
        let project = checkout().join("charms").join(name);
        let report = build(&project, &options()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(report.size < 2 << 20, "{name} has {} bytes", report.size);
        let packed = pack(&project, &charms).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(packed.path, charms.join(format!("{name}.charm")));

        let bytes = fs::read(&packed.path).expect("reads");
        let archive = Archive::read(&bytes).expect("is sound");
        assert_eq!(archive.metadata.name, name);
        let found = inspect(archive.component()).expect("reads");
        assert!(
            found
                .imports
                .iter()
                .any(|import| import.starts_with("periapt:charm/")),
            "{found:?}"
        );
        assert!(
            found
                .imports
                .iter()
                .all(|import| import.starts_with("periapt:charm/") || import.starts_with("wasi:")),
            "{found:?}"
        );
        // The charms that have a web workload bring it.
        let server = archive.file("server.wasm").map(inspect);
        assert_eq!(server.is_some(), ["site", "front"].contains(&name));
        if let Some(server) = server {
            server.expect("reads").check_server().expect("answers");
        }
        let again = pack(&project, &charms).expect("packs again");
        assert_eq!(again.sha256, packed.sha256, "packing is deterministic");
    }

    // The same component under other metadata is another charm.
    let variant = checkout().join("charms/probe-subordinate");
    fs::create_dir_all(variant.join("build")).expect("makes the folder");
    let built = "build/charm.wasm";
    fs::copy(
        checkout().join("charms/probe").join(built),
        variant.join(built),
    )
    .expect("copies");
    let packed = pack(&variant, &charms).unwrap_or_else(|error| panic!("{error}"));
    let archive = Archive::read(&fs::read(&packed.path).expect("reads")).expect("is sound");
    assert!(archive.metadata.subordinate);
    let declared = archive.declared.capabilities();
    let declared: Vec<String> = declared.map(|one| one.to_string()).collect();
    assert_eq!(
        declared[..2],
        ["shared/logs:read-only", "shared/spool:read-write"]
    );
}

fn of_checkout(template: Template) -> InitOptions {
    InitOptions {
        template,
        sdk: Some(checkout()),
    }
}

/// A project as its author gets it, with its own copy of the SDK.
fn vendored(template: Template) -> InitOptions {
    InitOptions {
        template,
        sdk: None,
    }
}

#[test]
fn an_unknown_template_is_refused_with_the_nearest() {
    assert_eq!("web".parse::<Template>().expect("is known"), Template::Web);
    let error = "wbe".parse::<Template>().expect_err("is unknown");
    assert_eq!(error.code(), "packing-unknown-template");
    let said = error.to_string();
    assert!(said.contains("did you mean \"web\"?"), "{said}");
    assert!(
        said.ends_with("there are minimal, web, database-client, subordinate, peers"),
        "{said}"
    );
}

#[test]
fn a_new_project_tests_builds_and_packs() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = folder.path().join("my-charm");
    let made = init("my-charm", &project, &of_checkout(Template::Minimal)).expect("makes it");
    assert!(made.files.contains(&"src/lib.rs".to_owned()) && made.next_steps.len() == 5);
    assert!(
        !project.join("vendor").exists(),
        "it uses the checkout's SDK"
    );
    assert_eq!(
        init("my-charm", &project, &InitOptions::default())
            .expect_err("taken")
            .code(),
        "packing-directory-not-empty"
    );
    assert_eq!(
        pack(&project, folder.path()).expect_err("not built").code(),
        "packing-not-built"
    );

    let tested = Command::new("cargo")
        .args(["test", "--quiet", "--jobs", "2", "--target-dir"])
        .arg(options().target_dir.join("guests-native"))
        .current_dir(&project)
        .output()
        .expect("cargo runs");
    assert!(
        tested.status.success(),
        "{}",
        String::from_utf8_lossy(&tested.stderr)
    );

    let formatted = Command::new("cargo")
        .args(["fmt", "--check"])
        .current_dir(&project)
        .output()
        .expect("cargo runs");
    assert!(
        formatted.status.success(),
        "{}",
        String::from_utf8_lossy(&formatted.stdout)
    );

    build(&project, &options()).unwrap_or_else(|error| panic!("{error}"));
    fs::create_dir_all(project.join("files/web")).expect("makes a folder");
    fs::write(project.join("files/web/index.html"), "<p>").expect("writes");
    let packed = pack(&project, folder.path()).expect("packs");
    assert_eq!(
        packed.files,
        [
            "README.md",
            "charm.wasm",
            "charmcraft.yaml",
            "files/web/index.html"
        ]
    );

    std::os::unix::fs::symlink("/etc/passwd", project.join("files/link")).expect("links");
    assert_eq!(
        pack(&project, folder.path()).expect_err("a link").code(),
        "packing-not-regular"
    );
    fs::write(project.join("build/charm.wasm"), b"\0asm\x01\0\0\0").expect("writes");
    fs::remove_file(project.join("files/link")).expect("removes");
    assert_eq!(
        pack(&project, folder.path())
            .expect_err("a core module")
            .code(),
        "charm-component-invalid"
    );
}

/// What a charm imports is what it calls, so that its declaration can be held against it.
#[test]
fn a_charm_imports_what_it_calls_and_is_not_packed_undeclared() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = folder.path().join("client");
    init("client", &project, &of_checkout(Template::DatabaseClient)).expect("makes it");
    build(&project, &options()).unwrap_or_else(|error| panic!("{error}"));
    let component = fs::read(project.join("build/charm.wasm")).expect("reads");
    let imports = inspect(&component).expect("reads").imports;
    let has = |interface: &str| {
        let name = format!("periapt:charm/{interface}@");
        imports.iter().any(|import| import.starts_with(&name))
    };
    assert!(has("relation") && has("secret"), "{imports:?}");
    for never_called in ["credential", "ports", "reboot", "storage", "workload"] {
        assert!(!has(never_called), "{never_called}: {imports:?}");
    }
    pack(&project, folder.path()).expect("packs");

    let path = project.join("charmcraft.yaml");
    let declared = fs::read_to_string(&path).expect("reads");
    let (without, _) = declared.split_once("capabilities:").expect("declares");
    fs::write(&path, without).expect("writes");
    let error = pack(&project, folder.path()).expect_err("undeclared");
    assert_eq!(error.code(), "charm-capability-undeclared");
    let said = error.to_string();
    assert!(said.contains("tools: {secret: {why: …}}"), "{said}");
}

#[test]
fn what_cannot_be_built_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().join("empty");
    fs::create_dir_all(&empty).expect("makes a folder");
    assert_eq!(
        build(&empty, &options()).expect_err("no project").code(),
        "packing-not-a-project"
    );
    assert_eq!(
        pack(&empty, folder.path()).expect_err("no project").code(),
        "packing-not-a-project"
    );
    assert_eq!(
        init("Bad_Name", &empty, &InitOptions::default())
            .expect_err("bad name")
            .code(),
        "charm-name-invalid"
    );

    let project = folder.path().join("broken");
    init("broken", &project, &of_checkout(Template::Minimal)).expect("makes it");
    fs::write(project.join("src/lib.rs"), "this does not compile").expect("writes");
    let error = build(&project, &options()).expect_err("does not compile");
    assert_eq!(error.code(), "packing-compile-failed");
    let PackingError::Compile { output } = &error else {
        panic!("{error}");
    };
    assert!(
        output.lines().count() > 3 && output.contains("src/lib.rs"),
        "{output}"
    );
    assert_eq!(error.to_string(), "the compiler reports errors");

    fs::write(project.join("src/lib.rs"), "pub fn nothing() {}").expect("writes");
    let error = build(&project, &options()).expect_err("exports nothing");
    assert_eq!(error.code(), "packing-missing-export", "{error}");
}

#[test]
fn a_mistake_in_the_metadata_is_told_before_anything_is_compiled() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = folder.path().join("wrong");
    init("wrong", &project, &of_checkout(Template::Minimal)).expect("makes it");
    // Compiling this would fail with another code.
    fs::write(project.join("src/lib.rs"), "this does not compile").expect("writes");
    fs::write(project.join("charmcraft.yaml"), "name: [").expect("writes");
    let error = build(&project, &options()).expect_err("no metadata");
    assert_eq!(error.code(), "charm-metadata-invalid", "{error}");
    fs::remove_file(project.join("charmcraft.yaml")).expect("removes");
    let error = build(&project, &options()).expect_err("no metadata");
    assert_eq!(error.code(), "packing-not-a-project", "{error}");
}

#[test]
fn a_project_may_have_the_name_of_a_keyword_or_of_what_the_sdk_exports() {
    let folder = tempfile::tempdir().expect("a folder");
    let longest = format!("{}all", "long-".repeat(25));
    assert_eq!(longest.len(), periapt_model::bounds::NAME_BYTES.length());
    for (name, template) in [
        ("self", Template::Minimal),
        ("status", Template::Minimal),
        (
            "a-very-long-name-of-a-charm-that-says-all",
            Template::Minimal,
        ),
        (&longest, Template::Minimal),
        ("service", Template::Web),
        (&format!("web-{}", &longest[5..]), Template::Web),
    ] {
        let project = folder.path().join(name);
        init(name, &project, &of_checkout(template)).expect("makes it");
        for arguments in [
            &["check", "--quiet", "--workspace", "--tests", "--jobs", "2"][..],
            &["fmt", "--all", "--check"],
        ] {
            let mut cargo = Command::new("cargo");
            cargo.args(arguments).current_dir(&project);
            if arguments[0] == "check" {
                cargo
                    .arg("--target-dir")
                    .arg(options().target_dir.join("guests-native"));
            }
            let output = cargo.output().expect("cargo runs");
            assert!(
                output.status.success(),
                "{name} {arguments:?}: {}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        assert_eq!(
            periapt_packing::manifest(&project)
                .expect("is sound")
                .metadata
                .name,
            name
        );
    }
}

/// Each template, from its own copy of the SDK: what an author does on the first day.
#[test]
fn every_template_tests_lints_builds_and_packs_in_a_folder_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    for template in Template::ALL {
        let name = format!("first-{}", template.name());
        let project = folder.path().join(&name);
        let made = init(&name, &project, &vendored(template)).expect("makes it");
        assert!(
            made.files.contains(&"vendor/periapt/".to_owned()),
            "{made:?}"
        );
        let manifest = fs::read_to_string(project.join("Cargo.toml")).expect("reads");
        let checkout = checkout().display().to_string();
        assert!(!manifest.contains(&checkout), "{manifest}");

        let options_of_tests = TestOptions {
            target_dir: options().target_dir,
            jobs: Some(2),
            arguments: Vec::new(),
        };
        test(&project, &options_of_tests).unwrap_or_else(|error| panic!("{name}: {error}"));

        let found = lint(&project, None).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(found.is_empty(), "{name}: {found:?}");
        build(&project, &options()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let bytes = fs::read(project.join("build/charm.wasm")).expect("reads");
        let outside = inspect(&bytes).expect("reads");
        // Which hooks it answers is what a sandbox says; those of its methods are what it has here.
        let hooks = hooks_of(template);
        let found = lint(&project, Some((&outside, hooks.as_slice()))).expect("looks");
        assert!(found.is_empty(), "{name}: {found:?}");
        let packed =
            pack(&project, folder.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            packed.files.iter().all(|file| !file.starts_with("vendor/")),
            "{packed:?}"
        );
        for file in ["README.md", "charm.wasm", "charmcraft.yaml"] {
            assert!(
                packed.files.contains(&file.to_owned()),
                "{name}: {packed:?}"
            );
        }
    }
}

fn hooks_of(template: Template) -> Vec<String> {
    let relation = match template {
        Template::Minimal | Template::Web => "start",
        Template::DatabaseClient => "database-relation-changed",
        Template::Subordinate => "host-relation-changed",
        Template::Peers => "members-relation-changed",
    };
    vec!["config-changed".to_owned(), relation.to_owned()]
}

#[test]
fn a_project_has_a_copy_of_the_sdk_that_is_replaced_as_a_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = folder.path().join("copy");
    init("copy", &project, &vendored(Template::Minimal)).expect("makes it");
    let crate_of_sdk = project.join(sdk::FOLDER).join("guest-sdk/rust/src/lib.rs");
    fs::write(&crate_of_sdk, "changed").expect("writes");
    sdk::vendor(&project).expect("writes the SDK");
    let own = fs::read_to_string(checkout().join("guest-sdk/rust/src/lib.rs")).expect("reads");
    assert_eq!(fs::read_to_string(&crate_of_sdk).expect("reads"), own);
}

#[test]
fn code_that_does_not_fit_the_files_does_not_compile_and_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = folder.path().join("unfit");
    init("unfit", &project, &of_checkout(Template::Minimal)).expect("makes it");
    let change = |file: &str, from: &str, to: &str| {
        let path = project.join(file);
        let text = fs::read_to_string(&path).expect("reads");
        assert!(text.contains(from), "{file} has {from}");
        fs::write(&path, text.replace(from, to)).expect("writes");
    };
    change("charmcraft.yaml", "    greeting:", "    greetign:");
    let error = build(&project, &options()).expect_err("does not fit");
    let PackingError::Compile { output } = &error else {
        panic!("{error}");
    };
    for said in [
        "charmcraft.yaml declares no option \"greeting\"; did you mean \"greetign\"?",
        "charmcraft.yaml declares the option \"greetign\", and no field reads it",
    ] {
        assert!(output.contains(said), "{said}: {output}");
    }
    change("charmcraft.yaml", "    greetign:", "    greeting:");
    change(
        "src/lib.rs",
        "    fn config_changed(&mut self, context: &Context<Config>) -> Result<()> {",
        "    fn relation_broken(\n        &mut self,\n        _: &Context<Config>,\n        _: &periapt_charm::RelationEvent,\n    ) -> Result<()> {\n        Ok(())\n    }\n\n    fn config_changed(&mut self, context: &Context<Config>) -> Result<()> {",
    );
    let error = build(&project, &options()).expect_err("does not fit");
    let PackingError::Compile { output } = &error else {
        panic!("{error}");
    };
    assert!(
        output.contains("charmcraft.yaml declares no endpoint, so no hook of a relation ever runs"),
        "{output}"
    );
}

#[test]
fn tests_that_fail_are_named_with_their_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = folder.path().join("failing");
    init("failing", &project, &of_checkout(Template::Minimal)).expect("makes it");
    let tests = project.join("src/tests.rs");
    let text = fs::read_to_string(&tests).expect("reads");
    fs::write(
        &tests,
        text.replace("\"Good morning\"));", "\"Good night\"));"),
    )
    .expect("writes");
    let options = TestOptions {
        target_dir: options().target_dir,
        jobs: Some(2),
        // Whoever reads what these tests print takes a named failure for one of theirs.
        arguments: vec!["--quiet".to_owned(), "the_greeting".to_owned()],
    };
    let error = test(&project, &options).expect_err("fails");
    assert_eq!(error.code(), "packing-tests-fail");
    assert!(error.to_string().contains("failing"), "{error}");
    let others = TestOptions {
        arguments: vec!["an_empty_greeting".to_owned()],
        ..options
    };
    test(&project, &others).expect("the other one passes");
}

#[test]
fn the_projects_own_charms_declare_what_they_answer() {
    for name in [
        "counter",
        "front",
        "gateway",
        "site",
        "vault",
        "log-shipper",
        "registry",
    ] {
        let project = checkout().join("charms").join(name);
        let found = lint(&project, None).unwrap_or_else(|error| panic!("{name}: {error}"));
        let errors = found.iter().filter(|one| one.severity == Severity::Error);
        assert_eq!(errors.count(), 0, "{name}: {found:#?}");
    }
}

#[test]
fn scenarios_are_given_the_packed_charm() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = folder.path().join("tried");
    init("tried", &project, &of_checkout(Template::Minimal)).expect("makes it");
    assert!(!has_scenarios(&project));
    let write = |file: &str, text: &str| {
        let path = project.join("scenarios").join(file);
        fs::create_dir_all(path.parent().expect("has one")).expect("makes a folder");
        fs::write(path, text).expect("writes");
    };
    write(
        "Cargo.toml",
        "[package]\nname = \"tried-scenarios\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    );
    write(
        "src/lib.rs",
        "#[test]\nfn it_is_packed() {\n    let charm = std::env::var(\"PERIAPT_CHARM\").unwrap();\n    \
         assert_eq!(std::fs::read(charm).unwrap(), b\"packed\");\n}\n",
    );
    assert!(has_scenarios(&project));
    let charm = folder.path().join("tried.charm");
    let options = TestOptions {
        target_dir: options().target_dir,
        jobs: Some(2),
        arguments: vec!["--quiet".to_owned()],
    };
    fs::write(&charm, "packed").expect("writes");
    test_scenarios(&project, &charm, &options).unwrap_or_else(|error| panic!("{error}"));
    fs::write(&charm, "another").expect("writes");
    let error = test_scenarios(&project, &charm, &options).expect_err("another charm");
    assert_eq!(error.code(), "packing-tests-fail");
}
