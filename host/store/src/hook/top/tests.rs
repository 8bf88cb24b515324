use periapt_model::ModelUuid;
use periapt_wire::agent::uniter::HookReport;
use periapt_wire::rest::{HookUsage, TopBy};

use crate::HookCommit;
use crate::testing::{Fixture, fixtures, unit};

async fn ran(
    fixture: &Fixture,
    model: &ModelUuid,
    name: &str,
    started_at: i64,
    took: i64,
    memory: u64,
) {
    let (store, unit) = (&fixture.store, unit(name));
    let run = HookReport {
        hook: "config-changed".to_owned(),
        about: String::new(),
        charm: "local:site-0".to_owned(),
        started_at,
        duration: took,
        waited: 0,
        code: String::new(),
        message: String::new(),
        effects: Vec::new(),
        usage: Some(HookUsage {
            memory_bytes: memory,
            host_calls: 1,
            output_bytes: 0,
            state_directory_bytes: 0,
        }),
        ..HookReport::default()
    };
    let commit = HookCommit {
        from: store.sequence(model, &unit).await,
        run: Some(run),
        ..HookCommit::default()
    };
    store
        .commit_hook_run(model, &unit, commit)
        .await
        .expect("committed");
}

#[tokio::test]
async fn units_are_ordered_by_what_their_hooks_used() {
    for fixture in fixtures().await {
        let model = fixture.site(3).await;
        ran(&fixture, &model, "site/0", 10, 500, 7).await;
        ran(&fixture, &model, "site/0", 20, 500, 5).await;
        ran(&fixture, &model, "site/1", 30, 700, 9).await;
        let top = async |by, since, limit| {
            let found = fixture.store.top(&model, by, since, limit).await;
            let found = found.expect("top").into_iter();
            let told = found.map(|one| (one.unit.to_string(), one.total, one.most.memory_bytes));
            told.collect::<Vec<_>>()
        };
        let (first, second) = (
            ("site/0".to_owned(), 1_000, 7),
            ("site/1".to_owned(), 700, 9),
        );
        assert_eq!(
            top(TopBy::Time, 0, 9).await,
            [first.clone(), second.clone()]
        );
        assert_eq!(top(TopBy::Memory, 0, 9).await, [second.clone(), first]);
        let only = std::slice::from_ref(&second);
        assert_eq!(top(TopBy::Memory, 0, 1).await, only);
        assert_eq!(top(TopBy::Time, 25, 9).await, [second]);
        for by in [TopBy::HostCalls, TopBy::StateDirectory, TopBy::Output] {
            assert_eq!(top(by, 0, 9).await.len(), 2, "{by:?}");
        }
        fixture.end().await;
    }
}
