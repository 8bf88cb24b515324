//! `controller install-service`, `controller uninstall-service`: who starts a controller of this
//! machine again. Systemd where it runs, for the whole machine when installed by root and for the
//! user otherwise; else a keeper of our own. What was installed is noted in the controller's
//! directory, so that `controller start` goes the same way.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use periapt_controller::keeper_pid;
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use super::bootstrap::{Start, chosen, local_directory, start_and_wait};
use super::{Context, controllers};
use crate::arguments::{InstallService, UninstallService};
use crate::failure::{Failure, Outcome};
use crate::processes::{self, Ending};
use crate::session::Session;

/// How long a keeper may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// The first version of systemd that starts a service in a group below its unit's own.
const DIVIDES: u32 = 254;

/// Who starts the controller again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    Systemd { unit: String, of_user: bool },
    Keeper,
}

pub async fn install(context: &Context, arguments: InstallService) -> Outcome {
    let (name, controller) = chosen(context, arguments.name)?;
    let data_dir = local_directory(&name, &controller)?;
    let divides = systemd_version().is_none_or(|version| version >= DIVIDES);
    let text = unit(&name, &processes::this_program()?, &data_dir, divides);
    if arguments.print {
        return context.output.data(text.trim_end());
    }
    let service = match arguments.keeper || !systemd_runs() {
        true => Service::Keeper,
        false => Service::Systemd {
            unit: format!("periapt-{name}.service"),
            of_user: !rustix::process::geteuid().is_root(),
        },
    };
    if let Some(before) = installed(&data_dir)?.filter(|before| *before != service) {
        before.remove(&data_dir)?;
    }
    service.install(&text)?;
    note(&data_dir, Some(&service))?;
    // It is started again by the one that will start it from now on; units go on meanwhile.
    if processes::running_pid(&data_dir).is_some() && !service.holds(&data_dir) {
        let session = Session::open_named(&context.files, Some(&name)).await?;
        controllers::stop_process(&session, false).await?;
    }
    if processes::running_pid(&data_dir).is_none() {
        let (endpoints, ca) = (&controller.api_endpoints, &controller.ca_cert);
        let start = Start::Service(service.clone());
        start_and_wait(start, &data_dir, endpoints, ca).await?;
    }
    context.output.say(&match &service {
        Service::Systemd { unit, of_user } => format!(
            "systemd's {unit} restarts controller \"{name}\" after a crash or a reboot{}",
            match of_user {
                true => "; to keep it running while you are logged out, run: loginctl enable-linger",
                false => "",
            }
        ),
        Service::Keeper => format!(
            "Controller \"{name}\" is restarted after a crash, but not after a reboot: have this machine run `periapt controller start {name}` at boot"
        ),
    });
    Ok(())
}

pub fn uninstall(context: &Context, arguments: &UninstallService) -> Outcome {
    let (name, controller) = chosen(context, arguments.name.clone())?;
    let data_dir = local_directory(&name, &controller)?;
    match forget(&data_dir)? {
        true => context.output.say(&format!(
            "Controller \"{name}\" is no longer restarted after a crash or a reboot"
        )),
        false => context
            .output
            .say(&format!("Controller \"{name}\" has no service installed")),
    }
    Ok(())
}

/// Removes what was installed for a controller; whether something was.
pub fn forget(data_dir: &Path) -> Outcome<bool> {
    let Some(service) = installed(data_dir)? else {
        return Ok(false);
    };
    service.remove(data_dir)?;
    note(data_dir, None)?;
    Ok(true)
}

/// What was installed for a controller.
pub fn installed(data_dir: &Path) -> Outcome<Option<Service>> {
    let path = note_file(data_dir);
    match std::fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::file(
            "cannot read the record of the service",
            &path,
            &error,
        )),
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            Failure::failed("cannot read the record of the service")
                .why(format!("{}: {error}", path.display()))
                .advice("remove the file and install the service again")
        }),
    }
}

fn note_file(data_dir: &Path) -> PathBuf {
    data_dir.join("service.json")
}

fn note(data_dir: &Path, service: Option<&Service>) -> Outcome {
    let path = note_file(data_dir);
    let written = match service {
        Some(service) => serde_json::to_vec(service)
            .map_err(std::io::Error::from)
            .and_then(|bytes| std::fs::write(&path, bytes)),
        None => std::fs::remove_file(&path),
    };
    written.map_err(|error| Failure::file("cannot record the service", &path, &error))
}

impl Service {
    /// Makes it known to the machine; it starts nothing.
    fn install(&self, text: &str) -> Outcome {
        let Service::Systemd { unit, of_user } = self else {
            return Ok(());
        };
        let path = unit_directory(*of_user)?.join(unit);
        let write = || {
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::File::create(&path)?.write_all(text.as_bytes())
        };
        write().map_err(|error| Failure::file("cannot write the systemd unit", &path, &error))?;
        systemctl(*of_user, &["daemon-reload"])?;
        systemctl(*of_user, &["enable", unit])
    }

    /// Starts the controller; the process to watch, where it is one of ours.
    pub fn start(&self, data_dir: &Path) -> Outcome<Option<Child>> {
        match self {
            Service::Systemd { unit, of_user } => {
                systemctl(*of_user, &["start", unit]).map(|()| None)
            }
            Service::Keeper => processes::start_keeper(data_dir).map(Some),
        }
    }

