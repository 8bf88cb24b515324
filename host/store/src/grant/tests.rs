//! Grants on both databases.

use periapt_model::Refusal;
use periapt_model::cause::Cause;
use periapt_model::config::Value;
use periapt_wire::rest::{ApplicationInfo, AuditRecord, ConfigChange, Refresh};

use super::*;
use crate::testing::{Fixture, application, fixtures, present, request, unit};
use crate::{Interest, Setter};

mod held;
mod ports;

fn charm_that_declares(capabilities: &[&str]) -> CharmInfo {
    let each = capabilities.iter().map(|text| Declared {
        capability: text.parse().expect(text),
        why: Some("needs it".to_owned()),
    });
    CharmInfo {
        declared: each.collect::<Vec<_>>().into(),
        ..crate::testing::charm("vault")
    }
}

fn patterns(texts: &[&str]) -> Vec<Pattern> {
    texts.iter().map(|text| text.parse().expect(text)).collect()
}

fn granting(texts: &[&str]) -> Choices {
    Choices {
        grant: patterns(texts),
        ..Choices::default()
    }
}

struct Room {
    fixture: Fixture,
    model: ModelUuid,
    vault: ApplicationName,
}

impl Room {
    async fn new(fixture: Fixture) -> Self {
        let model = fixture.model("lab").await;
        Self {
            fixture,
            model,
            vault: application("vault"),
        }
    }

    async fn charm(&self, capabilities: &[&str], archive: &'static [u8]) {
        let charm = charm_that_declares(capabilities);
        let added = self
            .fixture
            .store
            .add_charm(&self.model, charm, archive.into());
        added.await.expect("charm");
    }

    async fn deploy(&self, choices: Choices) -> Result<ApplicationInfo> {
        let deploy = periapt_wire::rest::Deploy {
            capabilities: choices,
            ..request("vault", 1)
        };
        self.fixture
            .store
            .deploy_by(&self.model, deploy, "ann")
            .await
    }

    async fn refresh(&self, revision: u32, choices: Choices) -> Result<ApplicationInfo> {
        let refresh = Refresh {
            charm: format!("local:vault-{revision}"),
            config: Default::default(),
            force_units: false,
            resources: Default::default(),
            storage: Default::default(),
            channel: None,
            capabilities: choices,
        };
        let store = &self.fixture.store;
        store
            .refresh_by(&self.model, &self.vault, refresh, "ann")
            .await
    }

    async fn withheld(&self) -> Vec<String> {
        let store = &self.fixture.store;
        let told = store.unit_told(&self.model, &unit("vault/0"), "").await;
        let told = told.expect("read").expect("there");
        told.view
            .withheld
            .iter()
            .map(Capability::to_string)
            .collect()
    }

    async fn standings(&self) -> Vec<(String, Standing, Option<String>)> {
        let grants = self.fixture.store.grants(&self.model, &self.vault).await;
        let all = grants.expect("grants").capabilities.into_iter();
        all.map(|one| (one.capability.to_string(), one.standing, one.by))
            .collect()
    }

    async fn set(&self, name: &str, value: &str) {
        let change = ConfigChange {
            set: [(name.to_owned(), Value::Text(value.to_owned()))].into(),
            reset: Vec::new(),
        };
        let store = &self.fixture.store;
        let set = store.set_model_config(&self.model, change, Setter::Admin);
        set.await.expect("set");
    }
}

#[tokio::test]
async fn a_deployment_is_refused_until_all_that_its_charm_declares_is_decided() {
    for fixture in fixtures().await {
        let room = Room::new(fixture).await;
        room.charm(&["tools/secret", "tools/reboot", "port/80/tcp"], b"one")
            .await;
        let refused = room
            .deploy(Choices::default())
            .await
            .expect_err("undecided");
        assert_eq!(refused.refusal(), Refusal::CapabilityUndecided);
        assert!(
            refused.to_string().contains("tools/reboot (may restart"),
            "{refused}"
        );
        let left = room
            .fixture
            .store
            .applications(&room.model)
            .await
            .expect("read");
        assert!(left.is_empty(), "nothing of it stays");

        room.deploy(granting(&["tools/reboot"]))
            .await
            .expect("deployed");
        assert_eq!(
            room.standings().await,
            [
                ("port/80/tcp".to_owned(), Standing::Default, None),
                (
                    "tools/reboot".to_owned(),
                    Standing::Granted,
                    Some("ann".to_owned())
                ),
                ("tools/secret".to_owned(), Standing::Default, None),
            ]
        );
        assert_eq!(room.withheld().await, [""; 0]);
        room.fixture.end().await;
    }
}

#[tokio::test]
async fn a_denied_capability_is_withheld_and_trust_grants_all() {
    for fixture in fixtures().await {
        let room = Room::new(fixture).await;
        room.charm(&["tools/secret", "tools/reboot"], b"one").await;
        let denied = Choices {
            deny: patterns(&["tools/*"]),
            ..Choices::default()
        };
        room.deploy(denied).await.expect("deployed");
        assert_eq!(room.withheld().await, ["tools/reboot", "tools/secret"]);
        let trusted = periapt_wire::rest::Deploy {
            application: application("trusted"),
            trust: true,
            ..request("vault", 1)
        };
        let store = &room.fixture.store;
        store
            .deploy_by(&room.model, trusted, "ann")
            .await
            .expect("deployed");
        let told = store.unit_told(&room.model, &unit("trusted/0"), "").await;
        assert_eq!(told.expect("read").expect("there").view.withheld, []);
        room.fixture.end().await;
    }
}

