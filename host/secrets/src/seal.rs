//! Sealing: ChaCha20-Poly1305 under a key of 256 bits, with a number of its own for each text.
//!
//! What a text is about is sealed with it, so that one that was put in another's place does not open.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

#[cfg(test)]
mod tests;

/// What cannot be sealed or opened. It never has a part of a key or a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("the operating system provides no random bytes")]
    Random,
    #[error("the text was sealed with another key, or for another purpose")]
    Foreign,
}

/// Bytes of a key.
const KEY_BYTES: usize = 32;

/// A key. It is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; KEY_BYTES]);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "key {}", self.id())
    }
}

impl Key {
    /// A new one.
    ///
    /// # Errors
    /// The operating system gives no random bytes.
    pub fn random() -> Result<Self, SealError> {
        let mut key = [0; KEY_BYTES];
        fill(&mut key)?;
        Ok(Self(key))
    }

    /// The one that all make of the same secret text.
    #[must_use]
    pub fn made_of(secret: &str) -> Self {
        let made = hmac::sign(
            &hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()),
            b"periapt secrets",
        );
        let mut key = [0; KEY_BYTES];
        key.iter_mut()
            .zip(made.as_ref())
            .for_each(|(byte, made)| *byte = *made);
        Self(key)
    }

    /// # Errors
    /// Other bytes than a key has.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, SealError> {
        bytes.try_into().map(Self).map_err(|_| SealError::Foreign)
    }

    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// By which it is told from others; it says nothing about the key.
    #[must_use]
    pub fn id(&self) -> String {
        self.mark("id", b"").chars().take(16).collect()
    }

    /// Equal for equal texts, and to nobody else than who has the key a sign of what they are.
    #[must_use]
    pub fn checksum(&self, text: &[u8]) -> String {
        self.mark("checksum", text)
    }

    fn mark(&self, what: &str, text: &[u8]) -> String {
        let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, &self.0));
        context.update(what.as_bytes());
        context.update(&[0]);
        context.update(text);
        let mark = context.sign();
        mark.as_ref()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    /// The text sealed, in base64.
    ///
    /// # Errors
    /// The operating system gives no random bytes.
    pub fn seal(&self, about: &[&str], text: &[u8]) -> Result<String, SealError> {
        let mut nonce = [0; NONCE_LEN];
        fill(&mut nonce)?;
        let mut sealed = text.to_vec();
        let aad = Aad::from(joined(about));
        self.cipher()?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut sealed)
            .map_err(|_| SealError::Foreign)?;
        let mut all = nonce.to_vec();
        all.append(&mut sealed);
        Ok(BASE64_STANDARD.encode(all))
    }

    /// The text that [`Key::seal`] sealed, of the same things.
    ///
    /// # Errors
    /// It was sealed under another key, for something else, or was changed.
    pub fn open(&self, about: &[&str], sealed: &str) -> Result<Vec<u8>, SealError> {
        let foreign = |_| SealError::Foreign;
        let all = BASE64_STANDARD
            .decode(sealed)
            .map_err(|_| SealError::Foreign)?;
        let (nonce, text) = all.split_at_checked(NONCE_LEN).ok_or(SealError::Foreign)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(foreign)?;
        let mut text = text.to_vec();
        let opened = self
            .cipher()?
            .open_in_place(nonce, Aad::from(joined(about)), &mut text)
            .map_err(foreign)?;
        Ok(opened.to_vec())
    }

    fn cipher(&self) -> Result<LessSafeKey, SealError> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, &self.0);
        key.map(LessSafeKey::new).map_err(|_| SealError::Foreign)
    }
}

fn fill(bytes: &mut [u8]) -> Result<(), SealError> {
    SystemRandom::new()
        .fill(bytes)
        .map_err(|_| SealError::Random)
}

/// The parts with their lengths, so that no two lists are the same.
fn joined(about: &[&str]) -> Vec<u8> {
    let mut all = Vec::new();
    for part in about {
        all.extend((part.len() as u64).to_le_bytes());
        all.extend(part.as_bytes());
    }
    all
}
