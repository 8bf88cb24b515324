use std::time::Duration;

use periapt_model::config::Value;
use periapt_model::status::{Agent, Status};
use periapt_model::uniter::OperationState;
use periapt_model::workload::traffic::{Class, Requests};
use periapt_model::{ModelUuid, Tag, UnitName};
use periapt_wire::agent::cleaner::CleanupReport;
use periapt_wire::agent::uniter::HookReport;
use periapt_wire::agent::workloads::UnitRequests;
use periapt_wire::rest::ConfigChange;
use periapt_wire::status::MeterStatus;

use crate::changes::namespace;
use crate::db::params;
use crate::testing::{Fixture, application, fixtures, unit};
use crate::{Interest, Setter};

const MINUTE: Duration = Duration::from_secs(60);

async fn set(fixture: &Fixture, model: &ModelUuid, options: &[(&str, i64)]) {
    let change = ConfigChange {
        set: options
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Value::Integer(*value)))
            .collect(),
        reset: Vec::new(),
    };
    let set = fixture.store.set_model_config(model, change, Setter::Admin);
    set.await.expect("set");
    fixture.store.cleanup(model).await.expect("reviewed");
}

/// All that a unit's service has answered since it began.
struct Counter {
    unit: UnitName,
    requests: Requests,
}

impl Counter {
    fn of(name: &str) -> Self {
        Self {
            unit: unit(name),
            requests: Requests::default(),
        }
    }

    async fn answered(
        &mut self,
        fixture: &Fixture,
        model: &ModelUuid,
        requests: u64,
        cpu: Duration,
    ) {
        let now = fixture.store.now() / 1_000_000;
        for _ in 0..requests {
            let class = Class::of(200, false);
            self.requests.count(class, Duration::from_millis(1), now);
        }
        self.requests.compute(cpu, now);
        let told = vec![UnitRequests {
            entity: Tag::Unit(self.unit.clone()),
            begun: 1,
            services: [("web/site".to_owned(), self.requests.clone())].into(),
        }];
        let counted = fixture.store.count_requests(model, told).await;
        counted.expect("counted");
    }
}

async fn shown(fixture: &Fixture, model: &ModelUuid, name: &str) -> Option<MeterStatus> {
    let found = fixture.store.unit(model, &unit(name), &|_| true).await;
    found.expect("unit").meter_status
}

async fn color(fixture: &Fixture, model: &ModelUuid, name: &str) -> String {
    let shown = shown(fixture, model, name).await;
    shown.map_or("green".to_owned(), |status| status.color)
}

/// Lets the minute end, and what is due be done.
async fn next_minute(fixture: &Fixture, model: &ModelUuid) -> CleanupReport {
    fixture.clock.advance(MINUTE);
    fixture.store.cleanup(model).await.expect("cleaned up")
}

async fn rows(fixture: &Fixture, model: &ModelUuid, sql: &'static str) -> u64 {
    let mut db = fixture.store.snapshot().await.expect("snapshot");
    db.count(sql, params![model]).await.expect("counted")
}

