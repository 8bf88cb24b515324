//! JSON of strangers: how many values it holds, before it is taken apart.
//!
//! A value in memory takes some thirty times the bytes of its text at worst, so bytes alone bound
//! nothing. Depth is bounded by the parser itself.

/// At least as many values and members as the text holds. One pass, nothing kept.
pub(crate) fn values(text: &[u8]) -> usize {
    let (mut count, mut quoted, mut escaped) = (1, false, false);
    for byte in text {
        match (quoted, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => quoted = !quoted,
            (false, b',' | b'[' | b'{') => count += 1,
            _ => {}
        }
    }
    count
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
        assert!(values("0,".repeat(1000).as_bytes()) >= 1000);
    }
}
