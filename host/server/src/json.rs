//! JSON of strangers: how many values it holds, before it is taken apart.
//!
//! A value in memory takes some thirty times the bytes of its text at worst, so bytes alone bound
//! nothing. Depth is bounded by the parser itself.

/// How much there is in a text of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measure {
    /// At least as many as there are values and members.
    pub values: usize,
    /// At least as many as the longest of its texts has, of which escapes only take more.
    pub longest: usize,
}

/// One pass, nothing kept.
pub(crate) fn measure(text: &[u8]) -> Measure {
    let (mut values, mut longest) = (1, 0);
    let (mut quoted, mut escaped) = (None, false);
    for (place, byte) in text.iter().enumerate() {
        match (quoted, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(begun), b'"') => {
                longest = longest.max(place - begun - 1);
                quoted = None;
            }
            (None, b'"') => quoted = Some(place),
            (None, b',' | b'[' | b'{') => values += 1,
            _ => {}
        }
    }
    Measure { values, longest }
}

/// At least as many values and members as the text holds.
pub(crate) fn values(text: &[u8]) -> usize {
    measure(text).values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_text() {
        for (text, expected) in [
            ("1", 1),
            ("[1,2,3]", 4),
            (r#"{"a":[],"b":{"c":1}}"#, 5),
            (r#"["a,[{\"\\", "b"]"#, 3),
        ] {
            assert_eq!(values(text.as_bytes()), expected, "{text}");
        }
        let text = r#"{"unit":"a","more":["12\"45",""]}"#;
        assert_eq!(measure(text.as_bytes()).longest, 6);
        assert!(values("0,".repeat(1000).as_bytes()) >= 1000);
    }
}
