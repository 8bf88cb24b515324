//! Applications by name.

use super::{Names, Reader};
use crate::db::Which;
use crate::{Result, views};

/// Reads the named applications.
pub(super) async fn read(reader: &mut Reader, mut names: Names) -> Result<()> {
    let wanted = names.wanted();
    let which = Which::Named(&wanted);
    for application in views::application::load(&mut reader.db, &names.model, which).await? {
        names.put(reader, application.name.as_str(), &application)?;
    }
    names.end(reader);
    Ok(())
}
