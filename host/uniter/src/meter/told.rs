//! What a charm was told of its meter status last: one small file in the unit's directory, and so gone with
//! it.
//!
//! It is written aside and renamed, so one that is there is whole, and it is not synced: a machine that loses
//! power may tell a charm the same once more.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use periapt_model::quota::Meter;

use crate::error::{UniterError, file};

const FILE: &str = "meter-status.json";
const ASIDE: &str = "meter-status.next";

pub(super) struct Told {
    directory: PathBuf,
}

impl Told {
    /// That of the unit with this directory.
    pub fn new(unit: &Path) -> Self {
        Self {
            directory: unit.to_owned(),
        }
    }

    /// Green before anything was said, and where the file is none of ours. Blocks.
    pub fn read(&self) -> Result<Meter, UniterError> {
        let path = self.directory.join(FILE);
        match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Meter::default()),
            bytes => Ok(
                serde_json::from_slice(&bytes.map_err(file("read", &path))?).unwrap_or_default()
            ),
        }
    }

    /// Blocks.
    pub fn write(&self, meter: &Meter) -> Result<(), UniterError> {
        let (aside, path) = (self.directory.join(ASIDE), self.directory.join(FILE));
        let text = serde_json::to_vec(meter).map_err(io::Error::from);
        let written = text
            .and_then(|text| fs::write(&aside, text))
            .and_then(|()| fs::rename(&aside, &path));
        match written {
            // The unit is gone, directory and all.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            written => written.map_err(file("write", &path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use periapt_model::quota::Code;

    use super::*;

    #[test]
    fn what_was_told_is_kept_and_nothing_is_green() {
        let unit = tempfile::tempdir().unwrap();
        let told = Told::new(unit.path());
        assert_eq!(told.read().unwrap(), Meter::default());
        let red = Meter {
            code: Code::Red,
            info: "more than 10 requests".to_owned(),
        };
        told.write(&red).unwrap();
        assert_eq!(Told::new(unit.path()).read().unwrap(), red);
        fs::write(unit.path().join(FILE), "PINK").unwrap();
        assert_eq!(told.read().unwrap(), Meter::default());
        fs::remove_dir_all(unit.path()).unwrap();
        told.write(&red).unwrap();
        assert!(
            !unit.path().exists(),
            "nothing is made for a unit that went"
        );
    }
}
