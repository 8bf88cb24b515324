//! What is different between two sets of settings, as it is remembered and shown: option by option the
//! value of before and of after, and never that of a secret.

use serde::{Deserialize, Serialize};

use crate::bounds::TEXT_BYTES;
use crate::config::{Value, Values};

/// Parts of names whose values are never kept, whatever their type says.
const SECRET: &[&str] = &[
    "password",
    "token",
    "secret",
    "csrf",
    "credential",
    "private-key",
    "client-key",
];

/// In place of a secret.
pub const HIDDEN: &str = "(hidden)";

/// One setting that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Difference {
    pub name: String,
    /// None: nobody had set it.
    pub was: Option<String>,
    /// None: it was reset.
    pub becomes: Option<String>,
}

/// Whether the name of a setting or of a member speaks of a secret.
pub fn speaks_of_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('_', "-");
    SECRET.iter().any(|part| name.contains(part))
}

/// What differs, by name. A secret is told by the schema, `is_secret`, or by its name.
pub fn between(
    before: &Values,
    after: &Values,
    is_secret: impl Fn(&str) -> bool,
) -> Vec<Difference> {
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    let mut names: Vec<&String> = after.keys().chain(gone).collect();
    names.sort_unstable();
    let differs = names
        .into_iter()
        .filter(|name| before.get(*name) != after.get(*name));
    let told = differs.map(|name| {
        let hidden = is_secret(name) || speaks_of_a_secret(name);
        let shown = |value: Option<&Value>| {
            value.map(|value| match hidden {
                true => HIDDEN.to_owned(),
                false => TEXT_BYTES.cut(&value.to_string()).into_owned(),
            })
        };
        Difference {
            name: name.clone(),
            was: shown(before.get(name)),
            becomes: shown(after.get(name)),
        }
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values<const N: usize>(of: [(&str, &str); N]) -> Values {
        let text = |(name, value): (&str, &str)| (name.to_owned(), Value::Text(value.to_owned()));
        of.into_iter().map(text).collect()
    }

    fn difference(name: &str, was: Option<&str>, becomes: Option<&str>) -> Difference {
        Difference {
            name: name.to_owned(),
            was: was.map(str::to_owned),
            becomes: becomes.map(str::to_owned),
        }
    }

    #[test]
    fn only_what_differs_is_told_with_both_values() {
        let before = values([("title", "a"), ("pages", "3"), ("old", "x")]);
        let after = values([("title", "b"), ("pages", "3"), ("new", "y")]);
        assert_eq!(
            between(&before, &after, |_| false),
            [
                difference("new", None, Some("y")),
                difference("old", Some("x"), None),
                difference("title", Some("a"), Some("b")),
            ]
        );
        assert_eq!(between(&before, &before, |_| false), []);
    }

    #[test]
    fn the_value_of_a_secret_is_never_told() {
        let before = values([("key", "PRIVATE"), ("admin_password", "old")]);
        let after = values([("key", "OTHER"), ("db-token", "new")]);
        let told = between(&before, &after, |name| name == "key");
        assert_eq!(
            told,
            [
                difference("admin_password", Some(HIDDEN), None),
                difference("db-token", None, Some(HIDDEN)),
                difference("key", Some(HIDDEN), Some(HIDDEN)),
            ]
        );
        let text = serde_json::to_string(&told).expect("JSON");
        assert!(!text.contains("PRIVATE") && !text.contains("OTHER") && !text.contains("\"new\""));
    }

    #[test]
    fn a_long_value_is_cut() {
        let long = "x".repeat(TEXT_BYTES.length() + 1);
        let told = between(&values([]), &values([("text", &long)]), |_| false);
        let becomes = told[0].becomes.as_deref().expect("a value");
        assert!(becomes.len() <= TEXT_BYTES.length() && becomes.ends_with('…'));
    }
}
