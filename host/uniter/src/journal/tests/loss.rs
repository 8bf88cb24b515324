//! A machine that loses power has what was durable, and of the rest nobody knows what. Whatever was
//! sealed is there again.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::SystemTime;

use super::*;
use crate::state_directory::{KEPT, Settled};
use crate::tests::trees;

/// A disk that keeps what was made durable in a directory of its own.
struct Keeping {
    agent: PathBuf,
    durable: PathBuf,
}

impl Disk for Keeping {
    fn sync(&self, file: &File) -> io::Result<()> {
        use std::os::fd::AsRawFd;
        let path = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
        let to = self.durable.join(DIRECTORY);
        fs::create_dir_all(&to)?;
        fs::copy(&path, to.join(path.file_name().unwrap())).map(|_| ())
    }

    fn sync_all(&self, _: &File) -> io::Result<()> {
        let units = |root: &Path| root.join(directories::UNITS);
        periapt_files::remove(&units(&self.durable))?;
        periapt_files::copy(&units(&self.agent), &units(&self.durable))
    }
}

/// One thing that a hook does.
#[derive(Clone, Debug)]
enum Edit {
    Write(usize, u8, u16),
    Mode(usize, u8),
    Delete(usize),
    Rename(usize, usize),
    Directory(usize),
    Link(usize, usize),
}

/// One thing that happens.
#[derive(Clone, Debug)]
enum Event {
    /// A hook of a unit, which is committed or not.
    Hook(u64, Vec<Edit>, bool),
    /// One that writes more than the journal takes.
    Large(u64, u8),
    Checkpoint,
    /// The file of the journal is changed, and what made all durable did not come to its end.
    Closed,
    Killed,
    /// The database is put back by up to two hooks that wrote.
    Restored(u64, u64),
    /// What is not durable is lost, or cut short.
    Power(bool),
}

const PATHS: [&str; 8] = ["a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "f/a"];

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let path = || 0..PATHS.len();
    let edit = prop_oneof![
        4 => (path(), any::<u8>(), 0..9000_u16).prop_map(|(path, byte, length)| Edit::Write(path, byte, length)),
        1 => (path(), any::<u8>()).prop_map(|(path, mode)| Edit::Mode(path, mode)),
        2 => path().prop_map(Edit::Delete),
        2 => (path(), path()).prop_map(|(from, to)| Edit::Rename(from, to)),
        2 => path().prop_map(Edit::Directory),
        1 => (path(), path()).prop_map(|(from, to)| Edit::Link(from, to)),
    ];
    proptest::collection::vec(edit, 0..6)
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        12 => (0..2_u64, edits(), prop::bool::weighted(0.8))
            .prop_map(|(unit, edits, commits)| Event::Hook(unit, edits, commits)),
        1 => (0..2_u64, any::<u8>()).prop_map(|(unit, byte)| Event::Large(unit, byte)),
        1 => Just(Event::Checkpoint),
        1 => Just(Event::Closed),
        1 => Just(Event::Killed),
        1 => (0..2_u64, 1..=KEPT).prop_map(|(unit, hooks)| Event::Restored(unit, hooks)),
        3 => any::<bool>().prop_map(Event::Power),
    ];
    proptest::collection::vec(event, 1..30)
}

/// What a guest may do; it is no matter what of it works.
fn edit(root: &Path, edit: &Edit) {
    let path = |at: usize| root.join(PATHS[at]);
    let _ = match edit {
        Edit::Write(at, byte, length) => fs::write(path(*at), vec![*byte; usize::from(*length)]),
        // With new content, as no guest changes a mode alone. Of directories none is kept.
        Edit::Mode(at, mode) => fs::write(path(*at), [*mode]).and_then(|()| {
            let modes = [0o600, 0o640, 0o644, 0o700, 0o755];
            let mode = modes[usize::from(*mode) % modes.len()];
            fs::set_permissions(path(*at), fs::Permissions::from_mode(mode))
        }),
        Edit::Delete(at) => fs::remove_file(path(*at)).or_else(|_| fs::remove_dir_all(path(*at))),
        Edit::Rename(from, to) => fs::rename(path(*from), path(*to)),
        Edit::Directory(at) => fs::create_dir_all(path(*at)),
        Edit::Link(target, at) => std::os::unix::fs::symlink(PATHS[*target], path(*at)),
    };
}

