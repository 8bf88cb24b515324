//! `charm watch`: builds, packs and refreshes whenever a file of the project is saved.
//!
//! The kernel says that something happened; what counts is whether a file that goes into the charm differs from when it
//! was last built, so that an editor's own files and what the build writes start nothing.

use std::collections::BTreeMap;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::Parser;
use periapt_client::rest::RestError;
use periapt_model::ApplicationName;
use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::super::{Context, deploy, refresh};
use super::{build, failed};
use crate::arguments::{Arguments, CharmWatch, Command};
use crate::failure::{Failure, Outcome};
use crate::session::ModelSession;

/// An editor that saves several files is waited for so long after the last of them.
const QUIET: Duration = Duration::from_millis(200);

/// Folders of a project whose files go into the charm, or into its components.
const FOLDERS: [&str; 4] = ["src", "server", "files", "routes"];

/// Folders that hold what is made of the others.
const MADE: [&str; 2] = ["target", "build"];

const BUFFER_BYTES: usize = 16 << 10;

pub async fn watch(context: &Context, arguments: &CharmWatch) -> Outcome {
    let project = &arguments.build.project;
    periapt_packing::manifest(project)
        .map_err(|error| failed("cannot watch the project", &error))?;
    let unwatched = |error: io::Error| Failure::file("cannot watch the project", project, &error);
    let notices = Notices::begin().map_err(unwatched)?;
    loop {
        // Looked at before the build: what is saved meanwhile is built afterwards.
        let built = inputs(project);
        notices.of_all(project, &built).map_err(unwatched)?;
        if let Err(failure) = round(context, arguments).await {
            context.output.report(&failure.to_string());
        }
        context.output.say(&format!(
            "Watching {}; press Ctrl+C to stop",
            project.display()
        ));
        while inputs(project) == built {
            notices.happened().await;
            while tokio::time::timeout(QUIET, notices.happened())
                .await
                .is_ok()
            {}
        }
    }
}

/// Builds, packs, and has the application run it.
async fn round(context: &Context, arguments: &CharmWatch) -> Outcome {
    let project = &arguments.build.project;
    build(context, &arguments.build)?;
    let packed = periapt_packing::pack(project, project)
        .map_err(|error| failed("the charm was not packed", &error))?;
    super::warn(context, &packed.path)?;
    let name = arguments.application.as_deref().unwrap_or(&packed.name);
    let application: ApplicationName = name.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let there = match here.client().application(&here.model, &application).await {
        Ok(_) => true,
        Err(RestError::Problem(problem)) if problem.status == 404 => false,
        Err(error) => return Err(error.into()),
    };
    let file = packed.path.display().to_string();
    let mut words = match there {
        true => vec!["periapt", "refresh", name, "--path", file.as_str()],
        false => vec!["periapt", "deploy", file.as_str(), name],
    };
    if let Some(model) = &arguments.model.model {
        words.extend(["--model", model.as_str()]);
    }
    // The verbs themselves, with what they say and refuse.
    match Arguments::try_parse_from(words)?.command {
        Command::Refresh(arguments) => refresh::refresh(context, arguments).await,
        Command::Deploy(arguments) => deploy::deploy(context, arguments).await,
        _ => Ok(()),
    }
}

/// When each file of a project that counts was written, and how long it is; and the folders of such files.
type Inputs = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

fn inputs(project: &Path) -> Inputs {
    let mut found = Inputs::new();
    for (name, path) in entries(project) {
        if path.is_dir() {
            if FOLDERS.contains(&name.as_str()) {
                collect(&path, &mut found);
            }
        } else if counts(&name) {
            add(path, &mut found);
        }
    }
    found
}

/// Whether a file at the root of a project is a part of the charm, or says how it is built.
fn counts(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    matches!(ending, Some("yaml" | "toml" | "md" | "svg")) || matches!(name, "README" | "LICENSE")
}

