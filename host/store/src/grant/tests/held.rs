//! Revisions that wait, and what becomes of decisions and policies meanwhile.

use periapt_model::uniter::OperationState;

use super::*;

impl Room {
    /// A room whose application waits to be refreshed to a charm that declares these.
    async fn that_waits_for(fixture: Fixture, capabilities: &[&str], choices: Choices) -> Self {
        let room = Room::new(fixture).await;
        room.charm(&["tools/secret"], b"one").await;
        room.charm(capabilities, b"two").await;
        room.deploy(Choices::default()).await.expect("deployed");
        let waits = room.refresh(1, choices).await.expect("accepted");
        assert!(waits.held.is_some());
        room
    }

    /// The charm in place, and what another one waits for.
    async fn now(&self) -> (String, Vec<String>) {
        let store = &self.fixture.store;
        let shown = store.application(&self.model, &self.vault).await;
        let shown = shown.expect("shown");
        let awaits = shown.held.map(|held| held.awaits).unwrap_or_default();
        let awaits = awaits.iter().map(|one| one.capability.to_string());
        (shown.charm, awaits.collect())
    }
}

#[tokio::test]
async fn what_was_said_with_a_revision_does_not_undo_what_is_decided_while_it_waits() {
    for fixture in fixtures().await {
        let both = ["tools/credential", "tools/reboot"];
        let room = Room::that_waits_for(fixture, &both, granting(&["tools/reboot"])).await;
        let store = &room.fixture.store;
        assert_eq!(room.now().await.1, ["tools/credential"]);
        let reboot = patterns(&["tools/reboot"]);
        let denied = store.revoke_capabilities(&room.model, &room.vault, reboot, "bob");
        assert!(denied.await.expect("denied").held.is_some());
        let rest = patterns(&["tools/credential"]);
        let granted = store.grant_capabilities(&room.model, &room.vault, rest, "bob");
        assert_eq!(granted.await.expect("granted").charm, "local:vault-1");
        assert_eq!(room.withheld().await, ["tools/reboot"]);
        room.fixture.end().await;
    }
}

#[tokio::test]
async fn a_revision_goes_on_waiting_while_the_charm_in_place_is_given_something() {
    for fixture in fixtures().await {
        let room = Room::that_waits_for(fixture, &["tools/reboot"], Choices::default()).await;
        let same = room.refresh(0, Choices::default()).await.expect("accepted");
        assert!(same.held.is_some());
        let waits = vec!["tools/reboot".to_owned()];
        assert_eq!(room.now().await, ("local:vault-0".to_owned(), waits));
        room.fixture.end().await;
    }
}

#[tokio::test]
async fn a_revision_that_waits_is_taken_once_a_policy_gives_what_it_waits_for() {
    for fixture in fixtures().await {
        let both = ["tools/credential", "tools/reboot"];
        let room = Room::that_waits_for(fixture, &both, Choices::default()).await;
        let store = &room.fixture.store;
        room.set("capability-default", "tools/secret,tools/reboot")
            .await;
        let report = store.cleanup(&room.model).await.expect("looked at");
        assert_eq!((report.remaining, report.errors), (0, vec![]));
        let waits = vec!["tools/credential".to_owned()];
        assert_eq!(room.now().await, ("local:vault-0".to_owned(), waits));
        room.set("capability-default", "tools/*").await;
        store.cleanup(&room.model).await.expect("looked at");
        assert_eq!(room.now().await, ("local:vault-1".to_owned(), vec![]));
        assert_eq!(room.withheld().await, [""; 0]);
        room.fixture.end().await;
    }
}

#[tokio::test]
async fn a_policy_changes_also_while_a_revision_waits_that_cannot_be_taken() {
    for fixture in fixtures().await {
        let room = Room::new(fixture).await;
        let store = &room.fixture.store;
        room.charm(&["tools/secret"], b"one").await;
        room.charm(&["tools/reboot"], b"two").await;
        room.deploy(Choices::default()).await.expect("deployed");
        let option = ("of another charm".to_owned(), Value::Text("1".to_owned()));
        let refresh = Refresh {
            charm: "local:vault-1".to_owned(),
            config: [option].into(),
            force_units: false,
            resources: Default::default(),
            storage: Default::default(),
            channel: None,
            capabilities: Choices::default(),
        };
        let waits = store.refresh_by(&room.model, &room.vault, refresh, "ann");
        assert!(waits.await.expect("accepted").held.is_some());
        room.set("capability-default", "tools/*").await;
        let report = store.cleanup(&room.model).await.expect("looked at");
        assert_eq!(report.errors.len(), 1, "{report:?}");
        let waits = vec!["tools/reboot".to_owned()];
        assert_eq!(room.now().await, ("local:vault-0".to_owned(), waits));
        room.fixture.end().await;
    }
}

#[tokio::test]
async fn a_unit_that_is_late_with_a_charm_has_nothing_of_it_that_was_denied() {
    for fixture in fixtures().await {
        let room = Room::new(fixture).await;
        let store = &room.fixture.store;
        room.charm(&["tools/secret"], b"one").await;
        room.charm(&["tools/reboot"], b"two").await;
        room.charm(&[], b"three").await;
        room.deploy(Choices::default()).await.expect("deployed");
        let places = async |sequence: u64, charm: &str| {
            let state = OperationState {
                installed: true,
                charm_url: Some(charm.to_owned()),
                ..OperationState::default()
            };
            let vault = unit("vault/0");
            let placed = store.set_state(&room.model, &vault, sequence, &state, false);
            placed.await.expect("placed");
        };
        places(0, "local:vault-0").await;
        let denied = Choices {
            deny: patterns(&["tools/reboot"]),
            ..Choices::default()
        };
        room.refresh(1, denied).await.expect("refreshed");
        room.refresh(2, Choices::default())
            .await
            .expect("refreshed");
        // It was on its way to the second charm as the third came.
        places(1, "local:vault-1").await;
        assert_eq!(room.withheld().await, ["tools/reboot"]);
        places(2, "local:vault-2").await;
        assert_eq!(room.withheld().await, [""; 0]);
        room.fixture.end().await;
    }
}
