//! A client of the websocket.

use futures::{SinkExt, StreamExt};
use periapt_server::access::Rule;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::PATIENCE;

/// A websocket client that keeps requests and replies in its own hands.
pub struct Socket {
    socket: WebSocketStream<TlsStream<TcpStream>>,
    last: u64,
}

/// Code and message of a refused call.
pub type Refusal = (String, String);

impl Socket {
    pub fn new(socket: WebSocketStream<TlsStream<TcpStream>>) -> Self {
        Self { socket, last: 0 }
    }

    pub async fn send(
        &mut self,
        facade: &str,
        method: &str,
        id: Option<&str>,
        params: Value,
    ) -> u64 {
        let version = if facade == "Admin" { 3 } else { 1 };
        self.send_in(facade, version, method, id, params).await
    }

    async fn send_in(
        &mut self,
        facade: &str,
        version: u32,
        method: &str,
        id: Option<&str>,
        params: Value,
    ) -> u64 {
        self.last += 1;
        let mut request = json!({ "request-id": self.last, "type": facade, "version": version, "request": method, "params": params });
        if let Some(id) = id {
            request["Id"] = json!(id);
        }
        self.text(&request.to_string()).await;
        self.last
    }

    pub async fn text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    /// Sends what the server may refuse to take.
    pub async fn try_text(&mut self, text: &str) -> bool {
        self.socket.send(Message::text(text)).await.is_ok()
    }

    /// The next reply, whatever it answers; none when the server closed.
    pub async fn reply(&mut self) -> Option<Value> {
        loop {
            match tokio::time::timeout(PATIENCE, self.socket.next())
                .await
                .expect("a reply in time")
            {
                Some(Ok(Message::Text(text))) => {
                    return Some(serde_json::from_str(text.as_str()).unwrap());
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// A call whose reply is the next one.
    pub async fn call(
        &mut self,
        facade: &str,
        method: &str,
        params: Value,
    ) -> Result<Value, Refusal> {
        self.call_id(facade, method, None, params).await
    }

    pub async fn call_id(
        &mut self,
        facade: &str,
        method: &str,
        id: Option<&str>,
        params: Value,
    ) -> Result<Value, Refusal> {
        let sent = self.send(facade, method, id, params).await;
        self.outcome_of(sent).await
    }

    /// A call as its rule has it, in the rule's version.
    pub async fn call_rule(&mut self, rule: &Rule, params: Value) -> Result<Value, Refusal> {
        let sent = self.send_in(rule.facade, rule.version, rule.method, None, params);
        let sent = sent.await;
        self.outcome_of(sent).await
    }

    async fn outcome_of(&mut self, sent: u64) -> Result<Value, Refusal> {
        let reply = self.reply().await.expect("the connection stands");
        assert_eq!(reply["request-id"], sent, "{reply}");
        outcome(reply)
    }

    pub async fn log_in(&mut self, tag: &str, password: &str) -> Result<Value, Refusal> {
        self.call(
            "Admin",
            "Login",
            json!({ "auth-tag": tag, "credentials": password, "client-version": "3.6.1" }),
        )
        .await
    }
}

pub fn outcome(reply: Value) -> Result<Value, Refusal> {
    match reply.get("error") {
        None => Ok(reply["response"].clone()),
        Some(error) => {
            assert_eq!(
                reply["response"],
                json!({}),
                "an error carries an empty response"
            );
            let code = reply
                .get("error-code")
                .and_then(Value::as_str)
                .unwrap_or_default();
            Err((code.to_owned(), error.as_str().unwrap().to_owned()))
        }
    }
}