/// Everything below `root`: path, what it is and holds, mode and time, which links have none of.
type Tree = Vec<(PathBuf, Vec<u8>, Option<(u32, SystemTime)>)>;

fn tree(root: &Path) -> Tree {
    let mut found = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let stat = fs::symlink_metadata(&path).unwrap();
            let of = Some((stat.mode(), stat.modified().unwrap()));
            let name = path.strip_prefix(root).unwrap().to_owned();
            found.push(if stat.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                (name, target.into_os_string().into_encoded_bytes(), None)
            } else if stat.is_dir() {
                pending.push(path);
                (name, b"directory".to_vec(), of)
            } else {
                (name, fs::read(&path).unwrap(), of)
            });
        }
    }
    found.sort();
    found
}

#[derive(Default)]
struct Unit {
    committed: u64,
    /// Those before the committed one may be gone, as the journal may have had newer ones.
    was_restored: bool,
    generations: BTreeMap<u64, Tree>,
}

struct Loss {
    home: TempDir,
    boot: u32,
    journal: Arc<Journal>,
    units: [Unit; 2],
}

impl Loss {
    fn new() -> Self {
        let home = trees::place();
        fs::create_dir_all(home.path().join("durable").join(directories::UNITS)).unwrap();
        let mut loss = Self {
            journal: Self::open(home.path(), 0),
            home,
            boot: 0,
            units: Default::default(),
        };
        loss.settle();
        loss
    }

    fn open(home: &Path, boot: u32) -> Arc<Journal> {
        let (agent, durable) = (home.join("agent"), home.join("durable"));
        let disk = Keeping {
            agent: agent.clone(),
            durable,
        };
        let (boot, clock) = (boot.to_string(), FakeClock::new().shared());
        Journal::open(&agent, Some(&boot), clock, Box::new(disk)).unwrap()
    }

    fn agent(&self) -> PathBuf {
        self.home.path().join("agent")
    }

    fn durable(&self) -> PathBuf {
        self.home.path().join("durable")
    }

    fn directory(&self, number: u64) -> StateDirectory {
        let root = directories::state(&self.agent(), &unit(number));
        StateDirectory::new(root, unit(number), self.journal.clone())
    }

    /// What an executor does when it starts, after which everything that is kept is as it was.
    fn settle(&mut self) {
        for number in 0..2 {
            let committed = self.units[number as usize].committed;
            let settled = self.directory(number).settle(committed).unwrap();
            assert_eq!(settled, Settled::Ready);
            let directory = self.directory(number);
            let unit = &mut self.units[number as usize];
            unit.generations.entry(0).or_default();
            unit.generations
                .retain(|generation, _| *generation <= committed);
            for (generation, expected) in unit.generations.iter().rev().take(1 + KEPT as usize) {
                let path = directory.generation(*generation);
                // The first one is made when it is asked for.
                let may_miss = *generation == 0 || (unit.was_restored && *generation < committed);
                if path.is_dir() || !may_miss {
                    assert_eq!(&tree(&path), expected, "{number}: {generation}");
                }
            }
        }
    }

    fn hook(&mut self, number: u64, does: impl FnOnce(&Path), commits: bool) {
        let directory = self.directory(number);
        let before = self.units[number as usize].committed;
        let stage = directory.stage(before).unwrap();
        does(stage.path());
        let generation = stage.seal().unwrap();
        let unit = &mut self.units[number as usize];
        if generation == before {
            return;
        }
        if commits {
            unit.generations.retain(|other, _| *other < generation);
            unit.generations
                .insert(generation, tree(&directory.generation(generation)));
            unit.committed = generation;
        }
        directory.drop_others(unit.committed).unwrap();
        crate::behind::caught_up();
    }

