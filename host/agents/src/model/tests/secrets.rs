//! secretdrainworker, and what of the controller's secretbackendrotate shows in a back end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use periapt_model::config::Value as Setting;
use periapt_model::secret::SecretId;
use periapt_server::{Identity, rpc};
use periapt_wire::agent::secret_backends::RotateSecretBackendToken;
use periapt_wire::rest::{ConfigChange, NewSecretBackend, SecretValues, UpdateSecretBackend};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Barrier;

use super::bench::Bench;
use crate::model::secretdrainworker;

/// What a Vault has.
#[derive(Default)]
struct Kept {
    values: BTreeMap<String, Value>,
    tokens: BTreeSet<String>,
    made: u32,
    /// Holds up whoever asks for a token next: met as it asks, and before it is answered.
    gate: Option<Arc<Barrier>>,
}

/// As much of a Vault as a back end asks.
#[derive(Clone, Default)]
struct Vault(Arc<Mutex<Kept>>);

impl Vault {
    /// Listens; where.
    async fn start(&self, token: &str) -> String {
        self.0.lock().unwrap().tokens.insert(token.to_owned());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let vault = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let vault = vault.clone();
                tokio::spawn(async move { vault.serve(stream).await });
            }
        });
        format!("http://{address}")
    }

    async fn serve(&self, mut stream: TcpStream) {
        let mut text = Vec::new();
        let (head, mut body) = loop {
            let mut part = [0; 4096];
            let count = stream.read(&mut part).await.unwrap_or(0);
            if count == 0 {
                return;
            }
            text.extend_from_slice(&part[..count]);
            if let Some(end) = text.windows(4).position(|four| four == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&text[..end]).to_lowercase();
                let raw = String::from_utf8_lossy(&text[..end]).into_owned();
                break ((head, raw), text[end + 4..].to_vec());
            }
        };
        let (lower, raw) = head;
        let header = |name: &str| {
            let place = lower
                .lines()
                .position(|line| line.starts_with(&format!("{name}:")))?;
            let line = raw.lines().nth(place)?;
            line.split_once(':')
                .map(|(_, value)| value.trim().to_owned())
        };
        let length: usize = header("content-length").map_or(0, |length| length.parse().unwrap());
        while body.len() < length {
            let mut part = [0; 4096];
            let count = stream.read(&mut part).await.unwrap_or(0);
            if count == 0 {
                return;
            }
            body.extend_from_slice(&part[..count]);
        }
        let token = header("x-vault-token").unwrap_or_default();
        let mut words = raw.split_whitespace();
        let (method, path) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        );
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let creates = path.ends_with("auth/token/create");
        let gate = creates.then(|| self.0.lock().unwrap().gate.take());
        if let Some(Some(gate)) = gate {
            gate.wait().await;
            gate.wait().await;
        }
        let (status, answer) = self.answer(method, path, &token, &body);
        let answer = answer.to_string();
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            answer.len()
        );
        let _ = stream.write_all(head.as_bytes()).await;
        let _ = stream.write_all(answer.as_bytes()).await;
        let _ = stream.shutdown().await;
    }

    fn answer(&self, method: &str, path: &str, token: &str, body: &Value) -> (u16, Value) {
        let mut kept = self.0.lock().unwrap();
        if !kept.tokens.contains(token) {
            return (403, json!({ "errors": ["permission denied"] }));
        }
        let path = path.trim_start_matches("/v1/");
        let data = path.strip_prefix("secret/data/").map(str::to_owned);
        let metadata = path.strip_prefix("secret/metadata/");
        match (method, path, data, metadata) {
            ("POST", _, Some(place), _) => {
                kept.values.insert(place, body["data"].clone());
                (200, json!({ "data": { "version": 1 } }))
            }
            ("GET", _, Some(place), _) => match kept.values.get(&place) {
                Some(values) => (200, json!({ "data": { "data": values } })),
                None => (404, json!({ "errors": [] })),
            },
            ("DELETE", _, _, Some(place)) => {
                kept.values.remove(place);
                (200, json!({}))
            }
            ("GET", "auth/token/lookup-self", ..) => (200, json!({ "data": {} })),
            ("POST", "auth/token/create", ..) => {
                kept.made += 1;
                let made = format!("token-{}", kept.made);
                kept.tokens.insert(made.clone());
                let orphan = body["no_parent"] == true;
                (
                    200,
                    json!({ "auth": { "client_token": made, "orphan": orphan } }),
                )
            }
            ("POST", "auth/token/revoke-self", ..) => {
                kept.tokens.remove(token);
                (200, json!({}))
            }
            _ => (404, json!({ "errors": ["no such path"] })),
        }
    }

    fn values(&self) -> usize {
        self.0.lock().unwrap().values.len()
    }
}

