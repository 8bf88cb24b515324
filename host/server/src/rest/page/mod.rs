//! Lists, page by page: filtered, in natural order, with the members that were asked for.
//!
//! The cursor is the name of the last item, so a page begins where the one before ended however
//! the list changed in between, and any name is a good cursor.

use axum::Json;
use periapt_model::Refusal;
use periapt_wire::Problem;
use periapt_wire::rest::{ITEMS, ListQuery, MOST_ITEMS, Page};
use serde::Serialize;
use serde_json::Value;

use super::problem::Answer;

mod listed;
mod natural;
#[cfg(test)]
mod tests;

/// What the filters of a list look at.
pub(super) struct Facts {
    /// The item's own name, by which lists are ordered.
    pub name: String,
    pub status: String,
    pub applications: Vec<String>,
    pub machines: Vec<String>,
}

impl Facts {
    /// Of something that is found by its name alone.
    fn named(name: impl Into<String>) -> Self {
        Facts {
            name: name.into(),
            status: String::new(),
            applications: Vec::new(),
            machines: Vec::new(),
        }
    }
}

/// What a list is made of.
pub(super) trait Listed: Serialize {
    /// Filters of `ListQuery` that make sense for it; others are refused.
    const FILTERS: &'static [&'static str];
    /// Its members as JSON names them.
    const FIELDS: &'static [&'static str];

    fn facts(&self) -> Facts;
}

/// One page of `items`.
pub(super) fn page<T: Listed>(
    items: Vec<T>,
    query: &ListQuery,
) -> Result<Json<Page<Value>>, Answer> {
    let limit = match query.limit {
        None => ITEMS,
        Some(limit) if (1..=MOST_ITEMS).contains(&limit) => limit,
        Some(limit) => {
            return Err(refused(
                Refusal::LimitInvalid,
                format!("limit is {limit}, a page has 1 to {MOST_ITEMS} items"),
            ));
        }
    };
    let fields = fields::<T>(query.fields.as_deref().unwrap_or_default())?;
    check_filters::<T>(query)?;
    let mut found: Vec<(String, T)> = items
        .into_iter()
        .filter_map(|item| {
            let facts = item.facts();
            let wanted = fits(&facts, query)
                && query
                    .after
                    .as_deref()
                    .is_none_or(|after| natural::compare(&facts.name, after).is_gt());
            wanted.then_some((facts.name, item))
        })
        .collect();
    found.sort_by(|(a, _), (b, _)| natural::compare(a, b));
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|(name, _)| name.clone());
    let items = found
        .into_iter()
        .map(|(_, item)| select(&item, &fields))
        .collect::<Result<_, _>>()?;
    Ok(Json(Page { items, next }))
}

fn refused(refusal: Refusal, why: String) -> Answer {
    Answer(
        Problem::new(refusal)
            .titled("The list cannot be shown like that")
            .why(why),
    )
}

fn fields<T: Listed>(text: &str) -> Result<Vec<&str>, Answer> {
    let wanted: Vec<&str> = text
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    match wanted.iter().find(|name| !T::FIELDS.contains(name)) {
        None => Ok(wanted),
        Some(unknown) => Err(refused(
            Refusal::FieldUnknown,
            format!(
                "\"{unknown}\" is not a member of these items; there are: {}",
                T::FIELDS.join(", ")
            ),
        )),
    }
}

fn check_filters<T: Listed>(query: &ListQuery) -> Result<(), Answer> {
    let given = [
        ("status", &query.status),
        ("application", &query.application),
        ("machine", &query.machine),
    ];
    let useless = given
        .iter()
        .find(|(name, value)| value.is_some() && !T::FILTERS.contains(name));
    match useless {
        None => Ok(()),
        Some((name, _)) => Err(refused(
            Refusal::FilterUnknown,
            format!(
                "this list has no filter \"{name}\"; there are: {}",
                T::FILTERS.join(", ")
            ),
        )),
    }
}

fn fits(facts: &Facts, query: &ListQuery) -> bool {
    let name = query
        .name
        .as_deref()
        .is_none_or(|pattern| match pattern.strip_suffix('*') {
            Some(start) => facts.name.starts_with(start),
            None => facts.name == pattern,
        });
    let one_of = |wanted: &Option<String>, names: &[String]| {
        wanted
            .as_ref()
            .is_none_or(|wanted| names.iter().any(|name| name == wanted))
    };
    name && query
        .status
        .as_ref()
        .is_none_or(|wanted| *wanted == facts.status)
        && one_of(&query.application, &facts.applications)
        && one_of(&query.machine, &facts.machines)
}

/// The item with the wanted members, all for none.
fn select<T: Listed>(item: &T, fields: &[&str]) -> Result<Value, Answer> {
    let mut value = serde_json::to_value(item)
        .map_err(|error| Answer(Problem::new(Refusal::InternalError).why(error.to_string())))?;
    if let (Value::Object(members), false) = (&mut value, fields.is_empty()) {
        members.retain(|name, _| fields.contains(&name.as_str()));
    }
    Ok(value)
}
