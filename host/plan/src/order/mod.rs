//! Who starts before whom, and who waits for what.
//!
//! A service comes after those in its `after`, `requires`, `requires-ready` and
//! `requires-finished`, and before those in its `before`. `requires` alone says nothing of the
//! order in Pebble, where a service may come before one that it requires; so it gives way to
//! `before` and `after` of the same two.
//!
//! Nothing recurses: how many services there are, and how they hang together, is a charm's choice.

use std::collections::{BTreeMap, BTreeSet};

use super::layer::Service;
use super::plan::Plan;
use crate::seen::Current;

#[cfg(test)]
mod tests;

/// Each service with those that come before it.
type Before<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

fn before(plan: &Plan) -> Before<'_> {
    let mut before: Before<'_> = BTreeMap::new();
    for (name, service) in &plan.services {
        let own = before.entry(name).or_default();
        own.extend(predecessors(plan, name, service));
        for other in &service.before {
            before.entry(other).or_default().insert(name);
        }
    }
    before
}

/// Those that come before a service by its own words.
fn predecessors<'a>(
    plan: &'a Plan,
    name: &'a str,
    service: &'a Service,
) -> impl Iterator<Item = &'a str> {
    let says_otherwise = move |other: &&String| {
        let after = |other: &Service| other.after.iter().any(|first| first == name);
        service.before.contains(other) || plan.services.get(*other).is_some_and(after)
    };
    let requires = service
        .requires
        .iter()
        .filter(move |other| !says_otherwise(other));
    let firm = [
        &service.after,
        &service.requires_ready,
        &service.requires_finished,
    ];
    firm.into_iter()
        .flatten()
        .chain(requires)
        .map(String::as_str)
}

/// Groups of `names` of which each may start once the one before has; those of one group side by
/// side. What no order can be found for is left out: it waits for itself.
fn groups<'a>(plan: &'a Plan, names: &BTreeSet<&'a str>) -> Vec<Vec<&'a str>> {
    let mut waiting: Before<'_> = before(plan);
    waiting.retain(|name, _| names.contains(name));
    for before in waiting.values_mut() {
        before.retain(|name| names.contains(name));
    }
    let mut groups = Vec::new();
    loop {
        let free = waiting.iter().filter(|(_, before)| before.is_empty());
        let group: Vec<&str> = free.map(|(name, _)| *name).collect();
        if group.is_empty() {
            return groups;
        }
        for name in &group {
            waiting.remove(name);
        }
        for before in waiting.values_mut() {
            for name in &group {
                before.remove(name);
            }
        }
        groups.push(group);
    }
}

/// Services that wait for one another, each for the next; the first stands at the end again.
pub fn cycle(plan: &Plan) -> Option<Vec<String>> {
    let all: BTreeSet<&str> = plan.services.keys().map(String::as_str).collect();
    let started: BTreeSet<&str> = groups(plan, &all).into_iter().flatten().collect();
    let before = before(plan);
    // Whoever was not started waits for somebody who was not: following that leads in a circle.
    let mut path: Vec<&str> = Vec::new();
    let mut at = *all.difference(&started).next()?;
    loop {
        if let Some(begin) = path.iter().position(|name| *name == at) {
            let circle = path.get(begin..).unwrap_or_default().iter().chain([&at]);
            return Some(circle.map(|name| (*name).to_owned()).collect());
        }
        path.push(at);
        at = *before.get(at)?.difference(&started).next()?;
    }
}

/// `names` with all that `next` leads to from them.
fn closure<'a>(
    names: impl IntoIterator<Item = &'a str>,
    next: impl Fn(&'a str) -> Vec<&'a str>,
) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = names.into_iter().collect();
    while let Some(name) = open.pop() {
        if found.insert(name) {
            open.extend(next(name));
        }
    }
    found
}

fn owned(groups: Vec<Vec<&str>>) -> Vec<Vec<String>> {
    let own = |group: Vec<&str>| group.into_iter().map(str::to_owned).collect();
    groups.into_iter().map(own).collect()
}

/// How to start `names` with all that they require: groups one after the other, those of a group
/// side by side. Names that the plan does not have are left out.
pub fn start<'a>(plan: &'a Plan, names: impl IntoIterator<Item = &'a str>) -> Vec<Vec<String>> {
    let required = |name: &'a str| {
        let service = plan.services.get(name).into_iter();
        let lists = service.flat_map(|service| {
            [
                &service.requires,
                &service.requires_ready,
                &service.requires_finished,
            ]
        });
        lists.flatten().map(String::as_str).collect()
    };
    owned(groups(plan, &closure(names, required)))
}

/// How to stop `names` with all that require them: the reverse of the order in which those would
/// start. One that waited for another to finish does not need it any more.
pub fn stop<'a>(plan: &'a Plan, names: impl IntoIterator<Item = &'a str>) -> Vec<Vec<String>> {
    let dependents = |name: &'a str| {
        let needs = |(_, service): &(&String, &Service)| {
            let mut lists = service.requires.iter().chain(&service.requires_ready);
            lists.any(|required| required == name)
        };
        let services = plan.services.iter().filter(needs);
        services.map(|(name, _)| name.as_str()).collect()
    };
    let mut groups = groups(plan, &closure(names, dependents));
    groups.reverse();
    owned(groups)
}

/// What a service still waits for, in the order of names: those that have to be active or finished
/// and are not, and those that come before it and are only about to start. Whoever failed holds up
/// nobody but those who require it. `now` says of a service that is wanted where it is.
pub fn waits_for<'a>(
    plan: &'a Plan,
    name: &'a str,
    now: impl Fn(&str) -> Option<Current>,
) -> BTreeSet<&'a str> {
    let Some(service) = plan.services.get(name) else {
        return BTreeSet::new();
    };
    let unready = service.requires_ready.iter();
    let unready = unready.filter(|other| now(other) != Some(Current::Active));
    let unfinished = service.requires_finished.iter();
    let unfinished = unfinished.filter(|other| now(other) != Some(Current::Finished));
    let about_to = |other: &&str| {
        use Current::{Inactive, Starting, Stopping, Waiting};
        matches!(now(other), Some(Inactive | Waiting | Starting | Stopping))
    };
    let before = plan
        .services
        .iter()
        .filter(|(_, other)| other.before.iter().any(|b| b == name));
    let before = before.map(|(other, _)| other.as_str());
    let first = predecessors(plan, name, service)
        .chain(before)
        .filter(about_to);
    let firm = unready.chain(unfinished).map(String::as_str);
    firm.chain(first).collect()
}
