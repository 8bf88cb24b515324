//! The files of units as the records of a journal have them, after the machine lost what was not
//! durable.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use periapt_model::UnitName;

use super::record::Said;
use crate::state_directory::{KEPT, STAGE};

/// What one unit sealed since its files were last durable.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chain<'a> {
    /// The generation that is durable.
    pub base: u64,
    /// Those after it, each by its difference from the one before.
    pub differences: Vec<&'a [u8]>,
}

/// What records, in their order, say of each unit. A generation that is sealed again was not
/// committed before, and none after it was.
pub(super) fn chains<'a>(
    said: impl IntoIterator<Item = Said<'a>>,
) -> BTreeMap<UnitName, Chain<'a>> {
    let mut chains = BTreeMap::<UnitName, Chain<'_>>::new();
    for said in said {
        match said {
            Said::Nothing => {}
            Said::Forgotten { unit } => {
                chains.remove(&unit);
            }
            Said::Sealed {
                unit,
                generation,
                difference,
            } => {
                let base = generation.saturating_sub(1);
                let chain = chains.entry(unit).or_insert(Chain {
                    base,
                    differences: Vec::new(),
                });
                let known = base.checked_sub(chain.base);
                match known.and_then(|known| usize::try_from(known).ok()) {
                    Some(known) if known <= chain.differences.len() => {
                        chain.differences.truncate(known);
                    }
                    _ => {
                        chain.base = base;
                        chain.differences.clear();
                    }
                }
                chain.differences.push(difference);
            }
        }
    }
    chains
}

/// Makes the generations of a chain anew in the directory of a unit's state: the last one, the one
/// before it, which is the committed one should the last one not be, and those that are kept beside it.
pub(super) fn rebuild(state: &Path, chain: &Chain<'_>) -> io::Result<()> {
    let generation = |number: u64| state.join(number.to_string());
    let (work, aside) = (
        state.join(format!("{STAGE}rebuilt")),
        state.join(format!("{STAGE}aside")),
    );
    fs::create_dir_all(state)?;
    for left in [&work, &aside] {
        periapt_files::remove(left)?;
    }
    let base = generation(chain.base);
    match base.is_dir() {
        true => periapt_files::share(&base, &work)?,
        // The first generation is empty, and nobody made it durable.
        false if chain.base == 0 => fs::create_dir(&work)?,
        false => {
            tracing::error!(path = %base.display(), "files of a unit are gone that what it wrote since is built on");
            return Ok(());
        }
    }
    let last = chain.base + chain.differences.len() as u64;
    for (number, difference) in (chain.base + 1..).zip(&chain.differences) {
        periapt_files::apply(difference, &work)?;
        let target = generation(number);
        periapt_files::remove(&target)?;
        if number == last {
            fs::rename(&work, &target)?;
        } else if number + KEPT + 1 >= last {
            periapt_files::share(&work, &aside)?;
            fs::rename(&aside, &target)?;
        }
    }
    Ok(())
}