#[tokio::test]
async fn more_requests_than_the_quota_are_red_at_once_and_green_by_themselves_later() {
    for fixture in fixtures().await {
        let model = fixture.site(2).await;
        set(&fixture, &model, &[("unit-requests-quota", 10)]).await;
        let store = &fixture.store;
        let mut heard = store
            .changes()
            .subscribe(Interest::model(&model).all(namespace::METER));
        let mut site = Counter::of("site/0");
        let no_time = Duration::ZERO;
        site.answered(&fixture, &model, 7, no_time).await;
        assert_eq!(color(&fixture, &model, "site/0").await, "green");
        assert_eq!(rows(&fixture, &model, QUEUED).await, 0, "nothing to come");
        site.answered(&fixture, &model, 1, no_time).await;
        assert_eq!(color(&fixture, &model, "site/0").await, "amber");
        site.answered(&fixture, &model, 3, no_time).await;
        let red = MeterStatus {
            color: "red".to_owned(),
            message: "more than 10 requests in a minute (unit-requests-quota)".to_owned(),
        };
        assert_eq!(shown(&fixture, &model, "site/0").await, Some(red.clone()));
        assert_eq!(color(&fixture, &model, "site/1").await, "green");
        fixture.settle().await;
        let changes = heard.next().await.expect("heard");
        assert!(changes.iter().all(|change| change.key == "site/0"));
        let told = store.unit_told(&model, &unit("site/0"), "").await;
        let meter = told.expect("told").expect("there").view.meter;
        assert_eq!(meter.map(MeterStatus::from), Some(red.clone()));
        let status = store.full_status(&model, &[], &|_| true).await;
        let status = status.expect("status");
        let meters = status.applications["site"].meter_statuses.clone();
        assert_eq!(
            meters,
            Some([("site/0".to_owned(), red)].into()),
            "as Juju shows them"
        );

        // The minute before counts still, and nobody asks any more.
        let report = next_minute(&fixture, &model).await;
        assert_eq!(color(&fixture, &model, "site/0").await, "red");
        assert_eq!(report.remaining, 1, "it is looked at again");
        let report = next_minute(&fixture, &model).await;
        assert_eq!(color(&fixture, &model, "site/0").await, "green");
        assert_eq!((report.remaining, report.next_due), (0, None));
        let status = store.full_status(&model, &[], &|_| true).await;
        let status = status.expect("status");
        assert_eq!(status.applications["site"].meter_statuses, None);
        fixture.settle().await;
        heard.next().await.expect("green is news as well");
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_web_workloads_and_hooks_compute_is_held_against_one_quota() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        set(&fixture, &model, &[("unit-cpu-quota", 1_000)]).await;
        let mut site = Counter::of("site/0");
        let time = Duration::from_millis(600);
        site.answered(&fixture, &model, 1, time).await;
        assert_eq!(color(&fixture, &model, "site/0").await, "green");
        // After its last answer was whole, a guest computed on.
        let more = Duration::from_millis(250);
        site.answered(&fixture, &model, 0, more).await;
        assert_eq!(color(&fixture, &model, "site/0").await, "amber");
        let error = Status::new(Agent::Error, "hook failed: \"start\"");
        let run = HookReport {
            hook: "start".to_owned(),
            charm: "local:site-0".to_owned(),
            started_at: fixture.store.now(),
            duration: 200_000,
            code: "trap".to_owned(),
            ..HookReport::default()
        };
        let from = fixture.store.sequence(&model, &site.unit).await;
        let state = OperationState::default();
        let failed = fixture
            .store
            .fail_hook(&model, &site.unit, from, &state, error, run);
        failed.await.expect("failed");
        let shown = shown(&fixture, &model, "site/0").await.expect("told");
        assert_eq!(
            (shown.color.as_str(), shown.message.as_str()),
            (
                "red",
                "more than 1000 ms of CPU in a minute (unit-cpu-quota)"
            )
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn another_quota_is_decided_on_at_once_and_without_quotas_nothing_is_kept() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let mut site = Counter::of("site/0");
        let no_time = Duration::ZERO;
        site.answered(&fixture, &model, 50, no_time).await;
        assert_eq!(rows(&fixture, &model, USED).await, 0, "there is no quota");
        set(&fixture, &model, &[("unit-requests-quota", 100)]).await;
        site.answered(&fixture, &model, 50, no_time).await;
        assert_eq!(color(&fixture, &model, "site/0").await, "green");
        set(&fixture, &model, &[("unit-requests-quota", 20)]).await;
        assert_eq!(color(&fixture, &model, "site/0").await, "red");
        set(&fixture, &model, &[("unit-requests-quota", 60)]).await;
        assert_eq!(color(&fixture, &model, "site/0").await, "amber");
        set(&fixture, &model, &[("unit-requests-quota", 0)]).await;
        assert_eq!(color(&fixture, &model, "site/0").await, "green");
        assert_eq!(rows(&fixture, &model, USED).await, 0);
        let report = next_minute(&fixture, &model).await;
        assert_eq!(report.remaining, 0);

        // Minutes that are over are not kept either.
        set(&fixture, &model, &[("unit-requests-quota", 60)]).await;
        for _ in 0..5 {
            site.answered(&fixture, &model, 70, no_time).await;
            next_minute(&fixture, &model).await;
        }
        assert!(rows(&fixture, &model, USED).await <= 2);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_status_that_a_person_gave_stays_and_the_worse_of_it_and_the_quotas_is_told() {
    for fixture in fixtures().await {
        let model = fixture.site(2).await;
        let store = &fixture.store;
        let mut heard = store
            .changes()
            .subscribe(Interest::model(&model).key(namespace::METER, "site/0"));
        let first = unit("site/0");
        let say = async |colour: &str, info: &str| {
            let said = store
                .set_unit_meter_status(&model, &first, colour, info)
                .await;
            said.expect("said");
        };
        say("amber", "the bill is late").await;
        fixture.settle().await;
        assert!(!heard.next().await.expect("changes").is_empty());
        assert_eq!(color(&fixture, &model, "site/0").await, "amber");
        assert_eq!(color(&fixture, &model, "site/1").await, "green");
        let message = async || {
            let shown = shown(&fixture, &model, "site/0").await;
            shown.expect("told").message
        };
        assert_eq!(message().await, "the bill is late");
        assert_eq!(
            rows(&fixture, &model, QUEUED).await,
            0,
            "nobody has to look again"
        );
        next_minute(&fixture, &model).await;
        assert_eq!(color(&fixture, &model, "site/0").await, "amber", "it stays");

        // More than a quota is worse, and falls to what was said.
        set(&fixture, &model, &[("unit-requests-quota", 10)]).await;
        let mut site = Counter::of("site/0");
        site.answered(&fixture, &model, 11, Duration::ZERO).await;
        assert_eq!(color(&fixture, &model, "site/0").await, "red");
        for _ in 0..3 {
            next_minute(&fixture, &model).await;
        }
        assert_eq!(message().await, "the bill is late");
        say("GREEN", "").await;
        assert_eq!(color(&fixture, &model, "site/0").await, "green");

        let site = application("site");
        let said = store
            .set_application_meter_status(&model, &site, "RED", "closed")
            .await;
        said.expect("said");
        for name in ["site/0", "site/1"] {
            assert_eq!(color(&fixture, &model, name).await, "red", "{name}");
        }
        let code = |refused: crate::Result<()>| refused.expect_err("refused").refusal().code();
        let grey = store
            .set_unit_meter_status(&model, &first, "grey", "")
            .await;
        assert_eq!(code(grey), "meter-status-invalid");
        let gone = store
            .set_unit_meter_status(&model, &unit("site/9"), "red", "")
            .await;
        assert_eq!(code(gone), "unit-not-found");
        let gone = store
            .set_application_meter_status(&model, &application("db"), "red", "")
            .await;
        assert_eq!(code(gone), "application-not-found");
        fixture.end().await;
    }
}

const USED: &str = "SELECT COUNT(*) FROM unit_use WHERE model_uuid = $1";
const QUEUED: &str = "SELECT COUNT(*) FROM cleanup WHERE model_uuid = $1";
