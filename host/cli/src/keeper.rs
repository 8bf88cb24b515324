//! `controller keep`: starts a controller again whenever it fails, on a machine without a service
//! manager. It ends when the controller ends as it was asked to. It survives no reboot, which
//! `install-service` says.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use periapt_controller::{Keeper, keeper_pid};

use crate::failure::{Failure, Outcome};
use crate::processes;

/// The first pause before the controller is started again; it doubles with each failure.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);
/// A controller that ran this long begins anew with the first pause.
const SETTLED: Duration = Duration::from_secs(60);

/// Keeps the controller of a directory running.
pub fn keep(data_dir: &Path) -> Outcome {
    // Fails only for a process that leads a session already, which is as good.
    let _ = rustix::process::setsid();
    let program = processes::this_program()?;
    let keeper = Keeper::take(data_dir).map_err(|error| {
        Failure::failed("cannot keep the controller running").why(error.to_string())
    })?;
    if keeper.is_none() {
        return Err(Failure::failed("the controller is already kept running")
            .why(format!(
                "process {} does it",
                keeper_pid(data_dir).unwrap_or_default()
            ))
            .advice("nothing is to be done"));
    }
    let mut pause = FIRST;
    loop {
        let began = Instant::now();
        if run(&program, data_dir) {
            return Ok(());
        }
        if began.elapsed() >= SETTLED {
            pause = FIRST;
        }
        eprintln!(
            "the controller failed; restarting it in {} s",
            pause.as_secs()
        );
        std::thread::sleep(pause);
        pause = (pause * 2).min(LONGEST);
    }
}

/// Whether the controller ended as it was asked to.
fn run(program: &Path, data_dir: &Path) -> bool {
    let status = Command::new(program)
        .args(["controller", "run", "--data-dir"])
        .arg(data_dir)
        .stdin(Stdio::null())
        .status();
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("cannot start the controller: {error}");
            false
        }
    }
}
