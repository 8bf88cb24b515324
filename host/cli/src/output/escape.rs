//! JSON and YAML in which nothing hides: characters that control a terminal or are not seen are
//! written as escapes, so that a program reads the value as it is and a person sees that it is
//! there.

use periapt_model::text::is_hidden;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_saphyr::DoubleQuoted;

/// JSON text with its hidden characters, which can only be within strings, as escapes.
pub fn json(text: String) -> String {
    if !text.contains(is_hidden) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(character);
        }
    }
    out
}

/// A value as YAML. Where something hides, the text it is in is quoted and shows it as an escape.
///
/// # Errors
/// A value that has no form in YAML.
pub fn yaml(value: &impl Serialize) -> Result<String, Box<dyn std::error::Error>> {
    let text = serde_saphyr::to_string(value)?;
    if !text.contains(is_hidden) {
        return Ok(text);
    }
    // Only double quotes know escapes. Once all that hides is in them, escaping is replacing. A
    // name within a map cannot be told to be quoted; JSON quotes all of them and is YAML, too.
    let value = serde_json::to_value(value)?;
    let quoted = match hides_in_a_name(&value) {
        true => serde_json::to_string_pretty(&value)?,
        false => serde_saphyr::to_string(&Quoted(&value))?,
    };
    let mut out = String::with_capacity(quoted.len());
    for character in quoted.chars() {
        match (is_hidden(character), u32::from(character)) {
            (false, _) => out.push(character),
            (true, code @ ..=0xffff) => out.push_str(&format!("\\u{code:04X}")),
            (true, code) => out.push_str(&format!("\\U{code:08X}")),
        }
    }
    Ok(out)
}

fn hides_in_a_name(value: &Value) -> bool {
    match value {
        Value::Object(entries) => entries
            .iter()
            .any(|(name, value)| name.contains(is_hidden) || hides_in_a_name(value)),
        Value::Array(items) => items.iter().any(hides_in_a_name),
        _ => false,
    }
}

/// A value whose texts are in double quotes where something hides in them.
struct Quoted<'a>(&'a Value);

struct Text<'a>(&'a str);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.contains(is_hidden) {
            true => DoubleQuoted(self.0).serialize(serializer),
            false => self.0.serialize(serializer),
        }
    }
}

impl Serialize for Quoted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::String(text) => Text(text).serialize(serializer),
            Value::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&Quoted(item))?;
                }
                list.end()
            }
            Value::Object(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(&Text(key), &Quoted(value))?;
                }
                map.end()
            }
            other => other.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const HIDDEN: &str =
        "\u{1b}]0;owned\u{7}\u{9b}31m \u{202e}txt\u{200b}\u{2028}\u{e0041}\u{feff}\nend";

    fn as_json(value: &Value) -> String {
        super::json(serde_json::to_string_pretty(value).unwrap())
    }

    #[test]
    fn what_hides_is_shown_and_means_the_same() {
        let value = json!({ "plain": "as ever: yes", "hidden": HIDDEN,
            "list": [HIDDEN, 1, true, null], "\u{202e}key": { "in": HIDDEN } });
        let text = as_json(&value);
        assert!(!text.contains(is_hidden), "{text:?}");
        assert!(
            text.contains("\\u202e") && text.contains("\\udb40\\udc41"),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        let text = yaml(&value).unwrap();
        assert!(!text.contains(is_hidden), "{text:?}");
        assert!(
            text.contains("\\u202E") && text.contains("\\U000E0041"),
            "{text}"
        );
        assert_eq!(serde_saphyr::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn plain_values_are_written_as_ever() {
        let value = json!({ "name": "grüße, 世界", "text": "two\nlines" });
        assert_eq!(
            yaml(&value).unwrap(),
            serde_saphyr::to_string(&value).unwrap()
        );
        assert_eq!(
            as_json(&value),
            serde_json::to_string_pretty(&value).unwrap()
        );
    }

    proptest! {
        #[test]
        fn any_text_comes_back_from_either(text in any::<String>(), key in "\\PC{0,6}") {
            let value = json!({ key: [text.clone(), format!("{text}\u{200b}")] });
            let written = as_json(&value);
            prop_assert!(!written.contains(is_hidden));
            prop_assert_eq!(&serde_json::from_str::<Value>(&written).unwrap(), &value);
            let written = yaml(&value).unwrap();
            prop_assert!(!written.contains(is_hidden), "{written:?}");
            prop_assert_eq!(&serde_saphyr::from_str::<Value>(&written).unwrap(), &value, "{}", written);
        }
    }
}
