//! Answers that are lines of JSON and may go on for ever: logs, changes.

use std::marker::PhantomData;

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use futures::stream::BoxStream;
use serde::de::DeserializeOwned;

use super::{RestError, chain};

/// A longer line is an error and not a reason to eat memory.
const LONGEST_LINE: usize = 16 << 20;

/// Lines of `T`. Empty lines, which keep a quiet connection alive, are skipped.
pub struct Lines<T> {
    source: BoxStream<'static, Result<Bytes, reqwest::Error>>,
    buffer: BytesMut,
    /// Bytes of the buffer known to hold no line end.
    scanned: usize,
    ended: bool,
    of: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Lines<T> {
    pub(super) fn new(response: reqwest::Response) -> Self {
        Self {
            source: response.bytes_stream().boxed(),
            buffer: BytesMut::new(),
            scanned: 0,
            ended: false,
            of: PhantomData,
        }
    }

    /// The next line; none when the controller ended the answer. Safe to cancel.
    pub async fn next(&mut self) -> Option<Result<T, RestError>> {
        loop {
            while let Some(line) = self.take_line() {
                if !line.trim_ascii().is_empty() {
                    return Some(parse(&line));
                }
            }
            if self.ended {
                return None;
            }
            if self.buffer.len() > LONGEST_LINE {
                self.ended = true;
                self.buffer.clear();
                return Some(Err(RestError::Unexpected(
                    "a line of the answer has no end".to_owned(),
                )));
            }
            match self.source.next().await {
                Some(Ok(bytes)) => self.buffer.extend_from_slice(&bytes),
                Some(Err(error)) => {
                    self.ended = true;
                    self.buffer.clear();
                    self.scanned = 0;
                    return Some(Err(RestError::Interrupted(chain(&error))));
                }
                None => self.ended = true,
            }
        }
    }

    /// A whole line, or what is left once the source has ended.
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
                if self.ended && !self.buffer.is_empty() {
                    self.scanned = 0;
                    return Some(self.buffer.split());
                }
                None
            }
        }
    }
}

fn parse<T: DeserializeOwned>(line: &[u8]) -> Result<T, RestError> {
    serde_json::from_slice(line).map_err(|error| RestError::Unexpected(error.to_string()))
}
