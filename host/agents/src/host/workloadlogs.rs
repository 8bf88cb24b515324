//! What services write, into the log of the model.
//!
//! Trigger: the supervisor of the machine writes to a log of a service in `workloads/logs`. Action:
//! reads what is new and hands it on, with the level INFO for what was written to standard output and
//! WARNING for the rest. Effect: `debug-log` has it, under the unit and the module
//! `workload.CONTAINER.SERVICE`. The file itself is a ring of its own, so a service that says much pushes out no
//! line of a hook; what it says is bounded where it is written. What was written while no agent ran is in the file
//! alone.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use periapt_engine::{Manifold, ResultExt, TaskWorker};
use periapt_model::{Tag, UnitName};
use periapt_wire::agent::log_sink::LogRecord;
use rustix::fs::inotify::WatchFlags;

use super::notices::Notices;
use super::{AgentContext, agent};

pub const NAME: &str = "workload-logs";

/// Between two rounds: lines come in bursts.
const PAUSE: Duration = Duration::from_millis(200);
/// Read of one file in a round.
const READ_BYTES: u64 = 1 << 20;

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let AgentContext { process, .. } = context.get(agent::NAME)?;
        let clock = context.clock();
        Ok(TaskWorker::spawn(move |worker| async move {
            let mut logs = Logs::watch(&process.workload_logs()).while_doing("watching logs")?;
            loop {
                worker.or_dying(logs.changed()).await?;
                worker.or_dying(clock.sleep(PAUSE)).await?;
                let read = tokio::task::spawn_blocking(move || {
                    let records = logs.read();
                    (logs, records)
                });
                let (back, records) = read.await.while_doing("reading what services wrote")?;
                logs = back;
                for record in records {
                    process.log().write(record);
                }
            }
        }))
    })
    .needs([agent::NAME])
}

/// Logs of services, and how far each was read.
struct Logs {
    directory: PathBuf,
    notices: Notices,
    /// By file: which it was, and how much of it was read.
    known: BTreeMap<PathBuf, (u64, u64)>,
}

impl Logs {
    /// What is there by now counts as read.
    fn watch(directory: &Path) -> io::Result<Self> {
        let notices = Notices::begin()?;
        notices.of(directory, WatchFlags::CREATE | WatchFlags::MOVED_TO)?;
        let mut logs = Self {
            directory: directory.to_owned(),
            notices,
            known: BTreeMap::new(),
        };
        for (_, path) in logs.files() {
            if let Ok(found) = fs::symlink_metadata(&path) {
                logs.known.insert(path, (found.ino(), found.len()));
            }
        }
        Ok(logs)
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
        let mut records = Vec::new();
        for (unit, path) in files {
            let before = self.known.get(&path).copied();
            let module = format!("workload.{}", stem(&path));
            let mut take = |text: String| {
                let lines = text.lines();
                records.extend(lines.filter_map(|line| record(&unit, &module, line)));
            };
            // What was written to it after the last round and before it was put aside.
            if let Some(Ok((_, text))) = before.map(|before| read_rest(&path, before)) {
                take(text);
            }
            match read_on(&path, before) {
                Ok((place, text)) => {
                    take(text);
                    self.known.insert(path, place);
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

/// The end of a log that was put aside since, and whose beginning was read.
fn read_rest(path: &Path, before: (u64, u64)) -> io::Result<((u64, u64), String)> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".1");
    let aside = PathBuf::from(aside);
    match fs::symlink_metadata(&aside)?.ino() == before.0 {
        true => read_on(&aside, Some(before)),
        false => Ok((before, String::new())),
    }
}

/// Whole lines from where it was read to before; a file that was begun anew is read from its beginning.
fn read_on(path: &Path, before: Option<(u64, u64)>) -> io::Result<((u64, u64), String)> {
    let mut file = File::open(path)?;
    let found = file.metadata()?;
    let from = match before {
        Some((inode, read)) if inode == found.ino() && read <= found.len() => read,
        _ => 0,
    };
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(READ_BYTES).read_to_end(&mut bytes)?;
    // What follows is there next time.
    let whole = bytes.iter().rposition(|byte| *byte == b'\n');
    bytes.truncate(whole.map_or(0, |last| last + 1));
    let place = (found.ino(), from + bytes.len() as u64);
    Ok((place, String::from_utf8_lossy(&bytes).into_owned()))
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
        let read = logs.read();
        let said: Vec<(String, &str)> = read
            .iter()
            .map(|record| (record.entity.to_string(), record.message.as_str()))
            .collect();
        assert_eq!(
            said,
            [
                ("unit-docs-0".to_owned(), "last"),
                ("unit-docs-0".to_owned(), "three"),
                ("unit-my-app-12".to_owned(), "four")
            ]
        );
        assert!(logs.read().is_empty());
    }
}
