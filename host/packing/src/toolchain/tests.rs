use super::*;

fn touch(root: &Path, file: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().expect("has a parent")).expect("makes the folder");
    fs::write(path, "x").expect("writes");
}

#[test]
fn the_installed_target_comes_first() {
    let machine = tempfile::tempdir().expect("a folder");
    let sysroot = machine.path().join("toolchain");
    touch(&sysroot, "lib/rustlib/wasm32-wasip2/lib/libstd.rlib");
    DEBIAN_FILES
        .iter()
        .for_each(|(file, _)| touch(machine.path(), file));
    touch(machine.path(), "usr/bin/wasm-ld");
    assert_eq!(
        detect_in(machine.path(), Some(&sysroot)).expect("found"),
        Toolchain::Target
    );
    assert!(matches!(
        detect_in(machine.path(), None).expect("found"),
        Toolchain::Debian { .. }
    ));
}

#[test]
fn rustups_linker_serves_where_debians_dangles() {
    let machine = tempfile::tempdir().expect("a folder");
    DEBIAN_FILES
        .iter()
        .for_each(|(file, _)| touch(machine.path(), file));
    std::os::unix::fs::symlink("/nowhere/lld", machine.path().join("usr/bin/rust-lld"))
        .expect("links");
    let error = detect_in(machine.path(), None).expect_err("no linker");
    assert!(
        error.to_string().contains("a WebAssembly linker"),
        "{error}"
    );

    let sysroot = machine.path().join("toolchain");
    let inside = "lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld";
    touch(&sysroot, inside);
    let found = detect_in(machine.path(), Some(&sysroot)).expect("found");
    assert_eq!(
        found,
        Toolchain::Debian {
            root: machine.path().to_owned(),
            linker: sysroot.join(inside)
        }
    );
}

#[test]
fn a_bare_machine_hears_of_both_ways() {
    let machine = tempfile::tempdir().expect("a folder");
    let error = detect_in(machine.path(), None).expect_err("nothing there");
    assert_eq!(error.code(), "packing-no-toolchain");
    let text = error.to_string();
    for hint in [
        "rustup target add wasm32-wasip2",
        "rustc-web",
        "rust-web-src",
        "wasi-libc",
        "missing: target",
    ] {
        assert!(text.contains(hint), "{text}");
    }
}

/// What a compiler is told that links with a program which prints `help`.
fn flags(help: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let machine = tempfile::tempdir().expect("a folder");
    let linker = machine.path().join("wasm-ld");
    fs::write(&linker, format!("#!/bin/sh\necho '{help}'\n")).expect("writes");
    fs::set_permissions(&linker, fs::Permissions::from_mode(0o755)).expect("made a program");
    let toolchain = Toolchain::Debian {
        root: machine.path().to_owned(),
        linker,
    };
    let cargo = toolchain.cargo_build();
    let flags = cargo
        .get_envs()
        .find(|(name, _)| *name == "CARGO_ENCODED_RUSTFLAGS")
        .and_then(|(_, value)| value);
    flags.expect("set").to_string_lossy().into_owned()
}

#[test]
fn guests_have_a_heap_from_the_start_where_the_linker_knows_how() {
    let option = format!("--initial-heap={INITIAL_HEAP}");
    assert!(flags("  --initial-heap=<value>  Initial size of the heap").contains(&option));
    assert!(!flags("  --initial-memory=<value>").contains(&option));
}
