//! The agent is a shell script that takes the lock as an agent does and then sleeps.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use periapt_engine::SystemClock;
use periapt_engine::supervised::{Holder, holder, mark_ended};
use periapt_model::constraints::Constraints;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tempfile::TempDir;

use super::{LocalOptions, LocalProvider, LocalProviders, Patience, Program};
use crate::suite::{self, request};
use crate::{Environments, InstanceState, Provider, SharedAgent, StartInstance};

/// Takes up its directory and locks as an agent does; `$0` is the configuration file.
const AGENT: &str = r#"d=$(dirname "$0"); chmod 710 "$d"; exec 9<>"$d/lock"; flock -n 9 || exit 3; echo $$ > "$d/lock"; exec sleep 600"#;
/// The same, deaf to SIGTERM.
const DEAF: &str = r#"trap '' TERM; d=$(dirname "$0"); exec 9<>"$d/lock"; flock -n 9 || exit 3; echo $$ > "$d/lock"; while :; do sleep 1; done"#;

fn options(directory: &Path, script: &str) -> LocalOptions {
    LocalOptions {
        directory: directory.to_owned(),
        program: Program {
            path: PathBuf::from("/bin/sh"),
            arguments: vec!["-c".into(), script.into()],
            environment: Vec::new(),
        },
        workloads: Program {
            path: PathBuf::from("/bin/false"),
            arguments: Vec::new(),
            environment: Vec::new(),
        },
        patience: Patience {
            first_restart: Duration::from_millis(20),
            stop: Duration::from_millis(300),
            ..Patience::default()
        },
        clock: SystemClock::shared(),
    }
}

fn open(environment: &str, options: &LocalOptions) -> LocalProvider {
    LocalProvider::open(environment, options, options.workloads())
}

async fn until<T>(mut probe: impl FnMut() -> Option<T>) -> T {
    for _ in 0..1000 {
        if let Some(found) = probe() {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("did not happen within 20 s");
}

/// The agent that has taken the lock.
async fn locked(directory: &Path) -> Pid {
    until(|| match holder(directory).unwrap() {
        Holder::Process(pid) => Some(pid),
        _ => None,
    })
    .await
}

async fn gone(pid: Pid) {
    until(|| test_kill_process(pid).is_err().then_some(())).await;
}

#[tokio::test]
async fn passes_the_provider_suite() {
    let home = TempDir::new().unwrap();
    let provider = Arc::new(open("model", &options(home.path(), AGENT)));
    suite::run(provider).await;
    assert!(!home.path().join("model").exists());
}

/// Nobody makes directories in `/sys`, whoever they are.
#[tokio::test]
async fn a_directory_that_cannot_be_written_refuses_the_credential() {
    let provider = open("m", &options(Path::new("/sys"), AGENT));
    let refused = provider.check_credential().await.unwrap_err();
    assert!(refused.refuses_credential(), "{refused:?}");
    let refused = provider.start_instance(request("0")).await.unwrap_err();
    assert!(refused.refuses_credential(), "{refused:?}");
    assert_eq!(provider.instances().await.unwrap(), []);

    let home = TempDir::new().unwrap();
    let provider = open("m", &options(home.path(), AGENT));
    provider.check_credential().await.unwrap();
    assert!(!home.path().join("m").exists(), "it leaves nothing behind");
    let failed = provider.start_instance(request("..")).await.unwrap_err();
    assert!(!failed.refuses_credential(), "{failed:?}");
}

#[tokio::test]
async fn what_an_earlier_version_left_open_is_closed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = TempDir::new().unwrap();
    let directory = home.path().join("m");
    std::fs::create_dir_all(directory.join("units")).unwrap();
    for name in ["agent.json", "../elsewhere"] {
        std::fs::write(directory.join(name), "password").unwrap();
    }
    symlink("../elsewhere", directory.join("link")).unwrap();
    let mode = |name: &str| {
        let found = std::fs::metadata(directory.join(name)).unwrap();
        found.permissions().mode() & 0o777
    };
    let open = |name: &str, mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(directory.join(name), permissions).unwrap();
    };
    for (name, mode) in [(".", 0o755), ("units", 0o777), ("agent.json", 0o644)] {
        open(name, mode);
    }
    open("../elsewhere", 0o644);
    let providers = LocalProviders::new(options(home.path(), AGENT));
    let ops = providers.upgrade_ops();
    assert!(ops.windows(2).all(|two| two[0].version < two[1].version));
    let provider = providers.open("m").unwrap();
    for op in ops.iter().chain(ops) {
        provider.upgrade(op).await.unwrap();
    }
    assert_eq!((mode("."), mode("units")), (0o711, 0o711));
    assert_eq!(mode("agent.json"), 0o600);
    assert_eq!(mode("link"), 0o644, "a link leads out of the directory");
}

