//! Machines by id.

use super::{Names, Reader};
use crate::db::Which;
use crate::{Presence, Result, views};

/// Reads the named machines. `present` says whether an agent is connected.
pub(super) async fn read(
    reader: &mut Reader,
    mut names: Names,
    present: Presence<'_>,
) -> Result<()> {
    let wanted = names.wanted();
    let which = Which::Named(&wanted);
    for machine in views::machine::load(&mut reader.db, &names.model, which, present).await? {
        names.put(reader, machine.id.as_str(), &machine)?;
    }
    names.end(reader);
    Ok(())
}
