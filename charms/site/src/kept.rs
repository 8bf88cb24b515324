//! Pages that operators keep in the storage `pages`, which may be left out. They are there when the unit is gone, and
//! another unit that is given the storage has them.

use std::fs;
use std::path::Path;

use periapt_charm::{Context, Result, Storage, warning};

use crate::pages::{Page, check_name};
use crate::{Config, SiteCharm};

/// The storage.
pub const STORAGE: &str = "pages";

/// What a command returns that was not understood.
const MISUSED: u8 = 2;

/// All pages that the unit was given to keep, by their names.
pub fn read(context: &Context<Config>) -> Result<Vec<Page>> {
    match storage(context)? {
        Some(storage) => read_from(context, &storage.location),
        None => Ok(Vec::new()),
    }
}

/// What the unit has. It is looked for among its ids: that a charm declares one of a name is asked of the controller, and
/// most sites have none.
fn storage(context: &Context<Config>) -> Result<Option<Storage>> {
    let ids = context.storage_ids()?;
    let id = ids.iter().find(|id| {
        let name = id.split('/').next();
        name == Some(STORAGE)
    });
    id.map(|id| context.storage(id)).transpose()
}

/// Whoever else has had the storage may have left other things there: they are no pages.
fn read_from(context: &Context<Config>, folder: &Path) -> Result<Vec<Page>> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder)? {
        let file = entry?.file_name();
        let name = file.to_str().and_then(|name| name.strip_suffix(".md"));
        let Some(name) = name.filter(|name| check_name(name).is_ok()) else {
            continue;
        };
        match fs::read_to_string(folder.join(&file)) {
            Ok(markdown) => pages.push(Page::new(name, markdown)),
            Err(error) => warning!(context, "{name}.md is no page: {error}"),
        }
    }
    pages.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(pages)
}

impl SiteCharm {
    /// Keeps a page, or forgets it where it is given no text, and renders the site with what is there then.
    pub(crate) fn keep_page(
        &mut self,
        context: &Context<Config>,
        arguments: &[String],
    ) -> Result<u8> {
        let (name, markdown) = match arguments {
            [name] => (name, None),
            [name, markdown] => (name, Some(markdown)),
            _ => {
                eprintln!("usage: keep-page NAME [MARKDOWN]");
                return Ok(MISUSED);
            }
        };
        check_name(name)?;
        let storage = storage(context)?.ok_or_else(|| {
            let unit = context.unit_name();
            format!("{unit} has no storage to keep pages in: periapt add-storage {unit} {STORAGE}")
        })?;
        let path = storage.location.join(format!("{name}.md"));
        match markdown {
            Some(markdown) => fs::write(path, markdown)?,
            None => fs::remove_file(path)?,
        }
        self.refresh(context)?;
        Ok(0)
    }
}