#[tokio::test]
async fn a_grant_and_its_revocation_are_heard_by_units_and_told_with_who_and_when() {
    for fixture in fixtures().await {
        let room = Room::new(fixture).await;
        let store = &room.fixture.store;
        room.charm(&["tools/secret"], b"one").await;
        room.deploy(Choices::default()).await.expect("deployed");
        let interest = Interest::model(&room.model).key(namespace::APPLICATION, &room.vault);
        let mut heard = store.changes().subscribe(interest);

        let secret = || patterns(&["tools/secret"]);
        let revoked = store.revoke_capabilities(&room.model, &room.vault, secret(), "bob");
        revoked.await.expect("revoked");
        room.fixture.settle().await;
        assert!(!heard.next().await.expect("changes").is_empty());
        assert_eq!(room.withheld().await, ["tools/secret"]);
        let by = Some("bob".to_owned());
        assert_eq!(
            room.standings().await,
            [("tools/secret".to_owned(), Standing::Denied, by)]
        );

        let granted = store.grant_capabilities(&room.model, &room.vault, secret(), "ann");
        let granted = granted.await.expect("granted").capabilities;
        assert_eq!(granted[0].standing, Standing::Granted);
        assert_eq!(granted[0].by.as_deref(), Some("ann"));
        assert!(granted[0].at.is_some());
        assert_eq!(room.withheld().await, [""; 0]);
        let wrong = patterns(&["tools/reboot"]);
        let refused = store.grant_capabilities(&room.model, &room.vault, wrong, "ann");
        let refused = refused.await.expect_err("not declared");
        assert_eq!(refused.refusal(), Refusal::CapabilityNotDeclared);
        room.fixture.end().await;
    }
}

#[tokio::test]
async fn a_shrunk_policy_takes_what_is_beyond_it_and_a_widened_one_gives_it_back() {
    for fixture in fixtures().await {
        let room = Room::new(fixture).await;
        room.charm(&["tools/secret", "tools/reboot"], b"one").await;
        room.deploy(granting(&["tools/reboot"]))
            .await
            .expect("deployed");
        room.set("capability-policy", "tools/secret").await;
        assert_eq!(room.withheld().await, ["tools/reboot"]);
        assert_eq!(room.standings().await[0].1, Standing::BeyondPolicy);
        let store = &room.fixture.store;
        let again = patterns(&["tools/reboot"]);
        let refused = store.grant_capabilities(&room.model, &room.vault, again, "ann");
        let refused = refused.await.expect_err("beyond");
        assert_eq!(refused.refusal(), Refusal::CapabilityBeyondPolicy);
        room.set("capability-policy", "*").await;
        assert_eq!(room.withheld().await, [""; 0]);
        // The model's own default goes before the controller's.
        room.set("capability-default", "none").await;
        assert_eq!(room.withheld().await, ["tools/secret"]);
        room.set("capability-default", "").await;
        assert_eq!(room.withheld().await, [""; 0]);
        let change = ConfigChange {
            set: [(
                "capability-default".to_owned(),
                Value::Text("port/*".to_owned()),
            )]
            .into(),
            reset: Vec::new(),
        };
        store.set_controller_config(change).await.expect("set");
        assert_eq!(room.withheld().await, ["tools/secret"]);
        room.fixture.end().await;
    }
}

#[tokio::test]
async fn a_revision_that_needs_more_waits_until_it_is_approved() {
    for fixture in fixtures().await {
        let room = Room::new(fixture).await;
        let store = &room.fixture.store;
        room.charm(&["tools/secret"], b"one").await;
        room.charm(&["tools/secret", "port/80/tcp", "tools/reboot"], b"two")
            .await;
        room.deploy(Choices::default()).await.expect("deployed");
        let waits = room.refresh(1, Choices::default()).await.expect("accepted");
        assert_eq!(waits.charm, "local:vault-0");
        let said = &waits.status.message;
        assert!(
            said.ends_with("waiting for approval of revision 1: tools/reboot (because: needs it); run: periapt grant-capability vault tools/reboot"),
            "{said}"
        );
        let unit = store.unit(&room.model, &unit("vault/0"), &present).await;
        let unit = unit.expect("shown").workload.message;
        assert!(
            unit.contains("waiting for approval of revision 1"),
            "{unit}"
        );
        let held = waits.held.expect("held");
        assert_eq!(
            (held.charm.as_str(), held.by.as_str()),
            ("local:vault-1", "ann")
        );
        assert_eq!(held.awaits.len(), 1);

        let reboot = patterns(&["tools/reboot"]);
        let approved = store.grant_capabilities(&room.model, &room.vault, reboot, "bob");
        assert_eq!(approved.await.expect("approved").charm, "local:vault-1");
        let shown = store
            .application(&room.model, &room.vault)
            .await
            .expect("shown");
        assert!(shown.held.is_none() && !shown.status.message.contains("approval"));
        assert_eq!(room.withheld().await, [""; 0]);
        room.fixture.end().await;
    }
}

