//! Directories on a real disc, as whoever runs the tests.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use periapt_engine::SystemClock;
use periapt_model::storage::PoolKind;
use tempfile::TempDir;

use super::place::{Owner, Place};
use super::{LocalFilesystems, STORAGE, clear, image, mount};
use crate::{Filesystem, Filesystems};

fn of(directory: &str, kind: PoolKind) -> Filesystem {
    Filesystem {
        directory: directory.to_owned(),
        kind,
        size: 8,
        attributes: BTreeMap::new(),
        made: true,
    }
}

/// An agent's directory, as one leaves it that has taken it up.
fn agent() -> (TempDir, LocalFilesystems) {
    let home = TempDir::new().unwrap();
    let directory = home.path().join("model");
    fs::create_dir(&directory).unwrap();
    fs::set_permissions(&directory, Permissions::from_mode(0o710)).unwrap();
    let filesystems = LocalFilesystems::new(directory, SystemClock::shared());
    (home, filesystems)
}

fn storage(home: &TempDir) -> PathBuf {
    home.path().join("model").join(STORAGE)
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn what_is_in_a_directory_stays_until_it_is_destroyed() {
    let (home, filesystems) = agent();
    let data = of("data-0", PoolKind::Rootfs);
    filesystems.make(&data).await.unwrap();
    let file = storage(&home).join("data-0/note");
    fs::write(&file, "kept").unwrap();
    assert_eq!(mode(&storage(&home).join("data-0")), 0o700);
    let taken = filesystems.make(&data).await.unwrap_err();
    assert_eq!(taken.code(), "storage-directory-taken");
    // Nor does it go with whoever could not have it.
    let refused = Filesystem {
        made: false,
        ..data.clone()
    };
    filesystems.destroy(&refused).await.unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
    assert!(filesystems.import(&data).await.unwrap() > 0);
    filesystems.release(&data).await.unwrap();
    assert_eq!(filesystems.import(&data).await.unwrap(), 8);
    assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
    filesystems.destroy(&data).await.unwrap();
    assert!(!storage(&home).join("data-0").exists());
}

#[tokio::test]
async fn a_link_is_no_directory_and_nothing_behind_it_is_touched() {
    let (home, filesystems) = agent();
    filesystems
        .make(&of("data-0", PoolKind::Rootfs))
        .await
        .unwrap();
    let outside = home.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "not storage").unwrap();
    symlink(&outside, storage(&home).join("data-1")).unwrap();
    let link = of("data-1", PoolKind::Rootfs);
    let refused = filesystems.make(&link).await.unwrap_err();
    assert_eq!(refused.code(), "provider-file");
    let refused = filesystems.import(&link).await.unwrap_err();
    assert_eq!(refused.code(), "storage-not-there");
    symlink(&outside, storage(&home).join("data-0/link")).unwrap();
    for one in [of("data-0", PoolKind::Rootfs), link] {
        filesystems.destroy(&one).await.unwrap();
    }
    assert!(outside.join("file").exists());
}

#[tokio::test]
async fn of_an_environment_that_goes_only_what_was_given_up_stays() {
    let (home, filesystems) = agent();
    let directory = home.path().join("model");
    assert!(!clear(&directory).await.unwrap(), "there was none");
    for name in ["data-0", "data-1"] {
        filesystems.make(&of(name, PoolKind::Rootfs)).await.unwrap();
    }
    let kept = of("data-0", PoolKind::Rootfs);
    filesystems.release(&kept).await.unwrap();
    assert!(clear(&directory).await.unwrap());
    assert!(storage(&home).join("data-0").exists());
    assert!(!storage(&home).join("data-1").exists());
    filesystems.import(&kept).await.unwrap();
    assert!(!clear(&directory).await.unwrap(), "it was taken up again");
}

#[tokio::test]
async fn an_image_without_its_directory_goes_with_its_environment_unless_it_was_given_up() {
    let (home, filesystems) = agent();
    let directory = home.path().join("model");
    let data = of("data-0", PoolKind::Rootfs);
    filesystems.make(&data).await.unwrap();
    let files = storage(&home).join(".files");
    for image in ["logs-1.img", "logs-2.img.new", "kept-3.img"] {
        fs::write(files.join(image), "").unwrap();
    }
    fs::write(files.join("kept-3.given-up"), "8").unwrap();
    assert!(clear(&directory).await.unwrap(), "one was given up");
    assert!(!files.join("logs-1.img").exists());
    assert!(!files.join("logs-2.img.new").exists());
    assert!(files.join("kept-3.img").exists());
    assert!(!storage(&home).join("data-0").exists());
}

#[tokio::test]
async fn what_was_put_there_by_hand_is_not_destroyed_with_a_storage_that_never_was_made() {
    let (home, filesystems) = agent();
    filesystems
        .make(&of("data-0", PoolKind::Rootfs))
        .await
        .unwrap();
    let by_hand = storage(&home).join("data-1");
    fs::write(&by_hand, "a note").unwrap();
    let never = |name: &str| Filesystem {
        made: false,
        ..of(name, PoolKind::Rootfs)
    };
    filesystems.destroy(&never("data-1")).await.unwrap();
    assert_eq!(fs::read_to_string(&by_hand).unwrap(), "a note");
    // One that is empty, and one that is not there, are gone.
    for name in ["data-0", "data-2"] {
        filesystems.destroy(&never(name)).await.unwrap();
        assert!(!storage(&home).join(name).exists());
    }
}

