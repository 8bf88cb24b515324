//! An artifact: the machine code of a component with what was found out about it, in a frame
//! with a checksum.
//!
//! The checksum finds damage, not forgery: machine code is as trusted as the process that made
//! it. Take artifacts from [`crate::compile_in_child`], from the cache a process of this agent
//! filled, or from the controller over its authenticated API; from nobody else.

use periapt_model::Digest;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Raised when the frame or the contract's host side changes so that old code cannot be used.
pub(crate) const FRAME_VERSION: u8 = 1;
const MAGIC: &[u8; 8] = b"PERIAPT\x01";
/// Of several artifacts.
const PACK_MAGIC: &[u8; 8] = b"PERIAPTS";
const CHECKSUM_BYTES: usize = blake3::OUT_LEN;
const HEADER_BYTES: usize = MAGIC.len() + CHECKSUM_BYTES + 4;

/// What is known of a component without running a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Inspection {
    /// Names of the hooks that `dispatch` answers, as the component told them.
    pub hooks: Vec<String>,
    /// Interfaces the component imports, with versions.
    pub imports: Vec<String>,
    /// Bytes of the component and of its machine code.
    pub component_bytes: u64,
    pub code_bytes: u64,
    /// Largest linear memory at start, bytes.
    pub initial_memory_bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Head {
    component: Digest,
    engine: String,
    inspection: Inspection,
}

/// Compiled code, ready to be loaded by an engine of the same hash.
#[derive(Clone, PartialEq, Eq)]
pub struct Artifact {
    head: Head,
    bytes: Vec<u8>,
    code_at: usize,
}

/// Bytes that are not an artifact.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ArtifactError {
    #[error("this is not a compiled charm of this version of Periapt")]
    Format,
    #[error("the compiled charm is damaged: its checksum does not match")]
    Checksum,
}

impl ArtifactError {
    pub fn code(&self) -> &'static str {
        match self {
            ArtifactError::Format => "artifact-format",
            ArtifactError::Checksum => "artifact-checksum",
        }
    }
}

