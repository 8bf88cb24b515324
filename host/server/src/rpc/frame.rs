//! One text message as a request.
//!
//! Before the login nothing of a message is kept but its envelope and the few texts of a login:
//! whoever sends has proven nothing, and a tree of values takes far more memory than its text.

use std::fmt;

use periapt_model::bounds::MESSAGE_VALUES;
use periapt_wire::agent::admin::Login;
use periapt_wire::rpc::Request;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::error::RpcError;
use crate::json;

/// A request with the number that its reply repeats.
pub(super) struct Frame {
    pub id: u64,
    pub request: Result<Request, RpcError>,
    /// Values in the message.
    pub values: usize,
}

const PARAMS: &str = "params";

/// Reads a message whole. An error has no number to answer to.
pub(super) fn read(text: &str) -> Result<Frame, &'static str> {
    let values = json::values(text.as_bytes());
    if MESSAGE_VALUES.exceeded_by(values) {
        let mut frame = head(text)?;
        let most = MESSAGE_VALUES.most;
        let why = format!("the message holds more than {most} values");
        frame.request = Err(RpcError::bad_request(why));
        return Ok(frame);
    }
    let Envelope { mut head, params } = envelope::<Value>(text)?;
    head.insert(PARAMS.to_owned(), params.unwrap_or_default());
    frame(head, values)
}

/// Reads a message without its parameters.
pub(super) fn head(text: &str) -> Result<Frame, &'static str> {
    frame(envelope::<IgnoredAny>(text)?.head, 1)
}

/// The parameters of a login.
pub(super) fn login(text: &str) -> Result<Login, RpcError> {
    let parsed: Result<Envelope<Option<Login>>, _> = serde_json::from_str(text);
    let params = parsed.map_err(RpcError::bad_request)?.params.flatten();
    Ok(params.unwrap_or(Login {
        auth_tag: None,
        credentials: None,
        client_version: None,
    }))
}

fn envelope<P: DeserializeOwned>(text: &str) -> Result<Envelope<P>, &'static str> {
    serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => "not an object",
        _ => "not JSON",
    })
}

fn frame(head: Map<String, Value>, values: usize) -> Result<Frame, &'static str> {
    let id = head
        .get("request-id")
        .and_then(Value::as_u64)
        .filter(|id| *id > 0)
        .ok_or("no request-id")?;
    let request = serde_json::from_value(Value::Object(head)).map_err(RpcError::bad_request);
    Ok(Frame {
        id,
        request,
        values,
    })
}

/// An object whose parameters are read as `P`. Keys are matched without regard to case, as Go
/// does; unknown ones are dropped.
struct Envelope<P> {
    head: Map<String, Value>,
    params: Option<P>,
}

const HEAD: &[&str] = &["request-id", "type", "version", "id", "request"];

impl<'de, P: DeserializeOwned> serde::Deserialize<'de> for Envelope<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members(Envelope {
            head: Map::new(),
            params: None,
        }))
    }
}

struct Members<P>(Envelope<P>);

impl<'de, P: DeserializeOwned> Visitor<'de> for Members<P> {
    type Value = Envelope<P>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Envelope<P>, A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let key = key.to_ascii_lowercase();
            if key == PARAMS {
                self.0.params = Some(map.next_value()?);
            } else if HEAD.contains(&key.as_str()) {
                self.0.head.insert(key, map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_envelope_have_no_case_and_those_of_parameters_do() {
        let text = r#"{"Request-Id":3,"TYPE":"A","Request":"B","Params":{"Key":1},"more":[1,2]}"#;
        let frame = read(text).unwrap();
        let request = frame.request.unwrap();
        assert_eq!((frame.id, request.facade.as_str()), (3, "A"));
        assert_eq!(request.params["Key"], 1);
        assert!(head(text).unwrap().request.unwrap().params.is_null());
    }

    #[test]
    fn what_is_no_request_is_told_apart() {
        assert_eq!(read("{").err(), Some("not JSON"));
        assert_eq!(read("[1]").err(), Some("not an object"));
        assert_eq!(read(r#"{"request":"B"}"#).err(), Some("no request-id"));
        assert_eq!(head(r#"{"request-id":0}"#).err(), Some("no request-id"));
        let frame = read(r#"{"request-id":1,"type":"A","version":"x","request":"B"}"#).unwrap();
        assert!(frame.request.is_err());
        let deep = format!(r#"{{"request-id":1,"params":{}"#, "[".repeat(100_000));
        assert!(read(&deep).is_err() && head(&deep).is_err());
    }

    #[test]
    fn a_message_of_countless_values_is_refused_by_its_number() {
        let most = MESSAGE_VALUES.length();
        let text = format!(
            r#"{{"request-id":7,"type":"A","request":"B","params":[{}0]}}"#,
            "0,".repeat(most)
        );
        let frame = read(&text).unwrap();
        assert_eq!(frame.id, 7);
        assert!(frame.request.unwrap_err().message.contains("values"));
    }

    #[test]
    fn a_login_is_read_without_its_unknown_members() {
        let text = r#"{"request-id":1,"type":"Admin","version":3,"request":"Login",
            "params":{"auth-tag":"user-a","credentials":"b","macaroons":[[{}]]}}"#;
        let login = login(text).unwrap();
        assert_eq!(login.auth_tag.as_deref(), Some("user-a"));
        assert!(
            super::login(r#"{"request-id":1}"#)
                .unwrap()
                .auth_tag
                .is_none()
        );
        assert!(super::login(r#"{"params":{"auth-tag":1}}"#).is_err());
    }
}
