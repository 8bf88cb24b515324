//! Charms that only differ in what they can be related to: the no-op charm under other names.

use std::fs::{File, create_dir_all};
use std::io::{Read, Write};
use std::path::Path;

use anyhow::Result;
use periapt_tests::charm;
use zip::write::SimpleFileOptions;

/// File and metadata of each.
const CHARMS: &[(&str, &str)] = &[
    (
        "hub",
        "name: hub
summary: Provides a web site, and has peers
provides:
  website: {interface: http, limit: 3}
peers:
  ring: {interface: ring}
",
    ),
    (
        "front",
        "name: front
summary: Stands before a web site
requires:
  website: {interface: http}
",
    ),
    (
        "shipper",
        "name: shipper
summary: Lives beside others and ships what they log
subordinate: true
requires:
  logs: {interface: juju-info, scope: container}
",
    ),
];

/// What the subordinate shares with its principals.
const SHARED: &str = "shared: {logs: read-only}\n";

/// Writes the charms into a folder.
pub fn write(folder: &Path) -> Result<()> {
    create_dir_all(folder)?;
    let mut component = Vec::new();
    zip::ZipArchive::new(File::open(charm("noop"))?)?
        .by_name("charm.wasm")?
        .read_to_end(&mut component)?;
    for (name, metadata) in CHARMS {
        let mut archive = zip::ZipWriter::new(File::create(folder.join(format!("{name}.charm")))?);
        let mut add = |file: &str, bytes: &[u8]| -> Result<()> {
            archive.start_file(file, SimpleFileOptions::default())?;
            archive.write_all(bytes)?;
            Ok(())
        };
        add("metadata.yaml", metadata.as_bytes())?;
        add("charm.wasm", &component)?;
        if metadata.contains("subordinate") {
            add("capabilities.yaml", SHARED.as_bytes())?;
        }
        archive.finish()?;
    }
    Ok(())
}
