//! A `.charm` archive read in memory.
//!
//! An upload is untrusted: the sizes its headers claim, the names of its entries and the kinds
//! of files it holds all come from whoever sent it. Everything is therefore read here, counted
//! as it is decompressed, and either held as plain files under sound relative names or refused
//! as a whole. Nothing is ever written to a disk from here.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};

use thiserror::Error;
use zip::ZipArchive;
use zip::read::ZipFile;

use super::actions::Actions;
use super::capability::Declaration;
use super::manifest::{Manifest, ManifestError, ManifestFiles};
use super::metadata::CharmMetadata;
use super::{Access, CharmInfo, CharmUrl, Metrics, Workload};
use crate::bounds;
use crate::config::Schema;
use crate::text::is_hidden;
use crate::{Digest, Refusal};

#[cfg(test)]
mod tests;

/// Name of the component inside an archive.
pub const COMPONENT: &str = "charm.wasm";

/// The first bytes of a component: the magic, then version 13 of layer 1. A core module has
/// version 1 of layer 0.
const COMPONENT_PREAMBLE: [u8; 8] = *b"\0asm\x0d\0\x01\0";
const CORE_PREAMBLE: [u8; 8] = *b"\0asm\x01\0\0\0";

/// Bounds of an archive.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub entries: usize,
    /// Uncompressed bytes of all files together, and so of each.
    pub bytes: u64,
    /// Uncompressed bytes for each byte of the archive, once `ratio_from` bytes came out. Text
    /// reaches 10, a generated table perhaps 50; deflate's own bound is 1032.
    pub ratio: u64,
    pub ratio_from: u64,
    /// Bytes of one entry's name.
    pub name_bytes: usize,
    /// Bytes of each YAML file.
    pub manifest_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: bounds::ARCHIVE_ENTRIES.length(),
            bytes: bounds::ARCHIVE_UNPACKED_BYTES.most,
            ratio: 100,
            ratio_from: 16 << 20,
            name_bytes: bounds::ARCHIVE_NAME_BYTES.length(),
            manifest_bytes: bounds::MANIFEST_BYTES.length(),
        }
    }
}

