//! Puts a built charm into its archive.
//!
//! The same project packs to the same bytes: entries are sorted, times are fixed, modes are
//! those of a plain file. A digest of the archive therefore says whether anything changed.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use periapt_model::charm::{Archive, COMPONENT};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::PackingError;
use crate::component::inspect;
use crate::error::At;
use crate::project::{SERVER, SERVER_COMPONENT, manifest};

/// Files taken from the project's root where they exist.
const ROOT_FILES: [&str; 10] = [
    "metadata.yaml",
    "charmcraft.yaml",
    "config.yaml",
    "actions.yaml",
    "capabilities.yaml",
    "metrics.yaml",
    "README.md",
    "README",
    "LICENSE",
    "icon.svg",
];

/// The folder whose files a charm finds under `/charm/files`.
const FILES: &str = "files";

/// What was packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackReport {
    pub path: PathBuf,
    /// The charm's name.
    pub name: String,
    /// Bytes and digest of the archive.
    pub size: u64,
    pub sha256: String,
    /// Paths inside the archive, sorted.
    pub files: Vec<String>,
}

/// Packs the built charm in `project`. `out` is a file, or an existing folder that gets
/// `NAME.charm`.
pub fn pack(project: &Path, out: &Path) -> Result<PackReport, PackingError> {
    manifest(project)?;
    let built = project.join("build").join(COMPONENT);
    if !built.is_file() {
        return Err(PackingError::NotBuilt { path: built });
    }
    let mut files = BTreeMap::from([(COMPONENT.to_owned(), fs::read(&built).at(&built)?)]);
    for name in ROOT_FILES {
        let path = project.join(name);
        if path.is_file() {
            files.insert(name.to_owned(), fs::read(&path).at(&path)?);
        }
    }
    if project.join(SERVER).join("Cargo.toml").is_file() {
        let path = project.join("build").join(SERVER_COMPONENT);
        if !path.is_file() {
            return Err(PackingError::NotBuilt { path });
        }
        files.insert(SERVER_COMPONENT.to_owned(), fs::read(&path).at(&path)?);
    }
    let folder = project.join(FILES);
    if folder.is_dir() {
        collect(&folder, FILES, &mut files)?;
    }

    let bytes = zipped(&files).map_err(|error| PackingError::Files {
        path: out.to_owned(),
        source: error.into(),
    })?;
    let archive = Archive::read(&bytes)?;
    let outside = inspect(archive.component())?;
    outside.check()?;
    archive.declared.allows(&outside.imports)?;
    if let Some(server) = files.get(SERVER_COMPONENT) {
        inspect(server)?.check_server()?;
    }

    let path = if out.is_dir() {
        out.join(format!("{}.charm", archive.metadata.name))
    } else {
        out.to_owned()
    };
    // Readers see the old archive or the new one, never half of one.
    let partial = path.with_extension("charm.partial");
    fs::write(&partial, &bytes).at(&partial)?;
    fs::rename(&partial, &path).at(&path)?;
    Ok(PackReport {
        path,
        name: archive.metadata.name.clone(),
        size: archive.size,
        sha256: archive.sha256.clone(),
        files: files.into_keys().collect(),
    })
}

/// Adds every file below `folder`. Links are refused: where one leads is not the project's.
fn collect(
    folder: &Path,
    inside: &str,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), PackingError> {
    for entry in fs::read_dir(folder).at(folder)? {
        let entry = entry.at(folder)?;
        let path = entry.path();
        let kind = entry.file_type().at(&path)?;
        let name = format!("{inside}/{}", entry.file_name().to_string_lossy());
        if kind.is_dir() {
            collect(&path, &name, files)?;
        } else if kind.is_file() {
            files.insert(name, fs::read(&path).at(&path)?);
        } else {
            return Err(PackingError::NotRegular { path });
        }
    }
    Ok(())
}

fn zipped(files: &BTreeMap<String, Vec<u8>>) -> zip::result::ZipResult<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(name.as_str(), options)?;
        writer.write_all(content)?;
    }
    Ok(writer.finish()?.into_inner())
}
