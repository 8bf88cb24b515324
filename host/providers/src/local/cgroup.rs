//! A cgroup for each agent process, where the controller has been given cgroups to divide.
//!
//! systemd runs the controller in the group `controller` of its unit's own, as `install-service` asks
//! for (`Delegate=`, `DelegateSubgroup=`); the unit's group is then the controller's to divide, and each
//! agent gets a group beside the controller's. There the kernel shares the processors between models
//! whatever their threads do, and one model takes neither all memory nor all process numbers.
//!
//! What it never does: it changes no group that was not given to the controller, and keeps no agent
//! from running. What cannot be done is said.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use periapt_engine::supervised::CGROUP;
use rustix::process::Pid;
use serde_json::{Value, json};

/// Where cgroups of version 2 are.
const MOUNT: &str = "/sys/fs/cgroup";
/// The group in which systemd starts the controller.
const CONTROLLER: &str = "controller";
/// Half of what the controller has, which serves all models.
const WEIGHT: &str = "50";
/// Far more threads than an agent starts.
const TASKS: &str = "4096";

/// The group of one agent.
#[derive(Debug)]
pub(super) struct Cgroup {
    /// Or why there is none.
    path: Result<PathBuf, String>,
    /// MiB of the machine.
    memory: Option<u64>,
}

impl Cgroup {
    /// For the agent of an environment.
    pub fn of(environment: &str, memory: Option<u64>) -> Self {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self::below(Path::new(MOUNT), &own, environment, memory)
    }

    fn below(mount: &Path, own: &str, environment: &str, memory: Option<u64>) -> Self {
        let path = divided(mount, own).and_then(|given| {
            let control = given.join("cgroup.subtree_control");
            fs::write(&control, "+cpu +memory +pids")
                .map_err(|error| format!("{}: {error}", control.display()))?;
            Ok(given.join(format!("{CGROUP}{}", environment.replace('/', "-"))))
        });
        Self { path, memory }
    }

    /// Takes in an agent that has just been started.
    pub fn take_in(&self, pid: Pid) {
        let Ok(path) = &self.path else { return };
        if let Err(error) = self.place(path, pid) {
            tracing::warn!(%error, cgroup = %path.display(), "the agent runs without a cgroup of its own");
        }
    }

    fn place(&self, path: &Path, pid: Pid) -> io::Result<()> {
        match fs::create_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        // Three quarters: the controller and the machine's own programs need some.
        let memory = self.memory.map(|mib| (mib * 3 / 4) << 20);
        let memory = memory.map_or("max".to_owned(), |bytes| bytes.to_string());
        for (file, value) in [
            ("cpu.weight", WEIGHT),
            ("pids.max", TASKS),
            ("memory.max", memory.as_str()),
        ] {
            if let Err(error) = fs::write(path.join(file), value) {
                tracing::warn!(%error, cgroup = %path.display(), file, "a limit of the agent is not set");
            }
        }
        fs::write(
            path.join("cgroup.procs"),
            pid.as_raw_nonzero().get().to_string(),
        )
    }

    /// Removes the group of an agent that has ended.
    pub fn remove(&self) {
        let Ok(path) = &self.path else { return };
        match fs::remove_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::debug!(%error, cgroup = %path.display(), "a cgroup stays");
            }
            _ => {}
        }
    }

    /// Where it is, or why there is none.
    pub fn describe(&self) -> Value {
        match &self.path {
            Ok(path) => json!(path.display().to_string()),
            Err(why) => json!({ "none": why }),
        }
    }
}

/// The group that the controller may divide; `own` is what the kernel tells of its own.
fn divided(mount: &Path, own: &str) -> Result<PathBuf, String> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::/"));
    let path = path.ok_or("this machine has no cgroups of version 2")?;
    let given = Path::new(path);
    match given.file_name().is_some_and(|name| name == CONTROLLER) {
        true => Ok(mount.join(given.parent().unwrap_or(Path::new("")))),
        false => Err(
            "the controller was not given cgroups to divide: a service of systemd 254 or later is"
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    const OWN: &str = "1:name=systemd:/\n0::/system.slice/periapt-lab.service/controller\n";

    fn machine() -> (TempDir, PathBuf) {
        let mount = TempDir::new().unwrap();
        let given = mount.path().join("system.slice/periapt-lab.service");
        fs::create_dir_all(&given).unwrap();
        (mount, given)
    }

    #[test]
    fn an_agent_has_a_group_with_limits_beside_the_controllers() {
        let (mount, given) = machine();
        let cgroup = Cgroup::below(mount.path(), OWN, "0d3a", Some(1000));
        let handed_on = fs::read_to_string(given.join("cgroup.subtree_control")).unwrap();
        assert_eq!(handed_on, "+cpu +memory +pids");
        for _ in 0..2 {
            cgroup.take_in(Pid::INIT);
        }
        let group = given.join("agent-0d3a");
        let read = |file: &str| fs::read_to_string(group.join(file)).unwrap();
        assert_eq!(read("cpu.weight"), "50");
        assert_eq!(read("pids.max"), "4096");
        assert_eq!(read("memory.max"), (750_u64 << 20).to_string());
        assert_eq!(read("cgroup.procs"), "1");
        assert_eq!(cgroup.describe(), json!(group.display().to_string()));
        // The files of a real group go with it.
        fs::remove_dir_all(&group).unwrap();
        fs::create_dir(&group).unwrap();
        cgroup.remove();
        assert!(!group.exists());
        cgroup.remove();
    }

    #[test]
    fn where_no_group_was_given_none_is_made_and_it_is_said_why() {
        let (mount, given) = machine();
        for (own, why) in [
            ("4:memory:/\n", "no cgroups of version 2"),
            ("0::/\n", "was not given cgroups"),
            ("0::/user.slice/session.scope\n", "was not given cgroups"),
            (
                "0::/system.slice/another.service/controller\n",
                "subtree_control",
            ),
        ] {
            let cgroup = Cgroup::below(mount.path(), own, "m", None);
            cgroup.take_in(Pid::INIT);
            cgroup.remove();
            let told = cgroup.describe().to_string();
            assert!(told.contains(why), "{own}: {told}");
        }
        assert_eq!(fs::read_dir(given).unwrap().count(), 0);
    }
}
