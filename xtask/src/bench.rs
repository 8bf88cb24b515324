//! The benches: prepares the peer (a Python with `ops`) and runs the bench program of `tests/`.

use std::process::Command;

use anyhow::Result;

use crate::{charms, packages, run, web};

/// `arguments` go to the bench program: `--quick`, `--json FILE`, letters and names of parts.
pub fn run(arguments: &[String]) -> Result<()> {
    packages::ensure(packages::PYTHON)?;
    packages::ensure(packages::LOAD)?;
    packages::ensure(packages::BROWSER)?;
    let node = web::node()?;
    let charms = charms::pack_all(charms::Profile::Dev)?;
    let environment = run::target().join("bench-python");
    let python = environment.join("bin/python");
    if !environment.join("ready").exists() {
        run::step(
            "making a Python environment",
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(&environment),
        )?;
        run::step(
            "installing ops from PyPI",
            Command::new(&python).args(["-m", "pip", "install", "--quiet", "ops==3.9.0"]),
        )?;
        std::fs::write(environment.join("ready"), "")?;
    }
    let mut bench = Command::new(run::target().join("debug/bench"));
    bench
        .args(arguments)
        .env("PERIAPT_TEST_PROGRAM", run::target().join("debug/periapt"))
        .env("PERIAPT_TEST_CHARMS", charms)
        .env("PERIAPT_TEST_NODE", node.program)
        .env("PERIAPT_BENCH_PYTHON", python);
    run::step("measuring", &mut bench)
}
