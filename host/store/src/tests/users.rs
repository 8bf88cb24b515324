mod connections;
mod tokens;

use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use periapt_model::{AgentName, Tag, UserName};
use periapt_wire::rest::{AddUser, ChangeUser, ControllerAccess, ModelPermission};

use crate::testing::{Fixture, fixtures};
use crate::{Interest, NewToken, Origin, PasswordCheck, StoreError, TokenKind, namespace};

const PASSWORD: &str = "correct horse";
const MINUTE: Duration = Duration::from_secs(60);

fn user(name: &str) -> UserName {
    name.parse().expect("user")
}

async fn add(fixture: &Fixture, name: &str, password: Option<&str>) -> Option<String> {
    let request = AddUser {
        name: name.to_owned(),
        display_name: format!("{name} the user"),
        password: password.map(str::to_owned),
    };
    let added = fixture.store.add_user(request, &user("admin")).await;
    added.expect("added").1
}

/// With the superuser `admin`.
async fn houses() -> Vec<Fixture> {
    let houses = fixtures().await;
    for fixture in &houses {
        let set = fixture.store.set_password(&user("admin"), PASSWORD).await;
        set.expect("set");
    }
    houses
}

async fn token(fixture: &Fixture, name: &str, lifetime: Duration) -> String {
    let wanted = NewToken::login("cli", lifetime);
    let issued = fixture.store.issue_token(&user(name), wanted).await;
    issued.expect("issued").secret
}

async fn whose(fixture: &Fixture, secret: &str) -> Option<String> {
    let known = fixture.store.check_token(secret).await.expect("checked");
    known.map(|known| known.user.to_string())
}

fn login() -> NewToken {
    NewToken::login("cli", MINUTE)
}

fn code<T>(result: Result<T, StoreError>) -> String {
    match result {
        Ok(_) => "ok".to_owned(),
        Err(error) => error.refusal().code().to_owned(),
    }
}

