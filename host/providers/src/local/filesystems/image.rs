//! Filesystems in files.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, lchown};
use std::path::Path;

use rustix::fs::{FallocateFlags, fallocate};

use super::mount::{HARMLESS, is_mounted, run, unmount};
use super::place::{Owner, Place, remove_if_there};
use crate::error::file;
use crate::{Filesystem, ProviderError};

/// The attribute of a pool that says which filesystem is made.
const FILESYSTEM: &str = "filesystem-type";

/// Options with which an image is looked into.
const READING: &str = "loop,ro";

/// What `ext4` has in each new filesystem for what it may find broken.
const FOUND: &str = "lost+found";

/// Makes an image, unless there is one, and mounts it. One that cannot be mounted, or in which something is, is left as
/// if nobody had asked.
pub fn make_and_mount(
    place: &Place,
    wanted: &Filesystem,
    owner: Owner,
) -> Result<(), ProviderError> {
    let is_new = make(place, wanted)?;
    if let Err(error) = mount(place, owner) {
        if is_new {
            remove_if_there(&place.image())?;
        }
        return Err(error);
    }
    if let Err(taken) = place.require_empty() {
        unmount(&place.directory())?;
        return Err(taken);
    }
    Ok(())
}

/// Makes an image with an empty filesystem in it, unless there is one; whether it is new. It has its name only once it is
/// whole, and of one that cannot be made nothing is left.
pub fn make(place: &Place, wanted: &Filesystem) -> Result<bool, ProviderError> {
    let image = place.image();
    if image.exists() {
        return Ok(false);
    }
    let new = place.unfinished_image();
    // A program that a controller left behind when it was killed may still write to it.
    remove_if_there(&new)?;
    if let Err(error) = fill(&new, wanted) {
        // Its size is taken already, perhaps on a disc that is full.
        remove_if_there(&new)?;
        return Err(error);
    }
    fs::rename(&new, &image).map_err(file("rename", &new))?;
    if let Some(files) = image.parent() {
        let synced = File::open(files).and_then(|files| files.sync_all());
        synced.map_err(file("write", files))?;
    }
    Ok(true)
}

/// Makes a filesystem in a new file. All of its size is taken at once, so that a full disc is known now.
fn fill(new: &Path, wanted: &Filesystem) -> Result<(), ProviderError> {
    let made = OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(new)
        .map_err(file("make", new))?;
    let bytes = wanted.size.saturating_mul(1 << 20);
    fallocate(&made, FallocateFlags::empty(), 0, bytes)
        .map_err(|error| file("make room for", new)(error.into()))?;
    let kind = wanted.attributes.get(FILESYSTEM).map(String::as_str);
    match kind.unwrap_or("ext4") {
        // Neither gives back what was just taken.
        "xfs" => {
            let arguments: [&OsStr; 4] =
                ["-q".as_ref(), "-f".as_ref(), "-K".as_ref(), new.as_os_str()];
            run("mkfs.xfs", &arguments)?;
        }
        _ => {
            let arguments: [&OsStr; 7] = [
                "-q".as_ref(),
                "-F".as_ref(),
                "-E".as_ref(),
                "nodiscard".as_ref(),
                // Nothing is kept back for root, who does not write here.
                "-m".as_ref(),
                "0".as_ref(),
                new.as_os_str(),
            ];
            run("mkfs.ext4", &arguments)?;
        }
    }
    made.sync_all().map_err(file("write", new))
}

/// Whether nobody has used an image, which is not mounted. One that cannot be mounted is not known to be empty.
pub fn is_unused(place: &Place) -> Result<bool, ProviderError> {
    place.make_point()?;
    if mount_with(place, READING).is_err() {
        return Ok(false);
    }
    let found = place.has_nothing_but(FOUND);
    unmount(&place.directory())?;
    found
}

/// MiB of an image that is there.
pub fn size(place: &Place) -> Result<u64, ProviderError> {
    let image = place.image();
    match fs::symlink_metadata(&image) {
        Ok(found) if found.is_file() => Ok((found.len() >> 20).max(1)),
        Ok(_) => Err(ProviderError::NothingToImport(image)),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(ProviderError::NothingToImport(image))
        }
        Err(error) => Err(file("look at", image)(error)),
    }
}

/// Mounts the image, unless it is, and gives what is mounted to its owner.
pub fn mount(place: &Place, owner: Owner) -> Result<(), ProviderError> {
    let at = place.directory();
    if !is_mounted(&at)? {
        mount_with(place, "loop")?;
    }
    // Empty unless something was found, which is then worth keeping.
    let _ = fs::remove_dir(at.join(FOUND));
    lchown(&at, Some(owner.0), Some(owner.0)).map_err(file("give", &at))?;
    fs::set_permissions(&at, Permissions::from_mode(0o700)).map_err(file("close", &at))
}

fn mount_with(place: &Place, how: &str) -> Result<(), ProviderError> {
    let (image, at) = (place.image(), place.directory());
    let options = format!("{how},{HARMLESS}");
    let arguments: [&OsStr; 4] = [
        "-o".as_ref(),
        options.as_ref(),
        image.as_os_str(),
        at.as_os_str(),
    ];
    run("mount", &arguments)
}