#[tokio::test]
async fn one_process_hosts_all_instances_and_ends_with_the_last() {
    let home = TempDir::new().unwrap();
    let directory = home.path().join("m");
    let provider = open("m", &options(home.path(), AGENT));
    let first = provider.start_instance(request("0")).await.unwrap();
    let pid = locked(&directory).await;
    let second = provider.start_instance(request("1")).await.unwrap();
    assert_eq!(locked(&directory).await, pid);
    assert_eq!(
        rustix::process::getsid(Some(pid)).unwrap(),
        pid,
        "a session of its own"
    );
    provider.stop_instance(&first.id).await.unwrap();
    assert_eq!(locked(&directory).await, pid);
    provider.stop_instance(&second.id).await.unwrap();
    gone(pid).await;
    assert_eq!(holder(&directory).unwrap(), Holder::Nobody);
}

#[tokio::test]
async fn a_killed_agent_is_reaped_and_started_again() {
    let home = TempDir::new().unwrap();
    let directory = home.path().join("m");
    let provider = open("m", &options(home.path(), AGENT));
    provider.start_instance(request("0")).await.unwrap();
    let mut pid = locked(&directory).await;
    for _ in 0..3 {
        kill_process(pid, Signal::KILL).unwrap();
        gone(pid).await;
        // The heir holds the lock for a moment before its number is in the file.
        pid = until(|| match holder(&directory).unwrap() {
            Holder::Process(heir) if heir != pid => Some(heir),
            _ => None,
        })
        .await;
    }
    until(|| (provider.describe()["agent-starts"] == 4).then_some(())).await;
    assert_eq!(provider.describe()["last-end"], "killed by signal 9");
    assert_eq!(
        provider.instances().await.unwrap()[0].state,
        InstanceState::Running
    );
    provider.destroy().await.unwrap();
    gone(pid).await;
}

#[tokio::test]
async fn a_running_agent_is_adopted_and_watched_by_the_next_controller() {
    let home = TempDir::new().unwrap();
    let directory = home.path().join("m");
    // The agent is a grandchild, as it is for a controller that found it running.
    let orphan = format!("/bin/sh -c '{AGENT}' \"$0\" &");
    let first = open("m", &options(home.path(), &orphan));
    first.start_instance(request("0")).await.unwrap();
    let pid = locked(&directory).await;
    drop(first);

    let next = open("m", &options(home.path(), AGENT));
    until(|| (next.describe()["agent-pid"] == pid.as_raw_nonzero().get()).then_some(())).await;
    assert_eq!(next.describe()["adopted"], true);
    assert_eq!(
        next.instances().await.unwrap().len(),
        1,
        "its instances are remembered"
    );
    kill_process(pid, Signal::KILL).unwrap();
    let heir = until(|| match holder(&directory).unwrap() {
        Holder::Process(heir) if heir != pid => Some(heir),
        _ => None,
    })
    .await;
    next.destroy().await.unwrap();
    gone(heir).await;
}

#[tokio::test]
async fn an_agent_deaf_to_the_request_to_stop_is_killed() {
    let home = TempDir::new().unwrap();
    let provider = open("m", &options(home.path(), DEAF));
    let instance = provider.start_instance(request("0")).await.unwrap();
    let pid = locked(&home.path().join("m")).await;
    provider.stop_instance(&instance.id).await.unwrap();
    gone(pid).await;
    until(|| (provider.describe()["last-end"] == "killed by signal 9").then_some(())).await;
}

#[tokio::test]
async fn a_halted_agent_stays_down_until_it_is_asked_for() {
    let home = TempDir::new().unwrap();
    let provider = open("m", &options(home.path(), AGENT));
    provider.start_instance(request("0")).await.unwrap();
    let pid = locked(&home.path().join("m")).await;
    provider.halt().await.unwrap();
    gone(pid).await;
    let instances = provider.instances().await.unwrap();
    assert_eq!(
        (instances.len(), instances[0].state),
        (1, InstanceState::Down)
    );
    provider.start_instance(request("0")).await.unwrap();
    locked(&home.path().join("m")).await;
    provider.destroy().await.unwrap();
}

#[tokio::test]
async fn an_instance_that_this_machine_cannot_be_is_refused_and_one_that_it_is_starts() {
    let home = TempDir::new().unwrap();
    let provider = open("m", &options(home.path(), AGENT));
    let like = |constraints: &str| StartInstance {
        constraints: constraints.parse().unwrap(),
        ..request("0")
    };
    let other = match std::env::consts::ARCH {
        "aarch64" => "amd64",
        _ => "arm64",
    };
    let other = format!("arch={other}");
    for unmet in [other.as_str(), "cores=100000", "mem=900T"] {
        let error = provider.start_instance(like(unmet)).await.unwrap_err();
        assert_eq!(error.code(), "constraints-unmet", "{unmet}");
        assert!(
            error.is_final() && error.to_string().contains(" this machine "),
            "{error}"
        );
    }
    assert_eq!(provider.instances().await.unwrap(), []);
    // What means nothing here is passed over.
    let started = provider
        .start_instance(like("cores=1 mem=1M zones=moon"))
        .await;
    assert!(started.unwrap().hardware.starts_with("arch="));
    provider.destroy().await.unwrap();
}

