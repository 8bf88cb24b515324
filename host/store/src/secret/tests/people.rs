//! Secrets of people: by name, for applications, and as values of options.

use periapt_model::config::{ConfigOption, Kind as OptionKind, Value};
use periapt_model::secret::OwnerKind;
use periapt_wire::rest::{ConfigChange, SecretQuery};

use super::*;
use crate::Setter;
use crate::testing::application;

impl Room<'_> {
    async fn add_named(&self, id: &SecretId, name: &str, text: &str) {
        let store = &self.fixture.store;
        let content = self.kept("internal", text);
        let made = store.add_user_secret(&self.model, id, name, "", content);
        made.await.expect("added");
    }

    async fn renew_named(&self, id: &SecretId, text: &str) {
        let store = &self.fixture.store;
        let content = Some(self.kept("internal", text));
        let made = store.update_user_secret(&self.model, id, (None, None), None, content);
        made.await.expect("renewed");
    }
}

#[tokio::test]
async fn a_user_secret_is_read_by_applications_that_it_was_granted_to() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let (store, model, secret) = (&fixture.store, &room.model, id(1));
        room.add_named(&secret, "database", "one").await;
        let other = id(2);
        let taken =
            store.add_user_secret(model, &other, "database", "", room.kept("internal", "x"));
        assert_eq!(
            taken.await.expect_err("taken").refusal().code(),
            "secret-already-exists"
        );
        assert_eq!(room.code("site/0", &secret).await, "unauthorized access");
        let granted = store.grant_user_secret(model, "database", vec![application("site")]);
        let granted = granted.await.expect("granted");
        assert_eq!(
            (granted.grants.len(), granted.grants[0].relation),
            (1, None)
        );
        assert_eq!(room.code("site/1", &secret).await, "read");
        let nobody = store.grant_user_secret(model, "database", vec![application("nobody")]);
        assert_eq!(
            nobody.await.expect_err("gone").refusal().code(),
            "application-not-found"
        );
        room.track("site/0", &secret, false).await;
        room.renew_named(&secret, "two").await;
        assert_eq!(
            room.due("site/0").await.changed,
            [event(&secret, "mine", 2, false)]
        );
        let uri = secret.uri();
        let revoked = store
            .revoke_user_secret(model, &uri, &application("site"))
            .await;
        assert!(revoked.expect("revoked").grants.is_empty());
        assert_eq!(room.code("site/0", &secret).await, "unauthorized access");
        assert!(room.due("site/0").await.is_empty());
        // Near names are told, and those of charms are not people's to change.
        let missing = store.secret(model, "databse").await.expect_err("missing");
        assert_eq!(missing.refusal().code(), "secret-not-found");
        assert!(
            missing.to_string().contains("did you mean \"database\"?"),
            "{missing}"
        );
        room.add("site/0", Owner::Unit, &id(3), "three").await;
        let charms = store.remove_user_secret(model, id(3).as_str(), None).await;
        assert_eq!(
            charms.expect_err("a charm's").refusal().code(),
            "secret-of-charm"
        );
        let all = store
            .secrets(model, &SecretQuery::default())
            .await
            .expect("listed");
        let kinds: Vec<OwnerKind> = all.items.iter().map(|one| one.owner.kind).collect();
        assert_eq!(kinds, [OwnerKind::Model, OwnerKind::Unit]);
        let query = SecretQuery {
            owner: Some("model".to_owned()),
            ..SecretQuery::default()
        };
        assert_eq!(
            store
                .secrets(model, &query)
                .await
                .expect("listed")
                .items
                .len(),
            1
        );
        let page = SecretQuery {
            limit: Some(1),
            ..SecretQuery::default()
        };
        let page = store.secrets(model, &page).await.expect("listed");
        let rest = SecretQuery {
            after: page.next,
            ..SecretQuery::default()
        };
        assert_eq!(
            store
                .secrets(model, &rest)
                .await
                .expect("listed")
                .items
                .len(),
            1
        );
        store
            .remove_user_secret(model, "database", None)
            .await
            .expect("removed");
        assert_eq!(room.code("site/0", &secret).await, "not found");
        fixture.end().await;
    }
}

