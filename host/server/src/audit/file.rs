//! `audit.log`: records as lines of JSON, in a file that is set aside when it is full.
//!
//! The file that is written to is `audit.log`; those set aside are `audit.log.1` (the last one)
//! and so on. It is readable by its owner only. Lines are whole: a file is set aside between two
//! of them. The table is the durable record; the file is for tools that follow files.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The file, open while auditing is on.
#[derive(Debug)]
pub(super) struct AuditFile {
    path: PathBuf,
    open: Option<(File, u64)>,
}

impl AuditFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, open: None }
    }

    /// Appends whole lines; each ends with a line end.
    pub(super) fn append(
        &mut self,
        lines: &[String],
        max_size: u64,
        max_backups: u64,
    ) -> std::io::Result<()> {
        for line in lines {
            let (file, size) = self.opened()?;
            let bytes = line.len() as u64;
            if size > 0 && size + bytes > max_size {
                self.set_aside(max_backups)?;
                let (file, _) = self.opened()?;
                file.write_all(line.as_bytes())?;
            } else {
                file.write_all(line.as_bytes())?;
            }
            if let Some((_, size)) = &mut self.open {
                *size += bytes;
            }
        }
        Ok(())
    }

    /// Lets go of the file. The next line opens it again.
    pub(super) fn close(&mut self) {
        self.open = None;
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn opened(&mut self) -> std::io::Result<(&mut File, u64)> {
        let open = match self.open.take() {
            Some(open) => open,
            None => {
                let file = OpenOptions::new()
                    .create(true)
                    .append(true)
                    .mode(0o600)
                    .open(&self.path)?;
                let size = file.metadata()?.len();
                (file, size)
            }
        };
        let (file, size) = self.open.insert(open);
        Ok((file, *size))
    }

    fn set_aside(&mut self, max_backups: u64) -> std::io::Result<()> {
        self.open = None;
        let mut last = 0;
        while backup(&self.path, last + 1).exists() {
            last += 1;
        }
        for number in (1..=last).rev() {
            if max_backups > 0 && number >= max_backups {
                std::fs::remove_file(backup(&self.path, number))?;
            } else {
                std::fs::rename(backup(&self.path, number), backup(&self.path, number + 1))?;
            }
        }
        std::fs::rename(&self.path, backup(&self.path, 1))
    }
}

fn backup(path: &Path, number: u64) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}
