use std::collections::BTreeMap;
use std::sync::Arc;

use periapt_model::UnitName;
use periapt_model::reach::{End, Endpoints, Network, Relation, Unit};
use periapt_sandbox::Settings;
use periapt_serving::{Connector, Destination, ServingEngine};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;

use super::answer::{Answering, probe};
use super::inside::Inside;
use super::units::Units;
use crate::channel::{self, Inbox};
use crate::frames::{FromServe, Place, Probe, Serving};
use crate::guest::Guest;

struct Stage {
    home: tempfile::TempDir,
    digest: String,
    units: Arc<Units>,
    _inbox: Inbox<FromServe>,
}

fn unit(name: &str) -> UnitName {
    name.parse().unwrap()
}

impl Stage {
    /// Units that answer with the path of the request.
    fn new(names: &[&str]) -> Self {
        Self::of(Guest::default(), names)
    }

    /// Units of this guest.
    fn of(guest: Guest<'_>, names: &[&str]) -> Self {
        let engine = ServingEngine::new(Settings {
            slots: 8,
            ..Settings::default()
        });
        let engine = engine.unwrap();
        let artifact = engine.compile(&guest.component()).unwrap();
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("server.cwasm"), artifact.as_bytes()).unwrap();
        let (one, other) = UnixStream::pair().unwrap();
        let (inbox, _) = channel::open::<FromServe, ()>(one, 1 << 20, 64);
        let (_, outbox) = channel::open::<(), FromServe>(other, 1 << 20, 64);
        let stage = Self {
            home,
            digest: artifact.digest().to_string(),
            units: Arc::new(Units::new(engine, outbox)),
            _inbox: inbox,
        };
        for name in names {
            let serving = stage.serving(name, "server.cwasm");
            let told = stage.units.set(&unit(name), vec![serving]);
            assert_eq!(told[0].2, None);
        }
        stage
    }

    fn serving(&self, name: &str, file: &str) -> Serving {
        Serving {
            place: Place {
                unit: unit(name),
                container: "web".to_owned(),
                service: "site".to_owned(),
            },
            port: 80,
            load: 1,
            component: self.home.path().join(file),
            digest: self.digest.clone(),
            generation: self.home.path().to_owned(),
            files: BTreeMap::new(),
            storage: BTreeMap::new(),
            environment: BTreeMap::new(),
            concurrency: 4,
            timeout_ms: 5_000,
        }
    }
}

/// A model of units that all have port 80 open, and in which `front` is related to `docs`.
fn related(names: &[&str]) -> Network {
    let mut network = Network::default();
    for name in names {
        let mut open = Unit::default();
        let range = "80/tcp".parse().unwrap();
        open.openings.open(range, Endpoints::All).unwrap();
        network.units.insert(unit(name), open);
    }
    let ends = [("docs", "website"), ("front", "site")].map(|(name, endpoint)| End {
        application: name.parse().unwrap(),
        endpoint: endpoint.to_owned(),
    });
    network.relations.push(Relation {
        ends: ends.to_vec(),
        suspended: false,
        container: false,
    });
    network
}

#[tokio::test]
async fn a_unit_reaches_another_by_a_relation_and_nobody_else() {
    let stage = Stage::new(&["docs/0", "docs/1", "front/0", "other/0"]);
    let mut network = related(&["docs/0", "docs/1", "front/0", "other/0"]);
    stage.units.set_network(network.clone());
    let from = |name: &str| Inside {
        from: unit(name),
        units: Arc::downgrade(&stage.units),
    };
    let to = |authority: &str, tls: bool| Destination {
        tls,
        authority: authority.to_owned(),
    };
    let front = from("front/0");
    for authority in ["docs-0.internal", "docs.internal:80", "docs-1.internal:80"] {
        assert!(front.grants(&to(authority, false)), "{authority}");
        assert!(!from("other/0").grants(&to(authority, false)));
        assert!(!front.grants(&to(authority, true)));
    }
    for authority in [
        "other-0.internal",
        "front-0.internal",
        "docs-0.internal:81",
        "docs-2.internal",
        "docs.demo.localhost",
        "127.0.0.1:80",
    ] {
        assert!(!front.grants(&to(authority, false)), "{authority}");
        assert!(front.connect(&to(authority, false)).await.is_err());
    }
    let mut link = front.connect(&to("docs.internal", false)).await.unwrap();
    let request = b"GET /here HTTP/1.1\r\nHost: docs.internal\r\nConnection: close\r\n\r\n";
    link.write_all(request).await.unwrap();
    let mut text = String::new();
    link.read_to_string(&mut text).await.unwrap();
    assert!(
        text.starts_with("HTTP/1.1 200") && text.contains("/here"),
        "{text}"
    );
    // What is open when the relation goes is cut, whoever waits for whom.
    let mut link = front.connect(&to("docs.internal", false)).await.unwrap();
    link.write_all(b"GET /here HTTP/1.1\r\n").await.unwrap();
    network.relations.clear();
    stage.units.set_network(network);
    assert!(!front.grants(&to("docs.internal", false)));
    assert_eq!(link.read_to_end(&mut Vec::new()).await.unwrap(), 0);
}

