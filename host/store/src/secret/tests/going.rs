//! What goes with whom.

use super::*;
use crate::testing::application;

#[tokio::test]
async fn a_secret_goes_with_its_owner_and_a_reader_with_the_unit() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let (relation, of_unit, of_all) = (room.relate().await, id(1), id(2));
        room.lead("site/0").await;
        room.add("site/1", Owner::Unit, &of_unit, "one").await;
        room.add("site/0", Owner::Application, &of_all, "two").await;
        let one = granted(Owner::Unit, &of_unit, relation, "front", true);
        room.commit("site/1", None, one).await.expect("granted");
        let all = granted(Owner::Application, &of_all, relation, "front/1", true);
        room.commit("site/0", None, all).await.expect("granted");
        room.track("front/1", &of_all, false).await;
        let store = &fixture.store;
        room.lose("front/1").await;
        let shown = store
            .secret(&room.model, of_all.as_str())
            .await
            .expect("there");
        assert!(shown.grants.is_empty() && shown.revisions[0].readers.is_empty());
        room.lose("site/1").await;
        assert_eq!(room.code("front/0", &of_unit).await, "not found");
        store
            .remove_application(&room.model, &application("site"), true)
            .await
            .expect("removed");
        let report = store.cleanup(&room.model).await.expect("cleaned");
        assert_eq!(report.errors, [""; 0]);
        room.lose("site/0").await;
        assert_eq!(room.code("front/0", &of_all).await, "not found");
        for sql in [
            "SELECT COUNT(*) FROM secret",
            "SELECT COUNT(*) FROM secret_revision",
            "SELECT COUNT(*) FROM secret_reader",
            "SELECT COUNT(*) FROM secret_grant",
        ] {
            let left = store
                .glance()
                .await
                .expect("session")
                .count(sql, vec![])
                .await;
            assert_eq!(left.expect("counted"), 0, "{sql}");
        }
        fixture.end().await;
    }
}