#[tokio::test]
async fn passwords_let_in_whom_they_belong_to() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let (admin, other) = (user("admin"), user("other"));
        for weak in ["", "short", "administrator\n", "aaaaaaaaaaa"] {
            assert_eq!(
                code(store.set_password(&admin, weak).await),
                "password-refused",
                "{weak:?}"
            );
        }
        store.set_password(&admin, PASSWORD).await.expect("set");
        for (name, password, right) in [
            (&admin, PASSWORD, PasswordCheck::Right),
            (&admin, "Correct horse", PasswordCheck::Wrong),
            (&other, PASSWORD, PasswordCheck::Wrong),
        ] {
            let fits = store.check_password(name, password).await;
            assert_eq!(fits.expect("checked"), right, "{name} {password}");
        }
        let info = store.user(&admin).await.expect("user");
        assert_eq!(info.access, ControllerAccess::Superuser);
        assert_eq!(
            code(store.change_password(&other, PASSWORD).await),
            "user-not-found"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn an_invitation_is_good_once_for_a_day() {
    for fixture in houses().await {
        let store = &fixture.store;
        let bob = user("bob");
        let invitation = add(&fixture, "bob", None).await.expect("invited");
        let info = store.user(&bob).await.expect("user");
        assert_eq!(
            (info.access, info.registered),
            (ControllerAccess::Login, false)
        );
        let fits = store.check_password(&bob, "").await;
        assert_eq!(fits.expect("checked"), PasswordCheck::Wrong);
        let duplicate = AddUser {
            name: "bob".to_owned(),
            ..AddUser::default()
        };
        assert_eq!(
            code(store.add_user(duplicate, &user("admin")).await),
            "user-already-exists"
        );
        for (name, secret, password, expected) in [
            ("bob", "nonsense", PASSWORD, "registration-invalid"),
            (
                "admin",
                invitation.as_str(),
                PASSWORD,
                "registration-invalid",
            ),
            ("bob", invitation.as_str(), "short", "password-refused"),
            ("bob", invitation.as_str(), PASSWORD, "ok"),
            (
                "bob",
                invitation.as_str(),
                "another password",
                "registration-invalid",
            ),
        ] {
            let done = store.register(&user(name), secret, password, login()).await;
            assert_eq!(code(done), expected, "{name} {password}");
        }
        let fits = store.check_password(&bob, PASSWORD).await;
        assert_eq!(fits.expect("checked"), PasswordCheck::Right);
        assert!(store.user(&bob).await.expect("user").registered);

        let (info, again) = store.reset_password(&bob).await.expect("reset");
        assert!(!info.registered);
        let fits = store.check_password(&bob, PASSWORD).await;
        assert_eq!(fits.expect("checked"), PasswordCheck::Wrong);
        fixture.clock.advance(Duration::from_secs(24 * 3600));
        assert_eq!(
            code(store.register(&bob, &again, PASSWORD, login()).await),
            "registration-invalid",
            "a day is over"
        );
        let (_, again) = store.reset_password(&bob).await.expect("reset");
        let disabled = ChangeUser {
            disabled: Some(true),
            ..ChangeUser::default()
        };
        store.change_user(&bob, disabled).await.expect("disabled");
        assert_eq!(
            code(store.register(&bob, &again, PASSWORD, login()).await),
            "registration-invalid",
            "shut out"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn somebody_who_can_log_in_stays_superuser() {
    for fixture in houses().await {
        let store = &fixture.store;
        let (admin, bob) = (user("admin"), user("bob"));
        let disabled = || ChangeUser {
            disabled: Some(true),
            ..ChangeUser::default()
        };
        add(&fixture, "bob", None).await;
        let superuser = ControllerAccess::Superuser;
        store
            .grant_controller(&bob, superuser)
            .await
            .expect("granted");
        // Bob never registered, so nobody could log in.
        assert_eq!(
            code(store.change_user(&admin, disabled()).await),
            "last-superuser"
        );
        assert_eq!(
            code(store.revoke_controller(&admin, superuser).await),
            "last-superuser"
        );
        assert_eq!(
            code(store.remove_user(&admin, &bob).await),
            "last-superuser"
        );
        assert_eq!(code(store.reset_password(&admin).await), "last-superuser");
        assert_eq!(code(store.remove_user(&bob, &bob).await), "user-oneself");
        let fits = store.check_password(&admin, PASSWORD).await;
        assert_eq!(fits.expect("nothing was done"), PasswordCheck::Right);
        store.change_password(&bob, PASSWORD).await.expect("set");
        let demoted = store
            .revoke_controller(&admin, superuser)
            .await
            .expect("demoted");
        assert_eq!(demoted.access, ControllerAccess::Login);
        assert_eq!(
            code(store.revoke_controller(&bob, superuser).await),
            "last-superuser"
        );
        assert_eq!(
            code(
                store
                    .revoke_controller(&admin, ControllerAccess::Login)
                    .await
            ),
            "access-login"
        );
        let same = store.grant_controller(&bob, ControllerAccess::Login).await;
        assert_eq!(
            same.expect("granted").access,
            superuser,
            "giving takes nothing"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn access_to_a_model_is_given_and_taken_step_by_step() {
    use ModelPermission::{Admin, Read, Write};
    for fixture in houses().await {
        let store = &fixture.store;
        let (admin, bob) = (user("admin"), user("bob"));
        let (model, other) = (fixture.model("first").await, fixture.model("second").await);
        add(&fixture, "bob", Some(PASSWORD)).await;
        let standing = async |user: &UserName, model: &str| {
            let standing = store.model_standing(user, model).await.expect("asked");
            standing.map(|standing| standing.access)
        };
        assert_eq!(standing(&bob, "first").await, None);
        assert_eq!(standing(&admin, "first").await, Some(Admin));
        assert_eq!(standing(&admin, "nowhere").await, None);
        assert!(
            store
                .readable_models(&bob)
                .await
                .expect("models")
                .is_empty()
        );
        assert_eq!(
            store.readable_models(&admin).await.expect("models").len(),
            2
        );
        for (given, left) in [(Read, Read), (Write, Write), (Read, Write), (Admin, Admin)] {
            let access = store
                .grant_model(&model, &bob, given)
                .await
                .expect("granted");
            assert_eq!(access.access, Some(left));
            assert_eq!(standing(&bob, "first").await, Some(left));
            assert_eq!(standing(&bob, model.as_str()).await, Some(left));
        }
        assert_eq!(standing(&bob, "second").await, None);
        let seen = store.readable_models(&bob).await.expect("models");
        assert_eq!(seen.len(), 1);
        assert_eq!(store.user(&bob).await.expect("user").models.len(), 1);
        let listed = store.model_access(&model).await.expect("listed");
        let listed: Vec<_> = listed
            .iter()
            .map(|row| (row.user.as_str(), row.access, row.owner))
            .collect();
        assert_eq!(
            listed,
            [("admin", Some(Admin), true), ("bob", Some(Admin), false)]
        );
        for (taken, left) in [
            (Admin, Some(Write)),
            (Admin, Some(Write)),
            (Write, Some(Read)),
            (Read, None),
            (Read, None),
        ] {
            let access = store
                .revoke_model(&model, &bob, taken)
                .await
                .expect("revoked");
            assert_eq!(access.access, left);
            assert_eq!(standing(&bob, "first").await, left);
        }
        assert_eq!(
            code(store.revoke_model(&model, &admin, Read).await),
            "owner-access"
        );
        assert_eq!(
            code(store.grant_model(&model, &user("nobody"), Read).await),
            "user-not-found"
        );
        store
            .grant_model(&other, &bob, Read)
            .await
            .expect("granted");
        store
            .destroy_model(&other, false, None)
            .await
            .expect("destroyed");
        store.process_dying_model(&other).await.expect("dead");
        store.remove_model(&other).await.expect("gone");
        assert!(store.own_models(&bob).await.expect("models").is_empty());
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_a_removed_user_had_is_not_inherited_by_the_next_of_that_name() {
    for fixture in houses().await {
        let store = &fixture.store;
        let (admin, bob) = (user("admin"), user("bob"));
        add(&fixture, "bob", Some(PASSWORD)).await;
        let request = periapt_wire::rest::AddModel::new("bobs".parse().expect("name"));
        let model = store.add_model(request, &bob).await.expect("model").uuid;
        let secret = token(&fixture, "bob", MINUTE).await;
        let found = store.model_standing(&bob, "bobs").await.expect("asked");
        assert_eq!(found.expect("owner").access, ModelPermission::Admin);
        store.remove_user(&bob, &admin).await.expect("removed");
        assert_eq!(whose(&fixture, &secret).await, None);
        assert_eq!(code(store.user(&bob).await), "user-not-found");
        add(&fixture, "bob", Some(PASSWORD)).await;
        assert_eq!(
            store.model_standing(&bob, "bobs").await.expect("asked"),
            None
        );
        assert_eq!(whose(&fixture, &secret).await, None);
        let access = store.model_access(&model).await.expect("access");
        assert_eq!((access[0].user.as_str(), access[0].owner), ("admin", true));
        fixture.end().await;
    }
}

/// The shortest of several runs: what a guesser with patience could measure.
async fn time_of(fixture: &Fixture, name: &str) -> Duration {
    let began = std::time::Instant::now();
    let fits = fixture
        .store
        .check_password(&user(name), "a wrong guess")
        .await;
    assert_eq!(fits.expect("checked"), PasswordCheck::Wrong);
    began.elapsed()
}

#[tokio::test]
async fn unknown_invited_and_disabled_users_take_as_long_as_known_ones() {
    let fixture = houses().await.remove(0);
    add(&fixture, "invited", None).await;
    add(&fixture, "disabled", Some(PASSWORD)).await;
    let change = ChangeUser {
        disabled: Some(true),
        ..ChangeUser::default()
    };
    let changed = fixture.store.change_user(&user("disabled"), change).await;
    changed.expect("disabled");
    // In turns, so that other work on the machine delays all of them, and the best of each.
    let names = ["admin", "nobody", "invited", "disabled"];
    let mut best = [Duration::MAX; 4];
    for _ in 0..8 {
        for (name, best) in names.iter().zip(&mut best) {
            *best = time_of(&fixture, name).await.min(*best);
        }
    }
    let known = best[0];
    for (name, other) in names.into_iter().zip(best) {
        // Without the hash it would be a hundredth.
        assert!(other * 8 > known, "{name}: {other:?}, known: {known:?}");
        assert!(known * 8 > other, "{name}: {other:?}, known: {known:?}");
    }
    fixture.end().await;
}

#[tokio::test]
async fn agents_have_random_passwords_that_go_with_the_model() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("default").await;
        let first = store
            .make_agent_credential(&model, &AgentName::Host)
            .await
            .expect("made");
        assert_eq!(first.tag, Tag::Agent(model.clone(), AgentName::Host));
        assert!(
            store
                .check_agent_password(&model, &AgentName::Host, &first.password)
                .await
                .expect("checked")
        );
        let second = store
            .make_agent_credential(&model, &AgentName::Host)
            .await
            .expect("replaced");
        assert!(
            !store
                .check_agent_password(&model, &AgentName::Host, &first.password)
                .await
                .expect("checked")
        );
        assert!(
            store
                .check_agent_password(&model, &AgentName::Host, &second.password)
                .await
                .expect("checked")
        );
        store
            .destroy_model(&model, false, None)
            .await
            .expect("destroyed");
        store.process_dying_model(&model).await.expect("dead");
        store.remove_model(&model).await.expect("gone");
        assert!(
            !store
                .check_agent_password(&model, &AgentName::Host, &second.password)
                .await
                .expect("checked")
        );
        fixture.end().await;
    }
}

#[test]
fn the_hash_for_unknown_users_is_a_hash() {
    assert!(PasswordHash::new(crate::user::NOBODY).is_ok());
}
