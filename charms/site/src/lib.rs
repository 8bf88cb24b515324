//! A static web site from configuration: pages in Markdown, a title, a theme.
//!
//! The site is a function of the configuration, so there is one way to make it, `refresh`, and
//! the hooks only say when. A configuration that makes no site is the operator's to mend: the
//! unit says so in its status and keeps the site it had.
//!
//! Operators may have pages built anew (`rebuild`), see the unit's files (`list`), and keep pages in a storage, where they
//! outlive the unit (`keep-page`).
//!
//! Who is related at `website` learns what the site is called and how big it is; the
//! subordinates of the unit find a log of what was rendered.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::SystemTime;

use http_site::{Title, Website};
use periapt_charm::{
    Action, Charm, Command, Context, Layer, Options, PortRange, RelationEvent, Result, Service,
    Status, StorageEvent, debug, info, warning,
};
use serde::Deserialize;

mod kept;
mod list;
mod log;
mod measure;
mod pages;
mod rebuild;
mod render;
#[cfg(test)]
mod tests;
mod theme;

use pages::{Page, Site};

/// The options of `config.yaml`.
#[derive(Deserialize, Options)]
pub struct Config {
    pub title: String,
    pub theme: String,
    pub pages: String,
}

/// How often the site was rendered.
pub const RENDERS_KEY: &str = "renders";
/// The container of the server, and its service.
pub const CONTAINER: &str = "web";
/// Where it answers.
pub const PORT: u16 = 80;
/// How many pages it has.
pub const PAGES_KEY: &str = "pages";

#[derive(Default)]
pub struct SiteCharm;

impl SiteCharm {
    /// Renders the site, or says what keeps it from being rendered.
    fn refresh(&self, context: &Context<Config>) -> Result<()> {
        self.refresh_with(context, kept::read(context)?)
    }

    /// As [`Self::refresh`], with these pages behind those of the configuration.
    fn refresh_with(&self, context: &Context<Config>, kept: Vec<Page>) -> Result<()> {
        let site = match Site::read(&context.config()?, kept) {
            Ok(site) => site,
            Err(advice) => return context.set_status(Status::blocked(advice)),
        };
        let theme = match theme::read(context)? {
            Ok(theme) => theme,
            Err(advice) => return context.set_status(Status::blocked(advice)),
        };
        let folder = site_folder(context);
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => fs::create_dir_all(&folder)?,
        }
        let mut lines = Vec::new();
        for (name, mut content) in render::files(&site) {
            if let (render::STYLE_SHEET, Some(rules)) = (name.as_str(), &theme) {
                content.push_str(rules);
            }
            lines.push(format!("rendered {name}, {} bytes", content.len()));
            fs::write(folder.join(name), content)?;
        }
        self.write_log(context, &lines)?;
        let renders = self.count_render(context)?;
        context.state().set(PAGES_KEY, &site.pages.len())?;
        info!(context, "rendered {} (render {renders})", site.summary());
        self.serve(context)?;
        self.publish(context, &site)?;
        context.set_status(Status::active(site.summary()))
    }

    /// Counts one more rendering, and says how many there were.
    fn count_render(&self, context: &Context<Config>) -> Result<u64> {
        let renders = context.state().get::<u64>(RENDERS_KEY)?.unwrap_or(0) + 1;
        context.state().set(RENDERS_KEY, &renders)?;
        Ok(renders)
    }

    /// Has the pages answered: by `server.wasm`, which sees them as they were committed.
    fn serve(&self, context: &Context<Config>) -> Result<()> {
        let service = Service::http("server.wasm", PORT).summary("the pages of the site");
        let layer = Layer::new(CONTAINER).service(CONTAINER, service);
        context.container(CONTAINER).set(&layer)?;
        context.open_ports(PortRange::tcp(PORT))
    }

    /// Tells everyone at `website`. What did not change is not written again, so nobody's hooks
    /// run for nothing.
    fn publish(&self, context: &Context<Config>, site: &Site) -> Result<()> {
        let website = Website {
            title: site.title.clone(),
            pages: u32::try_from(site.pages.len()).unwrap_or(u32::MAX),
            path: "/".to_owned(),
            host: format!(
                "{}.{}.localhost",
                context.application_name(),
                context.model_name()
            ),
            port: PORT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let leads = context.is_leader()?;
        for relation in context.relations(http_site::ENDPOINT)? {
            relation.publish(&website)?;
            if leads {
                relation.publish_application(&Title {
                    title: site.title.clone(),
                })?;
            }
        }
        Ok(())
    }

    /// As [`Self::publish`], of the site as it is configured now. One that cannot be rendered
    /// is not spoken of.
    fn publish_configured(&self, context: &Context<Config>) -> Result<()> {
        match Site::read(&context.config()?, kept::read(context)?) {
            Ok(site) => self.publish(context, &site),
            Err(_) => Ok(()),
        }
    }

    /// A site without a log directory is a site all the same.
    fn write_log(&self, context: &Context<Config>, lines: &[String]) -> Result<()> {
        match context.shared(log::DIRECTORY) {
            Ok(directory) => log::append(&directory, lines, SystemTime::now()),
            Err(error) => {
                debug!(context, "no log is written: {error}");
                Ok(())
            }
        }
    }

    fn set_version(&self, context: &Context<Config>) -> Result<()> {
        context.set_workload_version(env!("CARGO_PKG_VERSION"))
    }
}

fn site_folder(context: &Context<Config>) -> PathBuf {
    context.state_dir().join("site")
}

#[periapt_charm::charm]
impl Charm for SiteCharm {
    type Config = Config;
    const ACTIONS: &'static [Action<Self>] = &[Action::new(
        "rebuild",
        "Builds pages of the site anew.",
        &Self::rebuild,
    )];
    const COMMANDS: &'static [Command<Self>] = &[
        Command::new("list", &Self::list),
        Command::new("keep-page", &Self::keep_page),
    ];

    fn install(&mut self, context: &Context<Config>) -> Result<()> {
        self.set_version(context)?;
        context.set_status(Status::maintenance("preparing the site"))
    }

    /// The title of the application is now this unit's to say.
    fn leader_elected(&mut self, context: &Context<Config>) -> Result<()> {
        self.publish_configured(context)
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
        let site = match Site::read(&context.config()?, kept::read(context)?) {
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

    /// Another revision may render differently, and so does the site with another theme.
    fn upgrade_charm(&mut self, context: &Context<Config>) -> Result<()> {
        self.set_version(context)?;
        self.refresh(context)
    }

    fn stop(&mut self, context: &Context<Config>) -> Result<()> {
        context.set_status(Status::maintenance("the site is being taken down"))
    }

    fn collect_metrics(&mut self, context: &Context<Config>) -> Result<()> {
        let measured = measure::measure(&site_folder(context))?;
        context.add_metric("pages", measured.pages as f64)?;
        context.add_metric("bytes", measured.bytes as f64)
    }

    /// What comes before `install` is rendered with the rest, once there is a configuration.
    fn storage_attached(&mut self, context: &Context<Config>, _: &StorageEvent) -> Result<()> {
        match context.state().get::<u64>(RENDERS_KEY)? {
            Some(_) => self.refresh(context),
            None => Ok(()),
        }
    }

    /// There is one at most, so what the site has without it is what is configured.
    fn storage_detaching(&mut self, context: &Context<Config>, _: &StorageEvent) -> Result<()> {
        self.refresh_with(context, Vec::new())
    }

    fn relation_created(&mut self, context: &Context<Config>, _: &RelationEvent) -> Result<()> {
        self.publish_configured(context)
    }
}

periapt_charm::export!(SiteCharm);