impl Bench {
    async fn add_vault(&self, vault: &Vault) {
        let endpoint = vault.start("first").await;
        let new = NewSecretBackend {
            name: "vault".to_owned(),
            kind: "vault".to_owned(),
            config: SecretValues(
                [
                    ("endpoint".to_owned(), endpoint),
                    ("token".to_owned(), "first".to_owned()),
                ]
                .into(),
            ),
            token_rotate_interval: Some(3600),
        };
        let added = self.state.secrets().add_backend(new).await.unwrap();
        assert!(!added.config.contains_key("token"), "{added:?}");
        assert_eq!(added.status, "active");
    }

    async fn want_backend(&self, name: &str) {
        let change = ConfigChange {
            set: [("secret-backend".to_owned(), Setting::Text(name.to_owned()))].into(),
            reset: Vec::new(),
        };
        let setter = periapt_store::Setter::Admin;
        let set = self.store.set_model_config(&self.model, change, setter);
        set.await.unwrap();
    }

    async fn add_secret(&self, number: u8) -> SecretId {
        let id = SecretId::of_random([number; 12]);
        let values = [("password".to_owned(), format!("hush-{number}"))];
        let secrets = self.state.secrets();
        let content = secrets.seal(&self.model, &id, values).await.unwrap();
        let name = format!("secret-{number}");
        let added = self
            .store
            .add_user_secret(&self.model, &id, &name, "", content);
        added.await.unwrap();
        id
    }

    /// The back end in which a secret is; its value is what it was.
    async fn read_secret(&self, id: &SecretId, number: u8) -> String {
        loop {
            let stored = self
                .store
                .secret_revision(&self.model, id.as_str(), None)
                .await
                .unwrap();
            let secrets = self.state.secrets();
            match secrets.open(&self.model, id, &stored.content).await {
                Ok(content) => {
                    assert_eq!(content.values()["password"], format!("hush-{number}"));
                    return stored.content.backend;
                }
                // It was moved, and swept where it was, between the two questions.
                Err(error) => {
                    let now = self.store.secret_content(&self.model, id, 1).await.unwrap();
                    assert_ne!(now, Some(stored.content), "{error}");
                }
            }
        }
    }
}

/// secretdrainworker: "when the model's backend switches from internal to external, then every revision's
/// backend id is the new one and secret-get returned valid content at each moment".
#[tokio::test]
async fn when_the_back_end_switches_every_revision_is_in_the_new_one_and_was_read_at_each_moment() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, secretdrainworker::NAME).await;
    let vault = Vault::default();
    bench.add_vault(&vault).await;
    let mut all = Vec::new();
    for number in 0..12 {
        all.push((bench.add_secret(number).await, number));
    }
    for (wanted, named) in [("vault", "vault"), ("auto", "internal")] {
        bench.want_backend(wanted).await;
        bench
            .until("every revision to be in the new back end", || async {
                let mut places = BTreeSet::new();
                for (id, number) in &all {
                    places.insert(bench.read_secret(id, *number).await);
                }
                (places == BTreeSet::from([named.to_owned()])).then_some(())
            })
            .await;
        bench.state.secrets().sweep().await.unwrap();
        let expected = if named == "vault" { 12 } else { 0 };
        assert_eq!(vault.values(), expected, "{named}");
    }
    bench.close(engine).await;
}

