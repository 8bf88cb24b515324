//! Blocks on both databases.

use periapt_model::block::{BlockKind, Change};
use periapt_model::bounds::BLOCK_MESSAGE_BYTES;

use crate::testing::fixtures;
use crate::{Interest, namespace, tables};

#[tokio::test]
async fn a_block_holds_back_its_kind_of_change_until_it_is_lifted() {
    use Change::{DestroyModel, Other, RemoveObject};
    for fixture in fixtures().await {
        let store = &fixture.store;
        let (model, other) = (fixture.model("one").await, fixture.model("two").await);
        for (kind, held) in [
            (BlockKind::DestroyModel, [true, false, false]),
            (BlockKind::RemoveObject, [true, true, false]),
            (BlockKind::All, [true, true, true]),
        ] {
            let message = format!("{kind} for now");
            let set = store.set_block(&model, kind, message.clone()).await;
            assert_eq!(set.expect("set").message, message);
            for (change, held) in [DestroyModel, RemoveObject, Other].into_iter().zip(held) {
                let found = store.block_of(&model, change).await.expect("read");
                let found = found.map(|block| (block.kind, block.message));
                let expected = held.then(|| (kind, message.clone()));
                assert_eq!(found, expected, "{kind}: {change:?}");
                let elsewhere = store.block_of(&other, change).await.expect("read");
                assert_eq!(elsewhere, None);
            }
            store.remove_block(&model, kind).await.expect("lifted");
            let again = store.remove_block(&model, kind).await;
            assert_eq!(
                again.expect_err("no more").refusal().code(),
                "block-not-found"
            );
        }
        assert_eq!(store.blocks(&model).await.expect("read"), []);
        fixture.end().await;
    }
}

#[tokio::test]
async fn blocks_show_in_their_model_and_of_several_the_least_is_told() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("one").await;
        let mut heard = store
            .changes()
            .subscribe(Interest::model(&model).all(namespace::MODEL));
        for (kind, message) in [
            (BlockKind::All, "first"),
            (BlockKind::All, "second"),
            (BlockKind::DestroyModel, ""),
        ] {
            let set = store.set_block(&model, kind, message.to_owned()).await;
            set.expect("set");
        }
        fixture.settle().await;
        assert!(!heard.next().await.expect("changes").is_empty());
        let shown = store.model_summary(&model).await.expect("shown").blocks;
        let expected = [
            (BlockKind::DestroyModel, String::new()),
            (BlockKind::All, "second".to_owned()),
        ];
        assert_eq!(shown, expected.into());
        let least = store.block_of(&model, Change::DestroyModel).await;
        assert_eq!(
            least.expect("read").map(|block| block.kind),
            Some(BlockKind::DestroyModel)
        );
        let long = "m".repeat(BLOCK_MESSAGE_BYTES.length() + 1);
        let refused = store.set_block(&model, BlockKind::All, long).await;
        assert_eq!(
            refused.expect_err("too long").refusal().code(),
            "bad-request"
        );

        let gone = model.clone();
        store
            .write(move |tx| Box::pin(async move { tables::remove_model(tx, &gone).await }))
            .await
            .expect("removed");
        let left = store.block_of(&model, Change::Other).await.expect("read");
        assert_eq!(left, None, "they go with their model");
        fixture.end().await;
    }
}
