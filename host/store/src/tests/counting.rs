//! What hooks and settings cost, in statements, jobs and commits: counts that no other load of
//! the machine changes.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use periapt_model::charm::CharmInfo;
use periapt_model::config::Value;
use periapt_model::hook::{Info, Kind};
use periapt_model::uniter::{OperationKind, OperationState, RemoteState};
use periapt_model::{ModelUuid, Tag, UnitName};
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::agent::uniter::{HookReport, Known};
use periapt_wire::rest::{ConfigChange, LogQuery};

use crate::testing::{Fixture, application, charm, collector, fixtures, present, unit};
use crate::{HookCommit, Store};

/// The statements of a store, from one moment to another.
struct Counted<'a> {
    store: &'a Store,
    statements: Arc<Mutex<Vec<String>>>,
}

impl<'a> Counted<'a> {
    fn begin(fixture: &'a Fixture) -> Self {
        let (slow, statements) = collector();
        fixture.store.set_slow_query(Some(slow));
        Self {
            store: &fixture.store,
            statements,
        }
    }

    fn end(self) -> Vec<String> {
        self.store.set_slow_query(None);
        std::mem::take(&mut self.statements.lock().unwrap())
    }
}

/// What an agent knows that has heard this and has its configuration.
fn knows(seen: &RemoteState) -> Known {
    Known {
        remote: Known::of_remote(seen),
        config: seen.config_hash.clone(),
        ..Known::default()
    }
}

/// A unit whose hooks change nothing.
#[derive(Clone)]
struct Idler {
    store: Store,
    model: ModelUuid,
    name: UnitName,
}

impl Idler {
    fn new(fixture: &Fixture, model: &ModelUuid, name: &str) -> Self {
        Self {
            store: fixture.store.clone(),
            model: model.clone(),
            name: unit(name),
        }
    }

    async fn look(&self) -> RemoteState {
        let remote = self.store.get_remote_state(&self.model, &self.name).await;
        remote.unwrap().unwrap()
    }

    /// Whether the agent then rests.
    async fn commit(&self, from: u64, seen: RemoteState) -> bool {
        let commit = HookCommit {
            from,
            known: knows(&seen),
            operation: OperationState {
                installed: true,
                started: true,
                kind: OperationKind::Continue,
                ..Default::default()
            },
            hook: Some(Info::new(Kind::ConfigChanged)),
            run: Some(HookReport {
                hook: "config-changed".to_owned(),
                charm: "local:site-0".to_owned(),
                started_at: 1,
                duration: 1_500,
                waited: 250,
                ..HookReport::default()
            }),
            records: vec![LogRecord {
                time: 1,
                entity: Tag::Model(self.model.clone()),
                level: "INFO".to_owned(),
                module: format!("unit.{}.uniter", self.name),
                message: "ran".to_owned(),
            }],
            rests: true,
            ..HookCommit::default()
        };
        let committed = self.store.commit_hook_run(&self.model, &self.name, commit);
        committed.await.unwrap().idle
    }

    /// A commit that waits until the writer takes it.
    fn committing(&self, seen: &RemoteState) -> tokio::task::JoinHandle<bool> {
        let (idler, seen) = (self.clone(), seen.clone());
        tokio::spawn(async move { idler.commit(0, seen).await })
    }

    async fn run(&self) {
        let seen = self.look().await;
        let from = self.store.sequence(&self.model, &self.name).await;
        assert!(self.commit(from, seen).await, "nothing else is to do");
    }
}

/// That a store's connections plan nothing twice is checked as each test of the store ends.
#[tokio::test]
async fn the_statements_of_a_hook_are_planned_once_however_many_hooks_run() {
    for fixture in fixtures().await {
        let model = fixture.site(2).await;
        for _ in 0..5 {
            Idler::new(&fixture, &model, "site/0").run().await;
            Idler::new(&fixture, &model, "site/1").run().await;
        }
        assert_eq!(fixture.replanned(), [""; 0]);
        fixture.end().await;
    }
}

