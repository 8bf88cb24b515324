//! A table that all units have, and one of them, the leader, writes.
//!
//! Units publish where they are; the leader makes the table of that and of the configuration
//! and publishes it for the application; units copy it. Each hook does the part of all this
//! that is its unit's, so it does not matter which hook comes first or is lost.

use std::collections::BTreeMap;

use periapt_charm::{
    Charm, Context, Options, Relation, RelationData, RelationEvent, Result, RotatePolicy,
    SecretEvent, SecretOptions, SecretOwner, SecretValues, Status, generated, info, secret_values,
};
use serde::{Deserialize, Serialize};

mod entries;
#[cfg(test)]
mod tests;

/// The options of `config.yaml`.
#[derive(Deserialize, Options)]
pub struct Config {
    #[serde(default)]
    pub entries: String,
}

/// What each unit says of itself.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub address: String,
}

impl RelationData for Member {}

/// What the leader says for all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The unit that wrote it.
    pub leader: String,
    /// How many leaders there were so far.
    pub term: u64,
    /// Addresses by unit.
    pub members: BTreeMap<String, String>,
    /// From the configuration.
    #[serde(default)]
    pub entries: BTreeMap<String, String>,
    /// The secret with the token by which members know one another; none of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

impl RelationData for Table {}

/// The peer endpoint.
pub const ENDPOINT: &str = "members";
/// The label of the secret with the members' token, which is the application's.
pub const TOKEN: &str = "token";
/// Characters of the token.
const TOKEN_LENGTH: usize = 40;
/// The state key of the unit's copy.
pub const TABLE_KEY: &str = "table";

#[derive(Default)]
pub struct Registry;

impl Registry {
    fn refresh(&self, context: &Context<Config>) -> Result<()> {
        let Some(relation) = context.relations(ENDPOINT)?.into_iter().next() else {
            return context.set_status(Status::waiting("for the peer relation"));
        };
        relation.publish(&Member {
            address: context.private_address()?,
        })?;
        if context.is_leader()? {
            let entries = match entries::read(&context.config()?.entries) {
                Ok(entries) => entries,
                Err(advice) => return context.set_status(Status::blocked(advice)),
            };
            self.write_table(context, &relation, entries)?;
        }
        let Some(table) = relation.application_data::<Table>()? else {
            return context.set_status(Status::waiting("for the leader to write the table"));
        };
        context.state().set(TABLE_KEY, &table)?;
        let count = table.members.len();
        context.set_status(if !context.is_leader()? {
            Status::active(format!("member of {count}"))
        } else if count == 1 {
            Status::active("leader, 1 member")
        } else {
            Status::active(format!("leader, {count} members"))
        })
    }

    fn write_table(
        &self,
        context: &Context<Config>,
        relation: &Relation<'_>,
        entries: BTreeMap<String, String>,
    ) -> Result<()> {
        let own = context.unit_name();
        let before = relation.application_data::<Table>()?.unwrap_or_default();
        let term = if before.leader == own {
            before.term
        } else {
            info!(context, "{own} leads now, term {}", before.term + 1);
            before.term + 1
        };
        let mut members: BTreeMap<String, String> = relation
            .units_data::<Member>()?
            .into_iter()
            .map(|(unit, member)| (unit, member.address))
            .collect();
        members.insert(own.clone(), context.private_address()?);
        let token = Some(token(context)?);
        relation.publish_application(&Table {
            leader: own,
            term,
            members,
            entries,
            token,
        })?;
        Ok(())
    }
}

/// The secret with the members' token, made by the first leader.
fn token(context: &Context<Config>) -> Result<String> {
    match context.secret_labelled(TOKEN).info() {
        Ok(known) => Ok(known.id),
        Err(error) if error.is_not_found() => {
            let options = SecretOptions::labelled(TOKEN)
                .description("by which members know one another")
                .rotate(RotatePolicy::Daily);
            context.add_secret(SecretOwner::Application, &new_token()?, &options)
        }
        Err(error) => Err(error),
    }
}

fn new_token() -> Result<SecretValues> {
    let token = generated(TOKEN_LENGTH)?;
    Ok(secret_values([(TOKEN, token.as_str())]))
}

#[periapt_charm::charm]
impl Charm for Registry {
    type Config = Config;

    fn leader_elected(&mut self, context: &Context<Config>) -> Result<()> {
        self.refresh(context)
    }

    fn leader_settings_changed(&mut self, context: &Context<Config>) -> Result<()> {
        self.refresh(context)
    }

    fn config_changed(&mut self, context: &Context<Config>) -> Result<()> {
        self.refresh(context)
    }

    fn start(&mut self, context: &Context<Config>) -> Result<()> {
        context.set_workload_version(env!("CARGO_PKG_VERSION"))?;
        self.refresh(context)
    }

    fn update_status(&mut self, context: &Context<Config>) -> Result<()> {
        self.refresh(context)
    }

    fn upgrade_charm(&mut self, context: &Context<Config>) -> Result<()> {
        context.set_workload_version(env!("CARGO_PKG_VERSION"))?;
        self.refresh(context)
    }

    fn secret_rotate(&mut self, context: &Context<Config>, event: &SecretEvent) -> Result<()> {
        context.secret(&event.id).set(&new_token()?)
    }

    fn secret_remove(&mut self, context: &Context<Config>, event: &SecretEvent) -> Result<()> {
        match event.revision {
            Some(revision) => context.secret(&event.id).remove_revision(revision),
            None => Ok(()),
        }
    }

    fn relation_created(&mut self, context: &Context<Config>, _: &RelationEvent) -> Result<()> {
        self.refresh(context)
    }

    fn relation_joined(&mut self, context: &Context<Config>, _: &RelationEvent) -> Result<()> {
        self.refresh(context)
    }

    fn relation_changed(&mut self, context: &Context<Config>, _: &RelationEvent) -> Result<()> {
        self.refresh(context)
    }

    fn relation_departed(
        &mut self,
        context: &Context<Config>,
        event: &RelationEvent,
    ) -> Result<()> {
        if event.is_departing(&context.unit_name()) {
            // Who leaves says nothing more: the table is the others' from here on.
            return Ok(());
        }
        self.refresh(context)
    }
}

periapt_charm::export!(Registry);
