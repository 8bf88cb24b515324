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
