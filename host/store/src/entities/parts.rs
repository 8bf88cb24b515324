//! Names in parts, and the entities that are read by them alone.

use std::collections::BTreeMap;

use super::{Names, Reader};
use crate::db::{PART, Which};
use crate::{Result, application};

/// The names in parts.
pub(super) fn parts<T>(names: &BTreeMap<String, T>) -> Vec<Vec<String>> {
    let names: Vec<String> = names.keys().cloned().collect();
    names.chunks(PART).map(<[String]>::to_vec).collect()
}

/// Reads the named applications.
pub(super) async fn applications(reader: &mut Reader, mut names: Names) -> Result<()> {
    let wanted = names.wanted();
    let which = Which::Named(&wanted);
    for application in application::load(&mut reader.db, &names.model, which).await? {
        names.put(reader, application.name.as_str(), &application)?;
    }
    names.end(reader);
    Ok(())
}
