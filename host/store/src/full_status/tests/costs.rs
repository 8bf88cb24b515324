//! What a status of a large model costs.

use std::time::{Duration, Instant};

use bytes::Bytes;
use periapt_model::ModelUuid;
use periapt_model::status::{Status, Workload};
use periapt_wire::status::FullStatus;

use crate::db::params;
use crate::relation::tests::metadata;
use crate::testing::{Fixture, fixtures, present, request, unit};

const FRONTS: usize = 100;
const SITES: usize = 400;
const SITES_OF_EACH: usize = 25;

/// 500 applications of 4 units, 2,500 relations that everybody has entered.
async fn large(fixture: &Fixture) -> ModelUuid {
    let (store, model) = (&fixture.store, fixture.model("default").await);
    let named = |kind: &str, number: usize| format!("{kind}{number}");
    for (kind, ends) in [
        ("front", r#""requires":{"website":{"interface":"http"}}"#),
        ("site", r#""provides":{"website":{"interface":"http"}}"#),
    ] {
        let info = metadata(kind, &format!(r#"{{"name":"{kind}",{ends}}}"#));
        let added = store.add_charm(&model, info, Bytes::from_static(b"charm"));
        added.await.unwrap();
        let count = if kind == "front" { FRONTS } else { SITES };
        let deployed = (0..count).map(|number| {
            let mut request = request(kind, 4);
            request.application = named(kind, number).parse().unwrap();
            store.deploy(&model, request)
        });
        futures::future::try_join_all(deployed).await.unwrap();
    }
    let staged = store.unit_assignments(&model).await.unwrap();
    store.assign_units(&model, &staged).await.unwrap();
    let related = (0..FRONTS * SITES_OF_EACH).map(|number| {
        let (front, site) = (
            number % FRONTS,
            (number / FRONTS + number % FRONTS * 4) % SITES,
        );
        let ends = [
            format!("front{front}:website"),
            format!("site{site}:website"),
        ];
        store.integrate(&model, ends.map(|end| end.parse().unwrap()))
    });
    futures::future::try_join_all(related).await.unwrap();
    let of = model.clone();
    let settled = store.write(move |tx| {
        Box::pin(async move {
            for sql in [
                "UPDATE machine SET instance_id = 'local-' || id, addresses = '[\"127.0.0.1\"]' WHERE model_uuid = $1",
                "UPDATE status SET status = 'idle' WHERE model_uuid = $1 AND kind = 'juju-unit'",
                "UPDATE status SET status = 'active', message = 'serves 25 sites' WHERE model_uuid = $1 AND kind = 'workload'",
                "UPDATE status SET status = 'started' WHERE model_uuid = $1 AND kind = 'juju-machine'",
                "UPDATE status SET status = 'running' WHERE model_uuid = $1 AND kind = 'machine'",
                "INSERT INTO relation_unit (model_uuid, relation_id, unit, application, endpoint, container, in_scope,
                        settings, version)
                    SELECT unit.model_uuid, relation_endpoint.relation_id, unit.name, unit.application, 'website', '', 1, '{}', 1
                    FROM relation_endpoint JOIN unit ON unit.model_uuid = relation_endpoint.model_uuid
                        AND unit.application = relation_endpoint.application
                    WHERE relation_endpoint.model_uuid = $1",
            ] {
                tx.db.execute(sql, params![&of]).await?;
            }
            tx.touch(&of, crate::namespace::MODEL, of.as_str());
            Ok(())
        })
    });
    settled.await.unwrap();
    model
}

fn say(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |part: usize| times[(times.len() - 1) * part / 100];
    println!("{what}: p50 {:?}, p99 {:?}", at(50), at(99));
}

#[tokio::test]
#[ignore = "prints figures"]
async fn what_a_status_costs() {
    for fixture in fixtures().await {
        let (store, model) = (&fixture.store, large(&fixture).await);
        println!("{}", store.database_kind());
        let mut times = [const { Vec::new() }; 5];
        let began = Instant::now();
        let mut kept = store.status_picture(&model, &present).await.unwrap();
        println!("read whole to be kept: {:?}", began.elapsed());
        println!("bytes: {}", kept.to_json().unwrap().len());
        for number in 0..200 {
            let name = unit(&format!("front{}/{}", number % FRONTS, number % 4));
            let said = Status::new(Workload::Active, format!("said {number}"));
            store.set_unit_status(&model, &name, said).await.unwrap();
            let began = Instant::now();
            store.refresh_status(&mut kept, &present).await.unwrap();
            times[0].push(began.elapsed());
            let text = kept.to_json().unwrap();
            times[1].push(began.elapsed());
            let began = Instant::now();
            let value: FullStatus = serde_json::from_slice(&text).unwrap();
            times[4].push(began.elapsed());
            assert_eq!(value.applications.len(), FRONTS + SITES);
            if number % 8 == 0 {
                let began = Instant::now();
                let whole = store.full_status(&model, &[], &present).await.unwrap();
                times[2].push(began.elapsed());
                let whole = serde_json::to_vec(&whole).unwrap();
                times[3].push(began.elapsed());
                assert!(whole == text);
            }
        }
        let [refreshed, answered, read, serialised, understood] = times;
        say("kept, brought up to date", refreshed);
        say("kept, with its answer", answered);
        say("read whole", read);
        say("read whole, with its answer", serialised);
        say("the answer understood by a client", understood);
        fixture.end().await;
    }
}
