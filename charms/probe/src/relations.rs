//! What the relation words of a script do.

use std::collections::BTreeMap;

use periapt_charm::{Bag, Context, Relation, Result, info};
use serde::Serialize;

use crate::Config;

/// Writes one key into an own bag of each relation meant.
pub fn set(
    context: &Context<Config>,
    endpoint: Option<&str>,
    bag: Bag,
    key: &str,
    value: Option<&str>,
) -> Result<()> {
    meant(context, endpoint)?
        .iter()
        .try_for_each(|relation| relation.set(bag, &[(key, value)]))
}

/// Reads the bags of one member, or of everybody who may be read, and shows them by relation
/// and member.
pub fn get(context: &Context<Config>, endpoint: Option<&str>, member: Option<&str>) -> Result<()> {
    let mut bags: BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>> = BTreeMap::new();
    for relation in meant(context, endpoint)? {
        let members = match member {
            Some(member) => vec![member.to_owned()],
            None => {
                let mut all = relation.units()?;
                all.push(relation.application()?);
                all.push(context.unit_name());
                all
            }
        };
        let of_relation = bags.entry(relation.id().to_owned()).or_default();
        for member in members {
            of_relation.insert(member.clone(), relation.settings(&member)?);
        }
    }
    show(context, "bags", &bags)
}

/// Puts a value where tests find it: a state key, and a line of the log.
pub fn show<T: Serialize + ?Sized>(context: &Context<Config>, key: &str, value: &T) -> Result<()> {
    context.state().set(key, value)?;
    let text: Option<serde_json::Value> = context.state().get(key)?;
    info!(context, "{key}: {}", text.unwrap_or_default());
    Ok(())
}

/// The relations at the endpoint; without one, the relation of the hook.
fn meant<'a>(context: &Context<'a, Config>, endpoint: Option<&str>) -> Result<Vec<Relation<'a>>> {
    match (endpoint, context.event().relation()) {
        (Some(endpoint), _) => context.relations(endpoint),
        (None, Some(event)) => Ok(vec![context.relation(event)]),
        (None, None) => Err("write in ENDPOINT: this hook is not one of a relation".into()),
    }
}
