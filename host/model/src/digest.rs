//! SHA-256, by which archives, files and components are named, and the one way to write it: 64
//! lower-case hexadecimal digits.

use std::fmt;
use std::io;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// The SHA-256 of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// A text that is no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a SHA-256, which has 64 hexadecimal digits")]
pub struct NotADigest;

impl Digest {
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// Upper-case digits are read as well: people write them.
impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
            return Err(NotADigest);
        };
        let digits = |digit: u8| char::from(digit).to_digit(16);
        let bytes: Option<Vec<u8>> = pairs
            .iter()
            .map(|&[high, low]| u8::try_from(digits(high)? << 4 | digits(low)?).ok())
            .collect();
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or(NotADigest)
    }
}

impl TryFrom<String> for Digest {
    type Error = NotADigest;

    fn try_from(text: String) -> Result<Self, NotADigest> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.to_string()
    }
}

/// The digest of bytes that come in parts.
#[derive(Clone, Default)]
pub struct Digester(Sha256);

impl Digester {
    pub fn update(&mut self, part: impl AsRef<[u8]>) {
        self.0.update(part);
    }

    /// Of all parts so far.
    pub fn digest(&self) -> Digest {
        Digest(self.0.clone().finalize().into())
    }
}

impl io::Write for Digester {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        self.update(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Of `abc`, as FIPS 180 gives it.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn bytes_have_the_digest_of_the_standard() {
        assert_eq!(Digest::of("abc").to_string(), ABC);
        let mut parts = Digester::default();
        parts.update("a");
        parts.update("bc");
        assert_eq!(parts.digest(), Digest::of("abc"));
        assert_eq!(
            serde_json::to_value(parts.digest()).unwrap(),
            serde_json::json!(ABC)
        );
    }

    #[test]
    fn what_is_no_digest_is_refused() {
        let spaced = format!("+{}", &ABC[1..]);
        for text in [
            "",
            "ba",
            &ABC[1..],
            &format!("{ABC}00"),
            &spaced,
            &"ä".repeat(32),
        ] {
            assert_eq!(text.parse::<Digest>(), Err(NotADigest), "{text}");
        }
        assert!(serde_json::from_str::<Digest>("\"ba\"").is_err());
    }

    proptest! {
        #[test]
        fn a_digest_reads_as_it_was_written(bytes: [u8; 32]) {
            let digest = Digest::from(bytes);
            prop_assert_eq!(digest.to_string().parse::<Digest>(), Ok(digest));
            prop_assert_eq!(digest.to_string().to_uppercase().parse::<Digest>(), Ok(digest));
            prop_assert_eq!(digest.as_bytes(), &bytes);
        }
    }
}
