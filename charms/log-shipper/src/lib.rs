//! A subordinate that reads each line of its principal's logs once.
//!
//! What it knows is one value in the unit's state: totals, and how far each file was read. It
//! is committed with the hook that did the reading, so no line is lost or counted twice, even
//! when a hook fails half-way.

use periapt_charm::{Charm, Context, Options, RelationEvent, Result, Status, debug};
use serde::Deserialize;

mod reader;
#[cfg(test)]
mod tests;

use reader::{Position, Totals};

/// The options of `config.yaml`.
#[derive(Deserialize, Options)]
pub struct Config {
    #[serde(default)]
    pub only: String,
}

/// The shared directory's name in `capabilities.yaml`.
pub const DIRECTORY: &str = "logs";
/// State keys: how far each file was read, and what was read altogether.
pub const POSITIONS_KEY: &str = "positions";
pub const TOTALS_KEY: &str = "totals";

#[derive(Default)]
pub struct LogShipper;

impl LogShipper {
    fn read(&self, context: &Context<Config>) -> Result<()> {
        let directory = context.shared(DIRECTORY)?;
        let state = context.state();
        let before: Vec<Position> = state.get(POSITIONS_KEY)?.unwrap_or_default();
        let mut totals: Totals = state.get(TOTALS_KEY)?.unwrap_or_default();
        let lines = totals.lines;
        let after = reader::read(&directory, &context.config()?.only, before, &mut totals)?;
        debug!(context, "read {} new lines", totals.lines - lines);
        state.set(POSITIONS_KEY, &after)?;
        state.set(TOTALS_KEY, &totals)?;
        context.set_status(Status::active(totals.to_string()))
    }
}

#[periapt_charm::charm]
impl Charm for LogShipper {
    type Config = Config;

    fn config_changed(&mut self, context: &Context<Config>) -> Result<()> {
        self.read(context)
    }

    fn start(&mut self, context: &Context<Config>) -> Result<()> {
        context.set_workload_version(env!("CARGO_PKG_VERSION"))?;
        self.read(context)
    }

    fn update_status(&mut self, context: &Context<Config>) -> Result<()> {
        self.read(context)
    }

    fn upgrade_charm(&mut self, context: &Context<Config>) -> Result<()> {
        context.set_workload_version(env!("CARGO_PKG_VERSION"))?;
        self.read(context)
    }

    /// The principal's last words.
    fn stop(&mut self, context: &Context<Config>) -> Result<()> {
        self.read(context)
    }

    /// The principal came, or said something new.
    fn relation_changed(&mut self, context: &Context<Config>, _: &RelationEvent) -> Result<()> {
        self.read(context)
    }
}

periapt_charm::export!(LogShipper);
