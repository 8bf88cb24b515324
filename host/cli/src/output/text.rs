//! Text as it may be shown, and the order in which people expect names.

use std::cmp::Ordering;

pub use periapt_model::text::{clean, clean_line};

/// Numbers inside names compare as numbers: `app9` before `app10`, `site/2` before `site/10`.
pub fn natural(left: &str, right: &str) -> Ordering {
    let (mut a, mut b) = (left, right);
    loop {
        match (a.is_empty(), b.is_empty()) {
            (true, true) => return left.cmp(right),
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) => {}
        }
        let ((text_a, number_a, rest_a), (text_b, number_b, rest_b)) = (chunk(a), chunk(b));
        let order = text_a.cmp(text_b).then_with(|| numbers(number_a, number_b));
        if order != Ordering::Equal {
            return order;
        }
        (a, b) = (rest_a, rest_b);
    }
}

/// Leading text, the digits after it, and what follows.
fn chunk(text: &str) -> (&str, &str, &str) {
    let digits = text
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(text.len());
    let (head, rest) = text.split_at(digits);
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (number, rest) = rest.split_at(end);
    (head, number, rest)
}

/// Digits by value, however many.
fn numbers(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// `names` in natural order.
pub fn sorted<'a, T>(entries: impl IntoIterator<Item = (&'a String, T)>) -> Vec<(&'a str, T)> {
    let mut all: Vec<(&str, T)> = entries
        .into_iter()
        .map(|(name, value)| (name.as_str(), value))
        .collect();
    all.sort_by(|(a, _), (b, _)| natural(a, b));
    all
}

/// Bytes for people: `84.1 KiB`.
pub fn bytes(count: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!(
        "{value:.1} {}",
        units.get(unit).copied().unwrap_or_default()
    )
}

/// `1 unit`, `2 units`.
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_sort_as_people_count() {
        let mut names = vec![
            "app10", "app9", "app", "site/10", "site/2", "site/02", "app9b", "9", "10", "0/lxd/1",
        ];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(
            names,
            [
                "0/lxd/1", "9", "10", "app", "app9", "app9b", "app10", "site/02", "site/2",
                "site/10"
            ]
        );
    }

    #[test]
    fn sizes_and_counts_read_well() {
        assert_eq!(
            (
                bytes(12).as_str(),
                bytes(86_118).as_str(),
                bytes(5 << 30).as_str()
            ),
            ("12 B", "84.1 KiB", "5.0 GiB")
        );
        assert_eq!(
            (count(1, "unit").as_str(), count(0, "unit").as_str()),
            ("1 unit", "0 units")
        );
    }

    proptest! {
        #[test]
        fn the_natural_order_is_an_order(a in "[a-c0-2/]{0,6}", b in "[a-c0-2/]{0,6}", c in "[a-c0-2/]{0,6}") {
            prop_assert_eq!(natural(&a, &b), natural(&b, &a).reverse());
            prop_assert_eq!(natural(&a, &b) == Ordering::Equal, a == b);
            if natural(&a, &b) == Ordering::Less && natural(&b, &c) == Ordering::Less {
                prop_assert_eq!(natural(&a, &c), Ordering::Less);
            }
        }

        #[test]
        fn numbers_compare_by_value(a in 0_u32..100_000, b in 0_u32..100_000) {
            prop_assert_eq!(natural(&format!("site/{a}"), &format!("site/{b}")), a.cmp(&b));
        }
    }
}
