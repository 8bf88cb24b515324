//! The action `rebuild`: builds pages anew from the configuration, as `config-changed` does.

use std::fs;

use periapt_charm::{Context, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pages::Site;
use crate::{Config, SiteCharm, kept, render, site_folder};

/// Its parameters. `actions.yaml` is made of this struct.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rebuild {
    /// Put behind the title on the pages that are built, until the site is rendered again.
    title_suffix: Option<String>,
    /// How many pages are built at most, in the order of the configuration.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100))]
    pages: usize,
    /// Only says what would be built.
    #[serde(default)]
    dry_run: bool,
}

fn one() -> usize {
    1
}

/// Its results.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Rebuilt {
    pages: Pages,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Pages {
    built: usize,
}

impl SiteCharm {
    /// A configuration that makes no site fails the action with the same advice that the status has.
    pub(crate) fn rebuild(
        &mut self,
        context: &Context<Config>,
        wanted: Rebuild,
    ) -> Result<Rebuilt> {
        let mut site = Site::read(&context.config()?, kept::read(context)?)?;
        if let Some(suffix) = &wanted.title_suffix {
            site.title = format!("{} {}", site.title, suffix.trim());
        }
        let folder = site_folder(context);
        let pages = render::files(&site).into_iter();
        let pages = pages.filter(|(name, _)| name.ends_with(".html"));
        let mut lines = Vec::new();
        for (name, content) in pages.take(wanted.pages) {
            let bytes = content.len();
            if wanted.dry_run {
                context
                    .task()
                    .log(&format!("would build {name}, {bytes} bytes"))?;
                continue;
            }
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(&name), content)?;
            context
                .task()
                .log(&format!("built {name}, {bytes} bytes"))?;
            lines.push(format!("rendered {name}, {bytes} bytes"));
        }
        if !wanted.dry_run {
            self.write_log(context, &lines)?;
            self.count_render(context)?;
        }
        Ok(Rebuilt {
            pages: Pages { built: lines.len() },
        })
    }
}
