//! Charms from source to archive, on the toolchain this machine has. The first run compiles a
//! standard library where only Debian's packages are there, which takes a minute or two; later
//! runs take seconds.

#![allow(clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use periapt_model::charm::Archive;
use periapt_packing::{InitOptions, Options, PackingError, Template, build, init, inspect, pack};

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
    assert_eq!(
        archive.capabilities,
        ["shared/logs (read-only)", "shared/spool (read-write)"]
    );
}

fn of_checkout(template: Template) -> InitOptions {
    InitOptions {
        template,
        sdk: Some(checkout()),
    }
}

/// Has a new project use the versions of the project's own charms, which are on this machine already:
/// what a registry answers, and how quickly, is not what is tested.
fn with_known_versions(project: &Path) {
    let lock = checkout().join("charms/Cargo.lock");
    fs::copy(lock, project.join("Cargo.lock")).expect("copies");
}

#[test]
fn an_unknown_template_is_refused_with_the_nearest() {
    assert_eq!("web".parse::<Template>().expect("is known"), Template::Web);
    let error = "wbe".parse::<Template>().expect_err("is unknown");
    assert_eq!(error.code(), "packing-unknown-template");
    let said = error.to_string();
    assert!(said.contains("did you mean \"web\"?"), "{said}");
    assert!(said.ends_with("there are hooks, web"), "{said}");
}

#[test]
fn a_new_project_tests_builds_and_packs() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = folder.path().join("my-charm");
    let made = init("my-charm", &project, &of_checkout(Template::Hooks)).expect("makes it");
    with_known_versions(&project);
    assert!(made.files.contains(&"src/lib.rs".to_owned()) && made.next_steps.len() == 4);
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
    init("broken", &project, &of_checkout(Template::Hooks)).expect("makes it");
    with_known_versions(&project);
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
    init("wrong", &project, &of_checkout(Template::Hooks)).expect("makes it");
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
        ("self", Template::Hooks),
        ("status", Template::Hooks),
        ("a-very-long-name-of-a-charm-that-says-all", Template::Hooks),
        (&longest, Template::Hooks),
        ("service", Template::Web),
        (&format!("web-{}", &longest[5..]), Template::Web),
    ] {
        let project = folder.path().join(name);
        init(name, &project, &of_checkout(template)).expect("makes it");
        with_known_versions(&project);
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
