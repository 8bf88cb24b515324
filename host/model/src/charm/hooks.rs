//! Hooks of a component that its metadata gives no occasion for: they would never run, and nobody
//! would say so.

use super::metrics::COLLECT_METRICS;
use super::{CharmMetadata, Metrics};
use crate::hook::Kind;
use crate::nearest::suggestion;
use crate::quota::METER_STATUS_CHANGED;

/// The endpoint that every charm provides without declaring it.
const IMPLICIT: &str = "juju-info";

/// A sentence for each endpoint or hook among `hooks` that a unit of this charm never meets, each
/// once, in the order of `hooks`. One component may serve several charms, so none of them is an
/// error.
pub fn never_run(metadata: &CharmMetadata, metrics: &Metrics, hooks: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for hook in hooks {
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
    found
}

/// Hooks that are of no relation.
fn unit_hooks() -> impl Iterator<Item = &'static str> {
    let names = Kind::ALL.iter().map(|kind| kind.as_str());
    names
        .filter(|name| !name.starts_with("relation-"))
        .chain([COLLECT_METRICS, METER_STATUS_CHANGED])
}

/// `website` of `website-relation-changed`.
fn endpoint_of(hook: &str) -> Option<&str> {
    let names = Kind::ALL.iter().map(|kind| kind.as_str());
    names
        .filter(|name| name.starts_with("relation-"))
        .find_map(|name| hook.strip_suffix(name)?.strip_suffix('-'))
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
        ]
        .map(str::to_owned)
        .into();
        assert_eq!(
            never_run(&metadata, &Metrics::new(), &hooks),
            [
                "hooks of the endpoint \"databse\" never run: the charm's metadata does not declare it; did you mean \"database\"?",
                "the hook \"config-chnaged\" never runs: there is no such hook; did you mean \"config-changed\"?",
                "the hook \"relation-changed\" never runs: there is no such hook",
                "the hook \"collect-metrics\" never runs: the charm declares no metrics (metrics.yaml)",
            ]
        );
        assert!(never_run(&metadata, &Metrics::new(), &hooks[..5]).is_empty());
    }
}
