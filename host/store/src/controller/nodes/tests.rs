use std::time::Duration;

use periapt_model::{AgentName, ModelUuid};

use super::NODE_LOST;
use crate::lease::{Manager, Namespace};
use crate::testing::{Fixture, fixtures};
use crate::{Interest, Store, StoreError, Subscription, namespace};

#[tokio::test]
async fn nodes_are_numbered_and_their_addresses_are_in_that_order() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        assert_eq!(store.add_controller_node().await.expect("number"), 1);
        assert_eq!(store.add_controller_node().await.expect("number"), 2);
        let none: Vec<String> = Vec::new();
        assert_eq!(store.controller_addresses().await.expect("addresses"), none);
        for (node, address) in [(2, "10.0.0.2:1"), (0, "10.0.0.9:1"), (2, "10.0.0.1:1")] {
            let announced = store.announce_controller_node(node, address, "").await;
            announced.expect("announced");
        }
        assert_eq!(
            store.controller_addresses().await.expect("addresses"),
            ["10.0.0.9:1", "10.0.0.1:1"]
        );
        assert_eq!(store.add_controller_node().await.expect("number"), 3);

        let announced = store.announce_controller_node(2, "10.0.0.1:1", "10.0.0.1:2");
        announced.await.expect("announced");
        assert_eq!(
            store.agent_addresses().await.expect("addresses"),
            ["10.0.0.9:1", "10.0.0.1:2"],
            "agents have a port of their own where there is one"
        );
        assert_eq!(
            store.controller_addresses().await.expect("addresses"),
            ["10.0.0.9:1", "10.0.0.1:1"]
        );
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
            let announced = store.announce_controller_node(node, &address, "").await;
            announced.expect("announced");
        }
        let elsewhere = || async { store.agents_elsewhere(1).await.expect("models").len() };
        assert_eq!(elsewhere().await, 0);
        for _ in 0..2 {
            let noted = store
                .set_agent_connected(0, &model, &AgentName::Host, true)
                .await;
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
        let noted = store
            .set_agent_connected(0, &model, &AgentName::Host, false)
            .await;
        noted.expect("noted");
        assert_eq!(elsewhere().await, 0);

        // A node that starts anew has nobody connected.
        let noted = store
            .set_agent_connected(0, &model, &AgentName::Host, true)
            .await;
        noted.expect("noted");
        let announced = store.announce_controller_node(0, "10.0.0.0:1", "").await;
        announced.expect("announced");
        assert_eq!(elsewhere().await, 0);
        fixture.end().await;
    }
}

async fn serving(store: &Store, nodes: &[u32]) {
    for node in nodes {
        let address = format!("10.0.0.{node}:1");
        let announced = store.announce_controller_node(*node, &address, "").await;
        announced.expect("announced");
    }
}

/// Keys of the changes about nodes since the last look.
async fn heard(fixture: &Fixture, changes: &mut Subscription) -> Vec<String> {
    fixture.settle().await;
    let heard = changes.take_now().into_iter();
    let mut keys: Vec<String> = heard.map(|change| change.key).collect();
    keys.sort();
    keys
}