#[tokio::test]
async fn revisions_that_nobody_is_on_go_by_themselves_where_people_want_that() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let (store, model, secret) = (&fixture.store, &room.model, id(1));
        room.add_named(&secret, "database", "one").await;
        store
            .grant_user_secret(model, "database", vec![application("site")])
            .await
            .expect("granted");
        room.track("site/0", &secret, false).await;
        room.renew_named(&secret, "two").await;
        room.renew_named(&secret, "three").await;
        let pruned = store.update_user_secret(model, &secret, (None, None), Some(true), None);
        let revisions = |shown: &periapt_wire::rest::SecretInfo| -> Vec<u32> {
            shown.revisions.iter().map(|one| one.revision).collect()
        };
        assert_eq!(revisions(&pruned.await.expect("pruned")), [1, 3]);
        room.track("site/0", &secret, true).await;
        let shown = store.secret(model, "database").await.expect("there");
        assert_eq!(revisions(&shown), [3]);
        room.renew_named(&secret, "four").await;
        room.lose("site/0").await;
        let shown = store.secret(model, "database").await.expect("there");
        assert_eq!(revisions(&shown), [4]);
        fixture.end().await;
    }
}

#[tokio::test]
async fn an_option_of_type_secret_names_a_user_secret() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let (store, model, secret) = (&fixture.store, &room.model, id(1));
        room.add_named(&secret, "token", "one").await;
        let mut info = metadata("asker", r#"{"name":"asker"}"#);
        let option = ConfigOption {
            kind: OptionKind::Secret,
            description: String::new(),
            default: None,
        };
        info.config.options.insert("token".to_owned(), option);
        store
            .add_charm(model, info, Bytes::from_static(b"asker"))
            .await
            .expect("charm");
        store
            .deploy(model, request("asker", 0))
            .await
            .expect("deployed");
        let set = |text: &str| ConfigChange {
            set: [("token".to_owned(), Value::Text(text.to_owned()))].into(),
            reset: Vec::new(),
        };
        let asker = application("asker");
        for text in ["token".to_owned(), secret.uri(), secret.to_string()] {
            let config = store
                .set_application_config(model, &asker, set(&text))
                .await;
            let config = config.expect(&text);
            assert_eq!(config.settings["token"], Value::Text(secret.uri()));
        }
        let nearly = store
            .set_application_config(model, &asker, set("tokn"))
            .await;
        let nearly = nearly.expect_err("no such secret");
        assert_eq!(nearly.refusal().code(), "secret-option-invalid");
        assert!(
            nearly.to_string().contains("did you mean \"token\"?"),
            "{nearly}"
        );
        room.add("site/0", Owner::Unit, &id(2), "two").await;
        let charms = store
            .set_application_config(model, &asker, set(&id(2).uri()))
            .await;
        assert_eq!(
            charms.expect_err("a charm's").refusal().code(),
            "secret-option-invalid"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_model_names_a_back_end_that_there_is() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let (store, model) = (&fixture.store, &room.model);
        let set = |text: &str| ConfigChange {
            set: [("secret-backend".to_owned(), Value::Text(text.to_owned()))].into(),
            reset: Vec::new(),
        };
        assert_eq!(
            store.wanted_secret_backend(model).await.expect("read"),
            "internal"
        );
        for known in ["internal", "auto"] {
            let set = store
                .set_model_config(model, set(known), Setter::Admin)
                .await;
            set.expect(known);
            assert_eq!(
                store.wanted_secret_backend(model).await.expect("read"),
                "internal"
            );
        }
        let unknown = store
            .set_model_config(model, set("internel"), Setter::Superuser)
            .await;
        let unknown = unknown.expect_err("none");
        assert_eq!(unknown.refusal().code(), "model-option-invalid");
        assert!(
            unknown.to_string().contains("did you mean \"internal\"?"),
            "{unknown}"
        );
        fixture.end().await;
    }
}
