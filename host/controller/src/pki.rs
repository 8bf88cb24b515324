//! The files of the certificate authority: `pki/ca.crt` and `pki/ca.key`, readable by the owner
//! only.

use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use periapt_server::authority::Authority;

use crate::ControllerError;
use crate::error::file;

/// Writes a new authority.
pub fn store(data_dir: &Path, authority: &Authority) -> Result<(), ControllerError> {
    let directory = data_dir.join("pki");
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&directory)
        .map_err(file("make", &directory))?;
    for (name, text) in [
        ("ca.crt", authority.ca_pem()),
        ("ca.key", authority.key_pem()),
    ] {
        let path = directory.join(name);
        OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .mode(0o600)
            .open(&path)
            .and_then(|mut file| {
                file.write_all(text.as_bytes())
                    .and_then(|()| file.sync_all())
            })
            .map_err(file("write", &path))?;
    }
    Ok(())
}

/// Reads the authority that [`store`] wrote.
pub fn load(data_dir: &Path) -> Result<Authority, ControllerError> {
    let read = |name: &str| {
        let path = data_dir.join("pki").join(name);
        std::fs::read_to_string(&path).map_err(file("read", &path))
    };
    Ok(Authority::load(&read("ca.crt")?, &read("ca.key")?)?)
}