#[tokio::test]
async fn one_waits_for_what_another_worker_began() {
    let (home, filesystems) = agent();
    let data = of("data-0", PoolKind::Rootfs);
    filesystems.make(&data).await.unwrap();
    let place = Place::of(&home.path().join("model"), "data-0").unwrap();
    let begun = place.lock().unwrap();
    assert!(begun.is_some());
    let mut next = tokio::spawn(async move { filesystems.destroy(&data).await });
    let waits = tokio::time::timeout(Duration::from_millis(100), &mut next).await;
    assert!(waits.is_err(), "it is done at the same time");
    assert!(place.directory().exists());
    drop(begun);
    next.await.unwrap().unwrap();
    assert!(!place.directory().exists());
}

#[test]
fn nothing_is_left_of_an_image_that_could_not_be_made() {
    let (home, _filesystems) = agent();
    let place = Place::of(&home.path().join("model"), "data-0").unwrap();
    let owner = Owner(rustix::process::geteuid().as_raw());
    place.prepare(owner).unwrap();
    fs::write(place.unfinished_image(), "of an earlier life").unwrap();
    let too_large = Filesystem {
        size: 1 << 40,
        ..of("data-0", PoolKind::Loop)
    };
    let failed = image::make(&place, &too_large).unwrap_err();
    assert!(failed.to_string().contains("make room for"), "{failed}");
    assert!(!place.unfinished_image().exists() && !place.image().exists());
}

/// Where mounting is allowed and works.
#[tokio::test]
async fn an_image_that_nobody_used_goes_and_one_with_something_in_it_stays() {
    let (home, filesystems) = agent();
    let data = of("data-0", PoolKind::Loop);
    if filesystems.make(&data).await.is_err() {
        return;
    }
    let place = Place::of(&home.path().join("model"), "data-0").unwrap();
    let at = place.directory();
    // The controller died before it could say that the directory is there, and the machine started anew.
    let untold = Filesystem {
        made: false,
        ..data.clone()
    };
    fs::write(at.join("note"), "kept").unwrap();
    mount::unmount(&at).unwrap();
    filesystems.destroy(&untold).await.unwrap();
    assert!(place.image().exists());
    filesystems.import(&data).await.unwrap();
    assert_eq!(fs::read_to_string(at.join("note")).unwrap(), "kept");
    fs::remove_file(at.join("note")).unwrap();
    mount::unmount(&at).unwrap();
    filesystems.destroy(&untold).await.unwrap();
    assert!(!place.image().exists() && !at.exists());
    clear(&home.path().join("model")).await.unwrap();
}

#[tokio::test]
async fn whoever_may_not_mount_is_told_what_to_do() {
    let (_home, filesystems) = agent();
    if mount::is_allowed() {
        return;
    }
    for kind in [PoolKind::Tmpfs, PoolKind::Loop] {
        let refused = filesystems.make(&of("data-0", kind)).await.unwrap_err();
        assert_eq!(refused.code(), "storage-needs-root");
        assert!(refused.to_string().contains("rootfs"), "{refused}");
    }
}

/// Writes a file as soon as there is room for it.
async fn written_in_time(file: &Path) {
    let mut written = fs::write(file, "fits");
    for _ in 0..300 {
        if written.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        written = fs::write(file, "fits");
    }
    written.unwrap();
}

/// Where mounting is allowed and works, as it is not in every container.
#[tokio::test]
async fn no_more_fits_into_what_has_a_limit() {
    let (home, filesystems) = agent();
    for (name, kind) in [("cache-0", PoolKind::Tmpfs), ("data-1", PoolKind::Loop)] {
        let limited = of(name, kind);
        if filesystems.make(&limited).await.is_err() {
            continue;
        }
        let at = storage(&home).join(name);
        assert!(mount::is_mounted(&at).unwrap());
        assert_eq!(mode(&at), 0o700);
        let much = vec![1; 9 << 20];
        let full = fs::write(at.join("much"), &much).unwrap_err();
        assert_eq!(full.kind(), std::io::ErrorKind::StorageFull, "{full}");
        fs::remove_file(at.join("much")).unwrap();
        // What ext4 gave back may be had again once it is in its journal, and a moment after that.
        rustix::fs::syncfs(fs::File::open(&at).unwrap()).unwrap();
        filesystems.make(&limited).await.unwrap();
        written_in_time(&at.join("little")).await;
        if kind == PoolKind::Tmpfs {
            filesystems.make(&limited).await.unwrap();
            assert_eq!(fs::read_to_string(at.join("little")).unwrap(), "fits");
        } else {
            filesystems.release(&limited).await.unwrap();
            assert!(!mount::is_mounted(&at).unwrap());
            assert_eq!(filesystems.import(&limited).await.unwrap(), 8);
            assert_eq!(fs::read_to_string(at.join("little")).unwrap(), "fits");
        }
        filesystems.destroy(&limited).await.unwrap();
        assert!(!at.exists());
    }
    // Nothing is left mounted however a test ended.
    clear(&home.path().join("model")).await.unwrap();
}

#[test]
fn mount_points_are_read_as_the_kernel_writes_them() {
    let text = "36 35 98:0 / /data/my\\040model/storage/data-0 rw - tmpfs periapt rw\n\
        37 35 98:0 / /a\\134b rw - ext4 /dev/loop0 rw\n";
    let expected: Vec<PathBuf> = vec!["/data/my model/storage/data-0".into(), "/a\\b".into()];
    assert_eq!(mount::points(text), expected);
}