/// Why an archive was refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ArchiveError {
    #[error("the file is not a charm archive: {reason}")]
    Unreadable { reason: String },
    #[error("the unpacked archive is too large: {reason}")]
    Bomb { reason: String },
    #[error("the archive contains \"{name}\": {reason}")]
    Path { name: String, reason: &'static str },
    #[error("the archive has no {COMPONENT} at its root; `periapt charm pack` puts it there")]
    NoComponent,
    #[error("{name} is not a WebAssembly component: {reason}")]
    NotAComponent { name: String, reason: &'static str },
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

impl ArchiveError {
    pub fn refusal(&self) -> Refusal {
        match self {
            ArchiveError::Unreadable { .. } => Refusal::CharmArchiveUnreadable,
            ArchiveError::Bomb { .. } => Refusal::CharmArchiveBomb,
            ArchiveError::Path { .. } => Refusal::CharmArchivePath,
            ArchiveError::NoComponent => Refusal::CharmArchiveNoComponent,
            ArchiveError::NotAComponent { .. } => Refusal::CharmComponentInvalid,
            ArchiveError::Manifest(error) => error.refusal(),
        }
    }
}

/// A sound charm archive.
#[derive(Clone, Debug, PartialEq)]
pub struct Archive {
    pub metadata: CharmMetadata,
    pub config: Schema,
    pub actions: Actions,
    /// What the charm asks for beyond what every charm has, each with its reason.
    pub declared: Declaration,
    /// Directories that a principal and its subordinates share, by name.
    pub shared: BTreeMap<String, Access>,
    /// What the services of its containers may have.
    pub workload: BTreeMap<String, Workload>,
    /// What the charm measures of its units.
    pub metrics: Metrics,
    /// Digest of the archive, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// Bytes of the archive.
    pub size: u64,
    files: BTreeMap<String, Vec<u8>>,
}

impl Archive {
    /// Reads and checks a whole archive.
    pub fn read(bytes: &[u8]) -> Result<Self, ArchiveError> {
        Self::read_within(bytes, Limits::default())
    }

    /// As [`Archive::read`], under other bounds.
    pub fn read_within(bytes: &[u8], limits: Limits) -> Result<Self, ArchiveError> {
        let files = unpack(bytes, limits)?;
        let component = files.get(COMPONENT).ok_or(ArchiveError::NoComponent)?;
        check_component(COMPONENT, component)?;
        let [metadata, charmcraft, config, actions, capabilities, metrics] = ManifestFiles::NAMES;
        let text = |name| manifest_text(&files, name, limits);
        let manifest = Manifest::read(ManifestFiles {
            metadata: text(metadata)?,
            charmcraft: text(charmcraft)?,
            config: text(config)?,
            actions: text(actions)?,
            capabilities: text(capabilities)?,
            metrics: text(metrics)?,
        })?;
        let archive = Self {
            metadata: manifest.metadata,
            config: manifest.config,
            actions: manifest.actions,
            declared: manifest.declared,
            shared: manifest.shared,
            workload: manifest.workload,
            metrics: manifest.metrics,
            sha256: Digest::of(bytes).to_string(),
            size: bytes.len() as u64,
            files,
        };
        let components = archive.components().count();
        if bounds::CHARM_COMPONENTS.exceeded_by(components) {
            return Err(ArchiveError::Bomb {
                reason: format!(
                    "{components} components beside {COMPONENT}, {} at most",
                    bounds::CHARM_COMPONENTS.most
                ),
            });
        }
        archive
            .components()
            .try_for_each(|(name, component)| check_component(name, component))?;
        Ok(archive)
    }

    /// The WebAssembly component.
    pub fn component(&self) -> &[u8] {
        self.file(COMPONENT).unwrap_or_default()
    }

    /// The components beside the charm's own, by their names: those of its web workloads. To a charm
    /// that asks for no workload such files are files.
    pub fn components(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let any = !self.workload.is_empty();
        let other = move |path: &str| {
            any && path.ends_with(".wasm") && !path.contains('/') && path != COMPONENT
        };
        self.files().filter(move |(path, _)| other(path))
    }

    /// The content of a file, by its path from the root with `/` between the parts.
    pub fn file(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// All files in the order of their paths. Paths are relative, without `.` or `..`, and no
    /// file's path is a folder of another's: they can be written below any folder as they are.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files
            .iter()
            .map(|(path, content)| (path.as_str(), content.as_slice()))
    }

    /// What the model keeps of this archive once it has a revision and the component said
    /// which hooks it implements. Which capabilities no component could use is left to who knows their imports.
    pub fn info(&self, url: CharmUrl, hooks: Vec<String>) -> CharmInfo {
        CharmInfo {
            name: self.metadata.name.clone(),
            revision: url.revision(),
            url,
            sha256: self.sha256.clone(),
            size: self.size,
            metadata: self.metadata.clone(),
            config: self.config.clone(),
            actions: self.actions.clone(),
            capabilities: self.declared.words(),
            declared: self.declared.clone(),
            unused: Vec::new(),
            shared: self.shared.clone(),
            workload: self.workload.clone(),
            metrics: self.metrics.clone(),
            components: self.components().map(|(name, _)| name.to_owned()).collect(),
            hooks,
            subordinate: self.metadata.subordinate,
        }
    }
}

fn check_component(name: &str, bytes: &[u8]) -> Result<(), ArchiveError> {
    let name = name.to_owned();
    if bytes.starts_with(&COMPONENT_PREAMBLE) {
        Ok(())
    } else if bytes.starts_with(&CORE_PREAMBLE) {
        Err(ArchiveError::NotAComponent {
            name,
            reason: "it is a core module; `periapt charm pack` makes a component of it",
        })
    } else {
        Err(ArchiveError::NotAComponent {
            name,
            reason: "its first bytes are not those of one",
        })
    }
}

fn manifest_text<'a>(
    files: &'a BTreeMap<String, Vec<u8>>,
    name: &'static str,
    limits: Limits,
) -> Result<Option<&'a str>, ArchiveError> {
    let refuse = |reason: &str| {
        let reason = reason.to_owned();
        ArchiveError::Manifest(ManifestError::Metadata { file: name, reason })
    };
    let Some(bytes) = files.get(name) else {
        return Ok(None);
    };
    if bytes.len() > limits.manifest_bytes {
        return Err(refuse(&format!(
            "the file is longer than {} bytes",
            limits.manifest_bytes
        )));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| refuse("the file is not UTF-8 text"))?;
    Ok(Some(text))
}

