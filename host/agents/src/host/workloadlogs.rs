//! What services write, into the log of the model.
//!
//! Trigger: the supervisor of the machine writes to a log of a service in `workloads/logs`. Action:
//! reads what is new and hands it on, with the level INFO for what was written to standard output and
//! WARNING for the rest. Effect: `debug-log` has it, under the unit and the module
//! `workload.CONTAINER.SERVICE`. The file itself is a ring of its own, so a service that says much pushes out no
//! line of a hook; what it says is bounded where it is written. How far each log was read is kept beside them, so an agent
//! goes on where the one before it stopped, and what was written while none ran is not lost.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use periapt_engine::{Manifold, ResultExt, TaskWorker};
use periapt_model::{Tag, UnitName};
use periapt_wire::agent::log_sink::LogRecord;
use rustix::fs::inotify::WatchFlags;
use serde::{Deserialize, Serialize};

use super::notices::Notices;
use super::{AgentContext, agent};

pub const NAME: &str = "workload-logs";

/// Between two rounds: lines come in bursts.
const PAUSE: Duration = Duration::from_millis(200);
/// Read of one file in a round.
const READ_BYTES: u64 = 1 << 20;
/// How far each log was read, in the directory of all.
const PLACES: &str = "read.json";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let AgentContext { process, .. } = context.get(agent::NAME)?;
        let clock = context.clock();
        Ok(TaskWorker::spawn(move |worker| async move {
            let mut logs = Logs::watch(&process.workload_logs()).while_doing("watching logs")?;
            loop {
                if !logs.unread {
                    worker.or_dying(logs.changed()).await?;
                }
                worker.or_dying(clock.sleep(PAUSE)).await?;
                let log = process.log().clone();
                let read = tokio::task::spawn_blocking(move || {
                    for record in logs.read() {
                        log.write(record);
                    }
                    // Afterwards: who is killed in between says a line twice rather than never.
                    logs.keep();
                    logs
                });
                logs = read.await.while_doing("reading what services wrote")?;
            }
        }))
    })
    .needs([agent::NAME])
}

/// Logs of services, and how far each was read.
struct Logs {
    directory: PathBuf,
    notices: Notices,
    /// By the path of the log.
    known: Places,
    kept: Places,
    /// There is more than was read in the last round.
    unread: bool,
}

type Places = BTreeMap<PathBuf, Place>;

/// Which file it was, and how much of it was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    /// None where its file is yet to be begun.
    file: Option<Identity>,
    read: u64,
}

/// A number is given again once its file is gone, so the time of its birth goes with it, where it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    inode: u64,
    born: u64,
}

impl Identity {
    fn of(found: &fs::Metadata) -> Self {
        let born = found.created().ok();
        let born = born.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            inode: found.ino(),
            born: born.map_or(0, |since| {
                u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
            }),
        }
    }
}

impl Logs {
    /// Goes on where the agent before this one stopped. Where there was none, what is there counts as read.
    fn watch(directory: &Path) -> io::Result<Self> {
        let notices = Notices::begin()?;
        notices.of(directory, WatchFlags::CREATE | WatchFlags::MOVED_TO)?;
        let kept = fs::read(directory.join(PLACES)).ok();
        let kept: Option<Places> = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut logs = Self {
            directory: directory.to_owned(),
            notices,
            unread: kept.is_some(),
            known: kept.clone().unwrap_or_default(),
            kept: kept.clone().unwrap_or_default(),
        };
        for (_, path) in logs.files() {
            if kept.is_none()
                && let Ok(found) = fs::symlink_metadata(&path)
            {
                let place = Place {
                    file: Some(Identity::of(&found)),
                    read: found.len(),
                };
                logs.known.insert(path, place);
            }
        }
        logs.store();
        Ok(logs)
    }

    /// Keeps how far the logs were read.
    fn keep(&mut self) {
        if self.known != self.kept {
            self.store();
        }
    }

    /// Lines are handed on all the same where this fails.
    fn store(&mut self) {
        if let Err(error) = self.write() {
            tracing::warn!(%error, "how far logs of services were read is not kept");
        }
    }

    fn write(&mut self) -> io::Result<()> {
        let next = self.directory.join(format!(".{PLACES}.next"));
        fs::write(&next, serde_json::to_vec(&self.known)?)?;
        fs::rename(&next, self.directory.join(PLACES))?;
        self.kept = self.known.clone();
        Ok(())
    }

