//! The agent is a shell script that takes the lock as an agent does and then sleeps.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use periapt_engine::SystemClock;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tempfile::TempDir;

use super::{Holder, LocalOptions, LocalProvider, LocalProviders, Patience, Program, holder};
use crate::suite::{self, request};
use crate::{InstanceState, Provider, Providers, StartInstance};

/// Locks as an agent does; `$0` is the configuration file.
const AGENT: &str = r#"d=$(dirname "$0"); exec 9<>"$d/lock"; flock -n 9 || exit 3; echo $$ > "$d/lock"; exec sleep 600"#;
/// The same, deaf to SIGTERM.
const DEAF: &str = r#"trap '' TERM; d=$(dirname "$0"); exec 9<>"$d/lock"; flock -n 9 || exit 3; echo $$ > "$d/lock"; while :; do sleep 1; done"#;

fn options(directory: &Path, script: &str) -> LocalOptions {
    LocalOptions {
        directory: directory.to_owned(),
        program: Program {
            path: PathBuf::from("/bin/sh"),
            arguments: vec!["-c".into(), script.into()],
        },
        patience: Patience {
            first_restart: Duration::from_millis(20),
            stop: Duration::from_millis(300),
            ..Patience::default()
        },
        clock: SystemClock::shared(),
    }
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
    let provider = Arc::new(LocalProvider::open("model", &options(home.path(), AGENT)));
    suite::run(provider).await;
    assert!(!home.path().join("model").exists());
}

#[tokio::test]
async fn one_process_hosts_all_instances_and_ends_with_the_last() {
    let home = TempDir::new().unwrap();
    let directory = home.path().join("m");
    let provider = LocalProvider::open("m", &options(home.path(), AGENT));
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
    let provider = LocalProvider::open("m", &options(home.path(), AGENT));
    provider.start_instance(request("0")).await.unwrap();
    let mut pid = locked(&directory).await;
    for _ in 0..3 {
        kill_process(pid, Signal::KILL).unwrap();
        gone(pid).await;
        let next = locked(&directory).await;
        assert_ne!(next, pid);
        pid = next;
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
    let first = LocalProvider::open("m", &options(home.path(), &orphan));
    first.start_instance(request("0")).await.unwrap();
    let pid = locked(&directory).await;
    drop(first);

    let next = LocalProvider::open("m", &options(home.path(), AGENT));
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
    let provider = LocalProvider::open("m", &options(home.path(), DEAF));
    let instance = provider.start_instance(request("0")).await.unwrap();
    let pid = locked(&home.path().join("m")).await;
    provider.stop_instance(&instance.id).await.unwrap();
    gone(pid).await;
    until(|| (provider.describe()["last-end"] == "killed by signal 9").then_some(())).await;
}

#[tokio::test]
async fn a_halted_agent_stays_down_until_it_is_asked_for() {
    let home = TempDir::new().unwrap();
    let provider = LocalProvider::open("m", &options(home.path(), AGENT));
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
async fn a_changed_configuration_restarts_the_agent() {
    let home = TempDir::new().unwrap();
    let directory = home.path().join("m");
    let provider = LocalProvider::open("m", &options(home.path(), AGENT));
    provider.start_instance(request("0")).await.unwrap();
    let pid = locked(&directory).await;
    let changed = StartInstance {
        name: "0".into(),
        agent_config: b"{}".to_vec(),
    };
    provider.start_instance(changed).await.unwrap();
    gone(pid).await;
    assert_ne!(locked(&directory).await, pid);
    assert_eq!(std::fs::read(directory.join("agent.json")).unwrap(), b"{}");
    provider.destroy().await.unwrap();
}

#[tokio::test]
async fn an_agent_that_cannot_be_started_gives_no_instance() {
    let home = TempDir::new().unwrap();
    let mut options = options(home.path(), AGENT);
    options.program.path = home.path().join("missing");
    let provider = LocalProvider::open("m", &options);
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