/// Every regular file of the archive by its checked path.
fn unpack(bytes: &[u8], limits: Limits) -> Result<BTreeMap<String, Vec<u8>>, ArchiveError> {
    let unreadable = |error: zip::result::ZipError| ArchiveError::Unreadable {
        reason: error.to_string(),
    };
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(unreadable)?;
    if zip.len() > limits.entries {
        let reason = format!("{} entries, {} at most", zip.len(), limits.entries);
        return Err(ArchiveError::Bomb { reason });
    }
    if zip.has_duplicate_names() {
        return Err(path_error(b"", "two entries have the same name"));
    }
    if zip.has_overlapping_files().map_err(unreadable)? {
        return Err(ArchiveError::Bomb {
            reason: "entries share their data".to_owned(),
        });
    }

    let archive_bytes = bytes.len() as u64;
    let allowance = limits.bytes.min(
        limits
            .ratio_from
            .max(archive_bytes.saturating_mul(limits.ratio)),
    );
    let mut left = allowance;
    let mut files = BTreeMap::new();
    let mut folders = BTreeSet::new();
    let mut begins = None;
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).map_err(unreadable)?;
        let start = entry.header_start();
        begins = Some(begins.map_or(start, |begins: u64| begins.min(start)));
        let (path, is_folder) = checked_path(&entry, limits)?;
        folders.extend(parents(&path).map(str::to_owned));
        if is_folder {
            folders.insert(path);
            continue;
        }
        let mut content = Vec::new();
        // One byte over the allowance shows that there is more; the header's claim is not asked.
        let read = Read::take(&mut entry, left + 1)
            .read_to_end(&mut content)
            .map_err(|error| ArchiveError::Unreadable {
                reason: format!("\"{path}\": {error}"),
            })? as u64;
        left = left.checked_sub(read).ok_or_else(|| ArchiveError::Bomb {
            reason: format!("more than {allowance} bytes come out of {archive_bytes}"),
        })?;
        if files.insert(path.clone(), content).is_some() {
            return Err(path_error(
                path.as_bytes(),
                "two entries have the same name",
            ));
        }
    }
    // The list of entries is at the end of an archive, so anything may stand before the first: a
    // page, a program, the head of a form. What is an archive and something else is neither.
    if begins.is_some_and(|begins| begins > 0) {
        return Err(ArchiveError::Unreadable {
            reason: "something stands before its first entry".to_owned(),
        });
    }
    match files.keys().find(|path| folders.contains(*path)) {
        Some(path) => Err(path_error(
            path.as_bytes(),
            "it is a file and a folder at once",
        )),
        None => Ok(files),
    }
}

/// The folders a path lies in, innermost first.
fn parents(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(path.rsplit_once('/').map(|(parent, _)| parent), |parent| {
        parent.rsplit_once('/').map(|(above, _)| above)
    })
}

/// The entry's path, and whether it is a folder. Only what can be written below any folder of
/// any system without leaving it passes.
fn checked_path<R: Read>(
    entry: &ZipFile<'_, R>,
    limits: Limits,
) -> Result<(String, bool), ArchiveError> {
    let raw = entry.name_raw();
    let refuse = |reason| Err(path_error(raw, reason));
    let Ok(name) = std::str::from_utf8(raw) else {
        return refuse("the name is not UTF-8");
    };
    if entry.encrypted() {
        return refuse("it is encrypted");
    }
    // File type bits of the Unix mode: none (other systems), regular file, folder.
    let file_type = entry.unix_mode().map_or(0, |mode| mode & 0o170_000);
    let is_folder = name.ends_with('/');
    match (file_type, is_folder) {
        (0, _) | (0o100_000, false) | (0o040_000, true) => {}
        (0o120_000, _) => return refuse("it is a symbolic link"),
        _ => return refuse("it is neither a regular file nor a folder"),
    }
    if name.len() > limits.name_bytes {
        return refuse("the name is too long");
    }
    if name.starts_with('/') {
        return refuse("the path is absolute");
    }
    if name.contains(['\\', ':']) || name.chars().any(|c| c.is_control() || is_hidden(c)) {
        return refuse(
            "the name holds a character that is not allowed (backslash, colon, or one that cannot be seen)",
        );
    }
    let path = name.strip_suffix('/').unwrap_or(name);
    if path.split('/').any(|part| part == "..") {
        return refuse("the path leads out of the archive");
    }
    if path
        .split('/')
        .any(|part| part.is_empty() || part == "." || part.len() > 255)
    {
        return refuse("the path has an empty, \".\" or overlong part");
    }
    Ok((path.to_owned(), is_folder))
}

fn path_error(name: &[u8], reason: &'static str) -> ArchiveError {
    let shown: String = String::from_utf8_lossy(name)
        .chars()
        .take(200)
        .flat_map(char::escape_debug)
        .collect();
    ArchiveError::Path {
        name: shown,
        reason,
    }
}
