use crate::testing::fixtures;

#[tokio::test]
async fn a_store_measures_its_commits_and_knows_its_applications() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let measures = fixture.store.measures();
        assert!(measures.commits > 0 && measures.jobs >= measures.commits);
        assert_eq!(measures.commit_seconds.count(), measures.commits);
        assert_eq!(measures.batch_jobs.count(), measures.commits);
        assert!(measures.write_seconds.count() >= measures.commits);
        assert!(measures.written > 0, "{measures:?}");
        assert_eq!(measures.queue, 0);
        let names = fixture.store.application_names().await.expect("names");
        assert!(names.contains(&(model.to_string(), "site".to_owned())));
        fixture.end().await;
    }
}

#[tokio::test]
async fn dispatching_measures_how_late_a_change_is() {
    for fixture in fixtures().await {
        fixture.site(1).await;
        while fixture.store.changes().dispatch_page().await.expect("page") > 0 {}
        let measures = fixture.store.measures();
        assert!(measures.lag_seconds.count() > 0);
        assert!(measures.position >= measures.written);
        fixture.end().await;
    }
}