    /// Ends when something was written since the last call.
    async fn changed(&self) {
        self.notices.happened().await;
    }

    /// The logs there are, by unit. Each unit's folder is watched from then on.
    fn files(&self) -> Vec<(UnitName, PathBuf)> {
        let mut files = Vec::new();
        for folder in entries(&self.directory) {
            let Some(unit) = unit_of(&folder) else {
                continue;
            };
            let flags = WatchFlags::MODIFY | WatchFlags::CREATE | WatchFlags::ONLYDIR;
            // Watching it again changes nothing; one that is gone is not there next time.
            let _ = self.notices.of(&folder, flags);
            for path in entries(&folder) {
                if path.extension().is_some_and(|end| end == "log") {
                    files.push((unit.clone(), path));
                }
            }
        }
        files
    }

    /// What is new. Blocks.
    fn read(&mut self) -> Vec<LogRecord> {
        let files = self.files();
        self.known
            .retain(|path, _| files.iter().any(|(_, there)| there == path));
        self.unread = false;
        let mut records = Vec::new();
        for (unit, path) in files {
            let before = self.known.get(&path).copied().unwrap_or_default();
            match read_on(&path, before) {
                Ok(read) => {
                    let module = format!("workload.{}", stem(&path));
                    let lines = read.text.lines();
                    records.extend(lines.filter_map(|line| record(&unit, &module, line)));
                    self.known.insert(path, read.place);
                    self.unread |= read.more;
                }
                Err(error) => tracing::debug!(path = %path.display(), %error, "a log is not read"),
            }
        }
        records
    }
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn unit_of(folder: &Path) -> Option<UnitName> {
    let (application, number) = folder.file_name()?.to_str()?.rsplit_once('-')?;
    format!("{application}/{number}").parse().ok()
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy());
    stem.unwrap_or_default().into_owned()
}

/// What was read of a log in one round.
struct Piece {
    place: Place,
    text: String,
    /// There may be more.
    more: bool,
}

/// Whole lines from where it was read to before: what is left of the file that was put aside since, then the file
/// that was begun anew, from its beginning.
fn read_on(path: &Path, before: Place) -> io::Result<Piece> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".1");
    let aside = Path::new(&aside);
    let is_it = |found: &fs::Metadata| before.file == Some(Identity::of(found));
    let same = fs::symlink_metadata(path).is_ok_and(|found| is_it(&found));
    let ended = before.file.is_some() && !same && aside.is_file();
    let mut file = File::open(if ended { aside } else { path })?;
    let found = file.metadata()?;
    let from = match is_it(&found) && before.read <= found.len() {
        true => before.read,
        false => 0,
    };
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(READ_BYTES).read_to_end(&mut bytes)?;
    let full = bytes.len() as u64 == READ_BYTES;
    // What follows is there next time.
    let whole = bytes.iter().rposition(|byte| *byte == b'\n');
    bytes.truncate(whole.map_or(0, |last| last + 1));
    let place = match ended && !full {
        true => Place::default(),
        false => Place {
            file: Some(Identity::of(&found)),
            read: from + bytes.len() as u64,
        },
    };
    Ok(Piece {
        place,
        text: String::from_utf8_lossy(&bytes).into_owned(),
        more: full || ended,
    })
}

