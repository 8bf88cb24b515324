//! Payloads from the hook that registers them to the end of their unit, on both databases.

use periapt_contract::payloads::{Changes, Payload, PayloadStatus};
use periapt_model::bounds::PAYLOADS;
use periapt_model::hook::Effects;
use periapt_model::uniter::OperationState;
use periapt_wire::rest::PayloadQuery;

use crate::testing::{fixtures, unit};

fn payload(id: &str) -> Payload {
    Payload {
        class: "monitor".to_owned(),
        id: id.to_owned(),
        kind: "process".to_owned(),
        status: PayloadStatus::Running,
        labels: vec!["eu".to_owned()],
    }
}

fn effects(put: Vec<Payload>, gone: &[Payload]) -> Effects {
    Effects {
        payloads: Changes {
            put,
            gone: gone.iter().map(Payload::key).collect(),
        },
        ..Default::default()
    }
}

#[tokio::test]
async fn what_a_hook_registers_is_shown_and_found_by_the_next() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(2).await;
        let state = OperationState::default();
        for (name, ids) in [("site/0", &["b", "a"] as &[&str]), ("site/1", &["a"])] {
            let put = ids.iter().map(|id| payload(id)).collect();
            store
                .commit_effects(&model, &unit(name), effects(put, &[]), &state)
                .await
                .expect("registered");
        }
        let kept = store.get_state(&model, &unit("site/0")).await;
        assert_eq!(kept.expect("state").payloads, [payload("a"), payload("b")]);
        let all = PayloadQuery::default();
        let shown = store.payloads(&model, &all).await.expect("payloads");
        let counts: Vec<(String, usize)> = shown
            .items
            .iter()
            .map(|of| (of.unit.to_string(), of.payloads.len()))
            .collect();
        assert_eq!(counts, [("site/0".to_owned(), 2), ("site/1".to_owned(), 1)]);
        let first = PayloadQuery {
            limit: Some(1),
            ..PayloadQuery::default()
        };
        let page = store.payloads(&model, &first).await.expect("a page");
        assert_eq!(page.items.len(), 1);
        assert_eq!(page.next.as_deref(), Some("site/0"));
        let second = PayloadQuery {
            after: page.next,
            ..first
        };
        let page = store.payloads(&model, &second).await.expect("a page");
        assert_eq!(page.items[0].unit, unit("site/1"));
        assert_eq!(page.next, None);

        let stopped = Payload {
            status: PayloadStatus::Stopped,
            ..payload("a")
        };
        let changed = effects(vec![stopped], &[payload("b")]);
        store
            .commit_effects(&model, &unit("site/0"), changed, &state)
            .await
            .expect("changed");
        let one = PayloadQuery {
            unit: Some("site/0".to_owned()),
            ..PayloadQuery::default()
        };
        let shown = store.payloads(&model, &one).await.expect("payloads");
        let of = &shown.items[0].payloads;
        assert_eq!((of.len(), of[0].status.as_str()), (1, "stopped"));
        fixture.end().await;
    }
}

#[tokio::test]
async fn more_payloads_than_a_unit_may_have_are_refused() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let (site, state) = (unit("site/0"), OperationState::default());
        let all = (0..PAYLOADS.most).map(|number| payload(&number.to_string()));
        store
            .commit_effects(&model, &site, effects(all.collect(), &[]), &state)
            .await
            .expect("as many as there may be");
        let refused = store
            .commit_effects(&model, &site, effects(vec![payload("more")], &[]), &state)
            .await
            .expect_err("one more");
        assert_eq!(refused.refusal().call_code(), "quota-limit-exceeded");
        fixture.end().await;
    }
}
