//! Credentials for whoever is related, as secrets of the application.
//!
//! The leader keeps one secret for each relation, found by its label, so that every hook can make true
//! what should be and none has to be the first. What an application is told of it in the relation
//! is the id alone.

use periapt_charm::{
    Charm, Command, Context, Options, Relation, RelationData, RelationEvent, Result, RotatePolicy,
    SecretEvent, SecretOptions, SecretOwner, SecretValues, Status, generated, info, secret_values,
};
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// The options of `config.yaml`.
#[derive(Deserialize, Options)]
pub struct Config {
    pub rotate: String,
    pub length: i64,
}

/// What an application is told, for all of its units.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    /// The id of the secret, in which are `username` and `password`.
    pub secret: String,
}

impl RelationData for Credentials {}

pub const ENDPOINT: &str = "credentials";

const LENGTHS: std::ops::RangeInclusive<i64> = 12..=128;

/// What the configuration asks for.
struct Wanted {
    rotate: RotatePolicy,
    length: usize,
}

impl Wanted {
    /// The error tells the operator what to do.
    fn of(config: &Config) -> Result<Self, String> {
        let rotate = match config.rotate.as_str() {
            "never" => RotatePolicy::Never,
            "hourly" => RotatePolicy::Hourly,
            "daily" => RotatePolicy::Daily,
            "weekly" => RotatePolicy::Weekly,
            "monthly" => RotatePolicy::Monthly,
            "quarterly" => RotatePolicy::Quarterly,
            "yearly" => RotatePolicy::Yearly,
            other => {
                return Err(format!(
                    "set rotate to never, hourly, daily, weekly, monthly, quarterly or yearly, not \"{other}\""
                ));
            }
        };
        match usize::try_from(config.length) {
            Ok(length) if LENGTHS.contains(&config.length) => Ok(Self { rotate, length }),
            _ => Err(format!("set length to 12 to 128, not {}", config.length)),
        }
    }

    fn values(&self, application: &str) -> Result<SecretValues> {
        let password = generated(self.length)?;
        Ok(secret_values([
            ("username", application),
            ("password", password.as_str()),
        ]))
    }
}

#[derive(Default)]
pub struct Vault;

impl Vault {
    fn refresh(&self, context: &Context<Config>) -> Result<()> {
        if !context.is_leader()? {
            return context.set_status(Status::active("the leader hands out credentials"));
        }
        let wanted = match Wanted::of(&context.config()?) {
            Ok(wanted) => wanted,
            Err(advice) => return context.set_status(Status::blocked(advice)),
        };
        take_back(context)?;
        let relations = context.relations(ENDPOINT)?;
        for relation in &relations {
            hand_out(context, relation, &wanted)?;
        }
        context.set_status(handed_out_to(relations.len()))
    }

    /// `list`: who has which secret.
    fn list(&mut self, context: &Context<Config>, arguments: &[String]) -> Result<u8> {
        if !arguments.is_empty() {
            eprintln!("usage: list");
            return Ok(2);
        }
        for id in context.secret_ids()? {
            let secret = context.secret(id).info()?;
            let revision = secret.revisions.last().copied().unwrap_or_default();
            println!("{} {} revision {revision}", secret.label, secret.id);
        }
        Ok(0)
    }
}

/// Before the relation's id.
const LABEL: &str = "credentials ";

fn label(relation: &str) -> String {
    format!("{LABEL}{relation}")
}

fn handed_out_to(applications: usize) -> Status {
    match applications {
        0 => Status::active("nobody asked for credentials"),
        1 => Status::active("credentials for 1 application"),
        more => Status::active(format!("credentials for {more} applications")),
    }
}

/// Removes what was handed out in relations that are gone, where no unit led at that moment. Grants go with their
/// relation.
fn take_back(context: &Context<Config>) -> Result<()> {
    for id in context.secret_ids()? {
        let secret = context.secret(id);
        let known = secret.info()?;
        if known.label.starts_with(LABEL) && known.grants.is_empty() {
            secret.remove()?;
        }
    }
    Ok(())
}

/// Sees to it that the other end of a relation has credentials and may read them.
fn hand_out(context: &Context<Config>, relation: &Relation, wanted: &Wanted) -> Result<()> {
    let label = label(relation.id());
    let known = context.secret_labelled(&label).info();
    let id = match known {
        Ok(known) => {
            if known.rotate != wanted.rotate {
                let options = SecretOptions::default().rotate(wanted.rotate);
                context.secret(&known.id).describe(&options)?;
            }
            known.id
        }
        Err(error) if error.is_not_found() => {
            let application = relation.application()?;
            let options = SecretOptions::labelled(label)
                .description(format!("credentials of {application}"))
                .rotate(wanted.rotate);
            let values = wanted.values(&application)?;
            let id = context.add_secret(SecretOwner::Application, &values, &options)?;
            info!(context, "credentials for {application}");
            id
        }
        Err(error) => return Err(error),
    };
    context.secret(&id).grant(relation)?;
    relation.publish_application(&Credentials { secret: id })?;
    Ok(())
}

#[periapt_charm::charm]
impl Charm for Vault {
    type Config = Config;
    const COMMANDS: &'static [Command<Self>] = &[Command::new("list", &Self::list)];

    fn leader_elected(&mut self, context: &Context<Config>) -> Result<()> {
        self.refresh(context)
    }

    fn config_changed(&mut self, context: &Context<Config>) -> Result<()> {
        self.refresh(context)
    }

    fn start(&mut self, context: &Context<Config>) -> Result<()> {
        context.set_workload_version(env!("CARGO_PKG_VERSION"))?;
        self.refresh(context)
    }

    fn upgrade_charm(&mut self, context: &Context<Config>) -> Result<()> {
        context.set_workload_version(env!("CARGO_PKG_VERSION"))?;
        self.refresh(context)
    }

    fn secret_rotate(&mut self, context: &Context<Config>, event: &SecretEvent) -> Result<()> {
        let wanted = Wanted::of(&context.config()?)?;
        let secret = context.secret(&event.id);
        let before = secret.values()?;
        let application = before.get("username").map(String::as_str);
        secret.set(&wanted.values(application.unwrap_or_default())?)
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

    fn relation_broken(&mut self, context: &Context<Config>, event: &RelationEvent) -> Result<()> {
        if context.is_leader()? {
            match context.secret_labelled(label(&event.relation)).remove() {
                Err(error) if error.is_not_found() => {}
                removed => removed?,
            }
            if Wanted::of(&context.config()?).is_ok() {
                let relations = context.relations(ENDPOINT)?;
                let others = relations
                    .iter()
                    .filter(|other| other.id() != event.relation);
                context.set_status(handed_out_to(others.count()))?;
            }
        }
        Ok(())
    }
}

periapt_charm::export!(Vault);
