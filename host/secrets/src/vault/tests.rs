use super::*;
use crate::backend::open;

fn config(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn refusal(pairs: &[(&str, &str)]) -> String {
    match open("vault", &config(pairs)) {
        Ok(_) => panic!("{pairs:?} is taken"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_configuration_is_checked_before_it_is_used() {
    let token = ("token", "hvs.x");
    for (pairs, why) in [
        (&[token][..], "endpoint is missing"),
        (
            &[("endpoint", "http://127.0.0.1:8200")][..],
            "token is missing",
        ),
        (&[("endpoint", "http://vault.lan"), token][..], "https://"),
        (&[("endpoint", "ftp://127.0.0.1"), token][..], "https://"),
        (&[("endpoint", "nonsense"), token][..], "no URL"),
        (
            &[("endpoint", "http://me@127.0.0.1"), token][..],
            "neither a user",
        ),
        (
            &[
                ("endpoint", "http://127.0.0.1"),
                token,
                ("mount-path", "a b"),
            ],
            "mount-path",
        ),
        (
            &[
                ("endpoint", "https://vault.lan"),
                token,
                ("ca-cert", "none"),
            ],
            "certificate",
        ),
        (
            &[("endpoint", "http://127.0.0.1"), token, ("endpont", "x")][..],
            "did you mean \"endpoint\"",
        ),
    ] {
        let refusal = refusal(pairs);
        assert!(refusal.contains(why), "{refusal} has no {why}");
    }
    for endpoint in [
        "http://localhost:8200/",
        "http://[::1]:8200",
        "http://127.0.0.2",
    ] {
        let config = config(&[("endpoint", endpoint), token]);
        assert!(open("vault", &config).is_ok(), "{endpoint}");
    }
    let unknown = open("valt", &config(&[token]));
    let Err(unknown) = unknown else {
        panic!("there is no such type");
    };
    assert!(unknown.to_string().contains("did you mean \"vault\""));
}

#[test]
fn what_a_vault_says_is_passed_on_in_short() {
    let body = json!({ "errors": ["permission denied", "x".repeat(500)] });
    let said = refused(StatusCode::FORBIDDEN, &body).to_string();
    assert!(said.starts_with("the Vault answers 403: permission denied, xx"));
    assert!(said.len() < 300);
    let said = refused(StatusCode::BAD_GATEWAY, &Value::Null).to_string();
    assert_eq!(said, "the Vault answers 502");
}
