//! The README of a charm, out of its archive and made safe to show.
//!
//! It is read from a stored archive without the rest: whoever has the archive somewhere hands over a reader, and only
//! the list of files and the beginning of this one are read. What it says is a stranger's text and stays text: nobody
//! here reads it as Markdown.

use std::io::{self, Read, Seek};

use serde::{Deserialize, Serialize};
use zip::ZipArchive;
use zip::result::ZipError;

use crate::bounds::README_BYTES;
use crate::text::clean;

/// Names of the file, in the order in which they are looked for.
const NAMES: [&str; 2] = ["README.md", "README"];

/// What a charm says about itself at length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct CharmReadme {
    /// The file of the archive that it is, `README.md` or `README`; empty where there is none.
    pub file: String,
    /// Its text, without what controls a terminal or cannot be seen; at most the first 64 KiB.
    pub text: String,
    /// Whether there is more of it.
    pub truncated: bool,
}

impl CharmReadme {
    /// Reads it from an archive that was checked when it came in.
    pub fn read(archive: impl Read + Seek) -> io::Result<Self> {
        let mut archive = ZipArchive::new(archive).map_err(failed)?;
        let Some(file) = NAMES
            .into_iter()
            .find(|name| archive.index_for_name(name).is_some())
        else {
            return Ok(Self::default());
        };
        let mut content = Vec::new();
        // One byte more shows that there is more; the header's claim is not asked.
        archive
            .by_name(file)
            .map_err(failed)?
            .take(README_BYTES.most + 1)
            .read_to_end(&mut content)?;
        let truncated = README_BYTES.exceeded_by(content.len());
        content.truncate(README_BYTES.length());
        Ok(Self {
            file: file.to_owned(),
            text: shown(&content, truncated),
            truncated,
        })
    }
}

/// The text without half a character at the end where it was cut.
fn shown(content: &[u8], truncated: bool) -> String {
    let text = String::from_utf8_lossy(content);
    let text = match truncated {
        true => text.trim_end_matches(char::REPLACEMENT_CHARACTER),
        false => &*text,
    };
    clean(&text.replace('\t', "    "))
}

fn failed(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidData, other.to_string()),
    }
}

#[cfg(test)]
mod tests;
