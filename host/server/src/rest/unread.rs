//! What a parser says of a body or a query that it cannot read, in words for whoever sent it: which member, what it
//! is, what it should be. Places in the text and names of types of the program help nobody.

/// What the parsers' own texts begin with; the title says as much.
const BEGINNINGS: &[&str] = &[
    "Failed to deserialize the JSON body into the target type: ",
    "Failed to parse the request body as JSON: ",
    "Failed to deserialize query string: ",
];

/// Types as the program calls them, and as a person does.
const TYPES: &[(&str, &str)] = &[
    ("u8", "a whole number from 0 to 255"),
    ("u16", "a whole number from 0 to 65535"),
    ("u32", "a whole number from 0 on"),
    ("u64", "a whole number from 0 on"),
    ("usize", "a whole number from 0 on"),
    ("i32", "a whole number"),
    ("i64", "a whole number"),
    ("f64", "a number"),
    ("a boolean", "true or false"),
    ("a borrowed string", "text"),
    ("a string", "text"),
    ("a sequence", "a list"),
    ("a map", "an object"),
];

/// The words for it.
pub(super) fn in_words(text: &str) -> String {
    let mut text = text;
    for beginning in BEGINNINGS {
        text = text.strip_prefix(beginning).unwrap_or(text);
    }
    let (what, place) = match text.rsplit_once(" at line ") {
        Some((what, place)) => (what, Some(place)),
        None => (text, None),
    };
    if let Some((before, named)) = what.split_once("missing field `") {
        let name = named.trim_end_matches('`');
        return format!("{before}member \"{name}\" is missing");
    }
    if let Some(said) =
        mistaken(what, "invalid type: ").or_else(|| mistaken(what, "invalid value: "))
    {
        return said;
    }
    match what.strip_suffix("invalid digit found in string") {
        Some(before) => format!("{before}not a whole number from 0 on"),
        // It is no JSON: here the place is what helps.
        None => match place {
            Some(place) => format!("{what} at line {place}"),
            None => what.to_owned(),
        },
    }
}

/// `units: invalid type: string "x", expected u32` in words.
fn mistaken(text: &str, words: &str) -> Option<String> {
    let (before, rest) = text.split_once(words)?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let expected = match TYPES.iter().find(|(name, _)| *name == expected) {
        Some((_, words)) => *words,
        None if expected.starts_with("struct ") => "an object",
        None => expected,
    };
    Some(format!("{before}{found} is not {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sent_it_reads_which_member_and_what_it_should_be() {
        for (said, words) in [
            (
                "Failed to deserialize the JSON body into the target type: units: invalid type: string \"x\", expected u32 at line 1 column 11",
                "units: string \"x\" is not a whole number from 0 on",
            ),
            (
                "Failed to deserialize the JSON body into the target type: invalid type: sequence, expected struct Deploy at line 1 column 0",
                "sequence is not an object",
            ),
            (
                "Failed to deserialize the JSON body into the target type: missing field `charm` at line 1 column 24",
                "member \"charm\" is missing",
            ),
            (
                "Failed to parse the request body as JSON: expected value at line 1 column 1",
                "expected value at line 1 column 1",
            ),
            (
                "Failed to deserialize query string: limit: invalid digit found in string",
                "limit: not a whole number from 0 on",
            ),
            (
                "Failed to deserialize query string: since: \"yesterday\" is no time in RFC 3339, such as 2026-11-22T08:00:00Z",
                "since: \"yesterday\" is no time in RFC 3339, such as 2026-11-22T08:00:00Z",
            ),
        ] {
            assert_eq!(in_words(said), words);
        }
    }
}
