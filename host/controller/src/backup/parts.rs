//! The zip file: parts are written one after the other and counted on the way; when they are read
//! they are what the manifest says, or refused.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use periapt_model::digest::Digester;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::FORMAT;
use super::manifest::{Manifest, Part};

const MANIFEST: &str = "manifest.json";

/// A manifest above this is none of ours.
const MANIFEST_BYTES: u64 = 256 << 20;

/// A backup that is being written.
pub struct PartsWriter {
    zip: ZipWriter<File>,
    manifest: Manifest,
}

impl PartsWriter {
    pub fn new(file: File, manifest: Manifest) -> Self {
        Self {
            zip: ZipWriter::new(file),
            manifest,
        }
    }

    pub fn manifest(&mut self) -> &mut Manifest {
        &mut self.manifest
    }

    /// Writes a part.
    pub fn part<T, E: From<io::Error>>(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut PartWriter<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.zip
            .start_file(name, options())
            .map_err(io::Error::from)?;
        let mut part = PartWriter {
            zip: &mut self.zip,
            digester: Digester::default(),
            size: 0,
        };
        let written = write(&mut part)?;
        let part = Part {
            size: part.size,
            sha256: part.digester.digest(),
        };
        self.manifest.parts.insert(name.to_owned(), part);
        Ok(written)
    }

    /// Writes the manifest; the file, and what it holds.
    pub fn finish(mut self) -> io::Result<(File, Manifest)> {
        self.zip.start_file(MANIFEST, options())?;
        serde_json::to_writer(&mut self.zip, &self.manifest)?;
        Ok((self.zip.finish()?, self.manifest))
    }
}

fn options() -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(1))
        .last_modified_time(DateTime::default())
        .unix_permissions(0o600)
        .large_file(true)
}

/// A part that is being written.
pub struct PartWriter<'a> {
    zip: &'a mut ZipWriter<File>,
    digester: Digester,
    size: u64,
}

impl Write for PartWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.zip.write(bytes)?;
        self.digester.update(&bytes[..count]);
        self.size += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.zip.flush()
    }
}

/// A backup whose parts are all there and are what they were when they were written.
pub struct PartsReader {
    zip: ZipArchive<BufReader<File>>,
    pub manifest: Manifest,
}

impl PartsReader {
    /// Reads and checks the whole file.
    ///
    /// # Errors
    /// `InvalidData` with what is wrong with it, and those of the file system.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut zip = ZipArchive::new(BufReader::new(File::open(path)?))
            .map_err(|error| damaged(format!("it is cut short or no backup: {error}")))?;
        let manifest = zip
            .by_name(MANIFEST)
            .map_err(|error| damaged(format!("it has no manifest: {error}")))?;
        let mut bytes = Vec::new();
        manifest
            .take(MANIFEST_BYTES)
            .read_to_end(&mut bytes)
            .map_err(|error| damaged(format!("its manifest cannot be read: {error}")))?;
        let format: Format = serde_json::from_slice(&bytes)
            .map_err(|error| damaged(format!("its manifest cannot be read: {error}")))?;
        if format.format > FORMAT {
            return Err(damaged(format!(
                "it has layout {}, and this program reads layouts up to {FORMAT}; use the newer program",
                format.format
            )));
        }
        let manifest: Manifest = serde_json::from_slice(&bytes)
            .map_err(|error| damaged(format!("its manifest cannot be read: {error}")))?;
        let mut reader = Self { zip, manifest };
        for name in reader.manifest.parts.clone().into_keys() {
            reader.part(&name, |part| io::copy(part, &mut io::sink()))?;
        }
        Ok(reader)
    }

    /// Hands a part to `read`, which need not read all of it, and checks it.
    pub fn part<T, E: From<io::Error>>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut dyn Read) -> Result<T, E>,
    ) -> Result<T, E> {
        let wrong = |what: String| E::from(damaged(format!("its part {name} {what}")));
        let expected = self.manifest.parts.get(name).cloned();
        let expected = expected.ok_or_else(|| wrong("is not in its manifest".to_owned()))?;
        let found = self.zip.by_name(name);
        let found = found.map_err(|error| wrong(format!("is missing: {error}")))?;
        let mut part = PartReader {
            part: found.take(expected.size + 1),
            digester: Digester::default(),
            size: 0,
        };
        let taken = read(&mut part)?;
        io::copy(&mut part, &mut io::sink())
            .map_err(|error| wrong(format!("cannot be read: {error}")))?;
        if part.size != expected.size || part.digester.digest() != expected.sha256 {
            return Err(wrong("is not what was written".to_owned()));
        }
        Ok(taken)
    }
}

/// The version of the layout, which every manifest has.
#[derive(serde::Deserialize)]
struct Format {
    format: u32,
}

struct PartReader<R> {
    part: R,
    digester: Digester,
    size: u64,
}

impl<R: Read> Read for PartReader<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self
            .part
            .read(bytes)
            .map_err(|error| damaged(format!("a part cannot be read: {error}")))?;
        self.digester.update(&bytes[..count]);
        self.size += count as u64;
        Ok(count)
    }
}

pub fn damaged(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
