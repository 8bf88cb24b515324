use periapt_contract::workload::{Change, Current, Layers, Request, Seen, ServiceSeen, layer};
use periapt_model::hook::Effects;
use periapt_model::ports::{Changes as Ports, Opening, PortRange};
use periapt_model::status::{Status, Workload};
use periapt_model::uniter::OperationState;
use periapt_model::{ModelUuid, Tag, UnitName};

use crate::testing::{Fixture, fixtures, present, unit};

fn overlapping(port: &str) -> Opening {
    port.parse::<PortRange>().expect("range").into()
}

/// A layer with one service of the component `server.wasm`.
fn planned(port: u16) -> Effects {
    let text = format!(
        "services: {{site: {{override: replace, kind: http, component: server.wasm, port: {port}, startup: enabled}}}}"
    );
    let mut layers = Layers::default();
    let layer = layer::Layer::parse(&text).expect("layer");
    layers.add("site", layer, true).expect("sound");
    let change = Change {
        layers: Some(layers),
        requests: vec![Request::Restart(vec!["site".to_owned()])],
    };
    Effects {
        workload: [("web".to_owned(), change)].into(),
        ..Default::default()
    }
}

#[tokio::test]
async fn what_hooks_ask_of_containers_lands_with_them_and_is_shown_as_it_is_seen() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let site = unit("site/0");
        let operation = OperationState::default();
        assert_eq!(store.services(&model).await.expect("services"), []);
        // A hook that is refused asks for nothing.
        let refused = Effects {
            ports: Ports {
                open: ["80/tcp", "80-90/tcp"].map(overlapping).into(),
                close: Vec::new(),
            },
            ..planned(80)
        };
        let refused = store
            .commit_effects(&model, &site, refused, &operation)
            .await;
        assert_eq!(
            refused.expect_err("overlap").refusal().call_code(),
            "port-conflict"
        );
        let state = store.get_state(&model, &site).await.expect("state");
        assert!(state.containers.is_empty());

        for port in [80, 8080] {
            store
                .commit_effects(&model, &site, planned(port), &operation)
                .await
                .expect("committed");
        }
        let state = store.get_state(&model, &site).await.expect("state");
        let web = &state.containers["web"];
        assert_eq!((web.number, web.requests.len()), (2, 2));
        assert_eq!(web.layers.plan().services["site"].port, Some(8080));
        let shown = store.services(&model).await.expect("services");
        assert_eq!(shown.len(), 1);
        let names = (shown[0].name.as_str(), shown[0].current.as_str());
        assert_eq!(names, ("site/0:web/site", "inactive"));

        let active = ServiceSeen {
            current: Current::Active,
            since: 7,
            restarts: 2,
            last_end: Some("it trapped".to_owned()),
            history: Vec::new(),
        };
        let seen = Seen {
            services: [("site".to_owned(), active)].into(),
            ..Seen::default()
        };
        let all = || {
            [
                ("web".to_owned(), seen.clone()),
                ("other".to_owned(), seen.clone()),
            ]
            .into()
        };
        store
            .set_containers_seen(&model, &site, all())
            .await
            .expect("kept");
        let before = store.last_commit(&model);
        store
            .set_containers_seen(&model, &site, all())
            .await
            .expect("kept");
        assert_eq!(
            store.last_commit(&model),
            before,
            "the same again is no change"
        );
        let shown = &store.services(&model).await.expect("services")[0];
        assert_eq!((shown.current.as_str(), shown.restarts), ("active", 2));
        assert_eq!(shown.last_end.as_deref(), Some("it trapped"));
        assert_eq!(store.services(&model).await.expect("services").len(), 1);
        what_is_wrong_shows(&fixture, &model, &site).await;
        fixture.end().await;
    }
}

/// What is wrong in a container follows what the charm said, wherever that is shown, as long as it is so.
async fn what_is_wrong_shows(fixture: &Fixture, model: &ModelUuid, unit: &UnitName) {
    let store = &fixture.store;
    let said = Status::new(Workload::Active, "serving");
    let set = store.set_unit_status(model, unit, said).await;
    set.expect("set");
    let mut picture = store.status_picture(model, &present).await.expect("whole");
    for (current, shown) in [
        (
            Current::Backoff,
            "serving; site: backoff, it trapped, 4 restarts",
        ),
        (Current::Active, "serving"),
        (
            Current::Failed,
            "serving; site: failed, it trapped, 4 restarts",
        ),
    ] {
        let service = ServiceSeen {
            current,
            since: 7,
            restarts: 4,
            last_end: Some("it trapped".to_owned()),
            history: Vec::new(),
        };
        let seen = Seen {
            services: [("site".to_owned(), service)].into(),
            ..Seen::default()
        };
        let seen = [("web".to_owned(), seen)].into();
        store
            .set_containers_seen(model, unit, seen)
            .await
            .expect("kept");
        let of_unit = store.unit(model, unit, &present).await.expect("unit");
        assert_eq!(of_unit.workload.message, shown);
        assert_eq!(of_unit.workload.status, Workload::Active);
        let application = store.application(model, &unit.application()).await;
        assert_eq!(application.expect("application").status.message, shown);
        store
            .refresh_status(&mut picture, &present)
            .await
            .expect("refreshed");
        let text = picture.to_json().expect("text");
        let kept: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        let told = &kept["applications"]["site"]["units"][unit.as_str()]["workload-status"];
        assert_eq!(told["info"], shown);
        let history = store
            .last_statuses(model, &Tag::Unit(unit.clone()), 10)
            .await;
        let history = history.expect("history");
        assert!(history.iter().all(|line| !line.message.contains("site:")));
    }
}
