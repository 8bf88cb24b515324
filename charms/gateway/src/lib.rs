//! One address for several sites: which requests go to which of the applications that are related to it.
//!
//! The table of routes is a function of the configuration and of what the relations say now, so every hook does the
//! same. Passing requests on is the server's part, by the table that the last hook committed.

use std::fs;

use gateway_routes::{Route, Site, Source, Table};
use http_site::Website;
use periapt_charm::{
    Charm, Context, Layer, Options, PortRange, RelationEvent, Result, Service, Status,
};
use serde::Deserialize;

#[cfg(test)]
mod tests;

/// The options of `config.yaml`.
#[derive(Deserialize, Options)]
pub struct Config {
    #[serde(default)]
    pub routes: String,
}

/// The container of the server, and its service.
pub const CONTAINER: &str = "web";
/// Where it answers.
pub const PORT: u16 = 80;

#[derive(Default)]
pub struct Gateway;

impl Gateway {
    /// Makes the table. `leaving` is the relation that is about to be gone.
    fn refresh(&self, context: &Context<Config>, leaving: Option<&RelationEvent>) -> Result<()> {
        let written = match gateway_routes::read(&context.config()?.routes) {
            Ok(written) => written,
            // Whoever came or went is heard of again once the configuration is mended.
            Err(advice) => return context.set_status(Status::blocked(advice)),
        };
        let (mut sites, mut silent) = (Vec::new(), Vec::new());
        for relation in context.relations(http_site::ENDPOINT)? {
            if leaving.is_some_and(|event| event.relation == relation.id()) {
                continue;
            }
            let application = relation.application()?;
            let units: Vec<String> = relation
                .units_data::<Website>()?
                .into_iter()
                .map(|(unit, site)| format!("{}.internal:{}", unit.replace('/', "-"), site.port))
                .collect();
            if units.is_empty() {
                silent.push(application.clone());
            }
            sites.push(Site { application, units });
        }
        let related = |name: &str| sites.iter().any(|site| site.application == name);
        let unknown = written.iter().find(|route| !related(&route.application));
        let unknown = unknown.map(|route| route.application.clone());
        let routes = match written.is_empty() {
            true => sites.iter().map(by_name).collect(),
            false => written,
        };
        let answering = sites.len() - silent.len();
        let table = Table { routes, sites };
        let folder = context.state_dir().join("gateway");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(gateway_routes::FILE), table.to_json())?;
        let service = Service::http("server.wasm", PORT).summary("passes requests on");
        context
            .container(CONTAINER)
            .set(&Layer::new(CONTAINER).service(CONTAINER, service))?;
        context.open_ports(PortRange::tcp(PORT))?;
        let own = context.application_name();
        context.set_status(match (unknown, answering, silent.as_slice()) {
            (Some(unknown), _, _) => Status::blocked(format!(
                "routes names {unknown}, which is not related: periapt integrate {own} {unknown}"
            )),
            (None, 0, []) => Status::waiting(format!(
                "no sites: relate one with periapt integrate {own} SITE"
            )),
            (None, 0, silent) => {
                Status::waiting(format!("until {} says where it is", silent.join(", ")))
            }
            (None, 1, _) => Status::active("1 site"),
            (None, count, _) => Status::active(format!("{count} sites")),
        })
    }
}

/// Where a site is that nobody wrote a route for.
fn by_name(site: &Site) -> Route {
    Route {
        from: Source::Path(format!("/{}", site.application)),
        application: site.application.clone(),
    }
}

#[periapt_charm::charm]
impl Charm for Gateway {
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
        self.refresh(context, Some(event))
    }
}

periapt_charm::export!(Gateway);
