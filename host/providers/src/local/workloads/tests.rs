//! The process is this test program, which takes the lock and answers as the protocol says.

use std::io::{BufRead, BufReader, Write};
use std::net::Ipv4Addr;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use periapt_engine::SystemClock;
use periapt_engine::supervised::{Holder, Lock, holder};
use periapt_model::UnitName;
use periapt_model::ports::PortRange;
use periapt_model::reach::published::{Listening, Request};
use periapt_model::reach::{Network, Unit};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tempfile::TempDir;

use super::super::{LocalOptions, LocalProviders};
use super::*;
use crate::{Environments, Provider};

const MODEL: &str = "11111111-2222-4333-8444-555555555555";
const OTHER: &str = "22222222-2222-4333-8444-555555555555";
/// A port for requests by name that the process has only when it is told a second time.
const FAILS_ONCE: u16 = 8801;
const MARK: &str = "PERIAPT_TEST_WORKLOADS";

/// No test but the process, where the environment says so. It writes down what it is told.
#[test]
fn process() {
    if std::env::var_os(MARK).is_none() {
        return;
    }
    let Some(_lock) = Lock::take(Path::new(".")).unwrap() else {
        std::process::exit(3);
    };
    let _ = std::fs::remove_file("control.sock");
    let listener = UnixListener::bind("control.sock").unwrap();
    for stream in listener.incoming() {
        let stream = stream.unwrap();
        std::thread::spawn(move || answer(&stream));
    }
}

fn answer(mut stream: &UnixStream) {
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        let mut told = std::fs::OpenOptions::new();
        let told = told.create(true).append(true).open("told");
        // At once: two connections may be told at the same time.
        let told = told.unwrap().write_all(format!("{line}\n").as_bytes());
        told.unwrap();
        let request: Request = serde_json::from_str(&line).unwrap();
        let mut answer = nothing();
        answer.number = request.number;
        if let Some(document) = request.document {
            let told = std::fs::read_to_string("told").unwrap();
            if document.ingress.port() == FAILS_ONCE && told.lines().count() == 1 {
                answer.ingress_failed = Some("it is taken".to_owned());
            }
            for (unit, there) in &document.network.units {
                let ways = there.openings.ranges().map(|port| Listening {
                    unit: unit.clone(),
                    port,
                    address: (document.addresses[unit], port.start).into(),
                });
                answer.listening.extend(ways);
            }
        }
        let text = serde_json::to_string(&answer).unwrap();
        // Whoever asked may be gone.
        let _ = writeln!(stream, "{text}");
        if answer.ingress_failed.is_some() {
            let text = serde_json::to_string(&nothing()).unwrap();
            let _ = writeln!(stream, "{text}");
        }
    }
}

fn providers(home: &Path) -> LocalProviders {
    let program = |arguments: &[&str], environment: &[(&str, &str)]| Program {
        path: std::env::current_exe().unwrap(),
        arguments: arguments.iter().map(|text| (*text).to_owned()).collect(),
        environment: environment
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
    };
    LocalProviders::new(LocalOptions {
        directory: home.to_owned(),
        program: program(&[], &[]),
        workloads: program(
            &["--exact", "local::workloads::tests::process"],
            &[(MARK, "1")],
        ),
        patience: Patience {
            first_restart: Duration::from_millis(20),
            ..Patience::default()
        },
        clock: SystemClock::shared(),
    })
}

fn document(port: &str) -> Published {
    let unit: UnitName = "site/0".parse().unwrap();
    let port: PortRange = port.parse().unwrap();
    let mut network = Network::default();
    let there = Unit {
        openings: [port].into_iter().collect(),
        ..Unit::default()
    };
    network.units.insert(unit.clone(), there);
    Published {
        name: "demo".parse().unwrap(),
        directory: PathBuf::new(),
        ingress: "127.0.0.1:8800".parse().unwrap(),
        network,
        addresses: [(unit, Ipv4Addr::new(127, 77, 0, 1))].into(),
        traces: false,
    }
}

async fn apply(provider: &Arc<dyn Provider>, document: Option<Published>) -> Vec<String> {
    let applied = provider.firewall().unwrap().apply(document).await.unwrap();
    let ways = applied.listening.iter();
    ways.map(|way| way.address.to_string()).collect()
}

fn running(home: &Path) -> Option<Pid> {
    match holder(&home.join(DIRECTORY)) {
        Ok(Holder::Process(pid)) => Some(pid),
        _ => None,
    }
}

