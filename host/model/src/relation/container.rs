//! Which applications a container keeps units of.

use std::collections::BTreeSet;

use crate::name::ApplicationName;

/// The applications that are tied to `root`, directly or through others, by `edges`: pairs of
/// applications with an alive relation that stays within a container. Only applications in
/// `within` count as links.
///
/// A subordinate unit lives as long as its application is tied to that of its principal
/// through applications that have units in the container. Two subordinates that are tied to
/// each other alone hold neither up.
pub fn supported(
    root: &ApplicationName,
    edges: &[(ApplicationName, ApplicationName)],
    within: &BTreeSet<ApplicationName>,
) -> BTreeSet<ApplicationName> {
    let mut found = BTreeSet::new();
    let mut front = vec![root.clone()];
    while let Some(link) = front.pop() {
        for (one, other) in edges {
            let next = if *one == link {
                other
            } else if *other == link {
                one
            } else {
                continue;
            };
            if next != root && within.contains(next) && found.insert(next.clone()) {
                front.push(next.clone());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn application(number: u8) -> ApplicationName {
        let letter = char::from(b'a' + number);
        format!("app-{letter}").parse().unwrap()
    }

    fn set(numbers: &[u8]) -> BTreeSet<ApplicationName> {
        numbers.iter().copied().map(application).collect()
    }

    fn pairs(numbers: &[(u8, u8)]) -> Vec<(ApplicationName, ApplicationName)> {
        let pair = |(one, other): &(u8, u8)| (application(*one), application(*other));
        numbers.iter().map(pair).collect()
    }

    #[test]
    fn a_pair_that_is_tied_to_nobody_else_falls() {
        let all = set(&[1, 2]);
        let held = supported(&application(0), &pairs(&[(1, 0), (2, 1)]), &all);
        assert_eq!(held, all);
        let held = supported(&application(0), &pairs(&[(2, 1)]), &all);
        assert!(held.is_empty());
        let held = supported(&application(0), &pairs(&[(1, 0), (2, 1)]), &set(&[2]));
        assert!(held.is_empty(), "a link without a unit holds nobody");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn support_is_a_path_from_the_root(
            edges in prop::collection::vec((0..6_u8, 0..6_u8), 0..12),
            within in prop::collection::vec(0..6_u8, 0..6),
            cut in any::<prop::sample::Index>(),
        ) {
            let (root, within) = (application(0), set(&within));
            let ties = pairs(&edges);
            let held = supported(&root, &ties, &within);
            prop_assert!(!held.contains(&root) && held.is_subset(&within));
            // Whoever is tied to one that is held, and may be a link, is held.
            for (one, other) in &ties {
                for (one, other) in [(one, other), (other, one)] {
                    let holds = *one == root || held.contains(one);
                    if holds && *other != root && within.contains(other) {
                        prop_assert!(held.contains(other));
                    }
                }
            }
            // Nobody is held without the root, neither by direction nor order of the ties.
            let rootless: Vec<_> = ties
                .iter()
                .filter(|(one, other)| *one != root && *other != root)
                .cloned()
                .collect();
            prop_assert!(supported(&root, &rootless, &within).is_empty());
            let turned: Vec<_> = ties.iter().rev().map(|(a, b)| (b.clone(), a.clone())).collect();
            prop_assert_eq!(&supported(&root, &turned, &within), &held);
            // One tie less never holds more.
            if !ties.is_empty() {
                let mut fewer = ties.clone();
                fewer.remove(cut.index(ties.len()));
                prop_assert!(supported(&root, &fewer, &within).is_subset(&held));
            }
        }
    }
}