/// More of them than are told at a time: whose values are no more where they were.
#[tokio::test]
async fn what_cannot_be_moved_keeps_no_other_from_being_moved() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, secretdrainworker::NAME).await;
    let vault = Vault::default();
    bench.add_vault(&vault).await;
    bench.want_backend("vault").await;
    for number in 0..=100 {
        bench.add_secret(number).await;
    }
    vault.0.lock().unwrap().values.clear();
    let last = bench.add_secret(101).await;
    bench.want_backend("auto").await;
    bench
        .until("the last to be in the new back end", || async {
            (bench.read_secret(&last, 101).await == "internal").then_some(())
        })
        .await;
    bench.close(engine).await;
}

/// secretbackendrotate: "when a backend's token expires soon, then its token changes in the backend and reads
/// still work".
#[tokio::test]
async fn a_token_is_replaced_in_its_back_end_and_reads_still_work() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    let vault = Vault::default();
    bench.add_vault(&vault).await;
    bench.want_backend("vault").await;
    let id = bench.add_secret(1).await;
    assert_eq!(bench.read_secret(&id, 1).await, "vault");
    let api = rpc::in_process(&bench.state, Identity::Controller { model: None });
    let call = RotateSecretBackendToken {
        backend: "vault".to_owned(),
    };
    api.call(&call).await.unwrap();
    let tokens = || vault.0.lock().unwrap().tokens.clone();
    assert_eq!(tokens(), BTreeSet::from(["token-1".to_owned()]));
    assert_eq!(bench.read_secret(&id, 1).await, "vault");
    // A back end that refuses changes nothing.
    vault.0.lock().unwrap().tokens.clear();
    let refused = api.call(&call).await.unwrap_err();
    assert_eq!(refused.code(), "secret-backend-unavailable");
    let shown = bench.state.secrets().backends().await.unwrap();
    assert_eq!((shown[1].status.as_str(), shown[1].secrets), ("error", 1));
    vault.0.lock().unwrap().tokens.insert("token-1".to_owned());
    assert_eq!(bench.read_secret(&id, 1).await, "vault");
    let shown = bench.state.secrets().backends().await.unwrap();
    assert_eq!(
        (shown[1].status.as_str(), shown[1].message.as_str()),
        ("active", "")
    );
    bench.close(engine).await;
}

#[tokio::test]
async fn a_token_that_an_operator_sets_meanwhile_stays() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    let vault = Vault::default();
    bench.add_vault(&vault).await;
    bench.want_backend("vault").await;
    let id = bench.add_secret(1).await;
    let gate = Arc::new(Barrier::new(2));
    {
        let mut kept = vault.0.lock().unwrap();
        kept.gate = Some(gate.clone());
        kept.tokens.insert("second".to_owned());
    }
    let api = rpc::in_process(&bench.state, Identity::Controller { model: None });
    let call = RotateSecretBackendToken {
        backend: "vault".to_owned(),
    };
    let operator = async {
        gate.wait().await;
        let update = UpdateSecretBackend {
            config: SecretValues([("token".to_owned(), "second".to_owned())].into()),
            ..UpdateSecretBackend::default()
        };
        let secrets = bench.state.secrets();
        secrets.update_backend("vault", update).await.unwrap();
        gate.wait().await;
    };
    let (rotated, ()) = tokio::join!(api.call(&call), operator);
    assert_eq!(rotated.unwrap_err().code(), "try again");
    // The old one is the operator's to end, and the one that was made is of no use.
    let tokens = vault.0.lock().unwrap().tokens.clone();
    let expected = ["first", "second"].map(str::to_owned);
    assert_eq!(tokens, BTreeSet::from(expected));
    vault.0.lock().unwrap().tokens.remove("first");
    assert_eq!(bench.read_secret(&id, 1).await, "vault");
    bench.close(engine).await;
}