impl Artifact {
    pub(crate) fn new(component: &[u8], engine: &str, inspection: Inspection, code: &[u8]) -> Self {
        let head = Head {
            component: Digest::of(component),
            engine: engine.to_owned(),
            inspection,
        };
        // Strings and numbers always serialise.
        let json = serde_json::to_vec(&head).unwrap_or_default();
        let mut bytes = Vec::with_capacity(HEADER_BYTES + json.len() + code.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[0; CHECKSUM_BYTES]);
        bytes.extend_from_slice(&u32::try_from(json.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(&json);
        let code_at = bytes.len();
        bytes.extend_from_slice(code);
        let checksum = checksum(&bytes);
        bytes[MAGIC.len()..MAGIC.len() + CHECKSUM_BYTES].copy_from_slice(&checksum);
        Self {
            head,
            bytes,
            code_at,
        }
    }

    /// Reads what [`Artifact::as_bytes`] wrote; see the module on where bytes may come from.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ArtifactError> {
        if bytes.len() < HEADER_BYTES || !bytes.starts_with(MAGIC) {
            return Err(ArtifactError::Format);
        }
        if bytes[MAGIC.len()..MAGIC.len() + CHECKSUM_BYTES] != checksum(&bytes) {
            return Err(ArtifactError::Checksum);
        }
        let mut length = [0; 4];
        length.copy_from_slice(&bytes[HEADER_BYTES - 4..HEADER_BYTES]);
        let code_at = HEADER_BYTES + u32::from_le_bytes(length) as usize;
        let json = bytes
            .get(HEADER_BYTES..code_at)
            .ok_or(ArtifactError::Format)?;
        let head = serde_json::from_slice(json).map_err(|_| ArtifactError::Format)?;
        Ok(Self {
            head,
            bytes,
            code_at,
        })
    }

    /// Of the component: the name of the charm's code everywhere.
    pub fn digest(&self) -> Digest {
        self.head.component
    }

    /// The hash of the engines that can load it.
    pub fn engine_hash(&self) -> &str {
        &self.head.engine
    }

    pub fn inspection(&self) -> &Inspection {
        &self.head.inspection
    }

    /// The frame, to be stored or sent.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The machine code.
    pub fn cwasm(&self) -> &[u8] {
        &self.bytes[self.code_at..]
    }
}

/// The artifacts of all components of a charm in one text of bytes, the charm's own first. A charm
/// that has no other component is its artifact.
pub fn pack(charm: &Artifact, others: &[Artifact]) -> Vec<u8> {
    if others.is_empty() {
        return charm.bytes.clone();
    }
    let mut bytes = PACK_MAGIC.to_vec();
    let count = u32::try_from(others.len() + 1).unwrap_or(u32::MAX);
    bytes.extend_from_slice(&count.to_le_bytes());
    for artifact in std::iter::once(charm).chain(others) {
        bytes.extend_from_slice(&(artifact.bytes.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&artifact.bytes);
    }
    bytes
}

/// Reads what [`pack`] wrote: the charm's own artifact, and the others.
///
/// # Errors
/// As [`Artifact::from_bytes`].
pub fn unpack(bytes: Vec<u8>) -> Result<(Artifact, Vec<Artifact>), ArtifactError> {
    let Some(mut rest) = bytes.strip_prefix(PACK_MAGIC) else {
        return Ok((Artifact::from_bytes(bytes)?, Vec::new()));
    };
    let (count, after) = rest.split_first_chunk().ok_or(ArtifactError::Format)?;
    let count = u32::from_le_bytes(*count) as usize;
    rest = after;
    let mut found = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk::<8>() {
        let length = usize::try_from(u64::from_le_bytes(*length));
        let length = length.map_err(|_| ArtifactError::Format)?;
        let (one, after) = after
            .split_at_checked(length)
            .ok_or(ArtifactError::Format)?;
        found.push(Artifact::from_bytes(one.to_vec())?);
        rest = after;
    }
    if found.is_empty() || found.len() != count || !rest.is_empty() {
        return Err(ArtifactError::Format);
    }
    let charm = found.remove(0);
    Ok((charm, found))
}

impl std::fmt::Debug for Artifact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Artifact")
            .field("head", &self.head)
            .finish_non_exhaustive()
    }
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    *blake3::hash(&bytes[MAGIC.len() + CHECKSUM_BYTES..]).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_are_told_apart_and_what_is_cut_off_is_found() {
        let made = |name: &[u8]| Artifact::new(name, "engine", Inspection::default(), name);
        let (charm, server) = (made(b"charm"), made(b"server"));
        assert_eq!(unpack(pack(&charm, &[])), Ok((charm.clone(), Vec::new())));
        let both = pack(&charm, std::slice::from_ref(&server));
        assert_eq!(unpack(both.clone()), Ok((charm, vec![server])));
        for length in MAGIC.len()..both.len() {
            assert!(unpack(both[..length].to_vec()).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn a_frame_survives_the_way_and_damage_is_found() {
        let inspection = Inspection {
            hooks: vec!["start".into()],
            ..Inspection::default()
        };
        let artifact = Artifact::new(b"component", "engine", inspection, b"code");
        let bytes = artifact.as_bytes().to_vec();
        let read = Artifact::from_bytes(bytes.clone()).unwrap();
        assert_eq!(read, artifact);
        assert_eq!(read.cwasm(), b"code");
        for at in MAGIC.len()..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x20;
            assert_eq!(
                Artifact::from_bytes(damaged),
                Err(ArtifactError::Checksum),
                "byte {at}"
            );
        }
        assert_eq!(
            Artifact::from_bytes(bytes[..20].to_vec()),
            Err(ArtifactError::Format)
        );
        assert_eq!(
            Artifact::from_bytes(b"\0asm".to_vec()),
            Err(ArtifactError::Format)
        );
    }
}
