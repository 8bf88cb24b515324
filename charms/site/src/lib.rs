//! A static web site from configuration: pages in Markdown, a title, a theme.
//!
//! The site is a function of the configuration, so there is one way to make it, `refresh`, and
//! the hooks only say when. A configuration that makes no site is the operator's to mend: the
//! unit says so in its status and keeps the site it had.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use periapt_charm::{Charm, Context, Hook, Result, Status, info, warning};
use serde::Deserialize;

mod pages;
mod render;
#[cfg(test)]
mod tests;

use pages::Site;

/// The options of `config.yaml`.
#[derive(Deserialize)]
pub struct Config {
    pub title: String,
    pub theme: String,
    pub pages: String,
}

/// How often the site was rendered.
pub const RENDERS_KEY: &str = "renders";
/// How many pages it has.
pub const PAGES_KEY: &str = "pages";

#[derive(Default)]
pub struct SiteCharm;

impl SiteCharm {
    /// Renders the site, or says what keeps it from being rendered.
    fn refresh(&self, context: &Context<Config>) -> Result<()> {
        let site = match Site::read(&context.config()?) {
            Ok(site) => site,
            Err(advice) => return context.set_status(Status::blocked(advice)),
        };
        let folder = site_folder(context);
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => fs::create_dir_all(&folder)?,
        }
        for (name, content) in render::files(&site) {
            fs::write(folder.join(name), content)?;
        }
        let renders = context.state().get::<u64>(RENDERS_KEY)?.unwrap_or(0) + 1;
        context.state().set(RENDERS_KEY, &renders)?;
        context.state().set(PAGES_KEY, &site.pages.len())?;
        info!(context, "rendered {} (render {renders})", site.summary());
        context.set_status(Status::active(site.summary()))
    }

    fn set_version(&self, context: &Context<Config>) -> Result<()> {
        context.set_workload_version(env!("CARGO_PKG_VERSION"))
    }
}

fn site_folder(context: &Context<Config>) -> PathBuf {
    context.state_dir().join("site")
}

impl Charm for SiteCharm {
    type Config = Config;
    const HOOKS: &'static [Hook] = &[
        Hook::Install,
        Hook::ConfigChanged,
        Hook::Start,
        Hook::UpdateStatus,
        Hook::UpgradeCharm,
        Hook::Stop,
    ];

    fn install(&mut self, context: &Context<Config>) -> Result<()> {
        self.set_version(context)?;
        context.set_status(Status::maintenance("preparing the site"))
    }

    fn config_changed(&mut self, context: &Context<Config>) -> Result<()> {
        self.refresh(context)
    }

    fn start(&mut self, context: &Context<Config>) -> Result<()> {
        self.set_version(context)?;
        self.update_status(context)
    }

    /// Looks whether every page is where it belongs, and renders again if one is not.
    fn update_status(&mut self, context: &Context<Config>) -> Result<()> {
        let site = match Site::read(&context.config()?) {
            Ok(site) => site,
            Err(advice) => return context.set_status(Status::blocked(advice)),
        };
        let folder = site_folder(context);
        let missing = render::file_names(&site)
            .into_iter()
            .find(|name| !folder.join(name).is_file());
        match missing {
            Some(name) => {
                warning!(context, "{name} is missing: rendering again");
                self.refresh(context)
            }
            None => context.set_status(Status::active(site.summary())),
        }
    }

    /// Another revision may render differently.
    fn upgrade_charm(&mut self, context: &Context<Config>) -> Result<()> {
        self.set_version(context)?;
        self.refresh(context)
    }

    fn stop(&mut self, context: &Context<Config>) -> Result<()> {
        context.set_status(Status::maintenance("the site is being taken down"))
    }
}

periapt_charm::export!(SiteCharm);
