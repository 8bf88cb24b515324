//! What a component implements and what its metadata gives no occasion for: it would never run, and nobody
//! would say so; and actions that are declared and that the component does not implement.

use periapt_contract::action::{ACTIONS, Asked};

use super::metrics::COLLECT_METRICS;
use super::{Actions, CharmMetadata, Metrics};
use crate::hook::Kind;
use crate::nearest::suggestion;
use crate::quota::METER_STATUS_CHANGED;

/// The endpoint that every charm provides without declaring it.
const IMPLICIT: &str = "juju-info";

/// A sentence for each endpoint or hook among `hooks` that a unit of this charm never meets, each
/// once, in the order of `hooks`, and for each action that the component does not have. One component
/// may serve several charms, so none of them is an error.
pub fn never_run(
    metadata: &CharmMetadata,
    metrics: &Metrics,
    actions: &Actions,
    hooks: &[String],
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for hook in hooks {
        match Asked::of(hook) {
            Some(Asked::Action(action)) if !actions.contains_key(action) => {
                found.push(format!(
                    "the action \"{action}\" never runs: the charm's actions.yaml does not declare it{}",
                    suggestion(action, actions.keys().map(String::as_str))
                ));
                continue;
            }
            Some(_) => continue,
            None => {}
        }
        let sentence = match endpoint_of(hook) {
            Some(endpoint)
                if endpoint == IMPLICIT || endpoints(metadata).any(|it| it == endpoint) =>
            {
                continue;
            }
            Some(endpoint) => format!(
                "hooks of the endpoint \"{endpoint}\" never run: the charm's metadata does not declare it{}",
                suggestion(endpoint, endpoints(metadata))
            ),
            None if storage_of(hook).is_some_and(|name| metadata.storage.contains_key(name)) => {
                continue;
            }
            None if storage_of(hook).is_some() => format!(
                "the hook \"{hook}\" never runs: the charm's metadata declares no such storage{}",
                suggestion(
                    storage_of(hook).unwrap_or_default(),
                    metadata.storage.keys().map(String::as_str)
                )
            ),
            None if hook == COLLECT_METRICS && metrics.is_empty() => format!(
                "the hook \"{COLLECT_METRICS}\" never runs: the charm declares no metrics (metrics.yaml)"
            ),
            None if unit_hooks().any(|known| known == hook) => continue,
            None => format!(
                "the hook \"{hook}\" never runs: there is no such hook{}",
                suggestion(hook, unit_hooks())
            ),
        };
        if !found.contains(&sentence) {
            found.push(sentence);
        }
    }
    let has = |action: &&String| hooks.contains(&format!("{ACTIONS}{action}"));
    let absent = actions.keys().filter(|action| !has(action));
    found.extend(absent.map(|action| {
        format!(
            "the action \"{action}\" fails wherever it is run: the component does not implement it"
        )
    }));
    found
}

/// Hooks that are of no relation and no storage.
fn unit_hooks() -> impl Iterator<Item = &'static str> {
    let names = Kind::ALL.iter().map(|kind| kind.as_str());
    names
        .filter(|name| !name.starts_with("relation-") && !name.starts_with("storage-"))
        .chain([COLLECT_METRICS, METER_STATUS_CHANGED])
}

/// `website` of `website-relation-changed`.
fn endpoint_of(hook: &str) -> Option<&str> {
    let names = Kind::ALL.iter().map(|kind| kind.as_str());
    names
        .filter(|name| name.starts_with("relation-"))
        .find_map(|name| hook.strip_suffix(name)?.strip_suffix('-'))
}

/// `data` of `data-storage-attached`.
fn storage_of(hook: &str) -> Option<&str> {
    let kinds = [Kind::StorageAttached, Kind::StorageDetaching];
    kinds
        .into_iter()
        .find_map(|kind| hook.strip_suffix(kind.as_str())?.strip_suffix('-'))
}

fn endpoints(metadata: &CharmMetadata) -> impl Iterator<Item = &str> {
    [&metadata.provides, &metadata.requires, &metadata.peers]
        .into_iter()
        .flat_map(|endpoints| endpoints.keys().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_that_fit_no_endpoint_are_named_with_the_nearest() {
        let metadata: CharmMetadata = serde_saphyr::from_str(
            "name: x\nprovides: {website: http}\nrequires: {database: pg}\npeers: {cluster: x}",
        )
        .unwrap();
        let hooks: Vec<String> = [
            "install",
            "website-relation-changed",
            "cluster-relation-joined",
            "meter-status-changed",
            "juju-info-relation-created",
            "databse-relation-created",
            "databse-relation-changed",
            "config-chnaged",
            "relation-changed",
            "collect-metrics",
            "actions/rebuild",
            "actions/rebuidl",
            "commands/list",
        ]
        .map(str::to_owned)
        .into();
        let actions = ["rebuild", "check"].map(|name| (name.to_owned(), Default::default()));
        let actions = Actions::from(actions);
        assert_eq!(
            never_run(&metadata, &Metrics::new(), &actions, &hooks),
            [
                "hooks of the endpoint \"databse\" never run: the charm's metadata does not declare it; did you mean \"database\"?",
                "the hook \"config-chnaged\" never runs: there is no such hook; did you mean \"config-changed\"?",
                "the hook \"relation-changed\" never runs: there is no such hook",
                "the hook \"collect-metrics\" never runs: the charm declares no metrics (metrics.yaml)",
                "the action \"rebuidl\" never runs: the charm's actions.yaml does not declare it; did you mean \"rebuild\"?",
                "the action \"check\" fails wherever it is run: the component does not implement it",
            ]
        );
        assert!(never_run(&metadata, &Metrics::new(), &Actions::new(), &hooks[..5]).is_empty());
    }
}