fn told(home: &Path) -> Vec<Request> {
    let text = std::fs::read_to_string(home.join(DIRECTORY).join("told"));
    let text = text.unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
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

#[tokio::test]
async fn a_process_is_started_for_the_first_document_and_stopped_with_the_last() {
    let home = TempDir::new().unwrap();
    let providers = providers(home.path());
    let (one, other) = (
        providers.open(MODEL).unwrap(),
        providers.open(OTHER).unwrap(),
    );
    assert_eq!(apply(&one, None).await, [""; 0]);
    assert!(!home.path().join(DIRECTORY).exists(), "nothing was exposed");

    assert_eq!(
        apply(&one, Some(document("80/tcp"))).await,
        ["127.77.0.1:80"]
    );
    let pid = running(home.path()).unwrap();
    assert_eq!(rustix::process::getsid(Some(pid)).unwrap(), pid);
    assert_eq!(
        apply(&other, Some(document("90/tcp"))).await,
        ["127.77.0.1:90"]
    );
    assert_eq!(running(home.path()), Some(pid), "one for all");
    let first = told(home.path()).remove(0).document.unwrap();
    assert_eq!(first.directory, home.path().join(MODEL));

    assert_eq!(apply(&one, None).await, [""; 0]);
    assert_eq!(running(home.path()), Some(pid));
    // Removing an environment takes back what it had.
    other.destroy().await.unwrap();
    assert!(test_kill_process(pid).is_err());
    assert!(told(home.path()).last().unwrap().document.is_none());
    let next = one.firewall().unwrap().applied();
    assert!(next.borrow().is_none() || next.borrow().as_ref().unwrap().listening.is_empty());
}

#[tokio::test]
async fn a_process_that_died_is_started_again_and_told_everything() {
    let kept = TempDir::new().unwrap();
    // Longer than the path of a socket may be.
    let home = kept.path().join("deep-".repeat(30));
    let home = home.as_path();
    let providers = providers(home);
    let one = providers.open(MODEL).unwrap();
    apply(&one, Some(document("80/tcp"))).await;
    let mut applied = one.firewall().unwrap().applied();
    applied.mark_unchanged();
    let pid = running(home).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    let next = until(|| running(home).filter(|next| *next != pid)).await;
    applied.changed().await.unwrap();
    let listening = applied.borrow().clone().unwrap().listening;
    assert_eq!(listening.len(), 1);
    assert_eq!(
        apply(&one, Some(document("81/tcp"))).await,
        ["127.77.0.1:81"]
    );
    assert_eq!(running(home), Some(next));
    apply(&one, None).await;
    assert_eq!(running(home), None);
}

#[tokio::test]
async fn what_failed_and_holds_by_now_is_asked_for_again() {
    let home = TempDir::new().unwrap();
    let providers = providers(home.path());
    let one = providers.open(MODEL).unwrap();
    let mut applied = one.firewall().unwrap().applied();
    let mut document = document("80/tcp");
    document.ingress.set_port(FAILS_ONCE);
    // Who begins is told of a document when it is reached and once more by who waits for the answer.
    one.firewall().unwrap().apply(Some(document)).await.unwrap();
    let holds = |applied: &Option<Applied>| {
        let applied = applied.as_ref();
        applied.is_some_and(|applied| applied.ingress_failed.is_none())
    };
    let holds = applied.wait_for(holds);
    let within = tokio::time::timeout(Duration::from_secs(20), holds);
    drop(within.await.unwrap().unwrap());
    assert!(told(home.path()).len() >= 2);
    apply(&one, None).await;
}

#[tokio::test]
async fn a_process_outlives_its_controller_and_the_next_one_finds_it() {
    let home = TempDir::new().unwrap();
    let first = providers(home.path());
    let one = first.open(MODEL).unwrap();
    apply(&one, Some(document("80/tcp"))).await;
    let pid = running(home.path()).unwrap();
    drop((one, first));
    let second = providers(home.path());
    let one = second.open(MODEL).unwrap();
    assert_eq!(running(home.path()), Some(pid));
    // What an earlier controller told is taken back by the next.
    apply(&one, None).await;
    assert!(told(home.path()).last().unwrap().document.is_none());
    until(|| running(home.path()).is_none().then_some(())).await;
}

#[tokio::test]
async fn who_no_longer_speaks_for_a_model_does_not_tell_of_it_again() {
    let home = TempDir::new().unwrap();
    let (first, second) = (providers(home.path()), providers(home.path()));
    let mine = first.open(MODEL).unwrap();
    let kept = first.open(OTHER).unwrap();
    apply(&mine, Some(document("80/tcp"))).await;
    apply(&kept, Some(document("90/tcp"))).await;
    drop(mine);
    let theirs = second.open(MODEL).unwrap();
    apply(&theirs, Some(document("81/tcp"))).await;
    let pid = running(home.path()).unwrap();
    let before = told(home.path()).len();
    kill_process(pid, Signal::KILL).unwrap();
    // Both tell the next one, each what is its own.
    until(|| (told(home.path()).len() >= before + 2).then_some(())).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    for request in &told(home.path())[before..] {
        let document = request.document.as_ref().unwrap();
        let port = document.network.units.values().next().unwrap();
        let port = port.openings.ranges().next().unwrap().to_string();
        let own = match request.model.as_str() {
            MODEL => "81/tcp",
            _ => "90/tcp",
        };
        assert_eq!(port, own);
    }
    apply(&theirs, None).await;
    apply(&kept, None).await;
}