#[tokio::test]
async fn addresses_are_those_of_living_nodes_and_everybody_hears_of_a_loss() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        serving(store, &[0, 1]).await;
        let interest = Interest::any_model().all(namespace::CONTROLLER_NODE);
        let mut changes = store.changes().subscribe(interest);
        heard(&fixture, &mut changes).await;
        for _ in 0..3 {
            fixture.clock.advance(Duration::from_secs(10));
            store.see_controller_node(1).await.expect("seen");
        }
        assert_eq!(heard(&fixture, &mut changes).await, ["0"], "told once");
        let addresses = || async { store.controller_addresses().await.expect("addresses") };
        assert_eq!(addresses().await, ["10.0.0.1:1"]);
        fixture.clock.advance(Duration::from_secs(10));
        store.see_controller_node(1).await.expect("seen");
        assert!(heard(&fixture, &mut changes).await.is_empty());

        // Back, by a sign of life or anew.
        store.see_controller_node(0).await.expect("seen");
        assert_eq!(heard(&fixture, &mut changes).await, ["0"]);
        assert_eq!(addresses().await.len(), 2);
        fixture.clock.advance(Duration::from_secs(31));
        assert_eq!(addresses().await.len(), 2, "none seems to live: all");
        serving(store, &[1]).await;
        assert_eq!(heard(&fixture, &mut changes).await, ["1"]);
        assert_eq!(addresses().await, ["10.0.0.1:1"]);
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_nodes_of_an_agent_are_the_living_ones_it_is_connected_to_without_the_one_that_asks() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("default").await;
        let other = fixture.model("other").await;
        serving(store, &[0, 1, 2]).await;
        let connect = |node: u32, connected: bool| {
            let model = model.clone();
            async move {
                let noted = store.set_agent_connected(node, &model, &AgentName::Host, connected);
                noted.await.expect("noted");
            }
        };
        let nodes = |model: &ModelUuid, asking: u32| {
            let model = model.clone();
            async move {
                let found = store.nodes_of_agent(asking, &model, &AgentName::Host);
                let found = found.await.expect("nodes").into_iter();
                found.map(|known| known.address).collect::<Vec<_>>()
            }
        };
        connect(0, true).await;
        assert_eq!(nodes(&model, 1).await, ["10.0.0.0:1"]);
        assert!(nodes(&model, 0).await.is_empty(), "it asks itself");
        assert!(nodes(&other, 1).await.is_empty(), "another model's agent");

        // The first is killed, and the agent goes to the third.
        fixture.clock.advance(Duration::from_secs(10));
        store.see_controller_node(2).await.expect("seen");
        connect(2, true).await;
        assert_eq!(nodes(&model, 1).await, ["10.0.0.2:1", "10.0.0.0:1"]);
        fixture.clock.advance(NODE_LOST - Duration::from_secs(10));
        assert_eq!(nodes(&model, 1).await, ["10.0.0.2:1"]);
        connect(2, false).await;
        assert!(nodes(&model, 1).await.is_empty());
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_removed_node_leaves_nothing_and_does_not_come_back() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("default").await;
        let leases = Manager::new(store);
        let minute = Duration::from_secs(60);
        let claim = |node: u32| {
            let (leases, model) = (leases.clone(), model.clone());
            async move {
                let holder = format!("machine-{node}");
                let singular = Namespace::SingularController;
                let claim = leases.claim(singular, &model, model.as_str(), &holder, minute);
                claim.await
            }
        };
        serving(store, &[0]).await;
        let last = store
            .remove_controller_node(0, true)
            .await
            .expect_err("last");
        assert_eq!(last.refusal().call_code(), "controller-node-last");
        let joined = store.add_controller_node().await.expect("number");
        serving(store, &[joined]).await;
        claim(joined).await.expect("claimed");
        let noted = store
            .set_agent_connected(joined, &model, &AgentName::Host, true)
            .await;
        noted.expect("noted");

        let refused = store.remove_controller_node(joined, false).await;
        assert_eq!(
            refused.expect_err("it runs").refusal().call_code(),
            "controller-node-running"
        );
        let unknown = store.remove_controller_node(7, true).await;
        assert_eq!(
            unknown.expect_err("unknown").refusal().code(),
            "controller-node-not-found"
        );
        fixture.clock.advance(NODE_LOST);
        store.see_controller_node(0).await.expect("seen");
        let removed = store.remove_controller_node(joined, false).await;
        let removed = removed.expect("it is lost");
        assert_eq!(
            (removed.address.as_str(), removed.alive),
            ("10.0.0.1:1", false)
        );

        let left = store.controller_nodes().await.expect("nodes");
        assert_eq!(left.iter().map(|node| node.node).collect::<Vec<_>>(), [0]);
        assert_eq!(
            store.controller_addresses().await.expect("addresses"),
            ["10.0.0.0:1"]
        );
        assert!(store.agents_elsewhere(0).await.expect("models").is_empty());

        let gone = StoreError::NodeRemoved { node: joined };
        for refused in [
            store
                .announce_controller_node(joined, "10.0.0.1:1", "")
                .await,
            store.see_controller_node(joined).await,
            store.require_controller_node(joined).await,
            claim(joined).await,
            store.remove_controller_node(joined, true).await.map(|_| ()),
        ] {
            let refused = refused.expect_err("removed");
            assert!(refused == gone || refused.refusal().code() == "controller-node-not-found");
        }
        claim(0).await.expect("free at once");
        let next = store.add_controller_node().await.expect("number");
        assert_eq!(next, joined + 1, "no number twice");
        store.require_controller_node(next).await.expect("another");

        // By force also one that lives.
        serving(store, &[next]).await;
        store
            .remove_controller_node(next, true)
            .await
            .expect("forced");
        assert!(store.see_controller_node(next).await.is_err());
        fixture.end().await;
    }
}