#[tokio::test]
async fn a_revision_that_waited_is_taken_because_of_its_approval() {
    for fixture in fixtures().await {
        let room = Room::new(fixture).await;
        let store = &room.fixture.store;
        room.charm(&["tools/secret"], b"one").await;
        room.charm(&["tools/secret", "tools/reboot"], b"two").await;
        room.deploy(Choices::default()).await.expect("deployed");
        room.refresh(1, Choices::default()).await.expect("accepted");
        let charm_cause = async || {
            let vault = unit("vault/0");
            let remote = store.get_remote_state(&room.model, &vault).await;
            remote.expect("read").expect("there").causes.charm
        };
        assert_eq!(charm_cause().await, Cause::Unknown);
        let record = AuditRecord {
            time: store.now(),
            who: "user-bob".to_owned(),
            model: Some(room.model.clone()),
            what: "POST".to_owned(),
            verb: "granted".to_owned(),
            object: "tools/reboot to vault".to_owned(),
            ..AuditRecord::default()
        };
        let reboot = patterns(&["tools/reboot"]);
        let approval = store.grant_capabilities(&room.model, &room.vault, reboot, "bob");
        let approved = store.recording(record).around(approval).await;
        assert_eq!(approved.expect("approved").charm, "local:vault-1");
        let cause = charm_cause().await;
        assert!(matches!(cause, Cause::Deed(_)), "{cause:?}");
        room.fixture.end().await;
    }
}

#[tokio::test]
async fn a_revision_that_waits_is_dropped_by_a_denial_and_by_another_refresh() {
    for fixture in fixtures().await {
        let room = Room::new(fixture).await;
        let store = &room.fixture.store;
        room.charm(&["tools/secret"], b"one").await;
        room.charm(&["tools/reboot"], b"two").await;
        room.charm(&[], b"three").await;
        room.deploy(Choices::default()).await.expect("deployed");
        let waits = room.refresh(1, Choices::default()).await.expect("accepted");
        assert!(waits.held.is_some());
        let reboot = patterns(&["tools/reboot"]);
        let denied = store.revoke_capabilities(&room.model, &room.vault, reboot, "bob");
        let denied = denied.await.expect("denied");
        assert_eq!(
            (denied.held, denied.charm.as_str()),
            (None, "local:vault-0")
        );

        let allowed = room
            .refresh(1, granting(&["tools/reboot"]))
            .await
            .expect("refreshed");
        assert_eq!(allowed.charm, "local:vault-1");
        let back = room
            .refresh(0, Choices::default())
            .await
            .expect("refreshed");
        assert_eq!(back.charm, "local:vault-0");
        let revoked =
            store.revoke_capabilities(&room.model, &room.vault, patterns(&["tools/reboot"]), "bob");
        let left = revoked.await.expect("forgotten").capabilities;
        let left: Vec<String> = left.iter().map(|one| one.capability.to_string()).collect();
        assert_eq!(left, ["tools/secret"], "what is not declared is forgotten");

        assert!(
            room.refresh(1, Choices::default())
                .await
                .expect("accepted")
                .held
                .is_some()
        );
        let other = room
            .refresh(2, Choices::default())
            .await
            .expect("refreshed");
        assert_eq!((other.charm.as_str(), other.held), ("local:vault-2", None));
        room.fixture.end().await;
    }
}

#[tokio::test]
async fn what_would_be_asked_for_is_told_before_a_charm_is_deployed() {
    for fixture in fixtures().await {
        let room = Room::new(fixture).await;
        let store = &room.fixture.store;
        room.charm(&["tools/secret", "tools/reboot"], b"one").await;
        let told = store.charm_capabilities(&room.model, "local:vault-0", None);
        let told = told.await.expect("told");
        let told: Vec<Standing> = told.capabilities.iter().map(|one| one.standing).collect();
        assert_eq!(told, [Standing::Undecided, Standing::Default]);
        let nobody = application("nobody");
        let told = store.charm_capabilities(&room.model, "local:vault-0", Some(&nobody));
        assert!(told.await.is_err());
        room.fixture.end().await;
    }
}

#[tokio::test]
async fn decisions_go_with_their_application() {
    for fixture in fixtures().await {
        let room = Room::new(fixture).await;
        room.charm(&["tools/reboot"], b"one").await;
        let none = periapt_wire::rest::Deploy {
            capabilities: granting(&["tools/reboot"]),
            ..request("vault", 0)
        };
        let store = &room.fixture.store;
        store
            .deploy_by(&room.model, none, "ann")
            .await
            .expect("deployed");
        store
            .remove_application(&room.model, &room.vault, false)
            .await
            .expect("removed");
        let refused = room
            .deploy(Choices::default())
            .await
            .expect_err("undecided");
        assert_eq!(refused.refusal(), Refusal::CapabilityUndecided);
        room.fixture.end().await;
    }
}
