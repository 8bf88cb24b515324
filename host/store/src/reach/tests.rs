use periapt_contract::ports::{Changes, Endpoints, Opening};
use periapt_model::config::Value;
use periapt_model::hook::Effects;
use periapt_model::reach::published::{Listening, NotListening};
use periapt_model::status::{Status, Workload};
use periapt_model::uniter::OperationState;
use periapt_wire::rest::{ConfigChange, Expose, ExposedEndpoint, Unexpose};

use super::*;
use crate::Setter;
use crate::lease::{Manager, Namespace};
use crate::testing::{Fixture, application, fixtures, present, unit};

fn to(endpoint: &str, cidrs: &[&str]) -> Expose {
    let to = ExposedEndpoint {
        expose_to_cidrs: cidrs.iter().map(|text| (*text).to_owned()).collect(),
        ..ExposedEndpoint::default()
    };
    Expose {
        exposed_endpoints: [(endpoint.to_owned(), to)].into(),
    }
}

async fn open(fixture: &Fixture, model: &ModelUuid, name: &str, port: &str, endpoints: &[&str]) {
    let opening = Opening {
        ports: port.parse().unwrap(),
        endpoints: Endpoints::of(endpoints.iter().copied()),
    };
    let effects = Effects {
        ports: Changes {
            open: vec![opening],
            close: Vec::new(),
        },
        ..Effects::default()
    };
    let (unit, operation) = (unit(name), OperationState::default());
    let committed = fixture
        .store
        .commit_effects(model, &unit, effects, &operation);
    committed.await.unwrap();
}

