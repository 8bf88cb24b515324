//! A charm that changes everything it may and then ends as its config says, so that tests see what is left of a
//! hook that did not end well: nothing. Its actions do not end, or not well.

use std::fs;

use periapt_charm::{Action, Charm, Context, Layer, Options, PortRange, Result, Service, Status};
use serde::Deserialize;

mod actions;
#[cfg(test)]
mod tests;

/// The container of the server, and its service.
const CONTAINER: &str = "web";
/// Where it may answer.
const PORTS: [u16; 2] = [80, 8080];

/// The options of `config.yaml`.
#[derive(Deserialize, Options)]
pub struct Config {
    pub page: String,
    pub port: u16,
    pub ends: String,
}

#[derive(Default)]
pub struct Unruly;

#[periapt_charm::charm]
impl Charm for Unruly {
    type Config = Config;
    const ACTIONS: &'static [Action<Self>] = &[
        Action::new("loop", "Computes without end.", &Self::compute),
        Action::new("trap", "Sets a result and traps.", &Self::trap),
        Action::new(
            "flood",
            "Tells of its progress until it is refused, and how often it did.",
            &Self::flood,
        ),
    ];

    fn config_changed(&mut self, context: &Context<Config>) -> Result<()> {
        let config = context.config()?;
        let folder = context.state_dir().join("page");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("index.html"), &config.page)?;
        let service = Service::http("server.wasm", config.port).environment("PAGE", &config.page);
        let container = context.container(CONTAINER);
        container.set(&Layer::new(CONTAINER).service(CONTAINER, service))?;
        container.restart(&[CONTAINER])?;
        for port in PORTS.map(PortRange::tcp) {
            match port.start == config.port {
                true => context.open_ports(port)?,
                false => context.close_ports(port)?,
            }
        }
        context.set_status(Status::active(config.page.as_str()))?;
        match config.ends.as_str() {
            "traps" => std::process::abort(),
            "fails" => Err("it was told to fail".into()),
            _ => Ok(()),
        }
    }
}

periapt_charm::export!(Unruly);
