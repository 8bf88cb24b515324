//! Generations change only by what a hook changed, and a crash leaves none behind.

use std::time::{Duration, SystemTime};

use periapt_engine::FakeClock;
use periapt_files::Hold;

use super::*;
use crate::directories;
use crate::journal::Machine;
use crate::tests::trees;

/// The first generation stays for the journal, which is never emptied here.
const BASE: &str = "0";

fn fresh() -> (tempfile::TempDir, StateDirectory) {
    let parent = tempfile::tempdir().unwrap();
    let (unit, clock): (UnitName, _) = ("site/0".parse().unwrap(), FakeClock::new().shared());
    let journal = Journal::open(parent.path(), Some("tests"), clock, Box::new(Machine)).unwrap();
    let root = directories::state(parent.path(), &unit);
    let directory = StateDirectory::new(root, unit, journal);
    directory.settle(0).unwrap();
    (parent, directory)
}

fn names(directory: &StateDirectory) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(&directory.root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_hook_that_changes_nothing_leaves_the_generation() {
    let (_parent, directory) = fresh();
    let stage = directory.stage(0).unwrap();
    assert_eq!(stage.seal().unwrap(), 0);
    assert_eq!(names(&directory), ["0"]);
}

#[test]
fn what_a_hook_writes_becomes_the_next_generation() {
    let (_parent, directory) = fresh();
    let stage = directory.stage(0).unwrap();
    fs::create_dir(stage.path().join("deep")).unwrap();
    fs::write(stage.path().join("deep/file"), "one").unwrap();
    std::os::unix::fs::symlink("deep/file", stage.path().join("link")).unwrap();
    assert_eq!(stage.seal().unwrap(), 1);
    assert_eq!(
        names(&directory),
        ["0", "1"],
        "the old one stays until the commit"
    );
    directory.drop_others(1).unwrap();
    behind::caught_up();
    assert_eq!(names(&directory), ["0", "1"]);

    let stage = directory.stage(1).unwrap();
    assert_eq!(
        fs::read_to_string(stage.path().join("link")).unwrap(),
        "one"
    );
    assert!(
        fs::symlink_metadata(stage.path().join("link"))
            .unwrap()
            .is_symlink()
    );
    fs::remove_file(stage.path().join("deep/file")).unwrap();
    assert_eq!(stage.seal().unwrap(), 2);
    assert!(
        directory.generation(1).join("deep/file").exists(),
        "the generation before is untouched"
    );
}

#[test]
fn copies_keep_their_times() {
    let (_parent, directory) = fresh();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let path = directory.generation(0).join("file");
    fs::write(&path, "one").unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let stage = directory.stage(0).unwrap();
    assert_eq!(
        fs::metadata(stage.path().join("file"))
            .unwrap()
            .modified()
            .unwrap(),
        old
    );
}

#[test]
fn a_change_with_its_time_set_back_is_still_a_change() {
    let (_parent, directory) = fresh();
    fs::write(directory.generation(0).join("file"), "one").unwrap();
    let stage = directory.stage(0).unwrap();
    let path = stage.path().join("file");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, "two").unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    assert_eq!(stage.seal().unwrap(), 1);
}

#[test]
fn a_failed_hook_leaves_nothing() {
    let (_parent, directory) = fresh();
    let stage = directory.stage(0).unwrap();
    fs::write(stage.path().join("file"), "half").unwrap();
    drop(stage);
    assert_eq!(names(&directory), ["0"]);
    assert_eq!(fs::read_dir(directory.generation(0)).unwrap().count(), 0);
}

#[test]
fn a_start_removes_what_a_crash_left() {
    let (_parent, directory) = fresh();
    let stage = directory.stage(0).unwrap();
    fs::write(stage.path().join("file"), "uncommitted").unwrap();
    assert_eq!(stage.seal().unwrap(), 1);
    std::mem::forget(directory.stage(0).unwrap());
    directory.settle(0).unwrap();
    assert_eq!(names(&directory), ["0"], "the crash was before the commit");

    let stage = directory.stage(0).unwrap();
    fs::write(stage.path().join("file"), "committed").unwrap();
    assert_eq!(stage.seal().unwrap(), 1);
    directory.settle(1).unwrap();
    assert_eq!(
        names(&directory),
        ["0", "1"],
        "the crash was after the commit"
    );
    assert_eq!(
        fs::read_to_string(directory.generation(1).join("file")).unwrap(),
        "committed"
    );
    directory.remove().unwrap();
    directory.remove().unwrap();
}

/// Commits hooks that write until `generation`.
fn write_until(directory: &StateDirectory, generation: u64) {
    write_from(directory, 1, generation);
}

/// The same, where `first` is the next generation.
fn write_from(directory: &StateDirectory, first: u64, generation: u64) {
    for number in first..=generation {
        let stage = directory.stage(number - 1).unwrap();
        fs::write(stage.path().join("file"), number.to_string()).unwrap();
        assert_eq!(stage.seal().unwrap(), number);
        directory.drop_others(number).unwrap();
    }
    behind::caught_up();
}

