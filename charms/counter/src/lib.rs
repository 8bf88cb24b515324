//! Counts the hooks of its unit, and has the count shown.
//!
//! What is shown is a function of the configuration and of one number in the unit's state. The server has no
//! state of its own: it reads the files that the last hook committed.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use periapt_charm::{
    Charm, Check, Context, Layer, Level, MeterColor, MeterStatus, Options, PortRange, Result,
    Service, Status,
};
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// The options of `config.yaml`.
#[derive(Deserialize, Options)]
pub struct Config {
    pub start: i64,
    pub greeting: String,
}

/// The container of the server, and its service.
pub const CONTAINER: &str = "web";
/// Where it answers.
pub const PORT: u16 = 80;
/// How many hooks ran.
pub const HOOKS_KEY: &str = "hooks";
/// The file with the [`Count`].
const COUNT: &str = "count.json";

/// What the server shows beside the greeting.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    pub unit: String,
    pub count: i64,
    pub start: i64,
    pub hooks: i64,
    /// The greeting that belongs to it, so that a reader of both files can tell that they do.
    pub greeting: String,
}

#[derive(Default)]
pub struct Counter;

impl Counter {
    /// Counts this hook, and writes down what there is to show.
    fn count(&self, context: &Context<Config>) -> Result<()> {
        let Config { start, greeting } = context.config()?;
        let hooks = context.state().get::<i64>(HOOKS_KEY)?.unwrap_or(0) + 1;
        context.state().set(HOOKS_KEY, &hooks)?;
        if greeting.trim().is_empty() {
            return context.set_status(Status::blocked(format!(
                "no greeting: periapt config {} greeting=Hello",
                context.application_name()
            )));
        }
        let count = Count {
            unit: context.unit_name(),
            count: start.saturating_add(hooks),
            start,
            hooks,
            greeting: greeting.clone(),
        };
        let folder = folder(context);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("greeting.txt"), greeting)?;
        fs::write(
            folder.join(COUNT),
            serde_json::to_vec(&count).map_err(std::io::Error::from)?,
        )?;
        let service = Service::http("server.wasm", PORT).summary("the count");
        context.container(CONTAINER).set(
            &Layer::new(CONTAINER)
                .service(CONTAINER, service)
                .check("health", Check::http(PORT, "/health").ready()),
        )?;
        context.open_ports(PortRange::tcp(PORT))?;
        context.set_status(Status::active(format!("counted {}", count.count)))
    }
}

#[periapt_charm::charm]
impl Charm for Counter {
    type Config = Config;

    fn config_changed(&mut self, context: &Context<Config>) -> Result<()> {
        self.count(context)
    }

    fn start(&mut self, context: &Context<Config>) -> Result<()> {
        context.set_workload_version(env!("CARGO_PKG_VERSION"))?;
        self.count(context)
    }

    fn update_status(&mut self, context: &Context<Config>) -> Result<()> {
        self.count(context)
    }

    fn upgrade_charm(&mut self, context: &Context<Config>) -> Result<()> {
        context.set_workload_version(env!("CARGO_PKG_VERSION"))?;
        self.count(context)
    }

    /// What is shown, as it was committed; before the first count there is nothing.
    fn collect_metrics(&mut self, context: &Context<Config>) -> Result<()> {
        let json = match fs::read(folder(context).join(COUNT)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            json => json?,
        };
        let shown: Count = serde_json::from_slice(&json).map_err(std::io::Error::from)?;
        context.add_metric("count", shown.count as f64)?;
        context.add_metric("hooks", shown.hooks as f64)
    }

    fn meter_status_changed(
        &mut self,
        context: &Context<Config>,
        status: &MeterStatus,
    ) -> Result<()> {
        let (level, text) = match status.color {
            MeterColor::Green => (Level::Info, "this unit is within its quotas"),
            MeterColor::Amber => (Level::Info, "this unit is close to a quota"),
            _ => (Level::Warning, "this unit is above a quota"),
        };
        let color = status.color.as_str();
        match status.info.as_str() {
            "" => context.log(level, &format!("{color}: {text}")),
            info => context.log(level, &format!("{color}: {text}: {info}")),
        }
        Ok(())
    }
}

/// Where the server finds what it shows.
fn folder(context: &Context<Config>) -> PathBuf {
    context.state_dir().join("counter")
}

periapt_charm::export!(Counter);
