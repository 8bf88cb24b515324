//! What a journal costs, what of it is whole, and when it is emptied.

mod loss;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use periapt_engine::FakeClock;
use proptest::prelude::*;
use tempfile::TempDir;

use super::rebuild::{Chain, chains};
use super::record::{encode, read};
use super::*;
use crate::state_directory::StateDirectory;

/// A disk that counts, and does the rest when the test says so.
#[derive(Default)]
struct Counts {
    syncs: AtomicUsize,
    all: AtomicUsize,
    fails: AtomicBool,
    /// Each sync takes one; none where nobody waits.
    held: Mutex<Option<Receiver<()>>>,
}

struct Counting(Arc<Counts>);

impl Disk for Counting {
    fn sync(&self, _: &File) -> io::Result<()> {
        self.0.syncs.fetch_add(1, Ordering::SeqCst);
        if let Some(held) = &*self.0.held.lock().unwrap() {
            let _ = held.recv();
        }
        match self.0.fails.load(Ordering::SeqCst) {
            true => Err(io::Error::other("broken")),
            false => Ok(()),
        }
    }

    fn sync_all(&self, _: &File) -> io::Result<()> {
        self.0.all.fetch_add(1, Ordering::SeqCst);
        match self.0.fails.load(Ordering::SeqCst) {
            true => Err(io::Error::other("broken")),
            false => Ok(()),
        }
    }
}

struct World {
    agent: TempDir,
    clock: FakeClock,
    counts: Arc<Counts>,
    journal: Arc<Journal>,
}

impl World {
    fn new() -> Self {
        let (agent, clock, counts) = (
            tempfile::tempdir().unwrap(),
            FakeClock::new(),
            Arc::default(),
        );
        let journal = open(agent.path(), &clock, &counts, "one");
        counts.syncs.store(0, Ordering::SeqCst);
        Self {
            agent,
            clock,
            counts,
            journal,
        }
    }

    fn unit(&self, number: usize) -> StateDirectory {
        let unit: UnitName = format!("site/{number}").parse().unwrap();
        let root = directories::state(self.agent.path(), &unit);
        let directory = StateDirectory::new(root, unit, self.journal.clone());
        directory.settle(0).unwrap();
        directory
    }

    fn syncs(&self) -> usize {
        self.counts.syncs.load(Ordering::SeqCst)
    }

    /// How many bytes of records there are in each file.
    fn ends(&self) -> [u64; 2] {
        let log = self.journal.log();
        [log.halves[0].end, log.halves[1].end]
    }

    fn until(&self, holds: impl Fn(&Log) -> bool) {
        while !holds(&self.journal.log()) {
            thread::yield_now();
        }
    }
}

fn open(agent: &Path, clock: &FakeClock, counts: &Arc<Counts>, boot: &str) -> Arc<Journal> {
    let disk = Box::new(Counting(counts.clone()));
    Journal::open(agent, Some(boot), clock.shared(), disk).unwrap()
}

/// One hook that writes a file.
fn write(directory: &StateDirectory, base: u64, file: &str, content: &str) -> u64 {
    let stage = directory.stage(base).unwrap();
    fs::write(stage.path().join(file), content).unwrap();
    stage.seal().unwrap()
}

fn unit(number: u64) -> UnitName {
    format!("site/{number}").parse().unwrap()
}

fn sealed(generation: u64, difference: &[u8]) -> Said<'_> {
    Said::Sealed {
        unit: unit(1),
        generation,
        difference,
    }
}

#[test]
fn a_hook_that_writes_one_of_a_thousand_files_is_one_record_and_one_sync() {
    let world = World::new();
    let directory = world.unit(0);
    let stage = directory.stage(0).unwrap();
    for number in 0..1_000 {
        fs::write(stage.path().join(number.to_string()), number.to_string()).unwrap();
    }
    assert_eq!(stage.seal().unwrap(), 1);
    let (before, syncs) = (world.journal.log().last, world.syncs());
    let ends = world.ends();
    assert_eq!(write(&directory, 1, "500", "other"), 2);
    assert_eq!(world.journal.log().last, before + 1);
    assert_eq!(world.syncs(), syncs + 1);
    assert!(world.ends()[0] - ends[0] < 200, "only that file is in it");
}

#[test]
fn a_hook_that_writes_nothing_is_no_record() {
    let world = World::new();
    let directory = world.unit(0);
    let stage = directory.stage(0).unwrap();
    fs::write(stage.path().join("passing"), "").unwrap();
    fs::remove_file(stage.path().join("passing")).unwrap();
    assert_eq!(stage.seal().unwrap(), 0);
    assert_eq!((world.journal.log().last, world.syncs()), (0, 0));
}

/// The first one is held in its sync until the others have written their records, which then have
/// one between them.
#[test]
fn hooks_that_seal_at_the_moment_share_a_sync() {
    let world = World::new();
    let (go, held): (Sender<()>, _) = channel();
    *world.counts.held.lock().unwrap() = Some(held);
    let hooks: Vec<_> = (0..16)
        .map(|number| {
            let directory = world.unit(number);
            thread::Builder::new()
                .spawn(move || write(&directory, 0, "file", "x"))
                .unwrap()
        })
        .collect();
    world.until(|log| log.last == 16);
    drop(go);
    for hook in hooks {
        assert_eq!(hook.join().unwrap(), 1);
    }
    assert!(world.syncs() <= 2, "{}", world.syncs());
    assert_eq!(world.journal.log().durable, 16);
}

