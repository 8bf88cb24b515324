//! What services wrote: for each a ring of two files.

use std::fs::File;
use std::io::{self, Write};

use periapt_model::text;

use super::below::Below;

/// Bytes of one of the two.
const BYTES: u64 = 5 << 20;
const LINE_BYTES: usize = 16 << 10;

pub struct Ring {
    name: String,
    file: File,
    written: u64,
    most: u64,
}

impl Ring {
    /// The log of a service in the directory of its unit.
    pub fn open(folder: &Below, container: &str, service: &str) -> io::Result<Self> {
        let plain = |name: &str| !name.contains(['/', '\0']) && name.len() <= 100;
        if !plain(container) || !plain(service) {
            return Err(io::Error::other("its name cannot be that of a file"));
        }
        let name = format!("{container}.{service}.log");
        let file = folder.append(&name)?;
        let written = file.metadata()?.len();
        Ok(Self {
            name,
            file,
            written,
            most: BYTES,
        })
    }

    pub fn write(
        &mut self,
        folder: &Below,
        lines: &[(bool, String)],
        dropped: u64,
    ) -> io::Result<()> {
        let now = jiff::Timestamp::now();
        let mut bytes = String::new();
        for (error, line) in lines {
            let stream = if *error { "err" } else { "out" };
            let line = text::clean_line_at_most(line, LINE_BYTES);
            bytes.push_str(&format!("{now:.3} {stream} {line}\n"));
        }
        if dropped > 0 {
            bytes.push_str(&format!("{now:.3} err {dropped} lines dropped\n"));
        }
        if self.written + bytes.len() as u64 > self.most && self.written > 0 {
            folder.rename(&self.name, &format!("{}.1", self.name))?;
            self.file = folder.append(&self.name)?;
            self.written = 0;
        }
        self.file.write_all(bytes.as_bytes())?;
        self.written += bytes.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_ring_has_two_files_and_lines_are_cleaned() {
        let home = tempfile::tempdir().unwrap();
        let folder = Below::open(home.path(), None).unwrap();
        let mut ring = Ring::open(&folder, "web", "site").unwrap();
        ring.most = 200;
        ring.write(&folder, &[(false, "a\x1b[31mb".to_owned())], 3)
            .unwrap();
        let text = fs::read_to_string(home.path().join("web.site.log")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with(" out ab"), "{text:?}");
        assert!(lines[1].ends_with(" err 3 lines dropped"), "{text:?}");
        for number in 0..20 {
            ring.write(&folder, &[(true, format!("line {number}"))], 0)
                .unwrap();
        }
        for name in ["web.site.log", "web.site.log.1"] {
            assert!(fs::metadata(home.path().join(name)).unwrap().len() <= 200);
        }
        assert!(Ring::open(&folder, "../web", "site").is_err());
    }
}