    /// Whether the controller that runs was started by it.
    fn holds(&self, data_dir: &Path) -> bool {
        match self {
            Service::Systemd { unit, of_user } => {
                systemctl(*of_user, &["is-active", "--quiet", unit]).is_ok()
            }
            Service::Keeper => keeper_pid(data_dir).is_some(),
        }
    }

    /// Undoes [`Service::install`]; a controller that runs goes on.
    fn remove(&self, data_dir: &Path) -> Outcome {
        match self {
            Service::Systemd { unit, of_user } => {
                systemctl(*of_user, &["disable", unit])?;
                let path = unit_directory(*of_user)?.join(unit);
                std::fs::remove_file(&path).map_err(|error| {
                    Failure::file("cannot remove the systemd unit", &path, &error)
                })?;
                systemctl(*of_user, &["daemon-reload"])
            }
            Service::Keeper => match keeper_pid(data_dir) {
                Some(pid) => end_keeper(pid),
                None => Ok(()),
            },
        }
    }
}

fn end_keeper(pid: u32) -> Outcome {
    let ending = Ending::of(pid);
    let keeper = i32::try_from(pid).ok().and_then(Pid::from_raw);
    if let (Some(ending), Some(keeper)) = (ending, keeper) {
        // It may end by itself at this very moment.
        let _ = kill_process(keeper, Signal::TERM);
        return ending.wait(PATIENCE, "the keeper");
    }
    Ok(())
}

fn systemd_runs() -> bool {
    Path::new("/run/systemd/system").is_dir()
}

fn unit_directory(of_user: bool) -> Outcome<PathBuf> {
    if !of_user {
        return Ok(PathBuf::from("/etc/systemd/system"));
    }
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".config"));
    let config = config.or_else(home).ok_or_else(|| {
        Failure::failed("there is no directory for the systemd unit")
            .why("neither XDG_CONFIG_HOME nor HOME is set")
            .advice("set HOME")
    })?;
    Ok(config.join("systemd/user"))
}

fn systemctl(of_user: bool, words: &[&str]) -> Outcome {
    let mut command = Command::new("systemctl");
    if of_user {
        command.arg("--user");
    }
    let refused = |why: String| {
        Failure::failed(format!("systemctl {} failed", words.join(" ")))
            .why(why)
            .advice("check it, or use --keeper")
    };
    let output = command.args(words).output();
    let output = output.map_err(|error| refused(error.to_string()))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(refused(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )),
    }
}

/// The version of systemd on this machine.
fn systemd_version() -> Option<u32> {
    let told = Command::new("systemctl").arg("--version").output().ok()?;
    version(&String::from_utf8_lossy(&told.stdout))
}

/// `systemd 252 (252.38-1~deb12u1)`
fn version(told: &str) -> Option<u32> {
    told.strip_prefix("systemd ")?
        .split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// The unit's text. Agents are processes of their own that outlive their controller, so only the
/// controller is stopped with it. One that was asked to end is not started again. Where systemd `divides`,
/// the controller has the unit's cgroup to divide among itself and its agents.
fn unit(name: &str, program: &Path, data_dir: &Path, divides: bool) -> String {
    format!(
        "[Unit]\n\
        Description=Periapt controller {name}\n\
        Wants=network-online.target\n\
        After=network-online.target\n\
        StartLimitIntervalSec=0\n\
        \n\
        [Service]\n\
        Type=exec\n\
        ExecStart={} controller run --data-dir {}\n\
        Restart=on-failure\n\
        RestartSec=2\n\
        KillMode=process\n\
        {}\
        TimeoutStopSec=60\n\
        \n\
        [Install]\n\
        WantedBy={}\n",
        quoted(program),
        quoted(data_dir),
        match divides {
            true => "Delegate=cpu memory pids\nDelegateSubgroup=controller\n",
            false => "",
        },
        match rustix::process::geteuid().is_root() {
            true => "multi-user.target",
            false => "default.target",
        }
    )
}

/// A word of a command line, as systemd reads it.
fn quoted(path: &Path) -> String {
    let mut word = String::from("\"");
    for character in path.display().to_string().chars() {
        match character {
            '"' | '\\' => word.extend(['\\', character]),
            '%' | '$' => word.extend([character, character]),
            character => word.push(character),
        }
    }
    word.push('"');
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_to_systemd() {
        assert_eq!(quoted(Path::new("/a b/\"c\\$d%e")), r#""/a b/\"c\\$$d%%e""#);
    }

    #[test]
    fn the_version_of_systemd_is_read() {
        assert_eq!(version("systemd 252 (252.38-1~deb12u1)\n+PAM"), Some(252));
        assert_eq!(version("systemd 257~rc1\n"), Some(257));
        assert_eq!(version("another 1"), None);
    }

    #[test]
    fn a_unit_starts_a_failed_controller_again_and_leaves_its_agents_alone() {
        let (program, data_dir) = (Path::new("/usr/bin/periapt"), Path::new("/srv/lab"));
        let earlier = unit("lab", program, data_dir, false);
        assert!(!earlier.contains("Delegate"), "{earlier}");
        let text = unit("lab", program, data_dir, true);
        for line in [
            "ExecStart=\"/usr/bin/periapt\" controller run --data-dir \"/srv/lab\"",
            "Restart=on-failure",
            "KillMode=process",
            "Delegate=cpu memory pids",
            "DelegateSubgroup=controller",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}: {text}");
        }
    }
}