fn content(directory: &StateDirectory, generation: u64) -> String {
    fs::read_to_string(directory.generation(generation).join("file")).unwrap()
}

#[test]
fn the_last_generations_stay_for_a_database_that_is_restored() {
    let (_parent, directory) = fresh();
    write_until(&directory, 7);
    assert_eq!(names(&directory), [BASE, "5", "6", "7"]);
    assert_eq!(directory.settle(5).unwrap(), Settled::Ready);
    assert_eq!(names(&directory), [BASE, "5"]);
    assert_eq!(content(&directory, 5), "5");
}

#[test]
fn a_generation_that_is_read_stays_whole_while_50_others_follow() {
    let (_parent, directory) = fresh();
    write_until(&directory, 1);
    let read = Hold::take(&directory.generation(1)).unwrap();
    write_from(&directory, 2, 51);
    directory.settle(51).unwrap();
    assert_eq!(names(&directory), [BASE, "1", "49", "50", "51"]);
    assert_eq!(content(&directory, 1), "1");
    assert!(read.is_in_place());
    assert!(directory.take_left(), "it is to be looked at again");
    drop(read);
    directory.drop_others(51).unwrap();
    behind::caught_up();
    assert_eq!(names(&directory), [BASE, "49", "50", "51"]);
    assert!(!directory.take_left());
}

#[test]
fn of_too_many_generations_that_are_read_the_oldest_is_withdrawn() {
    let (_parent, directory) = fresh();
    let most = READ as u64;
    let mut reads = Vec::new();
    for number in 1..=most + 1 {
        write_from(&directory, number, number);
        reads.push(Hold::take(&directory.generation(number)).unwrap());
    }
    write_from(&directory, most + 2, most + KEPT + 1);
    assert!(reads.iter().all(Hold::is_in_place), "{READ} may be read");
    write_from(&directory, most + KEPT + 2, most + KEPT + 2);
    let in_place: Vec<bool> = reads.iter().map(Hold::is_in_place).collect();
    assert!(!in_place[0] && in_place[1..].iter().all(|is| *is));
    let left = names(&directory);
    assert!(
        left.iter().all(|name| name.parse::<u64>().is_ok()),
        "{left:?}"
    );
    assert_eq!(left.len(), 1 + READ + 1 + KEPT as usize, "{left:?}");
}

#[test]
fn a_refused_generation_goes_alone() {
    let (_parent, directory) = fresh();
    for number in 1..=5 {
        let stage = directory.stage(number - 1).unwrap();
        fs::write(stage.path().join("file"), number.to_string()).unwrap();
        assert_eq!(stage.seal().unwrap(), number);
    }
    directory.drop_refused(4).unwrap();
    behind::caught_up();
    assert_eq!(names(&directory), [BASE, "1", "2", "3", "4"]);
}

#[test]
fn a_power_cut_leaves_nothing_but_the_generations_that_are_kept() {
    let (_parent, directory) = fresh();
    write_until(&directory, 5);
    // Removals that had not reached the disk, an uncommitted hook, and a stage.
    for name in ["1", "2", "6", "stage-1-1"] {
        fs::create_dir(directory.root.join(name)).unwrap();
    }
    assert_eq!(directory.settle(5).unwrap(), Settled::Ready);
    assert_eq!(names(&directory), [BASE, "3", "4", "5"]);
}

#[test]
fn a_missing_generation_is_never_made_up() {
    let (_parent, directory) = fresh();
    write_until(&directory, 4);
    assert_eq!(
        directory.settle(9).unwrap(),
        Settled::Missing { newest: Some(4) }
    );
    assert_eq!(names(&directory), [BASE, "2", "3", "4"], "nothing is lost");
    directory.adopt(Some(4), 9).unwrap();
    assert_eq!(directory.settle(9).unwrap(), Settled::Ready);
    assert_eq!(content(&directory, 9), "4");
    assert_eq!(names(&directory), ["9"]);

    directory.remove().unwrap();
    assert_eq!(
        directory.settle(9).unwrap(),
        Settled::Missing { newest: None }
    );
    directory.adopt(None, 9).unwrap();
    assert_eq!(directory.settle(9).unwrap(), Settled::Ready);
    assert_eq!(fs::read_dir(directory.generation(9)).unwrap().count(), 0);
}

#[test]
fn names_and_depth_beyond_any_path_are_kept_like_others() {
    let (_parent, directory) = fresh();
    let stage = directory.stage(0).unwrap();
    trees::nest(stage.path(), &"n".repeat(250), 60, 10);
    assert_eq!(stage.seal().unwrap(), 1);
    let stage = directory.stage(1).unwrap();
    assert_eq!(stage.seal().unwrap(), 1, "the copy is as it was");
    directory.remove().unwrap();
}
