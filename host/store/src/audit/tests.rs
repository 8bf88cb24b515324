use std::time::Duration;

use periapt_wire::rest::{AuditQuery, AuditRecord};
use serde_json::json;

use super::prune_rows;
use crate::StoreError;
use crate::testing::fixtures;

fn record(time: i64, who: &str, what: &str, result: &str) -> AuditRecord {
    AuditRecord {
        id: 0,
        time,
        who: who.to_owned(),
        from: "127.0.0.1".to_owned(),
        model: None,
        what: what.to_owned(),
        target: "/v1/models".to_owned(),
        result: result.to_owned(),
        arguments: json!({ "body": { "name": "lab" } }),
        ..AuditRecord::default()
    }
}

fn query(adjust: impl FnOnce(&mut AuditQuery)) -> AuditQuery {
    let mut query = AuditQuery::default();
    adjust(&mut query);
    query
}

#[tokio::test]
async fn records_are_read_newest_first_by_page_and_by_filter() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        let now = fixture.store.now();
        let mut records = vec![
            record(now, "user-admin", "POST /v1/models", "200"),
            record(now + 1, "user-bob", "DELETE /v1/models/{model}", "403"),
            record(now + 2, "agent-x", "Uniter.CommitHook", "ok"),
            record(now + 3, "user-admin", "PATCH /v1/100%", "409"),
        ];
        records[2].model = Some(model.clone());
        store.write_audit(records).await.unwrap();

        let whats = |page: periapt_wire::rest::Page<AuditRecord>| -> Vec<String> {
            page.items.into_iter().map(|record| record.what).collect()
        };
        let all = store.audit(None, &AuditQuery::default()).await.unwrap();
        assert_eq!(all.items.len(), 4);
        assert_eq!(all.items[3].arguments["body"]["name"], "lab");
        assert!(all.items.windows(2).all(|pair| pair[0].id > pair[1].id));
        assert_eq!(all.next, None);

        let first = store
            .audit(None, &query(|q| q.limit = Some(3)))
            .await
            .unwrap();
        let second = query(|q| {
            q.limit = Some(3);
            q.after = first.next.clone();
        });
        assert_eq!(
            whats(store.audit(None, &second).await.unwrap()),
            ["POST /v1/models"]
        );

        assert_eq!(
            whats(
                store
                    .audit(Some(&model), &AuditQuery::default())
                    .await
                    .unwrap()
            ),
            ["Uniter.CommitHook"]
        );
        for (wanted, expected) in [
            (query(|q| q.user = Some("bob".into())), 1),
            (query(|q| q.user = Some("user-admin".into())), 2),
            (query(|q| q.matching = Some("MODELS".into())), 4),
            (query(|q| q.matching = Some("uniter".into())), 1),
            (query(|q| q.matching = Some("0%".into())), 1),
            (query(|q| q.result = Some("ok".into())), 2),
            (query(|q| q.result = Some("refused".into())), 2),
            (query(|q| q.since = Some(now + 2)), 2),
            (query(|q| q.until = Some(now)), 1),
        ] {
            assert_eq!(
                store.audit(None, &wanted).await.unwrap().items.len(),
                expected,
                "{wanted:?}"
            );
        }
        for bad in [
            query(|q| q.after = Some("x".into())),
            query(|q| q.result = Some("maybe".into())),
        ] {
            assert_eq!(
                store.audit(None, &bad).await.unwrap_err().refusal().code(),
                "bad-request"
            );
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn old_records_and_those_beyond_the_bound_go() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let now = store.now();
        let records = (0..10)
            .map(|n| record(now - n * 1_000_000, "user-admin", "x", "200"))
            .collect();
        store.write_audit(records).await.unwrap();
        for (age, rows, went) in [
            (Duration::from_millis(6_500), 100, 3),
            (Duration::from_secs(3600), 5, 2),
        ] {
            let gone = store.write(move |tx| {
                Box::pin(async move {
                    let now = tx.now;
                    Ok::<_, StoreError>(prune_rows(tx, now, age, rows).await?)
                })
            });
            assert_eq!(gone.await.unwrap(), went);
        }
        let left = store
            .audit(None, &AuditQuery::default())
            .await
            .unwrap()
            .items;
        assert_eq!(left.len(), 5);
        fixture.end().await;
    }
}
