//! Clients of the HTTP API: short answers, lines and events.

use periapt_model::ModelUuid;
use serde_json::Value;

use super::PATIENCE;

pub struct Http {
    pub client: reqwest::Client,
    pub base: String,
    pub authorization: Option<String>,
}

impl Http {
    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let request = self
            .client
            .request(method.parse().unwrap(), format!("{}{path}", self.base));
        match &self.authorization {
            Some(value) => request.header("authorization", value),
            None => request,
        }
    }

    /// Status and JSON (null where the body is none).
    pub async fn send(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let request = self.request(method, path);
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        read(request.send().await.unwrap()).await
    }

    pub async fn get(&self, path: &str) -> (u16, Value) {
        self.send("GET", path, None).await
    }

    pub async fn upload(&self, model: &ModelUuid, bytes: Vec<u8>) -> (u16, Value) {
        let request = self.request(
            "POST",
            &format!("/v1/models/{model}/charms?name=test.charm"),
        );
        let request = request.header("content-type", "application/zip");
        read(request.body(bytes).send().await.unwrap()).await
    }
}

async fn read(response: reqwest::Response) -> (u16, Value) {
    let status = response.status().as_u16();
    let bytes = response.bytes().await.unwrap();
    (
        status,
        serde_json::from_slice(&bytes).unwrap_or(Value::Null),
    )
}

/// Lines of a response without end.
pub struct LineReader {
    response: reqwest::Response,
    buffer: Vec<u8>,
}

impl LineReader {
    pub fn new(response: reqwest::Response) -> Self {
        assert_eq!(response.status().as_u16(), 200);
        Self {
            response,
            buffer: Vec::new(),
        }
    }

    /// The next line; none at the end.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                return Some(serde_json::from_slice(&line).unwrap());
            }
            let chunk = tokio::time::timeout(PATIENCE, self.response.chunk())
                .await
                .expect("a line in time");
            self.buffer.extend_from_slice(&chunk.ok().flatten()?);
        }
    }
}

/// Events of a stream as a browser gets them.
pub struct EventReader {
    response: reqwest::Response,
    buffer: Vec<u8>,
    /// What a browser would send as `Last-Event-ID`.
    pub last_id: Option<String>,
    /// Comments that were there.
    pub heartbeats: usize,
}

impl EventReader {
    pub async fn open(http: &Http, path: &str, last_id: Option<&str>) -> Self {
        let mut request = http
            .request("GET", path)
            .timeout(PATIENCE * 4)
            .header("accept", "text/event-stream");
        if let Some(id) = last_id {
            request = request.header("last-event-id", id);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            response,
            buffer: Vec::new(),
            last_id: last_id.map(str::to_owned),
            heartbeats: 0,
        }
    }

    /// Name and data of the next event; none at the end.
    pub async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            while let Some(end) = self.buffer.windows(2).position(|two| two == b"\n\n") {
                let block: Vec<u8> = self.buffer.drain(..end + 2).collect();
                let block = String::from_utf8(block).unwrap();
                let field = |name: &str| {
                    block
                        .lines()
                        .find_map(|line| line.strip_prefix(name))
                        .map(str::to_owned)
                };
                self.heartbeats += usize::from(block.starts_with(": heartbeat"));
                if let Some(id) = field("id: ") {
                    self.last_id = Some(id);
                }
                if let Some(data) = field("data: ") {
                    let data = serde_json::from_str(&data).unwrap();
                    return Some((field("event: ").unwrap(), data));
                }
            }
            let chunk = tokio::time::timeout(PATIENCE, self.response.chunk())
                .await
                .expect("an event in time");
            self.buffer.extend_from_slice(&chunk.ok().flatten()?);
        }
    }

    /// The snapshot with everything up to `current`, by kind and key.
    pub async fn snapshot(&mut self) -> std::collections::BTreeMap<(String, String), Value> {
        let mut all = std::collections::BTreeMap::new();
        loop {
            let (name, data) = self.next().await.expect("a whole snapshot");
            match name.as_str() {
                "snapshot" => {
                    let key = (text(&data["kind"]), text(&data["key"]));
                    assert_eq!(all.insert(key, data), None, "each once");
                }
                "current" => return all,
                other => panic!("{other} within the snapshot: {data}"),
            }
        }
    }

    /// The next change of this kind and key that `fits`.
    pub async fn until(&mut self, kind: &str, key: &str, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let (name, data) = self.next().await.expect("the stream goes on");
            assert_eq!(name, "change", "{data}");
            if data["kind"] == kind && data["key"] == key && fits(&data["entity"]) {
                return data;
            }
        }
    }
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
