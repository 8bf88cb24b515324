//! `files`: what a unit's charm keeps in `/state`, as the last committed hook left it.
//!
//! Every look is on record in the audit, since charms keep credentials there. A name that a charm chose
//! never decides where a file of this machine goes: `cp` writes below the target alone, through no link.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use periapt_model::UnitName;
use periapt_wire::rest::{FileEntry, FileKind, FileListing};

use super::Context;
use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::failure::{Failure, Outcome};
use crate::output::table::Table;
use crate::output::text;
use crate::session::ModelSession;

/// Where charms see their files.
const STATE: &str = "/state";

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List, show or copy the files that a unit's charm keeps in /state.
    Files(Files),
}

#[derive(Debug, Args)]
pub struct Files {
    #[command(subcommand)]
    pub verb: FilesVerb,
}

#[derive(Debug, Subcommand)]
pub enum FilesVerb {
    /// List a directory.
    Ls(Ls),
    /// Write a file to the output.
    Cat(Cat),
    /// Copy a file, or a directory with all that is in it, to this machine.
    Cp(Cp),
}

#[derive(Debug, Args)]
pub struct Ls {
    /// A directory, such as site/0 or site/0:/state/pages.
    #[arg(value_name = "UNIT[:PATH]")]
    pub place: String,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct Cat {
    /// A file, such as site/0:/state/index.html.
    #[arg(value_name = "UNIT:PATH")]
    pub place: String,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct Cp {
    /// A file, or a directory with --recursive.
    #[arg(value_name = "UNIT:PATH")]
    pub place: String,
    /// A file or a directory of this machine. Nothing that is there is replaced.
    #[arg(value_name = "TARGET", default_value = ".")]
    pub to: PathBuf,
    /// Copy a directory with all that is in it.
    #[arg(short, long)]
    pub recursive: bool,
    #[command(flatten)]
    pub model: ModelChoice,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    let Verb::Files(Files { verb }) = verb;
    match verb {
        FilesVerb::Ls(arguments) => list(context, arguments).await,
        FilesVerb::Cat(arguments) => show(context, arguments).await,
        FilesVerb::Cp(arguments) => copy(context, arguments).await,
    }
}

/// `UNIT:PATH`, or a unit alone for all its files.
fn place(text: &str) -> Outcome<(UnitName, String)> {
    let (unit, path) = text.split_once(':').unwrap_or((text, STATE));
    let path = match path {
        "" => STATE,
        path => path,
    };
    Ok((unit.parse()?, path.to_owned()))
}

async fn list(context: &Context, arguments: Ls) -> Outcome {
    let (unit, path) = place(&arguments.place)?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let listing = here.client().unit_files(&here.model, &unit, &path).await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&listing),
        ListFormat::Yaml => output.yaml(&listing),
        ListFormat::Tabular if listing.entries.is_empty() => {
            output.say(&format!("{} of {unit} is empty.", listing.path));
            Ok(())
        }
        ListFormat::Tabular => {
            output.data(&table(&listing.entries).render(output.paints()))?;
            if let Some(cut) = cut(&listing) {
                output.say(&cut);
            }
            Ok(())
        }
    }
}

/// What is said of a directory of which not all is listed.
fn cut(listing: &FileListing) -> Option<String> {
    let listed = listing.entries.len() as u64;
    (listing.count > listed).then(|| {
        format!(
            "{} has {} entries; the first {listed} are listed.",
            listing.path, listing.count
        )
    })
}

fn table(entries: &[FileEntry]) -> Table {
    let mut table = Table::new(&["Name", "Kind", "Size", "Modified"]).right("Size");
    for entry in entries {
        let (kind, size) = match entry.kind {
            FileKind::Directory => ("directory", "-".to_owned()),
            FileKind::File => ("file", text::bytes(entry.bytes)),
            FileKind::Link => ("link", "-".to_owned()),
            FileKind::Other => ("other", "-".to_owned()),
        };
        table.row(vec![
            (&entry.name).into(),
            kind.to_owned().into(),
            size.into(),
            (&entry.modified_at).into(),
        ]);
    }
    table
}

async fn show(context: &Context, arguments: Cat) -> Outcome {
    let (unit, path) = place(&arguments.place)?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let mut unread = None;
    let output = &context.output;
    // What a terminal shows is cleaned as text, and a part may end within a character or a line.
    let mut shown = Vec::new();
    let live = output.is_live();
    let read = here
        .client()
        .read_unit_file(&here.model, &unit, &path, |part| {
            if live {
                shown.extend_from_slice(part);
                return Ok(());
            }
            output.raw(part).map_err(|failure| {
                unread = Some(failure);
                std::io::Error::other("the output cannot be written")
            })
        })
        .await;
    match unread {
        Some(failure) => Err(failure),
        None => {
            read?;
            output.raw(&shown)
        }
    }
}

