//! Causes as the store keeps them, and the chain that is read from them.

use periapt_model::cause::{Cause, Timer};
use periapt_model::config::Value;
use periapt_model::hook::{Effects, Info, RelationEvent, RelationSettings};
use periapt_model::relation::{HookKind, RelationHook};
use periapt_model::status::{Agent, Status};
use periapt_model::uniter::{Causes, OperationState};
use periapt_model::{ModelUuid, UnitName};
use periapt_wire::agent::uniter::HookReport;
use periapt_wire::rest::{AuditRecord, ConfigChange, HookQuery, HookRun};

use crate::HookCommit;
use crate::relation::tests::House;
use crate::testing::{Fixture, application, fixtures, unit};

/// What a person asks for, with its record in the audit log.
async fn deed<T>(
    fixture: &Fixture,
    model: &ModelUuid,
    (verb, object): (&str, &str),
    work: impl Future<Output = T>,
) -> T {
    let record = AuditRecord {
        time: fixture.store.now(),
        who: "user-admin".to_owned(),
        model: Some(model.clone()),
        what: "PATCH".to_owned(),
        verb: verb.to_owned(),
        object: object.to_owned(),
        ..AuditRecord::default()
    };
    fixture.store.recording(record).around(work).await
}

async fn causes(fixture: &Fixture, model: &ModelUuid, name: &str) -> Causes {
    let remote = fixture.store.get_remote_state(model, &unit(name)).await;
    remote.expect("read").expect("there").causes
}

/// A run as the agent commits it; its number.
async fn ran(
    fixture: &Fixture,
    model: &ModelUuid,
    name: &str,
    report: HookReport,
    (hook, effects): (Option<Info>, Effects),
) -> i64 {
    let (store, name): (_, UnitName) = (&fixture.store, unit(name));
    let commit = HookCommit {
        from: store.sequence(model, &name).await,
        run: Some(report),
        hook,
        effects,
        operation: OperationState {
            installed: true,
            ..OperationState::default()
        },
        ..HookCommit::default()
    };
    let committed = store.commit_hook_run(model, &name, commit).await;
    committed.expect("committed");
    last_run(fixture, model, name.as_str()).await.id
}

async fn last_run(fixture: &Fixture, model: &ModelUuid, name: &str) -> HookRun {
    let query = HookQuery {
        unit: Some(name.to_owned()),
        ..HookQuery::default()
    };
    let page = fixture.store.hook_runs(model, &query).await;
    page.expect("runs").items.remove(0)
}

fn report(hook: &str, about: &str, cause: Cause) -> HookReport {
    HookReport {
        hook: hook.to_owned(),
        about: about.to_owned(),
        started_at: 1,
        duration: 1,
        cause,
        ..HookReport::default()
    }
}

fn nothing() -> (Option<Info>, Effects) {
    (None, Effects::default())
}

fn broken(relation: u64) -> Info {
    Info::relation(RelationEvent {
        endpoint: "website".to_owned(),
        remote_application: application("site"),
        hook: RelationHook {
            kind: HookKind::Broken,
            relation,
            unit: None,
            application: None,
            version: 0,
        },
        departing: None,
    })
}

async fn words(fixture: &Fixture, model: &ModelUuid, name: &str, audit: bool) -> Vec<String> {
    let why = fixture.store.unit_why(model, &unit(name), audit).await;
    let steps = why.expect("a chain").steps.into_iter();
    steps.map(|step| step.text).collect()
}

/// `front` and `site`, related by a person, both in scope.
async fn related(fixture: &Fixture) -> (House<'_>, u64) {
    let house = House::new(fixture, "shop").await;
    house.deploy("site", 1).await;
    house.deploy("front", 1).await;
    let relate = house.relate("front:website", "site:website");
    let about = ("integrated", "front:website with site:website");
    let relation = deed(fixture, &house.model, about, relate).await;
    for name in ["front/0", "site/0"] {
        let entered = house.begin_created(name, relation).await;
        entered.expect("entered");
    }
    (house, relation)
}

