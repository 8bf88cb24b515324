//! Reading what a unit's charm keeps in `/state`, for a person who asked the controller.
//!
//! Only a committed generation is shown, never the copy that a hook works on, so what a person sees
//! is what counts. A file that is read part by part is of one generation, which [`reads`] holds between the
//! parts. It reads and changes nothing. All of it blocks.

use std::io::ErrorKind;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use periapt_files::look::{self, Kind};
use periapt_wire::agent::host::{FileAnswer, FileQuestion, FoundFile, WantedFiles};
use periapt_wire::rest::FileKind;

use crate::Process;
use crate::directories;

pub(crate) mod reads;

/// Entries and bytes of one answer at most, whatever is asked for.
const ENTRIES: usize = 1_000;
const BYTES: usize = 1 << 20;

impl Process {
    /// Answers a question about a unit of this process; none where the unit has no files here.
    #[must_use]
    pub fn files(&self, question: &FileQuestion) -> Option<FileAnswer> {
        let all = directories::state(self.directory(), &question.unit);
        if !all.is_dir() {
            return None;
        }
        let tree = directories::generation(self.directory(), &question.unit, question.generation);
        if !tree.is_dir() {
            return Some(FileAnswer::Outdated);
        }
        let Some(path) = look::names(&question.path) else {
            return Some(FileAnswer::NotFound);
        };
        let found = match question.wanted {
            WantedFiles::Entries { most } => {
                look::entries(&tree, &path, most.min(ENTRIES)).map(|(entries, all)| {
                    let entries = entries.iter().map(found).collect();
                    FileAnswer::Entries { entries, all }
                })
            }
            WantedFiles::Part { offset, most } => look::part(&tree, &path, offset, most.min(BYTES))
                .map(|part| {
                    if offset + (part.content.len() as u64) < part.total {
                        self.reads().goes_on(&tree, self.clock().monotonic());
                    }
                    FileAnswer::Part {
                        content: STANDARD.encode(part.content),
                        total: part.total,
                    }
                }),
        };
        Some(found.unwrap_or_else(|error| match error.kind() {
            // It may have gone with its generation while it was read.
            ErrorKind::NotFound if !tree.is_dir() => FileAnswer::Outdated,
            ErrorKind::NotFound => FileAnswer::NotFound,
            ErrorKind::NotADirectory => FileAnswer::NotADirectory,
            ErrorKind::IsADirectory => FileAnswer::IsADirectory,
            ErrorKind::InvalidInput => FileAnswer::NotAFile,
            _ => FileAnswer::Failed {
                reason: error.to_string(),
            },
        }))
    }
}

fn found(seen: &look::Seen) -> FoundFile {
    FoundFile {
        name: look::text(&seen.name),
        kind: match seen.kind {
            Kind::Directory => FileKind::Directory,
            Kind::File => FileKind::File,
            Kind::Link => FileKind::Link,
            Kind::Other => FileKind::Other,
        },
        bytes: seen.bytes,
        modified_at: seen.modified_at,
    }
}
