use std::time::Duration;

use crate::testing::{application, fixtures};
use crate::{Guard, KeptAnswer, REMEMBERED, Remembered, RequestMark, Store};
use bytes::Bytes;

fn mark(request: &str) -> RequestMark {
    RequestMark {
        account: "admin".to_owned(),
        key: "k1".to_owned(),
        request: request.to_owned(),
    }
}

fn answer() -> KeptAnswer {
    KeptAnswer {
        status: 200,
        content_type: "application/json".to_owned(),
        etag: "\"3\"".to_owned(),
        body: Bytes::from_static(b"{}"),
    }
}

#[tokio::test]
async fn a_request_is_carried_out_once_and_remembered_for_a_day() {
    for mut fixture in fixtures().await {
        let model = fixture.site(1).await;
        let site = application("site");
        assert_eq!(
            fixture.store.remembered(&mark("a")).await.unwrap(),
            Remembered::Nothing
        );
        let add = |store: Store, request: &'static str| {
            let (model, site) = (model.clone(), site.clone());
            async move {
                Guard::default()
                    .once(mark(request), true)
                    .around(store.add_units(&model, &site, 1))
                    .await
            }
        };
        add(fixture.store.clone(), "a").await.unwrap();
        let error = add(fixture.store.clone(), "a").await.unwrap_err();
        assert_eq!(error.refusal().call_code(), "idempotency-key-taken");
        let units = fixture.store.application(&model, &site).await.unwrap();
        assert_eq!(units.units.len(), 2, "the second time nothing was done");

        // A crash here: the change stands, the answer was never given.
        fixture.reopen().await;
        let store = fixture.store.clone();
        assert!(matches!(
            store.remembered(&mark("a")).await.unwrap(),
            Remembered::Unanswered { .. }
        ));
        assert_eq!(
            store.remembered(&mark("b")).await.unwrap(),
            Remembered::Other
        );
        let request = Guard::default().once(mark("a"), true);
        let finished = store.finish(&request, "200".to_owned(), Some(answer()));
        finished.await.unwrap();
        assert_eq!(
            store.remembered(&mark("a")).await.unwrap(),
            Remembered::Answered(answer())
        );

        fixture.clock.advance(REMEMBERED + Duration::from_secs(1));
        assert_eq!(
            store.remembered(&mark("a")).await.unwrap(),
            Remembered::Nothing
        );
        add(store.clone(), "b").await.unwrap();
        drop(store);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_request_that_fails_may_be_sent_again() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let guard = || Guard::default().once(mark("a"), true);
        let nobody = application("nobody");
        let refused = guard();
        let result = refused
            .around(fixture.store.add_units(&model, &nobody, 1))
            .await;
        assert!(result.is_err() && !refused.written());
        assert_eq!(
            fixture.store.remembered(&mark("a")).await.unwrap(),
            Remembered::Nothing
        );
        let site = application("site");
        let made = guard();
        made.around(fixture.store.add_units(&model, &site, 1))
            .await
            .unwrap();
        assert!(made.written());
        fixture.end().await;
    }
}