#[tokio::test]
async fn a_unit_asks_those_of_an_application_that_are_ready() {
    let stage = Stage::new(&["docs/0", "docs/1"]);
    let network = related(&["docs/0", "docs/1", "front/0"]);
    stage.units.set_network(network);
    let front = Inside {
        from: unit("front/0"),
        units: Arc::downgrade(&stage.units),
    };
    let asked = |authority: &str| -> Vec<String> {
        let found = front.found(&stage.units, authority);
        found.iter().map(|(unit, _)| unit.to_string()).collect()
    };
    let unready = |name: &str| stage.units.set_unready(unit(name), [80].into());
    assert_eq!(asked("docs.internal"), ["docs/0", "docs/1"]);
    unready("docs/0");
    assert_eq!(asked("docs.internal"), ["docs/1"]);
    // Who names one unit means it.
    assert_eq!(asked("docs-0.internal"), ["docs/0"]);
    unready("docs/1");
    assert_eq!(asked("docs.internal"), ["docs/0", "docs/1"]);
    stage.units.set_unready(unit("docs/0"), [].into());
    assert_eq!(asked("docs.internal"), ["docs/0"]);
}

#[tokio::test]
async fn the_gate_is_answered_by_the_unit_that_it_names() {
    let stage = Stage::new(&["docs/0"]);
    let ending = CancellationToken::new();
    let answering = Answering::new(stage.units.clone(), ending.clone());
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    let answered = tokio::spawn(answering.connection(theirs));
    ours.set_nonblocking(true).unwrap();
    let mut ours = UnixStream::from_std(ours).unwrap();
    let mut text = Vec::new();
    for (unit, port, says) in [
        ("docs/0", "80", "200 OK"),
        ("docs/0", "81", "no service of it listens on 81"),
        ("docs/1", "80", "no service of it listens on 80"),
        ("", "80", "no unit is named"),
    ] {
        let request = format!(
            "GET /p HTTP/1.1\r\nHost: x\r\nPeriapt-Unit: {unit}\r\nPeriapt-Port: {port}\r\n\r\n"
        );
        ours.write_all(request.as_bytes()).await.unwrap();
        text.clear();
        while !String::from_utf8_lossy(&text).contains("\r\n\r\n") {
            assert_ne!(ours.read_buf(&mut text).await.unwrap(), 0);
        }
        let said = String::from_utf8_lossy(&text).into_owned();
        assert!(said.contains(says), "{said}");
        assert_eq!(said.contains("periapt-not-here"), !says.contains("OK"));
        // The rest of the page.
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        let _ = ours.try_read_buf(&mut text);
    }
    ending.cancel();
    answered.await.unwrap();
    assert_eq!(ours.read_buf(&mut text).await.unwrap(), 0);
}

#[tokio::test]
async fn a_request_whose_files_are_gone_is_to_be_sent_again() {
    let guest = Guest {
        imports: r#"(import "wasi:filesystem/preopens@0.2.0" "get-directories" (func $directories (param i32)))"#,
        world: "import wasi:filesystem/preopens@0.2.0;",
        ..Guest::default()
    };
    let stage = Stage::of(guest, &[]);
    let generation = stage.home.path().join("7");
    let mut serving = stage.serving("docs/0", "server.cwasm");
    serving.generation.clone_from(&generation);
    serving.files.insert("site".into(), "/site".into());
    let told = stage.units.set(&unit("docs/0"), vec![serving]);
    assert_eq!(told[0].2, None, "it is loaded whatever files there are");
    for (is_there, says) in [
        (false, "periapt-not-here: its pages changed meanwhile"),
        (true, "200 OK"),
    ] {
        if is_there {
            std::fs::create_dir_all(generation.join("site")).unwrap();
        }
        let answering = Answering::new(stage.units.clone(), CancellationToken::new());
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let answered = tokio::spawn(answering.connection(theirs));
        ours.set_nonblocking(true).unwrap();
        let mut ours = UnixStream::from_std(ours).unwrap();
        let request = b"GET /p HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
            Periapt-Unit: docs/0\r\nPeriapt-Port: 80\r\n\r\n";
        ours.write_all(request).await.unwrap();
        let mut text = String::new();
        ours.read_to_string(&mut text).await.unwrap();
        assert!(text.contains(says), "{text}");
        answered.await.unwrap();
    }
}

#[tokio::test]
async fn a_connection_that_was_made_before_the_end_is_answered_once() {
    let stage = Stage::new(&["docs/0"]);
    let ending = CancellationToken::new();
    let answering = Answering::new(stage.units.clone(), ending.clone());
    let connect = || {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let answered = tokio::spawn(answering.clone().connection(theirs));
        (UnixStream::from_std(ours).unwrap(), answered)
    };
    let ((mut asking, one), (_silent, other)) = (connect(), connect());
    ending.cancel();
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    let request = b"GET /p HTTP/1.1\r\nHost: x\r\n\
        Periapt-Unit: docs/0\r\nPeriapt-Port: 80\r\n\r\n";
    asking.write_all(request).await.unwrap();
    let mut text = String::new();
    asking.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    one.await.unwrap();
    // Nobody asks anything of it.
    other.await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_loaded_says_why_and_checks_ask() {
    let stage = Stage::new(&["docs/0"]);
    let missing = stage.serving("docs/1", "none.cwasm");
    let told = stage.units.set(&unit("docs/1"), vec![missing]);
    assert!(told[0].2.as_ref().unwrap().contains("none.cwasm"));
    let mut other = stage.serving("docs/1", "server.cwasm");
    other.digest = "00".repeat(32);
    let told = stage.units.set(&unit("docs/1"), vec![other]);
    assert!(told[0].2.as_ref().unwrap().contains("another one"));
    let ask = |name: &str, url: &str| Probe {
        number: 1,
        unit: unit(name),
        url: url.to_owned(),
        headers: BTreeMap::new(),
        timeout_ms: 1_000,
    };
    let units = &stage.units;
    assert_eq!(
        probe(units, ask("docs/0", "http://localhost/up")).await,
        Ok(())
    );
    assert!(
        probe(units, ask("docs/0", "http://localhost:81/up"))
            .await
            .is_err()
    );
    assert!(
        probe(units, ask("docs/1", "http://localhost/up"))
            .await
            .is_err()
    );
}
