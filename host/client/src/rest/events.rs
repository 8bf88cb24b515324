//! Server-sent events, as the HTML standard defines their text.

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use futures::stream::BoxStream;
use serde::de::DeserializeOwned;

use super::{RestError, chain};

/// A longer event is an error and not a reason to eat memory.
const LONGEST_EVENT: usize = 16 << 20;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Its name, `change`.
    pub event: String,
    pub data: String,
}

impl Message {
    /// The data as a value.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, RestError> {
        serde_json::from_str(&self.data).map_err(|error| RestError::Unexpected(error.to_string()))
    }
}

/// A stream of events.
pub struct EventStream {
    source: BoxStream<'static, Result<Bytes, reqwest::Error>>,
    buffer: BytesMut,
    /// Bytes of the buffer known to hold no line end.
    scanned: usize,
    ended: bool,
    message: Message,
    has_data: bool,
    last_id: Option<String>,
}

impl EventStream {
    pub(super) fn new(response: reqwest::Response) -> Self {
        Self {
            source: response.bytes_stream().boxed(),
            buffer: BytesMut::new(),
            scanned: 0,
            ended: false,
            message: Message::default(),
            has_data: false,
            last_id: None,
        }
    }

    /// Where another stream can go on after this one.
    pub fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// The next event; none when the controller ended the stream. Safe to cancel.
    pub async fn next(&mut self) -> Option<Result<Message, RestError>> {
        loop {
            while let Some(line) = self.take_line() {
                if let Some(message) = self.line(&line) {
                    return Some(Ok(message));
                }
            }
            if self.ended {
                return None;
            }
            if self.buffer.len() + self.message.data.len() > LONGEST_EVENT {
                self.ended = true;
                return Some(Err(RestError::Unexpected("an event has no end".to_owned())));
            }
            match self.source.next().await {
                Some(Ok(bytes)) => self.buffer.extend_from_slice(&bytes),
                Some(Err(error)) => {
                    self.ended = true;
                    return Some(Err(RestError::Interrupted(chain(&error))));
                }
                // An event without its blank line is not one.
                None => self.ended = true,
            }
        }
    }

    fn take_line(&mut self) -> Option<BytesMut> {
        let unseen = self.buffer.get(self.scanned..).unwrap_or_default();
        match unseen.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                let line = self.buffer.split_to(self.scanned + end + 1);
                self.scanned = 0;
                Some(line)
            }
            None => {
                self.scanned = self.buffer.len();
                None
            }
        }
    }

    /// Takes a line in; the event that it completes.
    fn line(&mut self, line: &[u8]) -> Option<Message> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            let message = std::mem::take(&mut self.message);
            return std::mem::take(&mut self.has_data).then_some(message);
        }
        let text = String::from_utf8_lossy(line);
        let (field, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.message.event = value.to_owned(),
            "data" => {
                if self.has_data {
                    self.message.data.push('\n');
                }
                self.message.data.push_str(value);
                self.has_data = true;
            }
            "id" => self.last_id = Some(value.to_owned()),
            // Comments, `retry`, and what is not known.
            _ => {}
        }
        None
    }
}
