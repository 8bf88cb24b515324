//! A charm that does in each hook what its config says, good or bad, so that tests of the host
//! need one charm only. The README lists the actions.

use periapt_charm::{
    Charm, Command, Context, Hook, Options, RelationEvent, Result, SecretEvent, StorageEvent, info,
};
use serde::Deserialize;

mod actions;
mod escape;
mod reach;
mod relations;
mod script;
mod secrets;
mod storage;
#[cfg(test)]
mod tests;

#[derive(Deserialize, Options)]
#[options(unread("note"))]
pub struct Config {
    #[serde(default)]
    script: String,
}

/// The state key that lists the hooks that were committed, in order.
pub const HOOKS_KEY: &str = "hooks";

/// As [`HOOKS_KEY`], each with its relation and who it is about:
/// `upstream-relation-joined upstream:3 other/0`; with its secret: `secret-remove secret:ID 1`; or with its
/// storage: `data-storage-attached data/0`.
pub const EVENTS_KEY: &str = "events";

/// The endpoints of the probe and of its subordinate variant, which is the same component.
pub const ENDPOINTS: &[&str] = &[
    "ring",
    "upstream",
    "downstream",
    "host",
    "side",
    "credentials",
];

const COMMANDS: &[Command<Probe>] = &[
    Command::new("secret-add", &Probe::secret_add),
    Command::new("secret-get", &Probe::secret_get),
    Command::new("secret-set", &Probe::secret_set),
    Command::new("secret-grant", &Probe::secret_grant),
    Command::new("secret-revoke", &Probe::secret_revoke),
    Command::new("secret-remove", &Probe::secret_drop),
    Command::new("secret-ids", &Probe::secret_ids),
    Command::new("secret-info", &Probe::secret_info),
    Command::new("storage-ids", &Probe::storage_ids),
    Command::new("storage-get", &Probe::storage_get),
    Command::new("storage-add", &Probe::storage_add),
    Command::new("storage-write", &Probe::storage_write),
    Command::new("storage-read", &Probe::storage_read),
];

#[derive(Default)]
pub struct Probe;

impl Probe {
    fn run(&self, context: &Context<Config>) -> Result<()> {
        let hook = context.event().name();
        let mut hooks: Vec<String> = context.state().get(HOOKS_KEY)?.unwrap_or_default();
        let mut events: Vec<String> = context.state().get(EVENTS_KEY)?.unwrap_or_default();
        info!(
            context,
            "hook {hook}, committed before: {}",
            hooks.join(" ")
        );
        let script = context.config()?.script;
        for action in script::parse(&script)?
            .into_iter()
            .filter(|line| line.applies_to(&hook))
        {
            actions::perform(&action.action, context)?;
        }
        events.push(described(context));
        hooks.push(hook);
        context.state().set(EVENTS_KEY, &events)?;
        context.state().set(HOOKS_KEY, &hooks)
    }
}

/// The hook's name, and for one of a relation its id and the unit or application it is about.
fn described(context: &Context<Config>) -> String {
    let name = context.event().name();
    if let Some(event) = context.event().storage() {
        return format!("{name} {}", event.id);
    }
    match context.event().relation() {
        None => match context.event().attribute("secret-id") {
            None => name,
            Some(id) => match context.event().attribute("secret-revision") {
                Some(revision) => format!("{name} {id} {revision}"),
                None => format!("{name} {id}"),
            },
        },
        Some(event) => {
            let who = event.remote_unit.as_ref();
            let who = who.unwrap_or(&event.remote_application);
            format!("{name} {} {who}", event.relation)
        }
    }
}

#[periapt_charm::charm]
impl Charm for Probe {
    type Config = Config;
    /// Also those whose methods do nothing, so that a test sees them run.
    const HOOKS: &'static [Hook] = Hook::ALL;
    const ENDPOINTS: &'static [&'static str] = ENDPOINTS;
    const STORAGE: &'static [&'static str] = storage::STORAGE;
    const COMMANDS: &'static [Command<Self>] = COMMANDS;

    fn secret_changed(&mut self, context: &Context<Config>, _: &SecretEvent) -> Result<()> {
        self.run(context)
    }

    fn secret_expired(&mut self, context: &Context<Config>, _: &SecretEvent) -> Result<()> {
        self.run(context)
    }

    fn secret_rotate(&mut self, context: &Context<Config>, _: &SecretEvent) -> Result<()> {
        self.run(context)
    }

    fn secret_remove(&mut self, context: &Context<Config>, _: &SecretEvent) -> Result<()> {
        self.run(context)
    }

    fn storage_attached(&mut self, context: &Context<Config>, _: &StorageEvent) -> Result<()> {
        self.run(context)
    }

    fn storage_detaching(&mut self, context: &Context<Config>, _: &StorageEvent) -> Result<()> {
        self.run(context)
    }

    fn install(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn leader_elected(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn leader_settings_changed(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn config_changed(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn start(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn update_status(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn upgrade_charm(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn stop(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn remove(&mut self, context: &Context<Config>) -> Result<()> {
        self.run(context)
    }

    fn relation_created(&mut self, context: &Context<Config>, _: &RelationEvent) -> Result<()> {
        self.run(context)
    }

    fn relation_joined(&mut self, context: &Context<Config>, _: &RelationEvent) -> Result<()> {
        self.run(context)
    }

    fn relation_changed(&mut self, context: &Context<Config>, _: &RelationEvent) -> Result<()> {
        self.run(context)
    }

    fn relation_departed(&mut self, context: &Context<Config>, _: &RelationEvent) -> Result<()> {
        self.run(context)
    }

    fn relation_broken(&mut self, context: &Context<Config>, _: &RelationEvent) -> Result<()> {
        self.run(context)
    }
}

periapt_charm::export!(Probe);
