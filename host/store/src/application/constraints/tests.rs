//! Constraints on both databases.

use periapt_model::charm::CharmInfo;

use crate::testing::{application, charm, fixtures, machine, present, request};

#[tokio::test]
async fn machines_are_made_with_an_applications_constraints_over_the_models() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        fixture.charm(&model, "site", b"archive").await;
        let set = store
            .set_model_constraints(&model, "mem=4G arch=amd64")
            .await;
        assert_eq!(set.expect("set").to_string(), "arch=amd64 mem=4096M");
        let mut deploy = request("site", 1);
        deploy.constraints = "mem=2G".to_owned();
        let shown = store.deploy(&model, deploy).await.expect("deployed");
        assert_eq!(shown.constraints, "mem=2048M");
        let assign = async || {
            let staged = store.unit_assignments(&model).await.expect("staged");
            store.assign_units(&model, &staged).await.expect("assigned");
        };
        let constraints = async |id: &str| {
            let shown = store.machine(&model, &machine(id), &present).await;
            shown.expect("shown").constraints
        };
        assign().await;
        assert_eq!(constraints("0").await, "arch=amd64 mem=2048M");

        // What is said later holds of machines that are made later.
        let site = application("site");
        let shown = store.set_constraints(&model, &site, "cores=2 mem=").await;
        assert_eq!(shown.expect("set").constraints, "cores=2 mem=");
        store.add_units(&model, &site, 2).await.expect("added");
        assign().await;
        assert_eq!(constraints("0").await, "arch=amd64 mem=2048M");
        for id in ["1", "2"] {
            assert_eq!(constraints(id).await, "arch=amd64 cores=2 mem=");
        }
        let added = store.add_machines_like(&model, 1, "zones=a").await;
        assert_eq!(
            added.expect("added")[0].constraints,
            "arch=amd64 mem=4096M zones=a"
        );
        let told = store
            .get_machines(&model, &[machine("2")])
            .await
            .expect("told");
        assert_eq!(told[0].constraints.to_string(), "arch=amd64 cores=2 mem=");
        let status = store
            .full_status(&model, &[], &present)
            .await
            .expect("status");
        assert_eq!(
            status.machines["3"].constraints,
            "arch=amd64 mem=4096M zones=a"
        );

        let none = store.set_model_constraints(&model, "").await.expect("none");
        assert!(none.is_empty());
        assert!(
            store
                .model_constraints(&model)
                .await
                .expect("read")
                .is_empty()
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn constraints_that_were_each_allowed_are_read_when_they_are_merged() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        let long = |key: &str| format!("{key}={}", "x".repeat(4000));
        let set = store.set_model_constraints(&model, &long("zones")).await;
        set.expect("set");
        let added = store.add_machines_like(&model, 1, &long("tags")).await;
        assert_eq!(added.expect("added").len(), 1);
        let told = store.get_machines(&model, &[machine("0")]).await;
        let told = told.expect("told");
        assert_eq!(
            told[0].constraints.to_string(),
            format!("{} {}", long("tags"), long("zones"))
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_is_no_constraint_is_refused_and_changes_nothing() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        fixture.charm(&model, "site", b"archive").await;
        fixture.deploy(&model, "site", 0).await;
        let site = application("site");
        let code =
            |refused: Result<(), crate::StoreError>| refused.expect_err("refused").refusal().code();
        let unknown = store
            .set_constraints(&model, &site, "men=4G")
            .await
            .map(drop);
        assert_eq!(code(unknown), "constraint-unknown");
        let wrong = store
            .set_model_constraints(&model, "mem=much")
            .await
            .map(drop);
        assert_eq!(code(wrong), "constraint-invalid");
        let wrong = store.add_machines_like(&model, 1, "cores=").await.map(drop);
        assert_eq!(wrong, Ok(()));
        let wrong = store.add_machines_like(&model, 1, "cores").await.map(drop);
        assert_eq!(code(wrong), "constraint-invalid");

        let shipper = CharmInfo {
            subordinate: true,
            ..charm("shipper")
        };
        let archive = bytes::Bytes::from_static(b"shipper");
        store
            .add_charm(&model, shipper, archive)
            .await
            .expect("charm");
        let mut deploy = request("shipper", 0);
        deploy.constraints = "mem=1G".to_owned();
        assert_eq!(
            code(store.deploy(&model, deploy).await.map(drop)),
            "bad-request"
        );
        fixture.deploy(&model, "shipper", 0).await;
        let set = store
            .set_constraints(&model, &application("shipper"), "mem=1G")
            .await;
        assert_eq!(code(set.map(drop)), "bad-request");
        fixture.end().await;
    }
}