#[tokio::test]
async fn an_application_is_exposed_by_endpoint_and_once() {
    for fixture in fixtures().await {
        let (store, site) = (&fixture.store, application("site"));
        let model = fixture.site(1).await;
        let shown = store.application(&model, &site).await.unwrap();
        assert!(!shown.exposed && shown.exposed_endpoints.is_empty());
        let exposed = store
            .expose(&model, &site, Expose::default())
            .await
            .unwrap();
        assert!(exposed.exposed);
        assert_eq!(
            exposed.exposed_endpoints[""].expose_to_cidrs,
            ["0.0.0.0/0", "::/0"]
        );
        // Said again it changes nothing.
        let before = store.changes().position();
        store
            .expose(&model, &site, Expose::default())
            .await
            .unwrap();
        assert_eq!(store.changes().position(), before);
        let website = to("juju-info", &["10.1.0.0/8"]);
        let exposed = store.expose(&model, &site, website).await.unwrap();
        assert_eq!(exposed.exposed_endpoints.len(), 2);
        for (request, code) in [
            (to("nosuch", &[]), "endpoint-not-found"),
            (to("", &["ten"]), "cidr-invalid"),
        ] {
            let refused = store.expose(&model, &site, request).await.unwrap_err();
            assert_eq!(refused.refusal().call_code(), code);
        }
        let endpoints = |names: &[&str]| Unexpose {
            endpoints: names.iter().map(|name| (*name).to_owned()).collect(),
        };
        let left = store.unexpose(&model, &site, endpoints(&[""])).await;
        let left = left.unwrap().exposed_endpoints;
        assert_eq!(left.keys().collect::<Vec<_>>(), ["juju-info"]);
        let refused = store.unexpose(&model, &site, endpoints(&["x"])).await;
        assert_eq!(
            refused.unwrap_err().refusal().call_code(),
            "endpoint-not-exposed"
        );
        let left = store.unexpose(&model, &site, endpoints(&[])).await.unwrap();
        assert!(!left.exposed);
        let nobody = application("nobody");
        let missing = store.expose(&model, &nobody, Expose::default()).await;
        assert_eq!(missing.unwrap_err().refusal().call_code(), "not found");
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_is_published_follows_what_is_exposed() {
    for fixture in fixtures().await {
        let (store, site) = (&fixture.store, application("site"));
        let model = fixture.site(2).await;
        fixture.provision(&model).await;
        open(&fixture, &model, "site/0", "80/tcp", &[]).await;
        open(&fixture, &model, "site/1", "8080/tcp", &["website"]).await;
        assert_eq!(store.published(&model).await.unwrap(), None);
        store
            .expose(&model, &site, Expose::default())
            .await
            .unwrap();
        let published = store.published(&model).await.unwrap().unwrap();
        assert_eq!(published.ingress, "127.0.0.1:8800".parse().unwrap());
        let addresses: Vec<String> = published
            .addresses
            .values()
            .map(|at| at.to_string())
            .collect();
        assert_eq!(addresses, ["127.77.0.1", "127.77.0.2"]);
        let ports: Vec<String> = published.network.units[&unit("site/1")]
            .openings
            .iter()
            .map(|(range, endpoints)| format!("{range} {}", endpoints.include("other")))
            .collect();
        assert_eq!(ports, ["8080/tcp false"]);
        let outside: IpAddr = "192.0.2.1".parse().unwrap();
        let port = "80/tcp".parse().unwrap();
        assert!(published.network.admits(&unit("site/0"), port, outside));
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_listens_is_shown_where_it_is_exposed() {
    for fixture in fixtures().await {
        let (store, site) = (&fixture.store, application("site"));
        let model = fixture.site(1).await;
        fixture.provision(&model).await;
        open(&fixture, &model, "site/0", "80/tcp", &[]).await;
        open(&fixture, &model, "site/0", "90/tcp", &[]).await;
        let shown = store.unit(&model, &unit("site/0"), &present).await.unwrap();
        assert_eq!(shown.public_address.as_deref(), Some("127.0.0.1"));
        store
            .expose(&model, &site, Expose::default())
            .await
            .unwrap();
        let port = |text: &str| text.parse().unwrap();
        let answer = Answer {
            number: 1,
            ingress: Some("127.0.0.1:8800".parse().unwrap()),
            ingress_failed: None,
            listening: vec![Listening {
                unit: unit("site/0"),
                port: port("80/tcp"),
                address: "127.77.0.1:10080".parse().unwrap(),
            }],
            not_listening: vec![NotListening {
                unit: unit("site/0"),
                port: port("90/tcp"),
                reason: "it is taken".to_owned(),
            }],
        };
        store.set_reached(&model, answer.clone()).await.unwrap();
        let before = store.changes().position();
        store.set_reached(&model, answer).await.unwrap();
        assert_eq!(store.changes().position(), before, "said again");
        let shown = store.unit(&model, &unit("site/0"), &present).await.unwrap();
        assert_eq!(shown.public_address.as_deref(), Some("127.77.0.1"));
        assert_eq!(shown.listening[0].address, "127.77.0.1:10080");
        // Hooks are told the same.
        let view = store.unit_told(&model, &unit("site/0"), "").await;
        let view = view.unwrap().unwrap().view;
        assert_eq!(view.public_address, shown.public_address);
        assert_eq!(view.private_address.as_deref(), Some("127.0.0.1"));
        let name = store.model_summary(&model).await.unwrap().name;
        let application = store.application(&model, &site).await.unwrap();
        assert_eq!(
            application.url,
            Some(format!("http://site.{name}.localhost:8800/"))
        );
        let status = store.full_status(&model, &[], &|_| true).await.unwrap();
        let shown = &status.applications["site"].units.as_ref().unwrap()["site/0"];
        assert_eq!(shown.public_address, "127.77.0.1");
        assert_eq!(shown.listening.len(), 1);
        let reach = store.reachability(&model, Some(&unit("site/0"))).await;
        let reach = reach.unwrap().units.remove(&unit("site/0")).unwrap();
        assert_eq!(reach.not_listening[0].reason, "it is taken");
        assert_eq!(reach.exposed_to["80/tcp"], ["0.0.0.0/0", "::/0"]);
        assert_eq!(reach.address.as_deref(), Some("127.77.0.1"));
        store
            .unexpose(&model, &site, Unexpose::default())
            .await
            .unwrap();
        let shown = store.unit(&model, &unit("site/0"), &present).await.unwrap();
        assert_eq!(shown.public_address.as_deref(), Some("127.0.0.1"));
        assert!(shown.listening.is_empty());
        let missing = store.reachability(&model, Some(&unit("site/9"))).await;
        assert_eq!(missing.unwrap_err().refusal().call_code(), "not found");
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_name_is_shown_where_a_port_is_open_behind_it() {
    for fixture in fixtures().await {
        let (store, site) = (&fixture.store, application("site"));
        let model = fixture.site(1).await;
        store
            .expose(&model, &site, Expose::default())
            .await
            .unwrap();
        let answer = Answer {
            number: 1,
            ingress: Some("127.0.0.1:8800".parse().unwrap()),
            ..Answer::default()
        };
        store.set_reached(&model, answer).await.unwrap();
        let url = async || store.application(&model, &site).await.unwrap().url;
        assert_eq!(url().await, None);
        open(&fixture, &model, "site/0", "53/udp", &[]).await;
        assert_eq!(url().await, None, "no page comes by UDP");
        open(&fixture, &model, "site/0", "80/tcp", &[]).await;
        assert!(url().await.is_some());
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_is_exposed_and_not_reached_follows_the_messages() {
    for fixture in fixtures().await {
        let (store, site) = (&fixture.store, application("site"));
        let model = fixture.site(1).await;
        fixture.provision(&model).await;
        open(&fixture, &model, "site/0", "90/tcp", &[]).await;
        let said = Status::new(Workload::Active, "ready");
        let first = unit("site/0");
        let set = store.set_unit_status(&model, &first, said);
        set.await.unwrap();
        let answer = |failed: bool| Answer {
            ingress: (!failed).then(|| "127.0.0.1:8800".parse().unwrap()),
            ingress_failed: failed.then(|| "127.0.0.1:8800 is taken".to_owned()),
            not_listening: vec![NotListening {
                unit: unit("site/0"),
                port: "90/tcp".parse().unwrap(),
                reason: "it is taken".to_owned(),
            }],
            ..Answer::default()
        };
        let messages = async || {
            let unit = store.unit(&model, &unit("site/0"), &present).await.unwrap();
            let application = store.application(&model, &site).await.unwrap();
            let status = store.full_status(&model, &[], &|_| true).await.unwrap();
            let shown = &status.applications["site"];
            assert_eq!(shown.status.info, application.status.message);
            let units = shown.units.as_ref().unwrap();
            assert_eq!(units["site/0"].workload_status.info, unit.workload.message);
            (unit.workload.message, application.status.message)
        };
        let expose = || store.expose(&model, &site, Expose::default());
        store.set_reached(&model, answer(true)).await.unwrap();
        let quiet = ("ready".to_owned(), "ready".to_owned());
        assert_eq!(messages().await, quiet, "it is not exposed");
        expose().await.unwrap();
        let silent = "ready; 90/tcp does not listen: it is taken";
        let nameless = format!("{silent}; not found by name: 127.0.0.1:8800 is taken");
        assert_eq!(messages().await, (silent.to_owned(), nameless));
        // What the leader says of the application does not hide that nobody finds it.
        let minute = std::time::Duration::from_secs(60);
        let (leases, leadership) = (Manager::new(store), Namespace::ApplicationLeadership);
        let leads = leases.claim(leadership, &model, "site", "site/0", minute);
        leads.await.unwrap();
        let said = Status::new(Workload::Active, "all well");
        let set = store.set_application_status(&model, &first, said);
        set.await.unwrap();
        let nameless = "all well; not found by name: 127.0.0.1:8800 is taken";
        assert_eq!(messages().await, (silent.to_owned(), nameless.to_owned()));
        store.set_reached(&model, answer(false)).await.unwrap();
        assert_eq!(messages().await, (silent.to_owned(), "all well".to_owned()));
        let unexpose = store.unexpose(&model, &site, Unexpose::default());
        unexpose.await.unwrap();
        assert_eq!(
            messages().await,
            ("ready".to_owned(), "all well".to_owned())
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_option_reachability_says_who_reaches_whom_inside() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(2).await;
        fixture.provision(&model).await;
        open(&fixture, &model, "site/0", "80/tcp", &[]).await;
        let site = application("site");
        store
            .expose(&model, &site, Expose::default())
            .await
            .unwrap();
        let (from, to) = (unit("site/1"), unit("site/0"));
        for (mode, reached) in [("relations", false), ("model", true), ("relations", false)] {
            let change = ConfigChange {
                set: [("reachability".to_owned(), Value::Text(mode.to_owned()))].into(),
                reset: Vec::new(),
            };
            let set = store.set_model_config(&model, change, Setter::Admin);
            set.await.unwrap();
            assert_eq!(store.reachability(&model, None).await.unwrap().mode, mode);
            let network = store.published(&model).await.unwrap().unwrap().network;
            let allows = |port: &str| network.allows(&from, &to, port.parse().unwrap());
            assert_eq!(
                (allows("80/tcp"), allows("81/tcp")),
                (reached, false),
                "{mode}"
            );
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn addresses_are_given_again_as_late_as_may_be() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(3).await;
        let numbers = async || {
            let sql = "SELECT address FROM unit WHERE address IS NOT NULL ORDER BY number";
            let mut db = store.snapshot().await.unwrap();
            db.scalars::<i64>(sql, vec![]).await.unwrap()
        };
        assert_eq!(numbers().await, [1, 2, 3]);
        let last = |value: i64| {
            store.write(move |tx| {
                Box::pin(async move {
                    let sql = "UPDATE sequence SET value = $1 WHERE name = 'unit address'";
                    tx.db.execute(sql, params![value]).await?;
                    Ok(())
                })
            })
        };
        // One before the last, then over the first three, which are taken.
        last(65_533).await.unwrap();
        store
            .add_units(&model, &application("site"), 2)
            .await
            .unwrap();
        assert_eq!(numbers().await, [1, 2, 3, 65_534, 4]);
        fixture.end().await;
    }
}
