//! Builds and packs the charms of `charms/`, by the same commands a charm author uses.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::{packages, progress, run};

/// The charms that demo, tests and benches deploy.
pub const CHARMS: &[&str] = &[
    "site",
    "front",
    "counter",
    "gateway",
    "registry",
    "log-shipper",
    "probe",
    "noop",
    "unruly",
    "vault",
];

/// Charms that are the component of another one with metadata of their own.
pub const VARIANTS: &[(&str, &str)] = &[("probe-subordinate", "probe")];

/// The bundle of the demo; it lies beside the packed charms, as its paths want it.
pub const BUNDLE: &str = "bundle.yaml";

/// Where the packed charms are.
pub fn directory() -> PathBuf {
    run::target().join("charms")
}

/// The profile of cargo that the program is built with.
#[derive(Clone, Copy)]
pub enum Profile {
    /// For people, and for what is measured.
    Dev,
    /// That of the tests, so that they share all of it.
    Test,
}

impl Profile {
    /// What a person gets, or the tests where they show what a person sees: another build would take the place of the
    /// program that they run.
    pub fn of_caller() -> Self {
        match std::env::var_os("PERIAPT_TEST_PROGRAM") {
            Some(_) => Self::Test,
            None => Self::Dev,
        }
    }
}

/// Builds the program, packs every charm and gives the folder with the `.charm` files.
pub fn pack_all(profile: Profile) -> Result<PathBuf> {
    pack_with(&build_periapt(profile)?)
}

/// Packs every charm with a program that is built.
pub fn pack_with(periapt: &Path) -> Result<PathBuf> {
    if !has_rustup_target() {
        packages::ensure(packages::GUEST_TOOLCHAIN)?;
    }
    std::fs::create_dir_all(directory())?;
    for charm in CHARMS {
        run::step(
            &format!("building charm {charm} (the first one builds the Wasm standard library)"),
            Command::new(periapt)
                .args(["charm", "build"])
                .arg(project(charm))
                .arg("--target-dir")
                .arg(run::target()),
        )?;
        pack(periapt, charm)?;
    }
    for (charm, original) in VARIANTS {
        let built = project(charm).join("build");
        std::fs::create_dir_all(&built)?;
        let component = "charm.wasm";
        std::fs::copy(
            project(original).join("build").join(component),
            built.join(component),
        )?;
        pack(periapt, charm)?;
    }
    std::fs::copy(
        run::root().join("charms").join(BUNDLE),
        directory().join(BUNDLE),
    )?;
    Ok(directory())
}

fn project(charm: &str) -> PathBuf {
    run::root().join("charms").join(charm)
}

fn pack(periapt: &Path, charm: &str) -> Result<()> {
    run::step(
        &format!("packing charm {charm}"),
        Command::new(periapt)
            .args(["charm", "pack", "--no-build", "--output"])
            .arg(directory().join(format!("{charm}.charm")))
            .arg(project(charm)),
    )
}

fn has_rustup_target() -> bool {
    run::output(Command::new("rustc").args([
        "--print",
        "target-libdir",
        "--target",
        "wasm32-wasip2",
    ]))
    .is_ok_and(|directory| Path::new(directory.trim()).exists())
}

/// Builds the `periapt` program and gives its path. The whole workspace is built, because cargo
/// chooses the features of dependencies by what is built together: any smaller choice would
/// compile the large ones once more.
pub fn build_periapt(profile: Profile) -> Result<PathBuf> {
    crate::web::build()?;
    let arguments = |profile| ["build", "--workspace", "--profile", profile];
    let mut cargo = match profile {
        Profile::Dev => run::cargo(&arguments("dev")),
        Profile::Test => run::cargo_with_lints(&arguments("test")),
    };
    progress::cargo("building periapt", &mut cargo)?;
    Ok(run::target().join("debug/periapt"))
}
