//! Commands that do to secrets what they are told, and print what they found: values among it, which a
//! charm that means well would never do.

use periapt_charm::{
    Context, Error, Result, RotatePolicy, Secret, SecretMode, SecretOptions, SecretOwner,
    SecretValues,
};
use serde_json::json;

use crate::{Config, Probe};

impl Probe {
    /// `secret-add application|unit KEY=VALUE... [label=L] [rotate=P] [expires=SECONDS]`
    pub(crate) fn secret_add(
        &mut self,
        context: &Context<Config>,
        arguments: &[String],
    ) -> Result<u8> {
        let (owner, said) = arguments.split_first().ok_or("name an owner")?;
        let owner = match owner.as_str() {
            "application" => SecretOwner::Application,
            "unit" => SecretOwner::Unit,
            other => return Err(Error::failed(format!("\"{other}\" is no owner"))),
        };
        let (values, options) = read(said)?;
        println!("{}", context.add_secret(owner, &values, &options)?);
        Ok(0)
    }

    /// `secret-get ID|label=L [kept|refresh|peek]`
    pub(crate) fn secret_get(
        &mut self,
        context: &Context<Config>,
        arguments: &[String],
    ) -> Result<u8> {
        let (named, mode) = arguments.split_first().ok_or("name a secret")?;
        let mode = match mode.first().map(String::as_str) {
            None | Some("kept") => SecretMode::Kept,
            Some("refresh") => SecretMode::Refresh,
            Some("peek") => SecretMode::Peek,
            Some(other) => return Err(Error::failed(format!("\"{other}\" is no mode"))),
        };
        let secret = secret(context, named);
        let values = match mode {
            SecretMode::Kept => secret.values()?,
            SecretMode::Refresh => secret.refresh()?,
            SecretMode::Peek => secret.peek()?,
        };
        for (key, value) in values {
            println!("{key}={value}");
        }
        Ok(0)
    }

    /// `secret-set ID [KEY=VALUE...] [label=L] [rotate=P] [expires=SECONDS]`
    pub(crate) fn secret_set(
        &mut self,
        context: &Context<Config>,
        arguments: &[String],
    ) -> Result<u8> {
        let (named, said) = arguments.split_first().ok_or("name a secret")?;
        let (values, options) = read(said)?;
        let secret = secret(context, named);
        if !values.is_empty() {
            secret.set(&values)?;
        }
        if options != SecretOptions::default() {
            secret.describe(&options)?;
        }
        Ok(0)
    }

    /// `secret-grant ID RELATION [UNIT]`
    pub(crate) fn secret_grant(
        &mut self,
        context: &Context<Config>,
        arguments: &[String],
    ) -> Result<u8> {
        let [named, relation, unit @ ..] = arguments else {
            return Err(Error::failed("name a secret and a relation"));
        };
        let relation = context.relation_by_id(relation.as_str());
        match unit.first() {
            Some(unit) => secret(context, named).grant_unit(&relation, unit)?,
            None => secret(context, named).grant(&relation)?,
        }
        Ok(0)
    }

    /// `secret-revoke ID RELATION|APPLICATION|UNIT`
    pub(crate) fn secret_revoke(
        &mut self,
        context: &Context<Config>,
        arguments: &[String],
    ) -> Result<u8> {
        let [named, from] = arguments else {
            return Err(Error::failed("name a secret and from whom"));
        };
        let secret = secret(context, named);
        match from.contains(':') {
            true => secret.revoke(&context.relation_by_id(from.as_str()))?,
            false => secret.revoke_from(from)?,
        }
        Ok(0)
    }

    /// `secret-remove ID [REVISION]`
    pub(crate) fn secret_drop(
        &mut self,
        context: &Context<Config>,
        arguments: &[String],
    ) -> Result<u8> {
        let (named, revision) = arguments.split_first().ok_or("name a secret")?;
        let secret = secret(context, named);
        match revision.first() {
            Some(revision) => {
                let revision = revision.parse().map_err(|_| "a revision is a number")?;
                secret.remove_revision(revision)?;
            }
            None => secret.remove()?,
        }
        Ok(0)
    }

    /// `secret-ids`
    pub(crate) fn secret_ids(
        &mut self,
        context: &Context<Config>,
        _arguments: &[String],
    ) -> Result<u8> {
        for id in context.secret_ids()? {
            println!("{id}");
        }
        Ok(0)
    }

    /// `secret-info ID|label=L`
    pub(crate) fn secret_info(
        &mut self,
        context: &Context<Config>,
        arguments: &[String],
    ) -> Result<u8> {
        let named = arguments.first().ok_or("name a secret")?;
        let info = secret(context, named).info()?;
        let grants = info.grants.iter();
        let grants: Vec<String> = grants.map(|grant| grant.to.clone()).collect();
        let shown = json!({
            "id": info.id,
            "label": info.label,
            "revisions": info.revisions,
            "grants": grants,
            "next-rotate": info.next_rotate,
            "expires": info.expires,
        });
        println!("{shown}");
        Ok(0)
    }
}

fn secret<'a>(context: &Context<'a, Config>, named: &str) -> Secret<'a> {
    match named.strip_prefix("label=") {
        Some(label) => context.secret_labelled(label),
        None => context.secret(named),
    }
}

/// Values, and what is said of the secret.
fn read(said: &[String]) -> Result<(SecretValues, SecretOptions)> {
    let (mut values, mut options) = (SecretValues::new(), SecretOptions::default());
    for pair in said {
        let (key, value) = pair.split_once('=').ok_or("write KEY=VALUE")?;
        match key {
            "label" => options.label = Some(value.to_owned()),
            "expires" => {
                let seconds = value
                    .parse()
                    .map_err(|_| "expires is a number of seconds")?;
                options = options.expires_in(std::time::Duration::from_secs(seconds));
            }
            "rotate" => {
                options.rotate = Some(match value {
                    "never" => RotatePolicy::Never,
                    "hourly" => RotatePolicy::Hourly,
                    "daily" => RotatePolicy::Daily,
                    other => return Err(Error::failed(format!("\"{other}\" is no policy"))),
                });
            }
            _ => {
                values.insert(key.to_owned(), value.to_owned());
            }
        }
    }
    Ok((values, options))
}