    fn happen(&mut self, event: &Event) {
        match event {
            Event::Hook(number, edits, commits) => {
                let does = |root: &Path| edits.iter().for_each(|one| edit(root, one));
                self.hook(*number, does, *commits);
            }
            Event::Large(number, byte) => {
                let large = vec![*byte; MOST + 1];
                let was_known = self.journal.knows(&unit(*number));
                self.hook(
                    *number,
                    |root| fs::write(root.join("large"), large).unwrap(),
                    true,
                );
                // It was made durable file by file, which this disk was not told.
                let after = self.units[*number as usize].committed;
                let place = |root: &Path| match was_known {
                    true => directories::state(root, &unit(*number)),
                    false => directories::generation(root, &unit(*number), after),
                };
                let (from, to) = (place(&self.agent()), place(&self.durable()));
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                periapt_files::remove(&to).unwrap();
                periapt_files::copy(&from, &to).unwrap();
            }
            Event::Checkpoint => self.journal.checkpoint().unwrap(),
            Event::Closed => {
                self.journal.close().unwrap();
            }
            Event::Killed => {
                self.journal = Self::open(self.home.path(), self.boot);
                self.settle();
            }
            Event::Restored(number, hooks) => {
                let directory = self.directory(*number);
                let unit = &mut self.units[*number as usize];
                let earlier = unit.committed.saturating_sub(*hooks);
                if directory.generation(earlier).is_dir() {
                    (unit.committed, unit.was_restored) = (earlier, true);
                    self.settle();
                }
            }
            Event::Power(leaves) => {
                self.lose(*leaves);
                self.boot += 1;
                self.journal = Self::open(self.home.path(), self.boot);
                self.settle();
            }
        }
    }

    /// Leaves what was durable, and perhaps generations beside it whose files are cut short.
    fn lose(&mut self, leaves: bool) {
        let lost = self.home.path().join("lost");
        fs::rename(self.agent(), &lost).unwrap();
        periapt_files::copy(&self.durable(), &self.agent()).unwrap();
        for number in (0..2).filter(|_| leaves) {
            let state = directories::state(&lost, &unit(number));
            for entry in fs::read_dir(state).unwrap() {
                let from = entry.unwrap();
                let to = directories::state(&self.agent(), &unit(number)).join(from.file_name());
                if !to.exists() {
                    fs::create_dir_all(to.parent().unwrap()).unwrap();
                    periapt_files::copy(&from.path(), &to).unwrap();
                    for (path, _, of) in tree(&to) {
                        let path = to.join(path);
                        if of.is_some() && path.is_file() {
                            fs::write(path, "").unwrap();
                        }
                    }
                }
            }
        }
        // Which boot it was is never made durable.
        periapt_files::remove(&lost).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_was_committed_is_there_after_whatever_happens(events in events()) {
        let mut loss = Loss::new();
        for event in events {
            loss.happen(&event);
        }
        loss.happen(&Event::Power(true));
    }
}

/// The last record is torn at each of its bytes: the generations before it are made anew, and it is
/// there as a whole or not at all.
#[test]
fn a_torn_record_is_a_generation_that_was_never_sealed() {
    let mut loss = Loss::new();
    let mut ends = Vec::new();
    for content in ["1", "2", "3"] {
        let does = |root: &Path| fs::write(root.join("file"), content).unwrap();
        loss.hook(0, does, true);
        ends.push(loss.journal.log().halves[0].end);
    }
    let file = loss.durable().join(DIRECTORY).join(FILES[0]);
    let whole = fs::read(&file).unwrap();
    for cut in ends[1]..=ends[2] {
        for fill in [0, 0xff] {
            let mut torn = whole.clone();
            torn[cut as usize..ends[2] as usize].fill(fill);
            // What it is filled with may be what was there.
            let is_whole = torn == whole;
            fs::write(&file, torn).unwrap();
            loss.lose(false);
            // With a disk that keeps nothing, so that the next round finds the same.
            open(&loss.agent(), &FakeClock::new(), &Arc::default(), "other");
            let directory = loss.directory(0);
            let found =
                |generation| fs::read_to_string(directory.generation(generation).join("file")).ok();
            assert_eq!(found(1).as_deref(), Some("1"));
            assert_eq!(found(2).as_deref(), Some("2"));
            assert_eq!(found(3), is_whole.then(|| "3".to_owned()), "{cut}");
        }
    }
}
