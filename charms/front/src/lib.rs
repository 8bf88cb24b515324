//! One page over all the sites this application is related to.
//!
//! The page is a function of what the relations say now. Nothing is kept from hook to hook, so
//! no order of hooks can make it wrong, and every hook does the same.

use std::fs;

use http_site::{Title, Website};
use periapt_charm::{
    Charm, Context, Layer, Options, PortRange, RelationEvent, Result, Service, Status,
};
use serde::Deserialize;

mod page;
#[cfg(test)]
mod tests;

use page::Entry;

/// The options of `config.yaml`.
#[derive(Deserialize, Options)]
pub struct Config {
    pub title: String,
}

/// The container of the server, and its service.
pub const CONTAINER: &str = "web";
/// Where it answers.
pub const PORT: u16 = 80;

#[derive(Default)]
pub struct Front;

impl Front {
    /// Renders the page. `leaving` is the relation that is about to be gone.
    fn refresh(&self, context: &Context<Config>, leaving: Option<&str>) -> Result<()> {
        let mut entries = Vec::new();
        let mut silent = Vec::new();
        for relation in context.relations(http_site::ENDPOINT)? {
            if leaving == Some(relation.id()) {
                continue;
            }
            let application = relation.application()?;
            let units = relation.units_data::<Website>()?;
            let Some(first) = units.values().next() else {
                silent.push(application);
                continue;
            };
            let title = relation.application_data::<Title>()?;
            entries.push(Entry {
                title: title.map_or_else(|| first.title.clone(), |said| said.title),
                application,
                pages: first.pages,
                link: match first.host.as_str() {
                    "" => None,
                    host => Some(format!("//{host}{{port}}{}", first.path)),
                },
                units: units.into_keys().collect(),
            });
        }
        let folder = context.state_dir().join("front");
        fs::create_dir_all(&folder)?;
        fs::write(
            folder.join("index.html"),
            page::render(&context.config()?.title, &entries),
        )?;
        let service = Service::http("server.wasm", PORT).summary("the page");
        context
            .container(CONTAINER)
            .set(&Layer::new(CONTAINER).service(CONTAINER, service))?;
        context.open_ports(PortRange::tcp(PORT))?;
        context.set_status(match (entries.len(), silent.as_slice()) {
            (0, []) => Status::waiting(format!(
                "no sites: relate one with periapt integrate {} SITE",
                context.application_name()
            )),
            (0, silent) => Status::waiting(format!("until {} says what it has", silent.join(", "))),
            (1, _) => Status::active("1 site"),
            (count, _) => Status::active(format!("{count} sites")),
        })
    }
}

#[periapt_charm::charm]
impl Charm for Front {
    type Config = Config;

    fn config_changed(&mut self, context: &Context<Config>) -> Result<()> {
        self.refresh(context, None)
    }

    fn start(&mut self, context: &Context<Config>) -> Result<()> {
        context.set_workload_version(env!("CARGO_PKG_VERSION"))?;
        self.refresh(context, None)
    }

    fn update_status(&mut self, context: &Context<Config>) -> Result<()> {
        self.refresh(context, None)
    }

    fn upgrade_charm(&mut self, context: &Context<Config>) -> Result<()> {
        context.set_workload_version(env!("CARGO_PKG_VERSION"))?;
        self.refresh(context, None)
    }

    fn relation_created(&mut self, context: &Context<Config>, _: &RelationEvent) -> Result<()> {
        self.refresh(context, None)
    }

    fn relation_changed(&mut self, context: &Context<Config>, _: &RelationEvent) -> Result<()> {
        self.refresh(context, None)
    }

    fn relation_departed(&mut self, context: &Context<Config>, _: &RelationEvent) -> Result<()> {
        self.refresh(context, None)
    }

    fn relation_broken(&mut self, context: &Context<Config>, event: &RelationEvent) -> Result<()> {
        self.refresh(context, Some(&event.relation))
    }
}

periapt_charm::export!(Front);