/// Related applications: `front` and so many of `site-nN`.
async fn related(fixture: &Fixture, name: &str, others: u32) -> ModelUuid {
    let model = fixture.model(name).await;
    let provider = |name: &str| {
        let metadata =
            format!(r#"{{"name":"{name}","provides":{{"website":{{"interface":"http"}}}}}}"#);
        metadata_of(name, &metadata)
    };
    let front = r#"{"name":"front","requires":{"website":{"interface":"http"}}}"#;
    let mut charms = vec![metadata_of("front", front)];
    charms.extend((0..others).map(|number| provider(&format!("site-n{number}"))));
    for info in charms {
        let (name, bytes) = (info.name.clone(), Bytes::from(info.name.clone()));
        fixture.store.add_charm(&model, info, bytes).await.unwrap();
        fixture.deploy(&model, &name, 1).await;
    }
    for number in 0..others {
        let ends = [
            format!("site-n{number}:website"),
            "front:website".to_owned(),
        ];
        let ends = ends.map(|end| end.parse().unwrap());
        fixture.store.integrate(&model, ends).await.unwrap();
    }
    model
}

fn metadata_of(name: &str, text: &str) -> CharmInfo {
    CharmInfo {
        metadata: serde_json::from_str(text).unwrap(),
        ..charm(name)
    }
}

#[tokio::test]
async fn a_status_takes_the_same_few_statements_however_many_applications_are_related() {
    for fixture in fixtures().await {
        let mut counts = Vec::new();
        for (name, others) in [("small", 1), ("large", 40)] {
            let model = related(&fixture, name, others).await;
            let counted = Counted::begin(&fixture);
            let status = fixture.store.full_status(&model, &[], &present).await;
            let statements = counted.end();
            let status = status.unwrap();
            assert_eq!(status.relations.len(), others as usize);
            let front = &status.applications["front"].relations["website"];
            assert_eq!(front.len(), others as usize);
            let summed = statements.iter().any(|sql| sql.contains("SUM(version)"));
            assert!(!summed, "how often settings were written does not show");
            counts.push(statements.len());
        }
        assert_eq!(counts[0], counts[1]);
        assert!(counts[0] <= 16, "{counts:?}");
        fixture.end().await;
    }
}

/// Who is present in all relations of a model is read off an index, without a look at the rows.
#[tokio::test]
async fn who_is_present_in_relations_is_read_off_an_index() {
    for fixture in fixtures().await {
        if fixture.is_postgres() {
            fixture.end().await;
            continue;
        }
        let mut db = fixture.store.glance().await.unwrap();
        let sql = format!(
            "EXPLAIN QUERY PLAN {}",
            crate::views::relation::PRESENT.sql()
        );
        let rows = db.fetch_text(sql, crate::db::params!["x"]).await.unwrap();
        let plan = rows.iter().map(|row| {
            let mut cells = row.cells();
            cells.skip(3);
            cells.str().unwrap()
        });
        let plan: Vec<&str> = plan.collect();
        let index =
            "SEARCH relation_unit USING COVERING INDEX relation_unit_application (model_uuid=?)";
        assert_eq!(plan, [index]);
        drop(db);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_hook_that_changes_nothing_is_one_job_and_few_statements() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let idler = Idler::new(&fixture, &model, "site/0");
        idler.run().await;
        let known = idler.look().await.config_hash;

        let before = fixture.store.measures();
        let counted = Counted::begin(&fixture);
        let told = fixture.store.unit_told(&model, &idler.name, &known);
        let seen = told.await.unwrap().unwrap().remote;
        let looks = counted.end();
        assert_eq!(looks.len(), 1, "{looks:#?}");
        let counted = Counted::begin(&fixture);
        idler.commit(1, seen).await;
        let commit = counted.end();
        assert!(commit.len() <= 11, "{commit:#?}");
        let after = fixture.store.measures();
        assert_eq!(after.jobs - before.jobs, 1);
        assert_eq!(after.commits - before.commits, 1);
        let query = LogQuery::default();
        let log = fixture.store.logs(&model, &query, None).await.unwrap();
        let about: Vec<&Tag> = log.records.iter().map(|line| &line.entity).collect();
        let itself = Tag::Unit(idler.name.clone());
        assert_eq!(about, [&itself, &itself], "whatever an agent says");
        fixture.end().await;
    }
}

#[tokio::test]
async fn hooks_that_end_together_share_a_commit_and_take_few_statements_each() {
    const HOOKS: u32 = 32;
    for fixture in fixtures().await {
        let model = fixture.site(HOOKS).await;
        let idlers =
            (0..HOOKS).map(|number| Idler::new(&fixture, &model, &format!("site/{number}")));
        let idlers: Vec<Idler> = idlers.collect();
        let seen = idlers[0].look().await;
        let before = fixture.store.measures();
        let counted = Counted::begin(&fixture);
        // The writer is at work until all of them wait for it.
        let (go, wait) = tokio::sync::oneshot::channel::<()>();
        let (begun, begins) = tokio::sync::oneshot::channel::<()>();
        let store = fixture.store.clone();
        let first = tokio::spawn(async move {
            let work = store.write(move |_| {
                Box::pin(async move {
                    begun.send(()).unwrap();
                    wait.await.unwrap();
                    Ok(())
                })
            });
            work.await.unwrap();
        });
        begins.await.unwrap();
        let hooks: Vec<_> = idlers.iter().map(|idler| idler.committing(&seen)).collect();
        while fixture.store.measures().queue < u64::from(HOOKS) {
            tokio::task::yield_now().await;
        }
        go.send(()).unwrap();
        first.await.unwrap();
        for hook in hooks {
            assert!(hook.await.unwrap());
        }
        let statements = counted.end();
        let after = fixture.store.measures();
        assert_eq!(after.jobs - before.jobs, u64::from(HOOKS) + 1);
        assert_eq!(after.commits - before.commits, 1);
        let most = 9 * HOOKS as usize + 12;
        assert!(statements.len() <= most, "{} of {most}", statements.len());
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_setting_is_one_job_of_few_statements_however_many_units_have_it() {
    for fixture in fixtures().await {
        let mut counts = Vec::new();
        for (name, units) in [("small", 1), ("large", 40)] {
            let model = fixture.model(name).await;
            fixture.charm(&model, "site", b"archive").await;
            fixture.deploy(&model, "site", units).await;
            let change = ConfigChange {
                set: [("title".to_owned(), Value::Text("hello".to_owned()))].into(),
                reset: Vec::new(),
            };
            let before = fixture.store.measures();
            let counted = Counted::begin(&fixture);
            let site = application("site");
            let set = fixture.store.set_application_config(&model, &site, change);
            set.await.unwrap();
            let statements = counted.end();
            let after = fixture.store.measures();
            assert_eq!(
                (after.jobs - before.jobs, after.commits - before.commits),
                (1, 1)
            );
            assert!(statements.len() <= 11, "{statements:#?}");
            counts.push(statements.len());
        }
        assert_eq!(counts[0], counts[1]);
        fixture.end().await;
    }
}
