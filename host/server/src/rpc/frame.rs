//! One text message as a request.
//!
//! Before the login nothing of a message is kept but its envelope and the few texts of a login:
//! whoever sends has proven nothing, and a tree of values takes far more memory than its text.

use std::fmt;

use periapt_model::bounds::MESSAGE_VALUES;
use periapt_wire::juju::admin::Login;
use periapt_wire::rpc::Json;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::error::RpcError;
use crate::json;

/// A request with the number that its reply repeats.
pub(super) struct Frame {
    pub id: u64,
    pub request: Result<Request, RpcError>,
    /// Values in the message.
    pub values: usize,
}

/// What is asked of whom.
#[derive(Debug)]
pub(super) struct Request {
    pub facade: String,
    pub version: u32,
    /// Of the watcher that is asked.
    pub id: Option<String>,
    pub request: String,
    pub params: Option<Json>,
}

/// Reads a message whole. An error has no number to answer to.
pub(super) fn read(text: &str) -> Result<Frame, &'static str> {
    let values = json::values(text.as_bytes());
    let envelope = envelope(text)?;
    let mut frame = envelope.frame(values)?;
    if MESSAGE_VALUES.exceeded_by(values) {
        let most = MESSAGE_VALUES.most;
        let why = format!("the message holds more than {most} values");
        frame.request = Err(RpcError::bad_request(why));
    } else if let Ok(request) = &mut frame.request {
        request.params = envelope.params.map(RawValue::to_owned);
    }
    Ok(frame)
}

/// Reads a message without its parameters.
pub(super) fn head(text: &str) -> Result<Frame, &'static str> {
    envelope(text)?.frame(1)
}

/// The parameters of a login.
pub(super) fn login(text: &str) -> Result<Login, RpcError> {
    let envelope = envelope(text).map_err(RpcError::bad_request)?;
    let params = envelope.params.map_or("null", RawValue::get);
    let params: Option<Login> = serde_json::from_str(params).map_err(RpcError::bad_request)?;
    Ok(params.unwrap_or(Login {
        auth_tag: None,
        credentials: None,
        client_version: None,
    }))
}

fn envelope(text: &str) -> Result<Envelope<'_>, &'static str> {
    serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => "not an object",
        _ => "not JSON",
    })
}

/// An object whose members are as they stand in the text. Keys are matched without regard to case,
/// as Go does; unknown ones are dropped.
#[derive(Default)]
struct Envelope<'a> {
    request_id: Option<&'a RawValue>,
    facade: Option<&'a RawValue>,
    version: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    request: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    fn frame(&self, values: usize) -> Result<Frame, &'static str> {
        let id = self
            .request_id
            .and_then(|id| serde_json::from_str(id.get()).ok())
            .filter(|id| *id > 0)
            .ok_or("no request-id")?;
        Ok(Frame {
            id,
            request: self.request(),
            values,
        })
    }

    fn request(&self) -> Result<Request, RpcError> {
        Ok(Request {
            facade: member(self.facade, "type")?,
            version: self
                .version
                .map_or(Ok(0), |_| member(self.version, "version"))?,
            id: self.id.map_or(Ok(None), |_| member(self.id, "id"))?,
            request: member(self.request, "request")?,
            params: None,
        })
    }

    fn place(&mut self, key: &str) -> Option<&mut Option<&'a RawValue>> {
        let places = [
            ("request-id", &mut self.request_id),
            ("type", &mut self.facade),
            ("version", &mut self.version),
            ("id", &mut self.id),
            ("request", &mut self.request),
            ("params", &mut self.params),
        ];
        let mut places = places.into_iter();
        places
            .find(|(name, _)| name.eq_ignore_ascii_case(key))
            .map(|(_, place)| place)
    }
}

fn member<'a, T: Deserialize<'a>>(value: Option<&'a RawValue>, name: &str) -> Result<T, RpcError> {
    let value = value.ok_or_else(|| RpcError::bad_request(format!("missing field `{name}`")))?;
    serde_json::from_str(value.get()).map_err(RpcError::bad_request)
}

impl<'de> Deserialize<'de> for Envelope<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(place) = map.next_key_seed(Key(&mut envelope))? {
            match place {
                Some(place) => *place = Some(map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(envelope)
    }
}

/// Finds where a member belongs, without a copy of its name.
struct Key<'e, 'de>(&'e mut Envelope<'de>);

impl<'e, 'de> DeserializeSeed<'de> for Key<'e, 'de> {
    type Value = Option<&'e mut Option<&'de RawValue>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'e, 'de> Visitor<'de> for Key<'e, 'de> {
    type Value = Option<&'e mut Option<&'de RawValue>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        let Key(envelope) = self;
        Ok(envelope.place(name))
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
        assert_eq!(request.params.unwrap().get(), r#"{"Key":1}"#);
        assert!(head(text).unwrap().request.unwrap().params.is_none());
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
