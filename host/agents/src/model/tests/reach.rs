//! firewaller: "when a hook opens 80/tcp on an application that is not exposed, then the port is not
//! reached from outside; after expose it is, and what listens shows; unexpose closes it".

use periapt_model::config::Value;
use periapt_model::hook::Effects;
use periapt_model::ports::{Changes, PortRange};
use periapt_model::reach::Mode;
use periapt_store::{HookCommit, Setter};
use periapt_wire::rest::{ConfigChange, Expose, Unexpose};

use super::bench::Bench;
use crate::model::firewaller;

async fn open(bench: &Bench, unit: &str, port: &str) {
    let port: PortRange = port.parse().unwrap();
    let effects = Effects {
        ports: Changes {
            open: vec![port.into()],
            close: Vec::new(),
        },
        ..Effects::default()
    };
    let unit = unit.parse().unwrap();
    let state = bench.store.get_state(&bench.model, &unit).await.unwrap();
    let commit = HookCommit {
        from: state.sequence,
        effects,
        ..HookCommit::default()
    };
    let committed = bench.store.commit_hook_run(&bench.model, &unit, commit);
    committed.await.unwrap();
}

#[tokio::test]
async fn an_exposed_port_is_reached_and_no_other() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, firewaller::NAME).await;
    let site = bench.deploy("site", 1).await;
    let (store, model) = (&bench.store, &bench.model);
    open(&bench, "site/0", "80/tcp").await;
    let told = || bench.provider.documents.lock().unwrap().clone();
    bench
        .until("it was told that nothing is exposed", || async {
            (!told().is_empty()).then_some(())
        })
        .await;
    assert_eq!(told(), [None], "and once");

    store.expose(model, &site, Expose::default()).await.unwrap();
    let unit = "site/0".parse().unwrap();
    let shown = bench
        .until("what listens shows", || async {
            let shown = store.unit(model, &unit, &|_| true).await.unwrap();
            (!shown.listening.is_empty()).then_some(shown)
        })
        .await;
    assert_eq!(shown.listening[0].address, "127.77.0.1:10080");
    let document = told().last().cloned().flatten().unwrap();
    let port = "80/tcp".parse().unwrap();
    assert!(
        document
            .network
            .admits(&unit, port, "192.0.2.1".parse().unwrap())
    );

    // Who reaches whom inside is another thing as soon as the option says so.
    assert_eq!(document.network.mode, Mode::Relations);
    let change = ConfigChange {
        set: [("reachability".to_owned(), Value::Text("model".to_owned()))].into(),
        reset: Vec::new(),
    };
    let set = store.set_model_config(model, change, Setter::Admin);
    set.await.unwrap();
    bench
        .until("the other mode is told", || async {
            let document = told().last().cloned().flatten()?;
            (document.network.mode == Mode::Model).then_some(())
        })
        .await;

    // What changes nothing in the document is not told.
    let before = told().len();
    let version = store.set_workload_version(model, &unit, "2");
    version.await.unwrap();
    open(&bench, "site/0", "443/tcp").await;
    bench
        .until("the second port was told", || async {
            (told().len() > before).then_some(())
        })
        .await;
    assert_eq!(told().len(), before + 1);

    // The provider may find out later that something has changed.
    let mut now = bench.provider.applied.borrow().clone().unwrap();
    now.listening.clear();
    bench.provider.applied.send_replace(Some(now));
    bench
        .until("that nothing listens shows", || async {
            let shown = store.unit(model, &unit, &|_| true).await.unwrap();
            shown.listening.is_empty().then_some(())
        })
        .await;

    store
        .unexpose(model, &site, Unexpose::default())
        .await
        .unwrap();
    bench
        .until("it is taken back", || async {
            told().last().is_some_and(Option::is_none).then_some(())
        })
        .await;
    bench.close(engine).await;
}
