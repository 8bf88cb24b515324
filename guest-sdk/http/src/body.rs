//! What follows a head: bytes that are there, bytes that come in, or bytes yet to be written.

use std::fmt;
use std::io::{self, Read, Write};

/// A body of a request or of an answer.
#[derive(Default)]
pub struct Body(pub(crate) Content);

#[derive(Default)]
pub(crate) enum Content {
    #[default]
    Empty,
    Bytes(Vec<u8>),
    Read(Box<dyn Read>),
    Written(Writer),
}

/// Writes a body when it is its turn.
pub(crate) type Writer = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()>>;

impl Body {
    /// What a reader has, to its end: an open file, or a body that came in.
    pub fn read(reader: impl Read + 'static) -> Self {
        Self(Content::Read(Box::new(reader)))
    }

    /// Written bit by bit after the head was sent, as fast as the client takes it. An error cuts the
    /// answer off, so that nobody takes half of it for the whole.
    pub fn written(write: impl FnOnce(&mut dyn Write) -> io::Result<()> + 'static) -> Self {
        Self(Content::Written(Box::new(write)))
    }

    /// How many bytes, where that is known.
    pub fn length(&self) -> Option<u64> {
        match &self.0 {
            Content::Empty => Some(0),
            Content::Bytes(bytes) => Some(bytes.len() as u64),
            Content::Read(_) | Content::Written(_) => None,
        }
    }

    /// All of it. More than `most` bytes are an error.
    pub fn into_bytes(self, most: usize) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        match self.0 {
            Content::Empty => {}
            Content::Bytes(bytes) => all = bytes,
            Content::Read(reader) => {
                reader.take(most as u64 + 1).read_to_end(&mut all)?;
            }
            Content::Written(write) => write(&mut all)?,
        }
        match all.len() > most {
            true => Err(io::Error::other(format!(
                "the body has more than {most} bytes"
            ))),
            false => Ok(all),
        }
    }

    /// Gives everything to `out`.
    #[cfg(target_family = "wasm")]
    pub(crate) fn write_to(self, out: &mut dyn Write) -> io::Result<()> {
        match self.0 {
            Content::Empty => {}
            Content::Bytes(bytes) => out.write_all(&bytes)?,
            Content::Read(mut reader) => {
                io::copy(&mut reader, out)?;
            }
            Content::Written(write) => write(out)?,
        }
        out.flush()
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Content::Bytes(bytes))
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.0 {
            Content::Empty => "empty",
            Content::Bytes(_) => "bytes",
            Content::Read(_) => "read",
            Content::Written(_) => "written",
        };
        f.debug_tuple("Body").field(&kind).finish()
    }
}
