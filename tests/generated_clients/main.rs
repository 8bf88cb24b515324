//! Clients that nobody wrote: made of the API's description by the generators that people use, in Python
//! (`openapi-python-client`) and TypeScript (`openapi-typescript` with `openapi-fetch`), each of them used for a
//! deployment with the real program.
//!
//! `cargo xtask test` says where the generators are; without them the suite cannot run and fails.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use periapt_tests::account::account;
use periapt_tests::{Home, charm, root};

/// What both scripts print at their end.
const DONE: &str = "deployed with the generated client";

/// A path that `cargo xtask test` names.
fn named(variable: &str) -> Result<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    path.filter(|path| path.exists())
        .with_context(|| format!("{variable} does not name what `cargo xtask test` installs"))
}

/// The description as it is kept; that it is the one that is served has a test of its own.
fn description() -> PathBuf {
    root().join("docs/reference/openapi.json")
}

/// A controller as a script meets it.
struct Controller {
    home: Home,
    address: String,
    authority: PathBuf,
    password: String,
}

impl Controller {
    fn start() -> Result<Self> {
        let home = Home::started()?;
        let (_, account) = account(&home)?;
        let authority = home.path().join("ca.pem");
        std::fs::write(&authority, &account.ca_pem)?;
        let address = account.addresses.into_iter().next();
        Ok(Self {
            address: address.context("no endpoint")?,
            authority,
            password: account.password,
            home,
        })
    }

    /// An empty folder for what is generated.
    fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.home.path().join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Nothing of the deployment is left: no model, and no login but that of the test's own account.
    fn is_left_as_it_was(&self, model: &str, login: &str) -> Result<()> {
        self.home.until_gone(model)?;
        let tokens = self.home.ok(["tokens"])?;
        ensure!(!tokens.contains(login), "{tokens}");
        Ok(())
    }
}

trait Gone {
    fn until_gone(&self, model: &str) -> Result<()>;
}

impl Gone for Home {
    fn until_gone(&self, model: &str) -> Result<()> {
        let started = std::time::Instant::now();
        loop {
            let models = self.ok(["models", "--format", "json"])?;
            let models: serde_json::Value = serde_json::from_str(&models)?;
            let all = models["models"].as_array().context("no list of models")?;
            if !all.iter().any(|one| one["short-name"] == model) {
                return Ok(());
            }
            ensure!(
                started.elapsed() < periapt_tests::PATIENCE,
                "{model} is still there: {models}"
            );
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
    }
}

/// What a command prints; an error with all of it when it fails.
fn run(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("{command:?} does not start"))?;
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    ensure!(output.status.success(), "{command:?}\n{text}");
    Ok(text)
}

#[test]
fn a_python_client_is_generated_and_deploys() -> Result<()> {
    let generator = named("PERIAPT_TEST_OPENAPI_PYTHON")?;
    let scripts = root().join("tests/generated_clients/python");
    let controller = Controller::start()?;
    let folder = controller.folder("python")?;
    let made = run(Command::new(&generator)
        .arg("generate")
        .arg("--path")
        .arg(description())
        .arg("--output-path")
        .arg(folder.join("periapt_client"))
        .arg("--config")
        .arg(scripts.join("config.yml"))
        .args(["--meta", "none"])
        .current_dir(&folder))?;
    // What a generator does not understand it leaves out with a warning.
    ensure!(!made.contains("WARNING"), "{made}");
    let python = generator.with_file_name("python");
    let told = run(Command::new(python)
        .arg(scripts.join("deploy.py"))
        .args([&controller.address, &text(&controller.authority)])
        .arg(charm("site"))
        .env("PYTHONPATH", &folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PERIAPT_PASSWORD", &controller.password)
        .current_dir(&folder))?;
    ensure!(told.contains(DONE), "{told}");
    controller.is_left_as_it_was("python", "python")
}

#[test]
fn a_typescript_client_is_generated_and_deploys() -> Result<()> {
    let scripts = named("PERIAPT_TEST_TYPESCRIPT")?;
    let node = named("PERIAPT_TEST_NODE")?;
    let controller = Controller::start()?;
    let folder = controller.folder("typescript")?;
    for file in ["deploy.ts", "package.json", "tsconfig.json"] {
        std::fs::copy(scripts.join(file), folder.join(file))?;
    }
    let packages = folder.join("node_modules");
    std::os::unix::fs::symlink(scripts.join("node_modules"), &packages)?;
    let program = |package: &str, file: &str| {
        let mut command = Command::new(&node);
        command
            .arg(packages.join(package).join(file))
            .current_dir(&folder);
        command
    };
    run(program("openapi-typescript", "bin/cli.js")
        .arg(description())
        .args(["-o", "schema.d.ts"])
        // A member that has a default may be left out of a request.
        .args(["--default-non-nullable", "false"]))?;
    // Types that do not fit what the script does are errors here.
    run(&mut program("typescript", "bin/tsc"))?;
    let told = run(Command::new(&node)
        .arg("built/deploy.js")
        .arg(&controller.address)
        .arg(charm("site"))
        .env("NODE_EXTRA_CA_CERTS", &controller.authority)
        .env("PERIAPT_PASSWORD", &controller.password)
        .current_dir(&folder))?;
    ensure!(told.contains(DONE), "{told}");
    controller.is_left_as_it_was("typescript", "typescript")
}

fn text(path: &Path) -> String {
    path.display().to_string()
}
