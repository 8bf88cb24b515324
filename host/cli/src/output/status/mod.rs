//! The forms of `status`.

pub mod document;
mod lines;
mod summary;
mod tabular;
#[cfg(test)]
mod tests;

use periapt_wire::rest::StorageInfo;
use periapt_wire::status::FullStatus;
use serde::Serialize;

use self::document::Document;
use super::Output;
use super::table::Table;
use super::time::Times;
use crate::arguments::StatusFormat;
use crate::failure::Outcome;

/// What to show and how.
pub struct View<'a> {
    pub status: &'a FullStatus,
    pub controller: &'a str,
    pub format: StatusFormat,
    pub times: &'a Times,
    pub relations: bool,
    /// Those of the units that are shown; a table has them only where they were asked for.
    pub storages: &'a [StorageInfo],
}

impl View<'_> {
    /// The picture as text, for people.
    fn text(&self, paint: bool) -> String {
        match self.format {
            StatusFormat::Summary => summary::render(self.status),
            StatusFormat::Short | StatusFormat::Oneline | StatusFormat::Line => {
                lines::render(self.status)
            }
            _ => tabular::render(self, paint),
        }
    }

    fn document(&self) -> Document {
        Document::of(self.status, self.storages, self.controller, self.times)
    }

    /// Writes the picture once.
    pub fn write(&self, output: &Output) -> Outcome {
        match self.format {
            StatusFormat::Json => output.json(&self.document()),
            StatusFormat::Yaml => output.yaml(&self.document()),
            _ => {
                let text = self.text(output.paints());
                if text.is_empty() {
                    Ok(())
                } else {
                    output.data(&text)
                }
            }
        }
    }

    /// Writes the picture as one of many: in place on a terminal, else set apart.
    pub fn write_again(&self, output: &Output, first: bool) -> Outcome {
        match self.format {
            StatusFormat::Json => output.json_line(&self.document()),
            StatusFormat::Yaml => {
                if !first {
                    output.data("---")?;
                }
                output.yaml(&self.document())
            }
            _ if output.is_live() => output.redraw(&self.text(output.paints())),
            _ => {
                if !first {
                    output.data("")?;
                }
                output.data(&self.text(output.paints()))
            }
        }
    }
}

/// The machines of a model alone, as in its status.
pub fn machines_table(status: &FullStatus) -> Table {
    tabular::machines(status)
}

/// The same as a document.
pub fn machines_document(status: &FullStatus, times: &Times) -> impl Serialize + use<> {
    document::Machines::of(status, times)
}

/// The cloud of the model's tag.
fn cloud(tag: &str) -> &str {
    tag.strip_prefix("cloud-").unwrap_or(tag)
}

/// Name and revision of a charm URL.
fn charm_parts(url: &str) -> (&str, Option<u64>) {
    let path = url.rsplit(['/', ':']).next().unwrap_or(url);
    match path.rsplit_once('-') {
        Some((name, revision)) if !name.is_empty() => match revision.parse() {
            Ok(revision) => (name, Some(revision)),
            Err(_) => (path, None),
        },
        _ => (path, None),
    }
}