fn collect(folder: &Path, found: &mut Inputs) {
    found.insert(folder.to_owned(), (None, 0));
    for (name, path) in entries(folder) {
        // A link leads elsewhere, perhaps to a folder around it.
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            if !MADE.contains(&name.as_str()) {
                collect(&path, found);
            }
        } else if !name.starts_with('.') && !name.ends_with('~') {
            add(path, found);
        }
    }
}

/// A file that goes away while it is looked at is not there.
fn add(path: PathBuf, found: &mut Inputs) {
    if let Ok(metadata) = path.metadata() {
        found.insert(path, (metadata.modified().ok(), metadata.len()));
    }
}

fn entries(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(read) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let entries = read.flatten();
    entries
        .map(|entry| {
            (
                entry.file_name().to_string_lossy().into_owned(),
                entry.path(),
            )
        })
        .collect()
}

/// That something happened in a folder of the project.
struct Notices {
    inotify: AsyncFd<OwnedFd>,
}

impl Notices {
    fn begin() -> io::Result<Self> {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        #[expect(
            deprecated,
            reason = "its successor needs unsafe code; an owned descriptor stays what it is"
        )]
        let inotify = AsyncFd::with_interest(inotify, Interest::READABLE)?;
        Ok(Self { inotify })
    }

    /// The project's folder and all that hold its files. Asking for one twice changes nothing.
    fn of_all(&self, project: &Path, inputs: &Inputs) -> io::Result<()> {
        let flags = WatchFlags::CLOSE_WRITE
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO;
        inotify::add_watch(self.inotify.get_ref(), project, flags)?;
        for folder in inputs.keys().filter(|path| path.is_dir()) {
            inotify::add_watch(self.inotify.get_ref(), folder, flags)?;
        }
        Ok(())
    }

    async fn happened(&self) {
        let Ok(mut ready) = self.inotify.readable().await else {
            return std::future::pending().await;
        };
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut reader = Reader::new(self.inotify.get_ref(), &mut buffer);
        while reader.next().is_ok() {}
        ready.clear_ready();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_goes_into_a_charm_counts_and_what_is_made_of_it_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path();
        for path in [
            "src/a",
            "server/src",
            "target",
            "build",
            "vendor/src",
            "files",
        ] {
            fs::create_dir_all(project.join(path)).unwrap();
        }
        let counted = [
            "charmcraft.yaml",
            "Cargo.toml",
            "src/lib.rs",
            "src/a/b.rs",
            "server/src/lib.rs",
            "files/x",
            "README",
        ];
        let others = [
            "Cargo.lock",
            "a.charm",
            "build/charm.wasm",
            "target/x",
            "vendor/src/lib.rs",
            "src/.lib.rs.swp",
            "src/lib.rs~",
        ];
        for file in counted.iter().chain(&others) {
            fs::write(project.join(file), "x").unwrap();
        }
        std::os::unix::fs::symlink(project, project.join("files/round")).unwrap();
        let found = inputs(project);
        let mut wanted: Vec<PathBuf> = counted.iter().map(|file| project.join(file)).collect();
        wanted.sort();
        let files = found.keys().filter(|path| path.is_file()).cloned();
        assert_eq!(files.collect::<Vec<_>>(), wanted);
        fs::write(project.join("src/lib.rs"), "longer").unwrap();
        assert_ne!(inputs(project), found);
    }

    #[tokio::test]
    async fn a_file_that_is_saved_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path();
        fs::create_dir_all(project.join("src")).unwrap();
        fs::write(project.join("src/lib.rs"), "x").unwrap();
        let notices = Notices::begin().unwrap();
        notices.of_all(project, &inputs(project)).unwrap();
        let waited = tokio::time::timeout(Duration::from_millis(50), notices.happened()).await;
        assert!(waited.is_err(), "nothing happened yet");
        fs::write(project.join("src/lib.rs"), "y").unwrap();
        let noticed = tokio::time::timeout(Duration::from_secs(10), notices.happened()).await;
        assert!(noticed.is_ok());
    }
}