async fn copy(context: &Context, arguments: Cp) -> Outcome {
    let (unit, path) = place(&arguments.place)?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let target = target(&arguments.to, &unit, &path);
    let (files, bytes) = match arguments.recursive {
        false => (1, copy_file(&here, &unit, &path, &target).await?),
        true => copy_tree(&here, &unit, path, target.clone()).await?,
    };
    context.output.say(&format!(
        "Copied {}, {}, to {}",
        text::count(files, "file"),
        text::bytes(bytes),
        target.display()
    ));
    Ok(())
}

/// Into a directory that is there a thing goes under its own name, that of the unit for all its files.
fn target(to: &Path, unit: &UnitName, path: &str) -> PathBuf {
    if !to.is_dir() {
        return to.to_owned();
    }
    let path = path.trim_end_matches('/');
    let name = path.rsplit('/').find(|name| !name.is_empty());
    match name {
        Some(name) if path != STATE && is_name(name) => to.join(name),
        _ => to.join(unit.as_str().replace('/', "-")),
    }
}

/// Whether a name that a charm chose stays in its directory.
fn is_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\0'])
}

/// Copies one file and says how many bytes it has.
async fn copy_file(here: &ModelSession, unit: &UnitName, path: &str, to: &Path) -> Outcome<u64> {
    let mut file: Option<File> = None;
    let mut broken = None;
    let mut bytes = 0;
    let mut take = |part: &[u8]| {
        // Only now is it known that there is such a file.
        let write = match &mut file {
            Some(file) => file.write_all(part),
            None => create(to).and_then(|made| file.insert(made).write_all(part)),
        };
        bytes += part.len() as u64;
        write.inspect_err(|error| {
            broken = Some(Failure::file("the file cannot be written", to, error));
        })
    };
    let client = here.client();
    let read = client.read_unit_file(&here.model, unit, path, &mut take);
    let read = read.await;
    // An empty file has no parts.
    let read = read.map(|()| take(&[]));
    let failure: Failure = match (broken, read) {
        (None, Ok(_)) => return Ok(bytes),
        (Some(failure), _) => failure,
        (None, Err(error)) => error.into(),
    };
    if file.is_some() {
        // Half a file would be taken for one, also where the disk is full.
        let _ = std::fs::remove_file(to);
    }
    Err(failure)
}

fn create(to: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(to)
}

/// Copies a directory, a list of those still to be copied instead of recursion, and says how many files
/// and bytes that were.
async fn copy_tree(
    here: &ModelSession,
    unit: &UnitName,
    path: String,
    to: PathBuf,
) -> Outcome<(u64, u64)> {
    let (mut files, mut bytes) = (0, 0);
    let mut waiting = vec![(path, to)];
    while let Some((path, to)) = waiting.pop() {
        let listing = here.client().unit_files(&here.model, unit, &path).await?;
        if let Some(cut) = cut(&listing) {
            return Err(Failure::failed("the directory cannot be copied whole")
                .why(cut)
                .advice("copy its files one by one: periapt files cp UNIT:PATH"));
        }
        DirBuilder::new()
            .create(&to)
            .map_err(|error| Failure::file("the directory cannot be made", &to, &error))?;
        for entry in listing.entries.iter().filter(|entry| is_name(&entry.name)) {
            let (path, to) = (format!("{path}/{}", entry.name), to.join(&entry.name));
            match entry.kind {
                FileKind::Directory => waiting.push((path, to)),
                FileKind::File => {
                    bytes += copy_file(here, unit, &path, &to).await?;
                    files += 1;
                }
                FileKind::Link | FileKind::Other => {}
            }
        }
    }
    Ok((files, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_unit_and_a_path() {
        let of = |text: &str| place(text).map(|(unit, path)| (unit.to_string(), path));
        let all = ("site/0".to_owned(), "/state".to_owned());
        assert_eq!(of("site/0").unwrap(), all);
        assert_eq!(of("site/0:").unwrap(), all);
        assert_eq!(of("site/0:/state/a:b").unwrap().1, "/state/a:b");
        assert!(of("site:/state").is_err());
    }

    #[test]
    fn what_is_copied_into_a_directory_keeps_its_name() {
        let here = tempfile::tempdir().unwrap();
        let unit: UnitName = "site/0".parse().unwrap();
        let of = |path: &str| target(here.path(), &unit, path);
        assert_eq!(
            of("/state/pages/index.html"),
            here.path().join("index.html")
        );
        assert_eq!(of("/state"), here.path().join("site-0"));
        assert_eq!(of("/state/.."), here.path().join("site-0"));
        let new = here.path().join("new");
        assert_eq!(target(&new, &unit, "/state/x"), new);
    }

    #[test]
    fn entries_are_a_table() {
        let entry = |name: &str, kind, bytes| FileEntry {
            name: name.to_owned(),
            kind,
            bytes,
            modified_at: "2026-01-02T03:04:05Z".to_owned(),
        };
        let entries = [
            entry("pages", FileKind::Directory, 0),
            entry("note", FileKind::File, 2048),
        ];
        let shown = table(&entries).render(false);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[0].starts_with("Name"), "{shown}");
        assert!(
            lines[1].contains("directory") && lines[1].contains(" - "),
            "{shown}"
        );
        assert!(lines[2].contains("2.0 KiB"), "{shown}");
    }
}
