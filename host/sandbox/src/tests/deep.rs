//! Directories in one another without end, and names that make paths longer than any call takes.

use std::path::Path;

use periapt_files::{Limits, Over, measure};
use periapt_model::bounds::DIRECTORY_LEVELS;
use periapt_model::charm::Access;

use super::agent::Unit;
use super::nest::{Nest, SHARED, STATE, TMP};
use crate::{HookFailure, Settings, SharedDirectory};

const DEEP: Nest<'_> = Nest {
    at: TMP,
    name: "d",
    levels: 3_000,
    bytes: 400 << 20,
};

fn too_deep(directory: &str) -> HookFailure {
    HookFailure::DirectoryLevels {
        directory: directory.to_owned(),
        levels: DIRECTORY_LEVELS.most,
    }
}

/// Whether there are directories that are deeper than `levels`.
fn is_deeper(path: &Path, levels: u64) -> bool {
    let bytes = u64::MAX;
    matches!(measure(path, Limits { bytes, levels }), Err(Over::Levels))
}

/// Whether no hook left anything: directories for the next one are empty.
fn nothing_is_left(unit: &Unit) -> bool {
    let mut directories = std::fs::read_dir(unit.path("temporary")).unwrap();
    directories.all(|entry| {
        let mut content = std::fs::read_dir(entry.unwrap().path()).unwrap();
        content.next().is_none()
    })
}

/// A unit that shares `/shared/spool`.
fn housed() -> Unit {
    let mut unit = Unit::new();
    std::fs::create_dir_all(unit.path("shared/spool")).unwrap();
    unit.shared = vec![SharedDirectory {
        name: "spool".to_owned(),
        path: unit.path("shared/spool"),
        access: Access::ReadWrite,
    }];
    unit
}

#[test]
fn a_hook_that_nests_directories_without_end_fails_and_leaves_nothing() {
    let unit = Unit::new();
    let failure = unit.run(&DEEP.component()).result.unwrap_err();
    assert_eq!(failure, too_deep("/tmp"));
    assert_eq!(failure.code(), "directory-levels");
    assert_eq!(
        failure.to_string(),
        "the hook left directories more than 256 levels deep in /tmp"
    );
    assert!(nothing_is_left(&unit));
    // The next one begins with nothing.
    let outcome = unit.run(
        &Nest {
            levels: 3,
            bytes: 1,
            ..DEEP
        }
        .component(),
    );
    outcome.result.unwrap();
}

#[test]
fn what_lies_below_the_longest_path_counts() {
    let name = "n".repeat(250);
    for (at, directory) in [(TMP, "/tmp"), (STATE, "/state")] {
        let unit = Unit::new();
        let nest = Nest {
            at,
            name: &name,
            levels: 60,
            ..DEEP
        };
        assert_eq!(
            unit.run(&nest.component()).result.unwrap_err(),
            HookFailure::DirectoryLimit {
                directory: directory.to_owned(),
                limit: unit.limits.state_directory_bytes,
            }
        );
        assert!(nothing_is_left(&unit));
    }
}

#[test]
fn directories_may_be_as_deep_as_the_bound_says_and_no_deeper() {
    let levels = u32::try_from(DIRECTORY_LEVELS.most).unwrap();
    let unit = Unit::new();
    let nest = |levels| Nest {
        at: STATE,
        levels,
        bytes: 1,
        ..DEEP
    };
    unit.run(&nest(levels).component()).result.unwrap();
    assert_eq!(
        unit.run(&nest(levels + 1).component()).result.unwrap_err(),
        too_deep("/state")
    );
}

#[test]
fn a_shared_directory_is_cut_so_that_the_next_hook_is_not_blamed() {
    let unit = housed();
    let nest = Nest {
        at: SHARED,
        bytes: 1,
        ..DEEP
    };
    assert_eq!(
        unit.run(&nest.component()).result.unwrap_err(),
        too_deep("/shared/spool")
    );
    let shared = unit.path("shared/spool");
    assert!(!is_deeper(&shared, DIRECTORY_LEVELS.most));
    assert!(
        is_deeper(&shared, DIRECTORY_LEVELS.most - 1),
        "the rest stays"
    );
    let neighbour = Nest { levels: 2, ..nest };
    unit.run(&neighbour.component()).result.unwrap();
}

#[test]
fn a_hook_that_fails_otherwise_leaves_no_shared_directory_too_deep() {
    let mut unit = housed();
    // Ended by the number of its calls, somewhere beyond the bound.
    unit.limits.host_calls = 3_000;
    let nest = Nest {
        at: SHARED,
        levels: 10_000,
        ..DEEP
    };
    unit.run(&nest.component()).result.unwrap_err();
    assert!(!is_deeper(
        &unit.path("shared/spool"),
        DIRECTORY_LEVELS.most
    ));
}

#[test]
fn all_guests_together_leave_descriptors_for_the_process() {
    for (slots, descriptors, handles) in [
        (4, 1 << 20, 512),
        (4, 1024, 160),
        (16, 1024, 40),
        (4, 256, 32),
        (4, 20, 16),
    ] {
        let settings = Settings::for_process(slots, descriptors);
        assert_eq!(
            (settings.slots, settings.handles),
            (slots, handles),
            "{slots} slots of {descriptors}"
        );
    }
}
