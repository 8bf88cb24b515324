//! What the kernel tells in a file of `/proc`, through a descriptor that was opened when the process could still open
//! it. Each reading is as things are then.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A longer text is not read to the end.
const BYTES: usize = 1 << 20;

#[derive(Debug)]
pub struct KernelFile(Option<File>);

impl KernelFile {
    pub fn open(path: impl AsRef<Path>) -> Self {
        Self(File::open(path).ok())
    }

    /// As it is now; nothing where the kernel does not tell.
    pub fn read(&self) -> String {
        let mut text = Vec::new();
        let mut part = [0; 4096];
        while let Some(file) = &self.0 {
            match file.read_at(&mut part, text.len() as u64) {
                Ok(bytes) if bytes > 0 && text.len() < BYTES => {
                    text.extend(part.iter().take(bytes));
                }
                _ => break,
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}