#[tokio::test]
async fn the_chain_of_a_hook_ends_with_who_began_it_across_units() {
    for fixture in fixtures().await {
        let (house, relation) = related(&fixture).await;
        let (store, model) = (&fixture.store, &house.model);
        let at_site = causes(&fixture, model, "site/0").await.relations[&relation].clone();
        let Cause::Deed(integrated) = at_site.relation else {
            panic!("nobody integrated them: {at_site:?}");
        };
        assert_eq!(at_site.members[&unit("front/0")], Cause::Deed(integrated));

        let change = ConfigChange {
            set: [("title".to_owned(), Value::Text("Hi".to_owned()))].into(),
            reset: Vec::new(),
        };
        let front = application("front");
        let set = store.set_application_config(model, &front, change);
        let changed = deed(&fixture, model, ("changed", "title of front"), set).await;
        changed.expect("set");
        let config = causes(&fixture, model, "front/0").await.config;
        assert!(
            matches!(config, Cause::Deed(id) if id > integrated),
            "{config:?}"
        );

        let settings = RelationSettings {
            unit: [("title".to_owned(), Some("Hi".to_owned()))].into(),
            ..RelationSettings::default()
        };
        let effects = Effects {
            relations: [(relation, settings)].into(),
            ..Effects::default()
        };
        let told = report("config-changed", "", config.clone());
        let first = ran(&fixture, model, "front/0", told, (None, effects)).await;
        let at_site = causes(&fixture, model, "site/0").await.relations[&relation].clone();
        assert_eq!(at_site.members[&unit("front/0")], Cause::Run(first));

        let about = format!("relation {relation}, front/0");
        let told = report("website-relation-changed", &about, Cause::Run(first));
        let second = ran(&fixture, model, "site/0", told, nothing()).await;
        assert_eq!(
            words(&fixture, model, "site/0", true).await,
            [
                format!("site/0 ran website-relation-changed ({about})"),
                format!(
                    "front/0 changed its settings in relation {relation}, in its hook config-changed"
                ),
                "admin changed title of front".to_owned(),
            ]
        );
        let steps = store.run_why(model, second, true).await.expect("a chain");
        let ids: Vec<_> = steps.iter().map(|step| (step.run, step.audit)).collect();
        let Cause::Deed(deed) = config else {
            panic!("{config:?}");
        };
        assert_eq!(
            ids,
            [
                (Some(second), None),
                (Some(first), None),
                (None, Some(deed))
            ]
        );
        // Who may not read the audit log is told of no person.
        let last = words(&fixture, model, "site/0", false).await.pop();
        assert_eq!(last.as_deref(), Some("somebody changed the model"));
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_an_agent_knows_only_by_its_place_is_looked_up_as_the_run_is_written() {
    for fixture in fixtures().await {
        let (house, relation) = related(&fixture).await;
        let model = &house.model;
        let told = report("config-changed", "", Cause::Timer(Timer::Retry));
        let first = ran(&fixture, model, "front/0", told, nothing()).await;
        let told = report("start", "", Cause::Before);
        ran(&fixture, model, "front/0", told, nothing()).await;
        let after = last_run(&fixture, model, "front/0").await;
        assert_eq!(after.cause, format!("run:{first}"));

        let told = report("website-relation-broken", "", Cause::Unknown);
        let hook = (Some(broken(relation)), Effects::default());
        let left = ran(&fixture, model, "front/0", told, hook).await;
        let cause = Cause::Left {
            relation,
            unit: unit("front/0"),
        };
        let about = format!("relation {relation}, front/0");
        let told = report("website-relation-departed", &about, cause.clone());
        ran(&fixture, model, "site/0", told.clone(), nothing()).await;
        let departed = last_run(&fixture, model, "site/0").await;
        assert_eq!(departed.cause, format!("run:{left}"));
        // One that is back by then did not leave as it is known of now.
        let entered = house.begin_created("front/0", relation).await;
        entered.expect("entered");
        ran(&fixture, model, "site/0", told, nothing()).await;
        let departed = last_run(&fixture, model, "site/0").await;
        assert_eq!(departed.cause, cause.to_string());
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_a_removal_leaves_to_do_is_done_because_of_who_asked_for_it() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let site = application("site");
        let remove = fixture.store.remove_application(&model, &site, false);
        let removed = deed(&fixture, &model, ("removed", "site"), remove).await;
        removed.expect("dying");
        fixture.store.cleanup(&model).await.expect("cleaned");
        let remote = fixture
            .store
            .get_remote_state(&model, &unit("site/0"))
            .await;
        if let Some(remote) = remote.expect("read") {
            assert!(!remote.life.is_alive());
            assert!(matches!(remote.causes.unit, Cause::Deed(_)), "{remote:?}");
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_removal_that_somebody_forces_later_goes_on_because_of_that() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        fixture.provision(&model).await;
        let (store, site) = (&fixture.store, unit("site/0"));
        let state = OperationState::default();
        let set = store.set_state(&model, &site, 0, &state, false).await;
        set.expect("set");
        let failed = Status::new(Agent::Error, "hook failed: \"start\"");
        let shown = store.set_agent_status(&model, &site, failed).await;
        shown.expect("shown");
        for force in [false, true] {
            let remove = store.remove_unit(&model, &site, force);
            let removed = deed(&fixture, &model, ("removed", "site/0"), remove).await;
            removed.expect("dying");
        }
        store.cleanup(&model).await.expect("cleaned");
        let told = causes(&fixture, &model, "site/0").await;
        let (Cause::Deed(removed), Cause::Deed(forced)) = (&told.unit, &told.resolved) else {
            panic!("nobody removed it: {told:?}");
        };
        assert!(removed < forced, "{told:?}");
        fixture.end().await;
    }
}

#[tokio::test]
async fn an_end_that_cannot_be_told_is_said_plainly() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let nobody = fixture.store.unit_why(&model, &unit("site/7"), true).await;
        let refused = nobody.expect_err("no such unit");
        assert_eq!(refused.refusal().code(), "unit-not-found");
        assert_eq!(words(&fixture, &model, "site/0", true).await, [""; 0]);
        for (cause, end) in [
            (
                Cause::Run(1),
                "run 1, which is no longer kept: runs go with their unit, and of each unit the newest 1000 are kept",
            ),
            (
                Cause::Deed(1),
                "record 1 of the audit log, which is no longer kept",
            ),
            (Cause::Task(9), "task 9, which is no longer kept"),
            (Cause::Unknown, "what caused it was not recorded"),
            // No run comes from a later one; such a chain would have no end.
            (Cause::Run(i64::MAX), "what caused it was not recorded"),
        ] {
            let told = report("start", "", cause);
            ran(&fixture, &model, "site/0", told, nothing()).await;
            let told = words(&fixture, &model, "site/0", true).await;
            assert_eq!(told, ["site/0 ran start", end]);
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn an_agent_that_names_a_record_of_another_model_is_told_nothing_of_it() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let other = House::new(&fixture, "other").await;
        other.deploy("site", 1).await;
        let change = ConfigChange {
            set: [("title".to_owned(), Value::Text("Hi".to_owned()))].into(),
            reset: Vec::new(),
        };
        let site = application("site");
        let store = &fixture.store;
        let set = store.set_application_config(&other.model, &site, change);
        let changed = deed(&fixture, &other.model, ("changed", "title of site"), set).await;
        changed.expect("set");
        let theirs = causes(&fixture, &other.model, "site/0").await.config;
        let told = report("start", "", theirs);
        ran(&fixture, &model, "site/0", told, nothing()).await;
        let told = words(&fixture, &model, "site/0", true).await;
        assert!(told[1].ends_with("which is no longer kept"), "{told:?}");
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_hook_that_is_tried_again_has_the_cause_of_its_first_try() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let retry = Cause::Timer(Timer::Retry);
        for cause in [Cause::Task(9), retry.clone(), retry] {
            let told = report("start", "", cause);
            ran(&fixture, &model, "site/0", told, nothing()).await;
        }
        assert_eq!(
            words(&fixture, &model, "site/0", true).await,
            [
                "site/0 ran start",
                "it had failed, and the timer for trying it again was due",
                "site/0 ran start, which failed",
                "task 9, which is no longer kept",
            ]
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_long_chain_is_cut_and_says_where_it_goes_on() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        for _ in 0..40 {
            let told = report("start", "", Cause::Before);
            ran(&fixture, &model, "site/0", told, nothing()).await;
        }
        let told = words(&fixture, &model, "site/0", true).await;
        assert_eq!(told.len(), super::STEPS + 1);
        let last = told.last().expect("an end");
        assert!(last.contains("`periapt show-hook "), "{last}");
        fixture.end().await;
    }
}
