//! Which operations are remembered, and how they are found.

use super::*;

#[tokio::test]
async fn operations_are_found_by_unit_action_and_status_page_by_page() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = site(&fixture, 2).await;
        store.ask(&model, run("check", &["site/0"])).await;
        let rebuilt = store.ask(&model, run("rebuild", &["site/1"])).await[0];
        store.ask(&model, run("check", &["site/0", "site/1"])).await;
        store.cancel_task(&model, rebuilt).await.expect("cancelled");
        let found = async |query: OperationQuery| {
            let page = store.operations(&model, &query).await.expect("operations");
            let ids: Vec<TaskId> = page.items.iter().map(|operation| operation.id).collect();
            (ids, page.next)
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(found(OperationQuery::default()).await.0, [5, 3, 1]);
        let of_unit = OperationQuery {
            units: some("site/1"),
            ..Default::default()
        };
        assert_eq!(found(of_unit).await.0, [5, 3]);
        let rebuilds = OperationQuery {
            actions: some("rebuild"),
            ..Default::default()
        };
        assert_eq!(found(rebuilds).await.0, [3]);
        let ended = OperationQuery {
            status: some("cancelled, failed"),
            ..Default::default()
        };
        assert_eq!(found(ended).await.0, [3]);
        let applications = OperationQuery {
            applications: some("sit"),
            ..Default::default()
        };
        assert!(found(applications).await.0.is_empty(), "whole names");
        let first = OperationQuery {
            limit: Some(2),
            ..Default::default()
        };
        let (ids, next) = found(first).await;
        assert_eq!(
            (ids.as_slice(), next.as_deref()),
            ([5, 3].as_slice(), Some("3"))
        );
        let second = OperationQuery {
            after: next,
            ..Default::default()
        };
        assert_eq!(found(second).await, (vec![1], None));
        let wrong = OperationQuery {
            status: some("runing"),
            ..Default::default()
        };
        let refused = store
            .operations(&model, &wrong)
            .await
            .expect_err("no status");
        assert!(
            refused.to_string().contains("did you mean \"running\"?"),
            "{refused}"
        );
        fixture.end().await;
    }
}

/// actionpruner: "pending/running ones never do".
#[tokio::test]
async fn old_operations_go_by_age_and_by_size_and_what_waits_stays() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = site(&fixture, 1).await;
        let site = unit("site/0");
        let old = store.ask(&model, run("check", &["site/0"])).await[0];
        store.begin(&model, &site, old).await.expect("to run");
        store
            .log_task(&model, &site, old, "a line")
            .await
            .expect("logged");
        store
            .commit(&model, &site, old, Outcome::default())
            .await
            .expect("committed");
        let waits = store.ask(&model, run("check", &["site/0"])).await[0];
        fixture.clock.advance(Duration::from_secs(120));
        assert_eq!(
            store
                .prune_operations(&model, 180_000, 0)
                .await
                .expect("pruned"),
            0
        );
        assert_eq!(
            store
                .prune_operations(&model, 60_000, 0)
                .await
                .expect("pruned"),
            1
        );
        let gone = store.task(&model, old, 0).await.expect_err("forgotten");
        assert_eq!(gone.refusal().code(), "task-not-found");
        assert_eq!(store.status_of(&model, waits).await, TaskStatus::Pending);
        store.begin(&model, &site, waits).await.expect("to run");
        let long = answers("text", json!("x".repeat(700_000)));
        store
            .commit(&model, &site, waits, long.clone())
            .await
            .expect("committed");
        let newer = store.ask(&model, run("check", &["site/0"])).await[0];
        store.begin(&model, &site, newer).await.expect("to run");
        store
            .commit(&model, &site, newer, long)
            .await
            .expect("committed");
        assert_eq!(
            store.prune_operations(&model, 0, 2).await.expect("pruned"),
            0
        );
        assert_eq!(
            store.prune_operations(&model, 0, 1).await.expect("pruned"),
            1
        );
        store
            .task(&model, waits, 0)
            .await
            .expect_err("the older one went");
        assert_eq!(store.status_of(&model, newer).await, TaskStatus::Completed);
        fixture.end().await;
    }
}
