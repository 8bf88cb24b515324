use std::time::Duration;

use crate::testing::fixtures;

#[tokio::test]
async fn nodes_are_numbered_and_their_addresses_are_in_that_order() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        assert_eq!(store.add_controller_node().await.expect("number"), 1);
        assert_eq!(store.add_controller_node().await.expect("number"), 2);
        let none: Vec<String> = Vec::new();
        assert_eq!(store.controller_addresses().await.expect("addresses"), none);
        for (node, address) in [(2, "10.0.0.2:1"), (0, "10.0.0.9:1"), (2, "10.0.0.1:1")] {
            let announced = store.announce_controller_node(node, address).await;
            announced.expect("announced");
        }
        assert_eq!(
            store.controller_addresses().await.expect("addresses"),
            ["10.0.0.9:1", "10.0.0.1:1"]
        );
        assert_eq!(store.add_controller_node().await.expect("number"), 3);
        fixture.end().await;
    }
}

#[tokio::test]
async fn an_agent_counts_as_connected_elsewhere_while_that_node_lives() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("default").await;
        for node in [0, 1] {
            let address = format!("10.0.0.{node}:1");
            let announced = store.announce_controller_node(node, &address).await;
            announced.expect("announced");
        }
        let elsewhere = || async { store.agents_elsewhere(1).await.expect("models").len() };
        assert_eq!(elsewhere().await, 0);
        for _ in 0..2 {
            let noted = store.set_agent_connected(0, &model, true).await;
            noted.expect("noted");
        }
        assert_eq!(elsewhere().await, 1);
        assert!(store.agents_elsewhere(0).await.expect("models").is_empty());
        fixture.clock.advance(Duration::from_secs(29));
        store.see_controller_node(0).await.expect("seen");
        fixture.clock.advance(Duration::from_secs(29));
        assert_eq!(elsewhere().await, 1);
        fixture.clock.advance(Duration::from_secs(1));
        assert_eq!(elsewhere().await, 0, "the node was killed");
        store.see_controller_node(0).await.expect("seen");
        assert_eq!(elsewhere().await, 1);
        let noted = store.set_agent_connected(0, &model, false).await;
        noted.expect("noted");
        assert_eq!(elsewhere().await, 0);

        // A node that starts anew has nobody connected.
        let noted = store.set_agent_connected(0, &model, true).await;
        noted.expect("noted");
        let announced = store.announce_controller_node(0, "10.0.0.0:1").await;
        announced.expect("announced");
        assert_eq!(elsewhere().await, 0);
        fixture.end().await;
    }
}