/// `2026-11-23T18:00:00.000Z out text`.
fn record(unit: &UnitName, module: &str, line: &str) -> Option<LogRecord> {
    let (time, rest) = line.split_once(' ')?;
    let (stream, message) = rest.split_once(' ')?;
    let time: jiff::Timestamp = time.parse().ok()?;
    Some(LogRecord {
        time: time.as_microsecond(),
        entity: Tag::Unit(unit.clone()),
        level: match stream {
            "out" => "INFO",
            _ => "WARNING",
        }
        .to_owned(),
        module: module.to_owned(),
        message: message.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[tokio::test]
    async fn what_services_write_is_handed_on_once_and_line_by_line() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("docs-0");
        fs::create_dir(&folder).unwrap();
        let path = folder.join("web.site.log");
        fs::write(&path, "2026-11-23T18:00:00.000Z out before\n").unwrap();
        let mut logs = Logs::watch(home.path()).unwrap();
        assert!(logs.read().is_empty(), "written before it began");
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        write!(
            file,
            "2026-11-23T18:00:01.000Z out one\n2026-11-23T18:00:02.5Z err tw"
        )
        .unwrap();
        logs.changed().await;
        let read = logs.read();
        assert_eq!(read.len(), 1);
        let one = &read[0];
        assert_eq!(
            (one.module.as_str(), one.message.as_str()),
            ("workload.web.site", "one")
        );
        assert_eq!(
            (one.level.as_str(), one.time),
            ("INFO", 1_795_456_801_000_000)
        );
        writeln!(file, "o").unwrap();
        logs.changed().await;
        let read = logs.read();
        assert_eq!(
            (read[0].level.as_str(), read[0].message.as_str()),
            ("WARNING", "two")
        );
        // The ring begins anew, and another unit comes.
        writeln!(file, "2026-11-23T18:00:02.7Z out last").unwrap();
        fs::rename(&path, folder.join("web.site.log.1")).unwrap();
        fs::write(&path, "2026-11-23T18:00:03Z out three\nno line of ours\n").unwrap();
        let other = home.path().join("my-app-12");
        fs::create_dir(&other).unwrap();
        fs::write(
            other.join("web.site.log"),
            "2026-11-23T18:00:04Z out four\n",
        )
        .unwrap();
        logs.changed().await;
        let mut read = logs.read();
        assert!(logs.unread, "the new file of the ring");
        read.extend(logs.read());
        let said: Vec<(String, &str)> = read
            .iter()
            .map(|record| (record.entity.to_string(), record.message.as_str()))
            .collect();
        assert_eq!(
            said,
            [
                ("unit-docs-0".to_owned(), "last"),
                ("unit-my-app-12".to_owned(), "four"),
                ("unit-docs-0".to_owned(), "three")
            ]
        );
        assert!(logs.read().is_empty() && !logs.unread);
    }

    #[tokio::test]
    async fn the_next_agent_goes_on_where_the_last_one_stopped() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("docs-0");
        fs::create_dir(&folder).unwrap();
        let path = folder.join("web.site.log");
        let line = |text: &str| format!("2026-11-23T18:00:00.000Z out {text}\n");
        let append = |text: &str| {
            let mut options = fs::OpenOptions::new();
            let mut file = options.create(true).append(true).open(&path).unwrap();
            file.write_all(line(text).as_bytes()).unwrap();
        };
        let aside = || fs::rename(&path, folder.join("web.site.log.1")).unwrap();
        let all = |logs: &mut Logs| {
            let mut said = Vec::new();
            loop {
                said.extend(logs.read().into_iter().map(|record| record.message));
                logs.keep();
                if !logs.unread {
                    return said;
                }
            }
        };
        append("before the first agent");
        assert!(all(&mut Logs::watch(home.path()).unwrap()).is_empty());
        append("one");
        let mut logs = Logs::watch(home.path()).unwrap();
        assert!(logs.unread, "nobody has to write for it to be read");
        assert_eq!(all(&mut logs), ["one"]);
        drop(logs);
        append("two");
        aside();
        append("three");
        let mut logs = Logs::watch(home.path()).unwrap();
        assert_eq!(all(&mut logs), ["two", "three"]);
        assert!(all(&mut logs).is_empty());
        drop(logs);
        // The ring began anew twice, so what was put aside first is gone.
        append("gone");
        aside();
        append("four");
        aside();
        append("five");
        let mut logs = Logs::watch(home.path()).unwrap();
        assert_eq!(all(&mut logs), ["four", "five"]);
        drop(logs);
        // More than is read in one round, and a log that was not there before.
        let long = "x".repeat(10_000);
        let count = 2 * READ_BYTES as usize / long.len();
        (0..count).for_each(|_| append(&long));
        fs::write(folder.join("web.other.log"), line("new")).unwrap();
        let mut logs = Logs::watch(home.path()).unwrap();
        assert_eq!(all(&mut logs).len(), count + 1);
        drop(logs);
        // What cannot be understood is as if there were nothing.
        fs::write(home.path().join(PLACES), "{").unwrap();
        append("not read");
        assert!(all(&mut Logs::watch(home.path()).unwrap()).is_empty());
    }
}
