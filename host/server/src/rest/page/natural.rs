//! The order in which people expect names: `site/2` before `site/10`.

use std::cmp::Ordering;

/// Compares text piece by piece, runs of digits as the numbers they are.
pub(super) fn compare(left: &str, right: &str) -> Ordering {
    let (mut a, mut b) = (left, right);
    loop {
        match (a.chars().next(), b.chars().next()) {
            (None, None) => return left.cmp(right),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) => {
                let digits = x.is_ascii_digit() && y.is_ascii_digit();
                let order = if digits {
                    let (one, other);
                    (one, a) = number(a);
                    (other, b) = number(b);
                    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
                } else {
                    (a, b) = (&a[x.len_utf8()..], &b[y.len_utf8()..]);
                    x.cmp(&y)
                };
                if order != Ordering::Equal {
                    return order;
                }
            }
        }
    }
}

/// The digits at the beginning, without zeros before them, and the rest.
fn number(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    (text[..end].trim_start_matches('0'), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_as_numbers() {
        let mut names = vec![
            "site/10",
            "site/2",
            "a",
            "10",
            "0/lxd/1",
            "0",
            "9",
            "site2/0",
            "site/02",
            "",
            "99999999999999999999999",
            "100000000000000000000000",
        ];
        names.sort_by(|a, b| compare(a, b));
        assert_eq!(
            names,
            [
                "",
                "0",
                "0/lxd/1",
                "9",
                "10",
                "99999999999999999999999",
                "100000000000000000000000",
                "a",
                "site/02",
                "site/2",
                "site/10",
                "site2/0",
            ]
        );
    }
}
