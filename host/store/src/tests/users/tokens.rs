//! Tokens and sessions.

use super::*;

#[tokio::test]
async fn tokens_are_named_listed_without_their_secret_and_end() {
    for fixture in houses().await {
        let store = &fixture.store;
        let admin = user("admin");
        let first = token(&fixture, "admin", MINUTE).await;
        assert_eq!(whose(&fixture, &first).await.as_deref(), Some("admin"));
        assert_eq!(whose(&fixture, "nonsense").await, None);
        assert_eq!(whose(&fixture, "").await, None);
        fixture.clock.advance(Duration::from_secs(1));
        let second = token(&fixture, "admin", MINUTE * 2).await;
        let named = NewToken {
            kind: TokenKind::Token,
            name: "cli".to_owned(),
            unique: true,
            lifetime: MINUTE,
            replaces: None,
            origin: Origin::default(),
        };
        assert_eq!(
            code(store.issue_token(&admin, named).await),
            "token-already-exists"
        );
        let unknown = NewToken::login("cli", MINUTE);
        assert_eq!(
            code(store.issue_token(&user("nobody"), unknown).await),
            "user-not-found"
        );
        assert_eq!(
            code(
                store
                    .issue_token(&admin, NewToken::login(" ", MINUTE))
                    .await
            ),
            "token-name-invalid"
        );
        let listed = store.tokens(&admin).await.expect("tokens");
        let names: Vec<&str> = listed.iter().map(|token| token.name.as_str()).collect();
        assert_eq!(names, ["cli-2", "cli"], "newest first");
        let text = serde_json::to_string(&listed).expect("JSON");
        assert!(!text.contains(&first) && !text.contains(&second));
        assert!(store.user(&admin).await.expect("user").last_login.is_some());

        fixture.clock.advance(MINUTE);
        assert_eq!(whose(&fixture, &first).await, None, "expired");
        let left = store.tokens(&admin).await.expect("tokens");
        assert_eq!(left.len(), 1);
        assert!(store.token_stands(&left[0].id).await.expect("asked"));
        store
            .remove_token(&admin, &left[0].id)
            .await
            .expect("removed");
        assert!(!store.token_stands(&left[0].id).await.expect("asked"));
        assert_eq!(whose(&fixture, &second).await, None);
        assert_eq!(
            code(store.remove_token(&admin, &left[0].id).await),
            "token-not-found"
        );
        let third = token(&fixture, "admin", MINUTE).await;
        store.revoke_token(&third).await.expect("revoked");
        store.revoke_token(&third).await.expect("again");
        assert_eq!(whose(&fixture, &third).await, None);
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_use_of_a_token_is_written_once_a_minute() {
    for fixture in houses().await {
        let store = &fixture.store;
        let secret = token(&fixture, "admin", MINUTE * 60).await;
        let used = async || store.tokens(&user("admin")).await.expect("tokens")[0].last_used;
        let known = async || {
            let known = store.check_token(&secret).await.expect("checked");
            known.expect("known")
        };
        assert_eq!(used().await, None);
        let first = known().await;
        assert!(first.use_is_news);
        store
            .note_token_use(&first.id, Origin::default())
            .await
            .expect("noted");
        let at = used().await;
        assert!(at.is_some());
        fixture.clock.advance(MINUTE - Duration::from_secs(1));
        assert!(!known().await.use_is_news);
        store
            .note_token_use(&first.id, Origin::default())
            .await
            .expect("noted");
        assert_eq!(used().await, at);
        fixture.clock.advance(Duration::from_secs(1));
        assert!(known().await.use_is_news);
        store
            .note_token_use(&first.id, Origin::default())
            .await
            .expect("noted");
        assert!(used().await > at);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_session_has_a_secret_of_its_own_and_many_logins_end_the_oldest() {
    for fixture in houses().await {
        let store = &fixture.store;
        let session = NewToken {
            kind: TokenKind::Session,
            ..NewToken::login("browser", MINUTE * 60)
        };
        let admin = user("admin");
        let first = store
            .issue_token(&admin, session.clone())
            .await
            .expect("first");
        let second = store.issue_token(&admin, session).await.expect("second");
        assert!(!first.csrf.is_empty() && first.csrf != second.csrf);
        assert_ne!(first.csrf, first.secret);
        let known = store.check_token(&first.secret).await.expect("checked");
        let known = known.expect("known");
        assert_eq!((known.kind, known.csrf), (TokenKind::Session, first.csrf));
        fixture.clock.advance(Duration::from_secs(1));
        for _ in 0..198 {
            token(&fixture, "admin", MINUTE * 60).await;
        }
        assert!(whose(&fixture, &first.secret).await.is_some());
        token(&fixture, "admin", MINUTE * 60).await;
        token(&fixture, "admin", MINUTE * 60).await;
        assert!(whose(&fixture, &first.secret).await.is_none());
        assert_eq!(store.tokens(&admin).await.expect("tokens").len(), 200);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_new_password_and_a_closed_account_end_tokens_and_sessions() {
    for fixture in houses().await {
        let store = &fixture.store;
        let bob = user("bob");
        assert_eq!(add(&fixture, "bob", Some(PASSWORD)).await, None);
        let mut heard = store
            .changes()
            .subscribe(Interest::any_model().key(namespace::USER, "bob"));
        let mine = token(&fixture, "bob", MINUTE).await;
        let others = token(&fixture, "admin", MINUTE).await;
        store
            .change_password(&bob, "another password")
            .await
            .expect("changed");
        assert_eq!(whose(&fixture, &mine).await, None);
        let mine = token(&fixture, "bob", MINUTE).await;
        let set = |disabled| ChangeUser {
            disabled: Some(disabled),
            ..ChangeUser::default()
        };
        assert!(
            store
                .change_user(&bob, set(true))
                .await
                .expect("disabled")
                .disabled
        );
        assert_eq!(whose(&fixture, &mine).await, None);
        assert_eq!(store.standing(&bob).await.expect("asked"), None);
        for (password, expected) in [
            ("another password", PasswordCheck::Disabled),
            ("a guess", PasswordCheck::Wrong),
        ] {
            let fits = store.check_password(&bob, password).await;
            assert_eq!(fits.expect("checked"), expected, "{password}");
        }
        let login = NewToken::login("cli", MINUTE);
        assert_eq!(code(store.issue_token(&bob, login).await), "user-not-found");
        store.change_user(&bob, set(false)).await.expect("enabled");
        assert_eq!(whose(&fixture, &mine).await, None, "ended is ended");
        let fits = store.check_password(&bob, "another password").await;
        assert_eq!(fits.expect("checked"), PasswordCheck::Right);
        assert_eq!(whose(&fixture, &others).await.as_deref(), Some("admin"));
        let named = ChangeUser {
            display_name: Some(" Bob Burr ".to_owned()),
            ..ChangeUser::default()
        };
        let info = store.change_user(&bob, named).await.expect("named");
        assert_eq!(
            (info.display_name.as_str(), info.disabled),
            ("Bob Burr", false)
        );
        fixture.settle().await;
        assert!(!heard.take_now().is_empty());
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_token_says_from_where_and_with_what_it_was_used_last() {
    const FIREFOX: &[u8] =
        b"Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0";
    for fixture in houses().await {
        let store = &fixture.store;
        let admin = user("admin");
        let from = |address: &str, program: &[u8]| {
            Origin::new(Some(address.parse().expect("address")), program)
        };
        let shown = async || {
            let listed = store.tokens(&admin).await.expect("tokens");
            let token = listed.into_iter().next().expect("a token");
            (token.address, token.program)
        };
        let both = |address: &str, program: &str| (address.to_owned(), program.to_owned());

        let login = NewToken {
            origin: from("192.0.2.7", b"curl/8.11.0\x1b[31m\r\n"),
            ..NewToken::login("cli", MINUTE * 60)
        };
        let issued = store.issue_token(&admin, login).await.expect("issued");
        assert_eq!(shown().await, both("192.0.2.7", "curl/8.11.0"));
        assert_eq!(
            (issued.info.address.as_str(), issued.info.program.as_str()),
            ("192.0.2.7", "curl/8.11.0")
        );

        // As a listener for both kinds of addresses sees one of the older kind.
        let id = &issued.info.id;
        let noted = store.note_token_use(id, from("::ffff:192.0.2.8", FIREFOX));
        noted.await.expect("noted");
        assert_eq!(shown().await, both("192.0.2.8", "Firefox 133 on Linux"));
        let noted = store.note_token_use(id, from("192.0.2.9", b"curl/8.11.0"));
        noted.await.expect("noted");
        assert_eq!(shown().await.0, "192.0.2.8", "the same minute");

        fixture.clock.advance(MINUTE);
        let long = "x".repeat(10_000);
        let noted = store.note_token_use(id, from("2001:db8::7", long.as_bytes()));
        noted.await.expect("noted");
        let (address, program) = shown().await;
        assert_eq!(address, "2001:db8::7");
        assert_eq!(program, format!("{}…", "x".repeat(256)));
        fixture.end().await;
    }
}

#[tokio::test]
async fn nothing_is_claimed_of_a_token_that_nobody_used_yet() {
    for fixture in houses().await {
        token(&fixture, "admin", MINUTE).await;
        let listed = fixture.store.tokens(&user("admin")).await.expect("tokens");
        assert_eq!(
            (listed[0].address.as_str(), listed[0].program.as_str()),
            ("", "")
        );
        let text = serde_json::to_value(&listed[0]).expect("JSON");
        assert!(text.get("address").is_none() && text.get("program").is_none());
        fixture.end().await;
    }
}