#[tokio::test]
async fn a_changed_configuration_restarts_the_agent() {
    let home = TempDir::new().unwrap();
    let directory = home.path().join("m");
    let provider = open("m", &options(home.path(), AGENT));
    provider.start_instance(request("0")).await.unwrap();
    let pid = locked(&directory).await;
    let changed = StartInstance {
        name: "0".into(),
        agent_config: b"{}".to_vec(),
        constraints: Constraints::default(),
    };
    provider.start_instance(changed).await.unwrap();
    gone(pid).await;
    assert_ne!(locked(&directory).await, pid);
    assert_eq!(std::fs::read(directory.join("agent.json")).unwrap(), b"{}");
    provider.destroy().await.unwrap();
}

#[tokio::test]
async fn a_configuration_is_replaced_under_a_running_agent() {
    let home = TempDir::new().unwrap();
    let directory = home.path().join("m");
    let provider = open("m", &options(home.path(), AGENT));
    let first = provider.start_instance(request("0")).await.unwrap();
    let pid = locked(&directory).await;
    provider.set_config(b"{}".to_vec(), false).await.unwrap();
    assert_eq!(std::fs::read(directory.join("agent.json")).unwrap(), b"{}");
    let same = StartInstance {
        name: "0".into(),
        agent_config: b"{}".to_vec(),
        constraints: Constraints::default(),
    };
    assert_eq!(provider.start_instance(same).await.unwrap(), first);
    assert_eq!(locked(&directory).await, pid, "it goes on");
    provider.set_config(b"[]".to_vec(), true).await.unwrap();
    gone(pid).await;
    assert_ne!(locked(&directory).await, pid);
    provider.destroy().await.unwrap();
}

#[tokio::test]
async fn an_agent_inherits_nothing_of_its_controllers_environment() {
    let home = TempDir::new().unwrap();
    let directory = home.path().join("m");
    let script = format!("cat /proc/$$/environ > $(dirname \"$0\")/environment; {AGENT}");
    let provider = open("m", &options(home.path(), &script));
    provider.start_instance(request("0")).await.unwrap();
    locked(&directory).await;
    let mine = std::env::vars_os().count();
    assert!(mine > 0, "there would be something to inherit");
    let environment = std::fs::read_to_string(directory.join("environment")).unwrap();
    assert_eq!(environment, "");
    provider.destroy().await.unwrap();
}

#[tokio::test]
async fn an_agent_that_cannot_be_started_gives_no_instance() {
    let home = TempDir::new().unwrap();
    let mut options = options(home.path(), AGENT);
    options.program.path = home.path().join("missing");
    let provider = open("m", &options);
    let error = provider.start_instance(request("0")).await.unwrap_err();
    assert_eq!(error.code(), "agent-not-started");
    assert_eq!(provider.instances().await.unwrap(), []);
}

#[tokio::test]
async fn an_environment_has_one_provider_while_somebody_holds_it() {
    let home = TempDir::new().unwrap();
    let providers = LocalProviders::new(options(home.path(), AGENT));
    let one = providers.open("m").unwrap();
    let same = providers.open("m").unwrap();
    assert!(Arc::ptr_eq(&one, &same));
    assert!(providers.open("../m").is_err());
}

#[tokio::test]
async fn an_agent_that_ended_for_good_stays_down_until_a_person_says_so() {
    let home = TempDir::new().unwrap();
    let directory = home.path().join("m");
    let provider = open("m", &options(home.path(), AGENT));
    provider.start_instance(request("0")).await.unwrap();
    let pid = locked(&directory).await;
    mark_ended(&directory, "SIGABRT").unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    gone(pid).await;
    let mut ended = provider.ended();
    let cause = ended.wait_for(Option::is_some).await.unwrap().clone();
    assert_eq!(cause.as_deref(), Some("SIGABRT"));

    // Neither another instance nor another controller starts it.
    provider.start_instance(request("1")).await.unwrap();
    drop(provider);
    let next = open("m", &options(home.path(), AGENT));
    let shown = until(|| {
        let shown = next.describe();
        (shown["ended-for-good"] == "SIGABRT").then_some(shown)
    })
    .await;
    assert_eq!(shown["restart-planned"], false);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(holder(&directory).unwrap(), Holder::Nobody);
    let states = next.instances().await.unwrap();
    assert!(states.iter().all(|one| one.state == InstanceState::Down));

    next.start_again().await.unwrap();
    locked(&directory).await;
    assert_eq!(*next.ended().borrow(), None);
    next.destroy().await.unwrap();
}