#[test]
fn a_hook_that_writes_much_does_without_the_journal() {
    let world = World::new();
    let directory = world.unit(0);
    let large = "x".repeat(MOST);
    assert_eq!(write(&directory, 0, "large", &large), 1);
    assert_eq!(world.journal.log().last, 0);
    // After one that did not, the journal is told that what it has does not count.
    assert_eq!(write(&directory, 1, "small", ""), 2);
    assert!(world.journal.needs(&unit(0), 1));
    assert_eq!(write(&directory, 2, "large", &large.replace('x', "y")), 3);
    assert_eq!(world.journal.log().last, 2);
    assert!(!world.journal.needs(&unit(0), 1));
}

#[test]
fn a_file_that_is_old_is_given_up_and_the_other_one_written_to() {
    let world = World::new();
    let directory = world.unit(0);
    assert_eq!(write(&directory, 0, "file", "1"), 1);
    world.clock.advance(AGE);
    assert_eq!(
        world.counts.all.load(Ordering::SeqCst),
        0,
        "nothing waits for a clock"
    );
    assert_eq!(write(&directory, 1, "file", "2"), 2);
    world.until(|log| !log.is_checkpointing);
    assert_eq!(world.counts.all.load(Ordering::SeqCst), 1);
    assert_eq!(world.ends(), [0, 0]);
    assert!(!world.journal.needs(&unit(0), 0));
    assert_eq!(write(&directory, 2, "file", "3"), 3);
    assert_eq!((world.ends()[0], world.journal.log().active), (0, 1));
    assert!(world.journal.needs(&unit(0), 2));
}

#[test]
fn a_file_that_cannot_be_given_up_stays_and_is_the_next_to_go() {
    let world = World::new();
    let directory = world.unit(0);
    assert_eq!(write(&directory, 0, "file", "1"), 1);
    let half = world.journal.close().unwrap();
    assert_eq!(write(&directory, 1, "file", "2"), 2);
    assert!(world.ends().iter().all(|end| *end > 0));
    assert_eq!(world.journal.close().unwrap(), half, "not the one in use");
    world.journal.checkpoint().unwrap();
    assert_eq!(world.ends()[half], 0);
    assert!(world.ends()[1 - half] > 0);
}

#[test]
fn after_a_failed_sync_no_later_one_is_believed() {
    let world = World::new();
    let directory = world.unit(0);
    assert_eq!(write(&directory, 0, "file", "1"), 1);
    let stage = |content: &str| {
        let stage = directory.stage(1).unwrap();
        fs::write(stage.path().join("file"), content).unwrap();
        stage
    };
    world.counts.fails.store(true, Ordering::SeqCst);
    stage("2").seal().unwrap_err();
    world.counts.fails.store(false, Ordering::SeqCst);
    let error = stage("3").seal().unwrap_err();
    assert!(error.to_string().contains("starts again"), "{error}");
    world.journal.checkpoint().unwrap_err();
}

#[test]
fn a_record_is_what_it_was_or_is_not_there() {
    let said = [
        sealed(7, b"what changed"),
        Said::Forgotten { unit: unit(2) },
        sealed(8, b""),
    ];
    let mut bytes = Vec::new();
    let mut ends = vec![0];
    for (number, said) in (41..).zip(&said) {
        bytes.extend(encode(number, said));
        ends.push(bytes.len());
    }
    for length in 0..=bytes.len() {
        let whole = ends.iter().filter(|end| **end <= length).count() - 1;
        for tail in [0, 0xff] {
            let mut torn = bytes[..length].to_vec();
            torn.resize(bytes.len() + 50, tail);
            let records = read(&torn);
            assert_eq!(records.said, said[..whole], "{length}");
            assert_eq!(records.end, ends[whole]);
        }
    }
    for at in 0..bytes.len() {
        let mut wrong = bytes.clone();
        wrong[at] ^= 1;
        let whole = ends.iter().filter(|end| **end <= at).count() - 1;
        assert_eq!(read(&wrong).said, said[..whole], "{at}");
    }
}

#[test]
fn what_is_left_of_earlier_records_is_not_read_again() {
    // All of one length, so that they end where those before them did.
    let old: Vec<u8> = (1..=4)
        .flat_map(|number| encode(number, &sealed(number, b"old")))
        .collect();
    for (number, said) in [(4, Said::Nothing), (5, sealed(5, b"new"))] {
        let new = encode(number, &said);
        let mut file = old.clone();
        file[..new.len()].copy_from_slice(&new);
        let records = read(&file);
        let expected = (number == 5).then_some(said);
        assert_eq!(records.said.into_iter().next_back(), expected);
        assert_eq!(records.last, number);
    }
}

#[test]
fn a_generation_that_is_sealed_again_takes_the_place_of_those_from_it_on() {
    let chain = |said: Vec<Said<'static>>| chains(said).remove(&unit(1));
    let expected = |base, differences: &[&'static [u8]]| {
        Some(Chain {
            base,
            differences: differences.to_vec(),
        })
    };
    assert_eq!(
        chain(vec![sealed(4, b"a"), sealed(5, b"b"), sealed(5, b"c")]),
        expected(3, &[b"a", b"c"])
    );
    assert_eq!(
        chain(vec![sealed(4, b"a"), sealed(5, b"b"), sealed(3, b"c")]),
        expected(2, &[b"c"])
    );
    let forgotten = Said::Forgotten { unit: unit(1) };
    assert_eq!(chain(vec![sealed(4, b"a"), forgotten.clone()]), None);
    assert_eq!(
        chain(vec![sealed(4, b"a"), forgotten, sealed(6, b"b")]),
        expected(5, &[b"b"])
    );
}
