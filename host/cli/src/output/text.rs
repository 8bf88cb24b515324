//! Text as it may be shown, and the order in which people expect names.

use std::cmp::Ordering;

/// The text without terminal control: escape sequences and control characters are taken out,
/// line ends stay. Charms and their logs say what they want, and a terminal obeys what it is
/// told.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => out.push(c),
            '\t' => out.push(' '),
            '\u{1b}' => skip_sequence(&mut rest),
            // The one-character form of the same introducers.
            '\u{9b}' => skip_until_final(&mut rest),
            '\u{90}' | '\u{9d}' | '\u{9e}' | '\u{9f}' | '\u{98}' => skip_string(&mut rest),
            c if c.is_control() || reorders(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// [`clean`] on one line: line ends become spaces.
pub fn clean_line(text: &str) -> String {
    clean(text).replace('\n', " ").trim_end().to_owned()
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_sequence(rest: &mut Rest<'_>) {
    match rest.next_if(|c| ('\u{20}'..='\u{7e}').contains(c)) {
        Some('[') => skip_until_final(rest),
        Some(']' | 'P' | 'X' | '^' | '_') => skip_string(rest),
        // Intermediate bytes, then one final byte.
        Some('\u{20}'..='\u{2f}') => {
            while rest
                .next_if(|c| ('\u{20}'..='\u{2f}').contains(c))
                .is_some()
            {}
            rest.next_if(|c| ('\u{30}'..='\u{7e}').contains(c));
        }
        _ => {}
    }
}

/// Parameters and intermediates of a control sequence, and its final byte.
fn skip_until_final(rest: &mut Rest<'_>) {
    while rest
        .next_if(|c| ('\u{20}'..='\u{3f}').contains(c))
        .is_some()
    {}
    rest.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
}

/// A command string, to its end (BEL or ST) or to the end of the line.
fn skip_string(rest: &mut Rest<'_>) {
    while let Some(c) = rest.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                rest.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

/// Characters that make text read in another order than it is written.
fn reorders(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

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
    fn terminal_control_is_taken_out() {
        assert_eq!(
            clean("\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7}text\r\u{8}\u{0}"),
            "red text"
        );
        assert_eq!(
            clean("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\"),
            "link"
        );
        assert_eq!(clean("\u{9b}2Ja\u{1b}(Bb\u{1b}c"), "ab");
        assert_eq!(clean("evil\u{202e}txt"), "eviltxt");
        assert_eq!(clean("grüße, 世界"), "grüße, 世界");
        assert_eq!(clean_line("a\nb\n"), "a b");
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
        fn nothing_that_controls_a_terminal_survives(text in any::<String>(), tail in "\\PC{0,8}") {
            let hostile = format!("{text}\u{1b}[{tail}\u{9b}{tail}\u{1b}]{tail}");
            prop_assert!(!clean(&hostile).chars().any(|c| c != '\n' && c.is_control()));
        }

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
