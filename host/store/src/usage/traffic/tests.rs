use std::time::Duration;

use periapt_model::workload::traffic::Class;

use super::*;
use crate::testing::{Fixture, fixtures};

fn requests(statuses: &[(u16, u64)], last: i64) -> Requests {
    let mut requests = Requests::default();
    for (status, milliseconds) in statuses {
        let took = Duration::from_millis(*milliseconds);
        requests.count(Class::of(*status, false), took, last);
    }
    requests
}

fn told(unit: &UnitName, begun: u64, requests: &Requests) -> Vec<UnitRequests> {
    vec![UnitRequests {
        entity: Tag::Unit(unit.clone()),
        begun,
        services: [("web/site".to_owned(), requests.clone())].into(),
    }]
}

async fn last_minutes(fixture: &Fixture, model: &ModelUuid, minutes: u64) -> Vec<(u64, u64, u64)> {
    let query = TrafficQuery {
        minutes: Some(minutes),
        unit: None,
    };
    let site = "site".parse().expect("name");
    let traffic = fixture.store.traffic(model, &site, &query).await;
    let minutes = traffic.expect("traffic").minutes.into_iter();
    minutes
        .map(|minute| (minute.requests, minute.client_errors, minute.server_errors))
        .collect()
}

#[tokio::test]
async fn what_is_told_again_or_late_counts_once_and_each_minute_has_its_own() {
    for fixture in fixtures().await {
        let model = fixture.site(2).await;
        let store = &fixture.store;
        let unit: UnitName = "site/0".parse().expect("name");
        let now = store.now() / 1_000_000;
        let first = requests(&[(200, 3), (200, 4), (404, 1), (500, 150)], now);
        for _ in 0..2 {
            let told = told(&unit, 1, &first);
            store.count_requests(&model, told).await.expect("counted");
        }
        assert_eq!(last_minutes(&fixture, &model, 1).await, [(4, 1, 1)]);

        fixture.clock.advance(Duration::from_secs(60));
        let mut second = first.clone();
        second.add(&requests(&[(302, 2)], now + 60));
        store
            .count_requests(&model, told(&unit, 1, &second))
            .await
            .expect("counted");
        // An earlier call that took its time.
        store
            .count_requests(&model, told(&unit, 1, &first))
            .await
            .expect("counted");
        let minutes = last_minutes(&fixture, &model, 3).await;
        assert_eq!(minutes, [(0, 0, 0), (4, 1, 1), (1, 0, 0)]);

        // The counters begin anew, and a clock runs ahead.
        let anew = requests(&[(200, 1)], now + 10_000);
        for unit in ["site/0", "site/1", "site/7", "other/0"] {
            let told = told(&unit.parse().expect("name"), 2, &anew);
            store.count_requests(&model, told).await.expect("counted");
        }
        assert_eq!(last_minutes(&fixture, &model, 1).await, [(3, 0, 0)]);
        let served = store.served().await.expect("served");
        let (_, application, total) = &served.applications[0];
        assert_eq!((application.as_str(), total.all()), ("site", 7));
        assert_eq!(served.applications.len(), 1, "of units that there are");
        let of_unit = |name: &str| {
            let mut units = served.units.iter();
            units
                .find(|served| served.unit.as_str() == name)
                .map(|served| served.requests.all())
        };
        assert_eq!((of_unit("site/0"), of_unit("site/1")), (Some(1), Some(1)));
        assert_eq!(of_unit("site/7"), None);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_minute_has_its_quantiles_and_goes_by_age() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let store = &fixture.store;
        let unit: UnitName = "site/0".parse().expect("name");
        let now = store.now() / 1_000_000;
        let mut statuses = vec![(200, 4); 98];
        statuses.extend([(200, 900), (200, 900)]);
        let told = told(&unit, 1, &requests(&statuses, now));
        store.count_requests(&model, told).await.expect("counted");
        let site = "site".parse().expect("name");
        let of_unit = TrafficQuery {
            minutes: None,
            unit: Some(unit),
        };
        let traffic = store.traffic(&model, &site, &of_unit).await.expect("some");
        assert_eq!(traffic.minutes.len(), 60);
        let last = traffic.minutes.last().expect("now");
        let (p50, p99) = (last.p50.expect("p50"), last.p99.expect("p99"));
        assert!((2_000..=5_000).contains(&p50), "{p50}");
        assert!((500_000..=1_000_000).contains(&p99), "{p99}");
        assert_eq!(last.mean, Some((98 * 4 + 2 * 900) * 1_000 / 100));
        let quiet = &traffic.minutes[0];
        assert_eq!((quiet.requests, quiet.p50, quiet.mean), (0, None, None));

        fixture.clock.advance(Duration::from_secs(300));
        let hour = 3_600_000;
        store
            .prune_status_history(&model, hour, 0)
            .await
            .expect("pruned");
        let sum = |minutes: Vec<(u64, u64, u64)>| minutes.iter().map(|all| all.0).sum::<u64>();
        assert_eq!(sum(last_minutes(&fixture, &model, 60).await), 100);
        store
            .prune_status_history(&model, 120_000, 0)
            .await
            .expect("pruned");
        assert_eq!(sum(last_minutes(&fixture, &model, 60).await), 0);

        let refused = |query| store.traffic(&model, &site, query);
        let other = TrafficQuery {
            minutes: Some(1_441),
            unit: None,
        };
        assert_eq!(
            refused(&other)
                .await
                .expect_err("too many")
                .refusal()
                .call_code(),
            "bad request"
        );
        let nobody = "nobody".parse().expect("name");
        let missing = store.traffic(&model, &nobody, &of_unit).await;
        assert_eq!(
            missing.expect_err("missing").refusal().call_code(),
            "not found"
        );
        fixture.end().await;
    }
}
