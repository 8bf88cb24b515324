//! Ports that were opened before they were taken back.

use periapt_contract::ports::{Changes, Endpoints, Opening};
use periapt_model::hook::Effects;
use periapt_model::uniter::OperationState;
use periapt_wire::rest::Expose;

use super::*;

impl Room {
    /// The ports at which a provider is told that the unit is reached.
    async fn reached(&self) -> Vec<String> {
        let published = self.fixture.store.published(&self.model).await;
        let network = published.expect("read").expect("exposed").network;
        let ranges = network.units[&unit("vault/0")].openings.ranges();
        ranges.map(|range| range.to_string()).collect()
    }
}

#[tokio::test]
async fn a_port_that_is_revoked_is_reached_no_more_until_it_is_granted_again() {
    for fixture in fixtures().await {
        let room = Room::new(fixture).await;
        let store = &room.fixture.store;
        room.charm(&["port/1-1024/tcp", "port/80/tcp"], b"one")
            .await;
        room.deploy(Choices::default()).await.expect("deployed");
        let open = ["80/tcp", "443/tcp"].map(|port| Opening {
            ports: port.parse().expect("a range"),
            endpoints: Endpoints::All,
        });
        let effects = Effects {
            ports: Changes {
                open: open.into(),
                close: Vec::new(),
            },
            ..Effects::default()
        };
        let state = OperationState::default();
        let vault = unit("vault/0");
        let opened = store.commit_effects(&room.model, &vault, effects, &state);
        opened.await.expect("opened");
        let exposed = store.expose(&room.model, &room.vault, Expose::default());
        exposed.await.expect("exposed");
        assert_eq!(room.reached().await, ["80/tcp", "443/tcp"]);

        // The narrower one is granted by itself.
        room.set("capability-policy", "port/80/tcp").await;
        assert_eq!(room.reached().await, ["80/tcp"]);
        room.set("capability-policy", "none").await;
        assert_eq!(room.reached().await, [""; 0]);
        room.set("capability-policy", "*").await;
        assert_eq!(room.reached().await, ["80/tcp", "443/tcp"]);
        room.fixture.end().await;
    }
}
