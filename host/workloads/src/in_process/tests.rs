use std::path::Path;

use bytes::Bytes;
use hyper::Request;
use periapt_model::reach::{Endpoints, Exposures, Unit as Opened};
use periapt_model::workload::desired::{Component, Container, Desired, file_name};
use periapt_sandbox::Settings;

use super::*;
use crate::guest::Guest;

/// `docs/0` wants a service at port 80 that answers with the path of the request.
fn write(directory: &Path) {
    let engine = ServingEngine::new(Settings {
        slots: 1,
        ..Settings::default()
    });
    let artifact = engine
        .unwrap()
        .compile(&Guest::default().component())
        .unwrap();
    for folder in ["compiled", "units/docs-0/state/1", "workloads/desired"] {
        std::fs::create_dir_all(directory.join(folder)).unwrap();
    }
    let file = PathBuf::from("compiled/server.cwasm");
    std::fs::write(directory.join(&file), artifact.as_bytes()).unwrap();
    let component = Component {
        file,
        digest: artifact.digest().to_string(),
        engine_hash: artifact.engine_hash().to_owned(),
    };
    let plan = r#"{"services": {"site": {"kind": "http", "component": "server.wasm", "port": 80,
        "startup": "enabled"}}}"#;
    let web = Container {
        plan: serde_json::from_str(plan).unwrap(),
        ..Container::default()
    };
    let desired = Desired {
        unit: "docs/0".to_owned(),
        number: 1,
        generation: PathBuf::from("units/docs-0/state/1"),
        components: [("server.wasm".to_owned(), component)].into(),
        containers: [("web".to_owned(), web)].into(),
    };
    let path = directory
        .join("workloads/desired")
        .join(file_name("docs/0"));
    std::fs::write(path, serde_json::to_vec(&desired).unwrap()).unwrap();
}

/// A model with `docs/0`, whose port 80 is open.
fn document(exposed: bool) -> Published {
    let mut unit = Opened::default();
    let port = "80/tcp".parse().unwrap();
    unit.openings.open(port, Endpoints::All).unwrap();
    let mut network = Network::default();
    network.units.insert("docs/0".parse().unwrap(), unit);
    if exposed {
        network.exposures = exposures();
    }
    Published {
        name: "test".parse().unwrap(),
        directory: PathBuf::new(),
        ingress: "127.0.0.1:0".parse().unwrap(),
        network,
        addresses: BTreeMap::new(),
        traces: false,
    }
}

fn exposures() -> Exposures {
    serde_json::from_str(r#"{"docs": {"": ["0.0.0.0/0"]}}"#).unwrap()
}

fn why(found: Result<Reached, NotReached>) -> String {
    match found {
        Ok(reached) => panic!("{} answers", reached.unit()),
        Err(reason) => reason.to_string(),
    }
}

#[tokio::test]
async fn what_is_shown_answers_and_the_rest_says_why_not() {
    let home = tempfile::tempdir().unwrap();
    write(home.path());
    let model = "6b7c9f5e-3c1d-4c4c-8b7a-2f3f3e1f0a11".parse().unwrap();
    let mut web = InProcess::begin(model, home.path().to_owned()).unwrap();
    web.look(None, Duration::ZERO).await.unwrap();
    assert!(why(web.find("docs")).contains("no application or unit \"docs\""));

    let closed = document(false);
    web.look(Some(&closed), Duration::ZERO).await.unwrap();
    assert!(why(web.find("docs")).contains("docs is not exposed"));

    let open = document(true);
    web.look(Some(&open), Duration::ZERO).await.unwrap();
    for to in ["docs", "docs/0", "docs:80", "docs/0:80"] {
        let request = Request::get("/here?a=1").body(Bytes::new()).unwrap();
        let answer = web.find(to).unwrap().answer(request, "docs.test.localhost");
        let answer = answer.await.unwrap();
        assert_eq!(answer.status(), 200, "{to}");
        assert_eq!(answer.body(), "/here?a=1");
    }
    assert!(why(web.find("docs:81")).contains("no such port"));
    assert!(why(web.find("dosc/0")).contains("did you mean \"docs/0\""));
    let upgrade = Request::get("/").header("upgrade", "websocket");
    let upgrade = upgrade.body(Bytes::new()).unwrap();
    let refused = web.find("docs").unwrap().answer(upgrade, "docs").await;
    assert!(matches!(refused, Err(NotReached::Refused(_))));

    std::fs::remove_file(home.path().join("workloads/desired/docs-0.json")).unwrap();
    web.look(Some(&open), Duration::from_secs(1)).await.unwrap();
    assert!(why(web.find("docs")).contains("No service of docs/0 listens"));
}
